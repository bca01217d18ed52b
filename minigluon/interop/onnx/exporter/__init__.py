"""Networks as ONNX files.

    export_model    what a program calls: reads its arguments, and writes the file
    lengths         shapes in which some lengths are open
    translation     the graph, node by node
    table           which operator is translated how; `operators` has the translations, in the streets of `ops`
    values          what translations write with; `helpers`, `formulas` are parts of it
    files           the messages of the file
"""

from .export_model import export_block, export_model, get_operator_support
from .translation import TranslationError

__all__ = ["TranslationError", "export_block", "export_model", "get_operator_support"]
