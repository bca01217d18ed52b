"""The package `onnx`, which only this part of minigluon needs."""

from functools import cache

from ...common.optional_packages import require

__all__ = ["onnx_package"]


@cache
def onnx_package():
    """The module `onnx`. Raises MXNetError that says how to install it where it is missing."""
    require("onnx", extra="onnx", user="mx.onnx")
    import onnx
    return onnx
