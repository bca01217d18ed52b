"""ONNX's codes for element types."""

import numpy as np

from ....base import MXNetError
from ..package import onnx_package

__all__ = ["onnx_type"]


def onnx_type(dtype):
    """Returns ONNX's code for a dtype. Raises MXNetError if ONNX has no code for it."""
    try:
        return onnx_package().helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    except (KeyError, ValueError) as error:
        raise MXNetError(f"export_model: ONNX has no arrays of {np.dtype(dtype)}") from error
