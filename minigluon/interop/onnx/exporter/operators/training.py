"""Operators that are needed only in training and that ONNX files do not contain."""

from .....ops import REGISTRY
from ..table import LISTED, TRANSLATIONS, listed

__all__ = ["list_all"]

_ADJOINTS = ("_backward_RNN", "_batch_norm_recompute", "_box_nms_chosen", "_conv", "_cumsum_backwards", "_gelu_slope",
             "_grid_in_halves", "_item_weight", "_pick_largest", "_prod_others",
             "_roi_pooling_chosen", "_sum_neighbours")


def list_all() -> None:
    """Registers the reason for optimizers and gradients that are not translated in another category."""
    missing = {cls.name: cls for cls in REGISTRY.values() if cls.name not in TRANSLATIONS and cls.name not in LISTED}
    for name, cls in missing.items():
        if ".optimizer." in cls.__module__:
            listed("a step of an optimizer", name)
        elif name.endswith("_grad") or name in _ADJOINTS:
            listed("part of a gradient", name)
