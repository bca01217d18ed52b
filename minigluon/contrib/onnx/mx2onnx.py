"""Location of the ONNX exporter in MXNet 1.3 to 1.8: `mx.contrib.onnx.mx2onnx.export_model`."""

from ...providers import ask as _ask

__all__ = ["export_model", "get_operator_support"]

export_model, get_operator_support = _ask("onnx").export_model, _ask("onnx").get_operator_support
