"""Creation of the `sym` functions from the table of operators. `sym.X.op` is the operator's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..frontend.binding import bind
from ..frontend.signatures import presented
from .own_attributes import take_own
from .symbol import Symbol, compose
from .text import attribute_texts

__all__ = ["make_function"]


def make_function(cls: Any, public_name: str | None = None) -> Callable[..., Any]:
    """Return the function `sym.<name>`: symbols first, then attributes; `name=` names the node.

    `attr=`, and keywords such as `lr_mult=0` and `__mark__="a"`, are the program's own attributes, which the node and
    the variables created by the call keep. An AttrScope overrides keywords, and `attr=` overrides both.
    """
    hint, names = (public_name or cls.name).lower(), {*cls.arguments, *cls.fields}

    def function(*args, name=None, attr=None, **kwargs):
        attrs, own = {}, None if names.issuperset(kwargs) else take_own(kwargs)
        op, inputs = bind(cls, args, kwargs, lambda a: isinstance(a, Symbol), attrs)
        return compose(op, inputs, name, attribute_texts(op, attrs), attr, hint, own)

    return presented(function, cls, public_name, "Symbol")
