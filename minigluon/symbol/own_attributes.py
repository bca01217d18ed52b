"""The program's own attributes, such as `lr_mult` and `__mark__`, as opposed to the operators' attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base import MXNetError, OpAttributeError
from ..ops.op import Op
from .text import attribute_text

__all__ = ["HIDDEN", "hide", "require_hidden", "with_public_names", "take_own"]

# Keys that a program may write without underscores, because they are not operator attributes.
HIDDEN = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")


def take_own(keywords: dict[str, Any]) -> dict[str, Any]:
    """Removes the program's attributes, such as `lr_mult` and any `__name__`, from an operator's keywords."""
    own = {key: keywords.pop(key) for key in list(keywords) if key in HIDDEN or _is_marked(key)}
    return {key: value if hasattr(value, "dumps") and not isinstance(value, np.generic) else attribute_text(value)
            for key, value in own.items()}


def hide(attrs: Mapping[str, Any]) -> dict[str, str]:
    """Returns a program's attributes in the form that nodes store, with keys such as `lr_mult` as `__lr_mult__`.

    An initializer, as in `attr={"__init__": mx.init.Xavier()}`, is stored as its `dumps()`.
    """
    attrs = {key: value.dumps() if hasattr(value, "dumps") else value for key, value in attrs.items()}
    for key, value in attrs.items():
        if not isinstance(value, str):
            raise MXNetError(f"attribute {key} must be a string, found {type(value).__name__} {value!r}")
    return {f"__{key}__" if key in HIDDEN else key: value for key, value in attrs.items()}


def with_public_names(attrs: Mapping[str, str]) -> dict[str, str]:
    """Returns a node's attributes as programs look them up, with attributes such as `__lr_mult__` under both names."""
    return {**attrs, **{key: attrs[f"__{key}__"] for key in HIDDEN if f"__{key}__" in attrs}}


def require_hidden(op: Op, node_name: str, attrs: Mapping[str, Any]) -> None:
    """Raises OpAttributeError for a program's attributes that would look like the operator's own in a file."""
    for key in attrs if op.fields else ():
        if not _is_marked(key):
            own = f"pass {key}= as a keyword of the operator" if key in op.fields else f"write it as '__{key}__'"
            raise OpAttributeError(f"{op.name} {node_name!r}: attribute {key!r} in attr= or AttrScope is not one of "
                                   f"a program's own, which look like '__mark__': {own}.")


def _is_marked(key: str) -> bool:
    return key.startswith("__") and key.endswith("__")
