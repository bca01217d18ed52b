"""`with AttrScope(ctx_group="dev1"):` gives attributes to every symbol created inside."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from .base import CallError, MXNetError
from .diagnostics import strictness

__all__ = ["AttrScope"]


class _Current(threading.local):
    """The current attributes of a thread."""

    def __init__(self):
        self.scope = AttrScope()
        self.attrs: dict[str, str] = {}             # the attributes of the scope and of those that enclose it
        self.subgraphs: Counter[str] = Counter()    # how often each hint was used for the name of a subgraph


class _CurrentProperty(type):
    """The metaclass that defines `AttrScope.current`, which older programs read and set."""

    @property
    def current(cls) -> AttrScope:
        """The scope that is active in this thread. Deprecated: use `with AttrScope(...):`."""
        strictness.warn(_DEPRECATED, DeprecationWarning)
        return in_force.scope

    @current.setter
    def current(cls, scope: AttrScope) -> None:
        strictness.warn(_DEPRECATED, DeprecationWarning)
        if not isinstance(scope, AttrScope):
            raise CallError(f"AttrScope.current must be an AttrScope, found {scope!r}")
        in_force.scope, in_force.attrs = scope, scope.get()


_DEPRECATED = "AttrScope.current is deprecated. Write `with AttrScope(...):`."


class AttrScope(metaclass=_CurrentProperty):
    """A scope that gives attributes, all strings, to symbols created inside the `with` block.

    Scopes may be nested, in which case the inner one takes precedence.

    attrs: the attributes, name=text.

    >>> with mx.AttrScope(ctx_group="first"):
    ...     x = sym.var("x")
    >>> x.attr("ctx_group"), mx.AttrScope(a="1").get({"b": "2"})
    ('first', {'a': '1', 'b': '2'})
    """

    def __init__(self, **attrs: Any) -> None:
        for key, value in attrs.items():
            if not isinstance(value, str):
                raise MXNetError(f"AttrScope: attribute {key} must be a string, found {type(value).__name__} {value!r}")
        self._attrs = attrs
        self._outer = []                # (scope, its attributes) before each active `with`

    def get(self, attrs: Any = None) -> Any:
        """Returns the attributes, including those of the enclosing scopes inside a `with` block, with `attrs` taking
        precedence.
        """
        outer = self._outer[-1][1] if self._outer else {}
        return {**outer, **self._attrs, **(attrs or {})}

    def __enter__(self) -> Any:
        self._outer.append((in_force.scope, in_force.attrs))
        in_force.scope, in_force.attrs = self, {**in_force.attrs, **self._attrs}
        return self

    def __exit__(self, *exc_info: Any) -> Any:
        in_force.scope, in_force.attrs = self._outer.pop()


def current() -> dict[str, str]:
    """Returns the attributes that are active in this thread."""
    return dict(in_force.attrs)


def subgraph_name(hint: str) -> str:
    """Returns a name for a loop body: 'foreach0', 'foreach1', ...; inside another loop body, 'foreach0$foreach0'. """
    outer = in_force.attrs.get("__subgraph_name__")
    hint = f"{outer}${hint}" if outer else hint
    in_force.subgraphs[hint] += 1
    return f"{hint}{in_force.subgraphs[hint] - 1}"


in_force = _Current()
