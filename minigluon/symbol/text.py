"""MXNet's spelling of names and attributes, so that files are identical: hints for names, attributes as strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ..ops.fields import Device, DType
from ..ops.op import Op

__all__ = ["attribute_text", "hint_of", "initial", "attribute_texts"]

# MXNet's names for Python's operators. `_rpower_scalar` and the comparisons keep their own names.
_HINTS = {"broadcast_add": "_plus", "broadcast_sub": "_minus", **{f"_{name}_scalar": f"_{name}scalar" for name in (
    "plus", "minus", "rminus", "mul", "div", "rdiv", "mod", "rmod", "power", "maximum", "minimum", "hypot")}}

# The initializers of variables that do not declare their own.
_INITIAL: dict[str | tuple[str, str], str] = {
    "moving_mean": '["zero", {}]', "moving_var": '["one", {}]', "moving_avg": '["zero", {}]',
    ("LeakyReLU", "gamma"): '["Constant", {"value": 0.25}]', ("UpSampling", "weight"): '["bilinear", {}]',
    ("UpSampling", "arg1"): '["bilinear", {}]',       # MXNet decides by position
}


def hint_of(op: Op) -> str:
    """Return the hint for an unnamed node created by Python arithmetic: '_plus' becomes '_plus0', '_plus1', ..."""
    return _HINTS.get(op.name) or op.name.replace("broadcast", "", 1)


def attribute_text(value: Any) -> str:
    """Return an attribute as MXNet writes it: the result of `str` for Python's own types."""
    if isinstance(value, (np.ndarray, range)):      # types that MXNet does not accept
        return attribute_text(tuple(cast(Any, value)) if np.ndim(cast(Any, value)) else cast(Any, value).item())
    if isinstance(value, (tuple, list)):
        items = [_python_number(item) for item in cast(Any, value)]
        return str(cast(Any, type)(value)(items))
    return str(_python_number(value))


def _python_number(value: Any) -> Any:
    return cast(Any, value).item() if isinstance(value, np.generic) else value


def attribute_texts(op: Op, attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return {name: text} for a call's attributes. Files do not contain defaults."""
    texts: dict[str, str] = {}
    value: Any
    for name, value in attributes.items():
        annotation: Any = op.fields[name].annotation
        if annotation in (DType, Device):
            value = getattr(op, name)           # np.float16 and mx.cpu() are written by name
            if value == "":
                continue
        elif isinstance(value, type):
            value = cast(Any, np.dtype)(value).name
        texts[name] = attribute_text(value)
    return texts


def initial(op: Op, argument: str) -> dict[str, str]:
    """Return {"__init__": text} for an input whose initialization the operator determines, otherwise {}."""
    text = _INITIAL.get((op.name, argument)) or (_INITIAL.get(argument) if argument in op.mutates else None)
    return {"__init__": text} if text else {}
