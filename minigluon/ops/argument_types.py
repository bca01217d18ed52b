"""The accepted values of an attribute as text in MXNet's style: 'int (non-negative), required', 'boolean, optional,
default=1'.

`mx.operator.get_operator_arguments` returns it; programs build command lines and help pages from it.
"""

from ..common.dtypes import CODES
from .fields import MISSING, Device, DType, Floats, Graph, Index, Shape

__all__ = ["type_text"]

_KINDS = {bool: "boolean", int: "int", float: "float", str: "string", Device: "string", Shape: "Shape(tuple)",
          Index: "Shape(tuple)", Floats: "tuple of <float>", Graph: "graph"}

# Integers that are counts, and one that is a size in MB.
_COUNTS = {"im2col_step", "kernel_size", "max_displacement", "nsize", "num_deformable_group", "num_filter", "num_group",
           "num_layers", "pad_size", "state_size", "stride1", "stride2", "workspace"}


def type_text(field):
    """Returns the type of a Field, or its sorted choices, and 'required' or 'optional' with the default."""
    kind, optional, choices = field.kind()
    choices = sorted(choices or (sorted(dtype.name for dtype in CODES) if kind is DType else ()), key=str)
    if choices:
        text = "{" + ", ".join([*(["None"] if optional else []), *map(repr, choices)]) + "}"
    else:
        text = _KINDS[kind] + (" (non-negative)" if field.name in _COUNTS else "") + (" or None" if optional else "")
    if field.default is MISSING:
        return f"{text}, required"
    return f"{text}{',' if choices else ', '}optional, default={_default(field.default)}"


def _default(value):
    """Returns a default as text: 1 for True, [1, 2] for a tuple."""
    if isinstance(value, bool):
        return int(value)
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
