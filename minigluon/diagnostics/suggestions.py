"""Errors for nonexistent attributes, which say what to write instead or suggest similar names.

    x.unsqueeze(0)      'NDArray' object has no attribute 'unsqueeze'. Write x.expand_dims(axis).
    nn.Linear(2)        module 'minigluon.gluon.nn' has no attribute 'Linear'. Write nn.Dense(units), ...
    net.colect_params() 'Dense' object has no attribute 'colect_params'. Did you mean 'collect_params'?

`hasattr` works as before, `dir` does not show these names, and looking up existing attributes takes no longer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from ..base import nearest
from .foreign_names import ARRAYS, MODULES, TRAINERS
from .keywords import ChecksKeywords

__all__ = ["MissingAttributeError", "Size", "SuggestsArrayNames", "SuggestsTrainerNames", "answer_for", "missing",
           "missing_in", "remedy"]


class MissingAttributeError(AttributeError):
    """The error for a missing attribute. To keep `hasattr` fast, similar names are searched for only when the error is
    shown.

    near: a function that returns the names to search.
    """

    def __init__(self, problem: str, name: str, near: Callable[[], Iterable[str]]):
        # obj=None: the message already contains what Python would add to a traceback
        super().__init__(problem, name=name, obj=None)
        self._near = near

    def __str__(self) -> str:
        near = nearest(self.name, (name for name in self._near() if not name.startswith("_")))
        return super().__str__() + (near and "." + near)

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


def remedy(table: dict[str, str], name: str) -> str:
    """Return '. Write ...' for a name in the table, '' for any other.

    >>> remedy(ARRAYS, "unsqueeze")
    '. Write x.expand_dims(axis).'
    """
    if name not in table:
        return ""
    row = table[name]
    return f". Leave it out: {row[9:]}." if row.startswith("nothing: ") else f". Write {row}."


def missing(described: str, name: str, table: dict[str, str], near: Callable[[], Iterable[str]]) -> AttributeError:
    """Return the AttributeError for a name, with the name's row in the table or with similar names."""
    problem = f"{described} has no attribute {name!r}"
    if name in table:
        return AttributeError(problem + remedy(table, name), name=name, obj=None)
    return MissingAttributeError(problem, name, near)


def answer_for(module: ModuleType) -> None:
    """Add a `__getattr__` to a module in MODULES, unless it has its own."""
    if module.__name__ in MODULES and "__getattr__" not in vars(module):
        vars(module)["__getattr__"] = _answer_for(module)


def _answer_for(module):
    def __getattr__(name):
        raise missing_in(module, name)
    return __getattr__


def missing_in(module: ModuleType, name: str) -> AttributeError:
    """Return the AttributeError for a name that a module in MODULES does not have."""
    return missing(f"module {module.__name__!r}", name, MODULES[module.__name__],
                   lambda: getattr(module, "__all__", None) or dir(module))


class ForeignNameHint:
    """An attribute that a class lacks. Reading it from an instance raises the AttributeError with the text in its row.

    A `__getattr__` would slow down every other attribute of the class.
    """

    __name__: str

    def __init__(self, name: str, table: dict[str, str]):
        self.__name__, self._table = name, table
        self.__doc__ = f"Not here{remedy(table, name)}"

    def __get__(self, instance: Any, owner: Any) -> Any:
        raise missing(f"{owner.__name__!r} object", self.__name__, self._table, tuple)


def _without_hints(instance, names):
    return [name for name in names if not isinstance(inspect.getattr_static(instance, name, None), ForeignNameHint)]


class SuggestsArrayNames:
    """A base class of NDArray with names from other libraries' arrays."""

    def __dir__(self) -> Any:
        return _without_hints(self, super().__dir__())


class SuggestsTrainerNames(ChecksKeywords):
    """A base class of Trainer with names from other libraries' optimizers."""

    def __dir__(self) -> Any:
        return _without_hints(self, super().__dir__())


for _cls, _table in (SuggestsArrayNames, ARRAYS), (SuggestsTrainerNames, TRAINERS):
    for _name in _table:
        setattr(_cls, _name, ForeignNameHint(_name, _table))


class Size(int):
    """The number of elements in an array: an int that says what to write if it is called as in x.size(0)."""

    def __call__(self, axis: int | str = "axis") -> Any:
        raise TypeError(f"x.size is the number of elements, {int(self)}, and no function. Write x.shape[{axis}] for "
                        "the length of an axis.")

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)
