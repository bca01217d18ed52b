"""The table's operators that are imported when they are looked up, because few programs need them.

A program pays for the import of a module with time and memory. The names of these modules' operators are therefore
known before the modules are imported. To add an operator to one of them, also add its names to MODULES.
"""

import importlib
import sys
from collections.abc import Iterator, KeysView
from typing import Any

__all__ = ["MODULES", "OperatorTable"]

# {module: every name and alias of its operators}; a test compares the names with the module
MODULES = {
    "linalg.factor": (
        "_linalg_det", "_linalg_gelqf", "_linalg_inner", "_linalg_inverse", "_linalg_potrf", "_linalg_potri",
        "_linalg_scale", "_linalg_slogdet", "_linalg_sumlogdiag", "_linalg_svd", "_linalg_syevd", "linalg_det",
        "linalg_gelqf", "linalg_inverse", "linalg_potrf", "linalg_potri", "linalg_slogdet", "linalg_sumlogdiag",
        "linalg_syevd"),
    "linalg.fourier": ("_contrib_count_sketch", "_contrib_fft", "_contrib_ifft", "_count_sketch_grad"),
    "linalg.khatri_rao": ("_khatri_rao_grad", "khatri_rao"),
    "linalg.parts": (
        "_linalg_extractdiag", "_linalg_extracttrian", "_linalg_makediag", "_linalg_maketrian", "linalg_extractdiag",
        "linalg_extracttrian", "linalg_makediag", "linalg_maketrian"),
    "linalg.triangular": ("_linalg_triangle", "_linalg_trmm", "_linalg_trsm", "linalg_trmm", "linalg_trsm"),
    "nn.attention": (
        "_contrib_interleaved_matmul_encdec_qk", "_contrib_interleaved_matmul_encdec_valatt",
        "_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_selfatt_valatt"),
    "nn.correlation": ("Correlation", "_correlation_grad"),
    "nn.ctc": ("CTCLoss", "_contrib_CTCLoss", "_contrib_ctc_loss", "_ctc_loss_grad", "ctc_loss"),
    "nn.deformable": (
        "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution", "_deformable_columns",
        "_deformable_data_grad", "_deformable_offset_grad"),
    "quantized": (
        "_contrib_calibrate_entropy", "_contrib_dequantize", "_contrib_quantize", "_contrib_quantize_v2",
        "_contrib_quantized_act", "_contrib_quantized_batch_norm", "_contrib_quantized_concat",
        "_contrib_quantized_conv", "_contrib_quantized_elemwise_add", "_contrib_quantized_elemwise_mul",
        "_contrib_quantized_embedding", "_contrib_quantized_flatten", "_contrib_quantized_fully_connected",
        "_contrib_quantized_pooling", "_contrib_requantize", "_contrib_weight_only_fully_connected",
        "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"),
    "random.hawkes": ("_contrib_hawkesll", "_hawkesll_grad"),
    "random.pdf": (
        "_pdf_collect", "_pdf_spread", "_random_pdf_dirichlet", "_random_pdf_exponential", "_random_pdf_gamma",
        "_random_pdf_generalized_negative_binomial", "_random_pdf_negative_binomial", "_random_pdf_normal",
        "_random_pdf_poisson", "_random_pdf_uniform", "random_pdf_dirichlet", "random_pdf_exponential",
        "random_pdf_gamma", "random_pdf_generalized_negative_binomial", "random_pdf_negative_binomial",
        "random_pdf_normal", "random_pdf_poisson", "random_pdf_uniform"),
    "vision": (
        "BilinearSampler", "GridGenerator", "ROIPooling", "SpatialTransformer", "_AdaptiveAvgPooling2D_grad",
        "_BilinearResize2D_grad", "_PSROIPooling_grad", "_ROIAlign_grad", "_RROIAlign_grad", "_affine_grid_grad",
        "_bilinear_sampler_data_grad", "_bilinear_sampler_grid_grad", "_box_nms_chosen", "_box_nms_grad",
        "_contrib_AdaptiveAvgPooling2D", "_contrib_BilinearResize2D", "_contrib_DeformablePSROIPooling",
        "_contrib_MultiBoxDetection", "_contrib_MultiBoxPrior", "_contrib_MultiBoxTarget", "_contrib_MultiProposal",
        "_contrib_PSROIPooling", "_contrib_Proposal", "_contrib_ROIAlign", "_contrib_RROIAlign",
        "_contrib_bipartite_matching", "_contrib_box_decode", "_contrib_box_encode", "_contrib_box_iou",
        "_contrib_box_nms", "_contrib_box_non_maximum_suppression", "_crop_image_grad",
        "_deformable_ps_roi_data_grad", "_deformable_ps_roi_trans_grad", "_grid_in_halves", "_image_adjust_lighting",
        "_image_crop", "_image_flip_left_right", "_image_flip_top_bottom", "_image_normalize",
        "_image_random_brightness", "_image_random_color_jitter", "_image_random_contrast",
        "_image_random_flip_left_right", "_image_random_flip_top_bottom", "_image_random_hue",
        "_image_random_lighting", "_image_random_saturation", "_image_resize", "_image_to_tensor",
        "_roi_pooling_chosen", "_roi_pooling_grad", "_to_tensor_grad"),
}


class OperatorTable(dict[str, Any]):
    """{name: operator class}, including the names in MODULES, whose modules are imported at the first look-up.

    Iterating over the names imports nothing; `values` and `items` import all modules.
    """

    def __init__(self) -> None:
        super().__init__()
        self._modules = {name: f"{__package__}.{module}" for module, names in MODULES.items() for name in names}

    def __missing__(self, name: str) -> Any:
        cls = self.get(name)
        if cls is None:
            raise KeyError(name)
        return cls

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the class, or `default`: also for a name whose module is just being imported, by this thread."""
        if name in self._modules and not super().__contains__(name):
            importlib.import_module(self._modules[name])
        return super().get(name, default)

    def __contains__(self, name: Any) -> bool:
        return super().__contains__(name) or name in self._modules and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def keys(self) -> Any:
        """Returns all names."""
        return KeysView(self)

    def values(self) -> Any:
        """Returns all classes, once for each of their names."""
        self._import_all()
        return super().values()

    def items(self) -> Any:
        """Returns all pairs (name, class)."""
        self._import_all()
        return super().items()

    def __len__(self) -> int:
        return len(self._names())

    def clear(self) -> None:
        """Removes all names."""
        self._modules.clear()
        super().clear()

    def _names(self):
        later = [name for name, module in self._modules.items() if module not in sys.modules]
        return [*super().__iter__(), *later]

    def _import_all(self):
        for module in dict.fromkeys(self._modules.values()):
            importlib.import_module(module)
