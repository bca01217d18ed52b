"""Errors for attributes and arguments that do not exist; they say what to write instead, or suggest similar names.

    x.unsqueeze(0)      'NDArray' object has no attribute 'unsqueeze'. Write x.expand_dims(axis).
    nn.Linear(2)        module 'minigluon.gluon.nn' has no attribute 'Linear'. Write nn.Dense(units), ...
    net.colect_params() 'Dense' object has no attribute 'colect_params'. Did you mean 'collect_params'?

`hasattr` works as before, `dir` does not show these names, and existing attributes are found at the same speed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..base import CallError, nearest
from .foreign_names import ARGUMENTS, ARRAYS, MODULES, TRAINERS
from .source_lines import OWN

__all__ = ["ChecksKeywords", "MissingAttributeError", "Size", "SuggestsArrayNames", "SuggestsTrainerNames",
           "answer_for", "missing", "missing_in", "remedy", "unknown_argument"]


class MissingAttributeError(AttributeError):
    """An attribute does not exist. Similar names are searched only when the error is shown, because of `hasattr`.

    near: returns the names to search.
    """

    def __init__(self, problem: str, name: str, near: Callable[[], Iterable[str]]):
        # obj=None: the text already contains what Python itself would add to a traceback
        super().__init__(problem, name=name, obj=None)
        self._near = near

    def __str__(self) -> str:
        near = nearest(self.name, (name for name in self._near() if not name.startswith("_")))
        return super().__str__() + (near and "." + near)

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


def remedy(table: dict[str, str], name: str) -> str:
    """Return '. Write ...' for a name of the table, '' for another.

    >>> remedy(ARRAYS, "unsqueeze")
    '. Write x.expand_dims(axis).'
    """
    if name not in table:
        return ""
    row = table[name]
    return f". Leave it out: {row[9:]}." if row.startswith("nothing: ") else f". Write {row}."


def missing(described: str, name: str, table: dict[str, str], near: Callable[[], Iterable[str]]) -> AttributeError:
    """Return the AttributeError for a name, with its row of the table, or with similar names."""
    problem = f"{described} has no attribute {name!r}"
    if name in table:
        return AttributeError(problem + remedy(table, name), name=name, obj=None)
    return MissingAttributeError(problem, name, near)


def answer_for(module: ModuleType) -> None:
    """Give a module of MODULES a `__getattr__`, unless it has its own."""
    if module.__name__ in MODULES and "__getattr__" not in vars(module):
        vars(module)["__getattr__"] = _answer_for(module)


def _answer_for(module):
    def __getattr__(name):
        raise missing_in(module, name)
    return __getattr__


def missing_in(module: ModuleType, name: str) -> AttributeError:
    """Return the AttributeError for a name that a module of MODULES does not have."""
    return missing(f"module {module.__name__!r}", name, MODULES[module.__name__],
                   lambda: getattr(module, "__all__", None) or dir(module))


class ForeignNameHint:
    """An attribute that a class does not have: reading it from an instance raises the AttributeError of its row.

    A `__getattr__` would make every other attribute of the class slower.
    """

    __name__: str

    def __init__(self, name: str, table: dict[str, str]):
        self.__name__, self._table = name, table
        self.__doc__ = f"Not here{remedy(table, name)}"

    def __get__(self, instance: Any, owner: Any) -> Any:
        raise missing(f"{owner.__name__!r} object", self.__name__, self._table, tuple)


def _without_hints(instance, names):
    return [name for name in names if not isinstance(inspect.getattr_static(instance, name, None), ForeignNameHint)]


class ChecksKeywords:
    """A base of classes that programs create: a keyword that they do not accept is a CallError with similar names.

    Without it, Python's error names the class whose `__init__` refuses, which is often a private base, and a forgotten
    argument hides its misspelled name: `nn.Conv2D(8, kernal_size=3)`.
    """

    _keeps_keywords = False     # a class whose `__init__` does not pass its **kwargs on, and checks them itself

    if not TYPE_CHECKING:       # type checkers, like `inspect.signature`, read `__init__`
        def __new__(cls, *args, **kwargs):
            """Return the instance, after a look at the keywords."""
            if (args or kwargs) and cls.__init__ is object.__init__:
                raise CallError(f"{cls.__name__} takes no arguments")
            if kwargs:
                accepted = _accepted(cls)
                if accepted is not None and not accepted.issuperset(kwargs):
                    raise unknown_argument(cls, [name for name in kwargs if name not in accepted])
            new = super().__new__
            return new(cls) if new is object.__new__ else new(cls, *args, **kwargs)

        __new__.__signature__ = inspect.Signature([inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)])


class SuggestsArrayNames:
    """A base of NDArray, with names of other libraries' arrays."""

    def __dir__(self) -> Any:
        return _without_hints(self, super().__dir__())


class SuggestsTrainerNames(ChecksKeywords):
    """A base of Trainer, with names of other libraries' optimizers."""

    def __dir__(self) -> Any:
        return _without_hints(self, super().__dir__())


for _cls, _table in (SuggestsArrayNames, ARRAYS), (SuggestsTrainerNames, TRAINERS):
    for _name in _table:
        setattr(_cls, _name, ForeignNameHint(_name, _table))


class Size(int):
    """The number of elements of an array: an int that, if it is called as in x.size(0), says what to write."""

    def __call__(self, axis: int | str = "axis") -> Any:
        raise TypeError(f"x.size is the number of elements, {int(self)}, and no function. Write x.shape[{axis}] for "
                        "the length of an axis.")

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


def _accepted(cls):
    """Return the set of keywords that the constructors of a class accept, or None if it takes any."""
    names: set[str] = set()
    for parent, init in _constructors(cls):
        own = parent.__module__.partition(".")[0] in OWN
        if not own and hasattr(init, "__wrapped__"):
            return None
        code = getattr(inspect.unwrap(init), "__code__", None)
        if code is None:
            return None
        names.update(code.co_varnames[1:code.co_argcount + code.co_kwonlyargcount], getattr(init, "old_names", ()))
        if not code.co_flags & inspect.CO_VARKEYWORDS:
            return names
        if not own or vars(parent).get("_keeps_keywords"):
            return None
        if "unknown" in code.co_varnames:       # the root of blocks or optimizers, which refuses what arrives there
            return names
    return None


def _constructors(cls):
    """Yield each class of the MRO with its own `__init__`, as far as they pass keywords on."""
    for parent in cls.__mro__[:-1]:
        if "__init__" in vars(parent):
            yield parent, vars(parent)["__init__"]


def unknown_argument(cls: type, given: Iterable[str]) -> CallError:
    """Return the CallError for keyword arguments that no `__init__` of a class accepts."""
    name = next(iter(given))
    known: list[str] = []
    for _, init in _constructors(cls):
        parameters = inspect.signature(init).parameters
        known += [key for key, p in parameters.items()
                  if key != "self" and key not in known and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if not any(p.kind == p.VAR_KEYWORD for p in parameters.values()):
            break
    here = [key for key in ARGUMENTS.get(name, ()) if key in known]
    instead = f" Write {' and '.join(here)}." if here else nearest(name, known)
    has = f"it has {', '.join(known)}." if known else "it takes no keyword arguments."
    return CallError(f"{cls.__name__}: unknown argument {name!r}; {has}" + instead)
