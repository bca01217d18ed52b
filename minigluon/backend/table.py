"""A backend's table from operators to functions that prepare their kernels. Each of the three backends fills one."""

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["KernelTable"]


class KernelTable:
    """The functions that `@kernel_for(...)` enters and `find` looks up.

        @kernel_for(FullyConnected)
        def fully_connected(op, inputs, outputs):
            ...                         # Specs are looked at once, here
            return run

    A function is entered for an operator's name, or for a class, and then also serves classes derived from it that have
    no entry of their own. It is given train, rng or device if it has parameters of these names; others need defaults.
    """

    def __init__(self):
        self._entries = {}      # class or name -> (function, names of what it takes besides op, inputs, outputs)
        self._found = {}        # class -> its entry or that of the nearest base, or None

    def kernel_for(self, *operators: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: the function prepares these operators. Raises ValueError where one has a function already."""
        def enter(function):
            parameters = list(inspect.signature(function).parameters.values())[3:]
            more = tuple([p.name for p in parameters if p.default is p.empty])
            for operator in operators:
                if operator in self._entries:
                    other = self._entries[operator][0]
                    raise ValueError(f"operator {operator} has two functions: {other} and {function}")
                self._entries[operator] = function, more
            self._found.clear()
            return function
        return enter

    def find(self, op: Any, inputs: Any, outputs: Any, **given: Any) -> Any:
        """Return the result of the operator's function, called with those of `given` that it takes, or "no kernel"."""
        entry = self._entry(type(op))
        if entry is None:
            return "no kernel"
        function, more = entry
        return function(op, inputs, outputs, **{name: given[name] for name in more})

    def function_for(self, cls: type) -> Callable[..., Any] | None:
        """The function that prepares an operator's class, or None."""
        entry = self._entry(cls)
        return entry and entry[0]

    def functions(self) -> dict[Any, Callable[..., Any]]:
        """{class or name: function}, as they were entered."""
        return {operator: function for operator, (function, _) in self._entries.items()}

    def _entry(self, cls):
        if cls not in self._found:
            keys = [cls.name, *cls.__mro__]
            self._found[cls] = next((self._entries[key] for key in keys if key in self._entries), None)
        return self._found[cls]
