"""Where MXNet 1.3 to 1.8 have what writes ONNX files: `mx.contrib.onnx.mx2onnx.export_model`."""

from ...onnx import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
