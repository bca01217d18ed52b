"""Two tables of backends: the backend that serves each device, and a backend's functions that prepare kernels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..context import Context
from .contract import Backend
from .discovery import find

__all__ = ["KernelTable", "backend_for", "serving"]

serving: dict[Context, Backend] = {}           # device -> the backend that `backend_for` has chosen


def backend_for(ctx: Any) -> Backend:
    """Return the backend that serves a device. Raises ContextError, or MXNetError for an unknown MINIGLUON_BACKEND."""
    backend = serving.get(ctx)
    if backend is None:
        backend = serving[ctx] = find(ctx)
    return backend


class KernelTable:
    """The functions that `@kernel_for(...)` registers and `find` looks up.

        @kernel_for(FullyConnected)
        def fully_connected(op, inputs, outputs):
            ...                         # Specs are examined once, here
            return run

    A function is registered for an operator's name or for a class, including derived classes without a separate entry.
    It receives train, rng or device if it has parameters with these names; all its other parameters need defaults.
    """

    def __init__(self):
        self._entries = {}      # class or name -> function
        self._found = {}        # class -> (function, names of its additional parameters) of the nearest base, or None

    def kernel_for(self, *operators: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: the function prepares these operators. Raises ValueError if one of them already has a function."""
        def enter(function):
            for operator in operators:
                if operator in self._entries:
                    raise ValueError(f"operator {operator} has two functions: {self._entries[operator]} and {function}")
                self._entries[operator] = function
            self._found.clear()
            return function
        return enter

    def find(self, op: Any, inputs: Any, outputs: Any, **options: Any) -> Any:
        """Call the operator's function with the items of `options` that it takes; return its result or "no kernel"."""
        entry = self._entry(type(op))
        if entry is None:
            return "no kernel"
        function, more = entry
        return function(op, inputs, outputs, **{name: options[name] for name in more})

    def function_for(self, cls: type) -> Callable[..., Any] | None:
        """Return the function that prepares kernels for an operator's class, or None."""
        entry = self._entry(cls)
        return entry and entry[0]

    def functions(self) -> dict[Any, Callable[..., Any]]:
        """Return {class or name: function}, as they were registered."""
        return dict(self._entries)

    def _entry(self, cls):
        if cls not in self._found:
            keys = [cls.name, *cls.__mro__]
            function = next((self._entries[key] for key in keys if key in self._entries), None)
            parameters = list(inspect.signature(function).parameters.values())[3:] if function else []
            self._found[cls] = function and (function, [p.name for p in parameters if p.default is p.empty])
        return self._found[cls]
