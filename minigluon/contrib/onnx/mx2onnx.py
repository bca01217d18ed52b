"""Where MXNet 1.3 to 1.8 have what writes ONNX files: `mx.contrib.onnx.mx2onnx.export_model`."""

from ...providers import ask

__all__ = ["export_model", "get_operator_support"]

export_model, get_operator_support = ask("onnx").export_model, ask("onnx").get_operator_support
