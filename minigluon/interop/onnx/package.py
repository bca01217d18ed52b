"""Import of the package `onnx`, which only this part of minigluon needs."""

from functools import cache

from ...common.optional_packages import require

__all__ = ["onnx_package"]


@cache
def onnx_package():
    """Returns the module `onnx`. Raises MXNetError with installation instructions if it is missing."""
    require("onnx", extra="onnx", user="mx.onnx")
    import onnx
    return onnx
