"""Location of the ONNX importer in MXNet 1.3 to 1.9: `mx.contrib.onnx.onnx2mx.import_model`."""

from ...providers import ask as _ask

__all__ = ["get_model_metadata", "import_model", "import_to_gluon"]

get_model_metadata, import_model, import_to_gluon = (getattr(_ask("onnx"), name) for name in __all__)
