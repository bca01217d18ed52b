"""How MXNet spells what a graph holds, so that files are the same: hints for names, attributes as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ..base import MXNetError, OpAttributeError
from ..ops.fields import Device, DType
from ..ops.op import Op

__all__ = ["HIDDEN", "attribute_text", "hide", "hint_of", "initial", "require_hidden", "shown", "take_own", "written"]

# What MXNet's operators of Python are called. `_rpower_scalar` and the comparisons are called after themselves.
_HINTS = {"broadcast_add": "_plus", "broadcast_sub": "_minus", **{f"_{name}_scalar": f"_{name}scalar" for name in (
    "plus", "minus", "rminus", "mul", "div", "rdiv", "mod", "rmod", "power", "maximum", "minimum", "hypot")}}

# Keys that a program writes without underscores and that are no operator's attribute.
HIDDEN = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")

# The initializers of variables that do not say one themselves.
_INITIAL: dict[str | tuple[str, str], str] = {
    "moving_mean": '["zero", {}]', "moving_var": '["one", {}]', "moving_avg": '["zero", {}]',
    ("LeakyReLU", "gamma"): '["Constant", {"value": 0.25}]', ("UpSampling", "weight"): '["bilinear", {}]',
    ("UpSampling", "arg1"): '["bilinear", {}]',       # MXNet goes by position
}


def hint_of(op: Op) -> str:
    """What an unnamed node of Python's arithmetic is named after: '_plus' becomes '_plus0', '_plus1', ..."""
    return _HINTS.get(op.name) or op.name.replace("broadcast", "", 1)


def attribute_text(value: Any) -> str:
    """An attribute as MXNet writes it: what `str` gives for Python's own types."""
    if isinstance(value, (np.ndarray, range)):      # which MXNet does not take: written as what they stand for
        return attribute_text(tuple(cast(Any, value)) if np.ndim(cast(Any, value)) else cast(Any, value).item())
    if isinstance(value, (tuple, list)):
        items = [_python_number(item) for item in cast(Any, value)]
        return str(cast(Any, type)(value)(items))
    return str(_python_number(value))


def _python_number(value: Any) -> Any:
    return cast(Any, value).item() if isinstance(value, np.generic) else value


def written(op: Op, given: Mapping[str, Any]) -> dict[str, str]:
    """{name: text} of the attributes that a call wrote; those left to their defaults are not in a file."""
    texts: dict[str, str] = {}
    value: Any
    for name, value in given.items():
        annotation: Any = op.fields[name].annotation
        if annotation in (DType, Device):
            value = getattr(op, name)           # np.float16 and mx.cpu() by their names
            if value == "":
                continue
        elif isinstance(value, type):
            value = cast(Any, np.dtype)(value).name
        texts[name] = attribute_text(value)
    return texts


def take_own(keywords: dict[str, Any]) -> dict[str, Any]:
    """Take a program's attributes, `lr_mult` and its like and any `__name__`, out of an operator's keywords."""
    taken = {key: keywords.pop(key) for key in list(keywords) if key in HIDDEN or _is_marked(key)}
    return {key: value if hasattr(value, "dumps") and not isinstance(value, np.generic) else attribute_text(value)
            for key, value in taken.items()}


def hide(attrs: Mapping[str, Any]) -> dict[str, str]:
    """A program's attributes, with `lr_mult` and its like in the form `__lr_mult__` that nodes hold.

    An initializer, which programs give as `attr={"__init__": mx.init.Xavier()}`, is written as its `dumps()`.
    """
    attrs = {key: value.dumps() if hasattr(value, "dumps") else value for key, value in attrs.items()}
    for key, value in attrs.items():
        if not isinstance(value, str):
            raise MXNetError(f"attribute {key} must be a string, found {type(value).__name__} {value!r}")
    return {f"__{key}__" if key in HIDDEN else key: value for key, value in attrs.items()}


def shown(attrs: Mapping[str, str]) -> dict[str, str]:
    """A node's attributes as programs look them up: `__lr_mult__` and its like under both names."""
    return {**attrs, **{key: attrs[f"__{key}__"] for key in HIDDEN if f"__{key}__" in attrs}}


def require_hidden(op: Op, node_name: str, attrs: Mapping[str, Any]) -> None:
    """Refuse attributes of a program that a file could not tell from the operator's own."""
    for key in attrs if op.fields else ():
        if not _is_marked(key):
            own = f"pass {key}= as a keyword of the operator" if key in op.fields else f"write it as '__{key}__'"
            raise OpAttributeError(f"{op.name} {node_name!r}: attribute {key!r} in attr= or AttrScope is not one of "
                                   f"a program's own, which look like '__mark__': {own}.")


def _is_marked(key: str) -> bool:
    return key.startswith("__") and key.endswith("__")


def initial(op: Op, argument: str) -> dict[str, str]:
    """{"__init__": text} for an input whose variable the operator itself knows how to initialize, otherwise {}."""
    text = _INITIAL.get((op.name, argument)) or (_INITIAL.get(argument) if argument in op.mutates else None)
    return {"__init__": text} if text else {}
