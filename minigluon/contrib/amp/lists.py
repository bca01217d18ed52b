"""Lists of operators that compute in the narrow dtype, in float32, and in the widest dtype of their inputs.

Matrix products and convolutions benefit from a narrow dtype, and accumulate in float32 anyway. Operators that sum,
divide, or exceed the narrow dtype's range, such as losses, norms, powers, and logarithms, compute in float32. Cheap
operators with several inputs compute in the widest of their dtypes. All other operators accept any dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import ArgumentError
from ...common.docstrings import share_sentences
from ...common.dtypes import BFLOAT16, as_dtype
from ...ops import REGISTRY
from ...symbol.internal import is_internal

if TYPE_CHECKING:
    from ...common.types import DType

__all__ = ["list_conditional_fp32_ops", "list_fp32_ops", "list_loss_output_functions", "list_lp16_fp32_ops",
           "list_lp16_ops", "list_lp16_use_fp32_params", "list_widest_type_cast", "target_type"]

_PRODUCTS = ("Convolution", "FullyConnected")
_MORE_PRODUCTS = ("Deconvolution", "RNN")           # with bfloat16, these compute in float32

_FLOAT32 = (
    # overflow, or loss of digits
    "broadcast_power", "_power", "_power_scalar", "_rpower_scalar", "_rdiv_scalar", "broadcast_hypot", "_hypot",
    "_hypot_scalar", "square", "reciprocal", "rsqrt", "rcbrt", "exp", "expm1", "log", "log2", "log10", "log1p", "tan",
    "arcsin", "arccos", "sinh", "cosh", "arctanh", "erfinv", "gamma", "gammaln",
    # sums and products of many values
    "sum", "mean", "prod", "nansum", "nanprod", "_square_sum", "norm", "moments", "khatri_rao",
    "_contrib_count_sketch", "_contrib_fft", "_contrib_hawkesll",
    "_linalg_gemm", "_linalg_gemm2", "_linalg_syrk", "_linalg_trmm", "_linalg_trsm", "_linalg_potrf", "_linalg_potri",
    "_linalg_gelqf", "_linalg_syevd", "_linalg_inverse", "_linalg_det", "_linalg_slogdet", "_linalg_sumlogdiag",
    "_linalg_extractdiag", "_linalg_makediag", "_linalg_extracttrian", "_linalg_maketrian",
    # normalization
    "softmax", "softmin", "log_softmax", "SoftmaxActivation", "LayerNorm", "InstanceNorm", "GroupNorm",
    "L2Normalization", "LRN", "_contrib_SyncBatchNorm",
    # losses
    "SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput", "SVMOutput",
    "softmax_cross_entropy", "smooth_l1", "MakeLoss", "make_loss", "CTCLoss",
    # results that are indices or positions
    "argsort", "topk", "_contrib_MultiBoxPrior", "_contrib_MultiBoxTarget", "_contrib_MultiBoxDetection",
    "_contrib_DeformableConvolution", "_contrib_DeformablePSROIPooling",
)
_WIDEST = (
    *[f"broadcast_{name}" for name in (
        "add", "sub", "mul", "div", "mod", "maximum", "minimum", "equal", "not_equal", "greater", "greater_equal",
        "lesser", "lesser_equal", "logical_and", "logical_or", "logical_xor")],
    *[f"_{name}" for name in (
        "mod", "maximum", "minimum", "equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal",
        "logical_and", "logical_or", "logical_xor")],
    "elemwise_add", "elemwise_sub", "elemwise_mul", "elemwise_div", "add_n", "Concat", "stack", "where", "dot",
    "batch_dot", "Correlation",
    *[f"_contrib_interleaved_matmul_{name}" for name in (
        "selfatt_qk", "selfatt_valatt", "encdec_qk", "encdec_valatt")],
    "_contrib_box_iou", "_contrib_box_nms", "_contrib_ROIAlign", "_contrib_PSROIPooling", "_contrib_Proposal",
    "_contrib_MultiProposal",
    *[f"_random_pdf_{name}" for name in (
        "uniform", "normal", "gamma", "exponential", "poisson", "negative_binomial", "generalized_negative_binomial",
        "dirichlet")],
)
_LOSSES = ["SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"]

# bfloat16 has only 8 bits of precision and float16 has 11, so all operators not listed here or above compute in
# float32.
_TAKE_BFLOAT16 = (
    "abs", "Activation", "BatchNorm", "_contrib_BatchNormWithReLU", "clip", "Concat", "LeakyReLU", "LRN", "Pooling",
    "relu", "_shuffle", "sqrt", "square", "tanh", "_contrib_interleaved_matmul_selfatt_qk",
    "_contrib_interleaved_matmul_selfatt_valatt", "_contrib_interleaved_matmul_encdec_qk",
    "_contrib_interleaved_matmul_encdec_valatt", "amp_cast", "amp_multicast")
_NOT_WIDEST_IN_BFLOAT16 = ("broadcast_mul", "Concat", *[name for name in _TAKE_BFLOAT16 if "interleaved" in name])
_WIDEST_IN_BFLOAT16 = ("_contrib_MultiBoxPrior", "_contrib_MultiBoxTarget", "_contrib_MultiBoxDetection")


def target_type(dtype: DType) -> np.dtype[Any]:
    """Return the numpy.dtype of float16 or bfloat16. Raises ArgumentError for any other dtype."""
    target = None if dtype is None else as_dtype(dtype)
    if target is None or target != np.float16 and target.name != BFLOAT16:
        raise ArgumentError(f"amp: target_dtype is {dtype!r}, expected 'float16' or 'bfloat16'")
    return target


def _is_bfloat16(target_dtype):
    return target_type(target_dtype).name == BFLOAT16


def list_lp16_ops(target_dtype: str) -> list[str]:
    """Return the names of the operators that compute in the narrow dtype.

    target_dtype: 'float16' or 'bfloat16'.

    Raises ArgumentError for any other dtype.

    >>> from minigluon.contrib import amp
    >>> amp.list_lp16_ops("float16")
    ['Convolution', 'FullyConnected', 'Deconvolution', 'RNN']
    """
    return [*_PRODUCTS] if _is_bfloat16(target_dtype) else [*_PRODUCTS, *_MORE_PRODUCTS]


def list_fp32_ops(target_dtype: str) -> list[Any]:
    """Return the names of the operators that compute in float32.

    >>> from minigluon.contrib import amp
    >>> {"softmax", "exp", "sum"} <= set(amp.list_fp32_ops("float16"))
    True
    """
    if not _is_bfloat16(target_dtype):
        return [*_FLOAT32]
    others = {*_PRODUCTS, *list_widest_type_cast(target_dtype), *_TAKE_BFLOAT16}
    return sorted(name for name in _names() if name not in others)


def list_widest_type_cast(target_dtype: str) -> list[str]:
    """Return the names of the operators that compute in the widest dtype of their inputs.

    >>> from minigluon.contrib import amp
    >>> "elemwise_add" in amp.list_widest_type_cast("float16")
    True
    """
    if not _is_bfloat16(target_dtype):
        return [*_WIDEST]
    return [name for name in (*_WIDEST, *_WIDEST_IN_BFLOAT16) if name not in _NOT_WIDEST_IN_BFLOAT16]


def list_lp16_fp32_ops(target_dtype: str) -> list[Any]:
    """Return the names of the operators that compute in the dtype of their input.

    >>> from minigluon.contrib import amp
    >>> {"relu", "Pooling", "BatchNorm"} <= set(amp.list_lp16_fp32_ops("float16"))
    True
    """
    others = {*list_lp16_ops(target_dtype), *list_fp32_ops(target_dtype), *list_widest_type_cast(target_dtype)}
    return sorted(name for name in _names() if name not in others)


def list_conditional_fp32_ops(target_dtype: str) -> list[tuple[str, str, list[str]]]:
    """Return [(name, attribute, values)] of operators that compute in float32 if the attribute has one of the values.

    >>> from minigluon.contrib import amp
    >>> amp.list_conditional_fp32_ops("float16")[0]
    ('Activation', 'act_type', ['softrelu'])
    """
    target_type(target_dtype)
    return [("Activation", "act_type", ["softrelu"]), ("LeakyReLU", "act_type", ["elu", "selu"])]


def list_loss_output_functions(target_dtype: str) -> list[str]:
    """Return the names of output operators with a built-in loss, whose `grad_scale` is multiplied by the loss scale.

    >>> from minigluon.contrib import amp
    >>> "SoftmaxOutput" in amp.list_loss_output_functions("float16")
    True
    """
    target_type(target_dtype)
    return [*_LOSSES]


def list_lp16_use_fp32_params(target_dtype: str) -> dict[str, list[str]] | None:
    """Return {name: inputs} of operators whose parameters stay float32 ('' for inputs that may be narrow), or None.

    >>> from minigluon.contrib import amp
    >>> amp.list_lp16_use_fp32_params("float16") is None
    True
    """
    if not _is_bfloat16(target_dtype):
        return None
    names = ["", "gamma", "beta", "moving_mean", "moving_var"]
    return {"BatchNorm": names, "BatchNormWithReLU": [*names]}


def _names():
    """Return the names of all public operators, without aliases."""
    return sorted({cls.name for cls in REGISTRY.values() if not is_internal(cls.name)})


share_sentences(list_lp16_ops, list_fp32_ops, list_widest_type_cast, list_lp16_fp32_ops, list_conditional_fp32_ops,
                list_loss_output_functions, list_lp16_use_fp32_params)
