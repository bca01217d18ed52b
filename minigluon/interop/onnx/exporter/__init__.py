"""Export of networks to ONNX files.

    export_model    the entry point: reads its arguments and writes the file
    dynamic_axes    shapes with symbolic dimensions
    translation     the graph, node by node
    table           the translation of each operator; `operators` has the translations, by the categories of `ops`
    values          the builder that translations use; `helpers` and `formulas` are parts of it
    files           the protocol buffers of the file
"""

from .export_model import export_block, export_model, get_operator_support
from .translation import TranslationError

__all__ = ["TranslationError", "export_block", "export_model", "get_operator_support"]
