"""The check of keywords passed to constructors: errors name the class, what it accepts, and similar names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..base import CallError, nearest
from .foreign_names import ARGUMENTS
from .source_lines import OWN

__all__ = ["ChecksKeywords", "unknown_argument"]


class ChecksKeywords:
    """A base class for classes that programs instantiate. A keyword that they do not accept raises a CallError.

    Without this class, Python's error names the class whose `__init__` refuses the keyword, which is often a private
    base, and a missing argument hides the misspelled name: `nn.Conv2D(8, kernal_size=3)`.
    """

    _keeps_keywords = False     # True in a class whose `__init__` checks its **kwargs itself instead of passing them on

    if not TYPE_CHECKING:       # type checkers, like `inspect.signature`, read `__init__`
        def __new__(cls, *args, **kwargs):
            """Check the keywords and return the instance."""
            if (args or kwargs) and cls.__init__ is object.__init__:
                raise CallError(f"{cls.__name__} takes no arguments")
            if kwargs:
                accepted = _accepted(cls)
                if accepted is not None and not accepted.issuperset(kwargs):
                    raise unknown_argument(cls, [name for name in kwargs if name not in accepted])
            new = super().__new__
            return new(cls) if new is object.__new__ else new(cls, *args, **kwargs)

        __new__.__signature__ = inspect.Signature([inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)])


def _accepted(cls):
    """Return the set of keywords that the constructors of a class accept, or None if they accept any keyword."""
    names: set[str] = set()
    for parent, init in _constructors(cls):
        own = parent.__module__.partition(".")[0] in OWN
        if not own and hasattr(init, "__wrapped__") or hasattr(init, "refuses_unknown"):
            return None                 # the class decides by itself, and a lenient run may ignore keywords
        code = getattr(inspect.unwrap(init), "__code__", None)
        if code is None:
            return None
        names.update(code.co_varnames[1:code.co_argcount + code.co_kwonlyargcount], getattr(init, "old_names", ()))
        if not code.co_flags & inspect.CO_VARKEYWORDS:
            return names
        if not own or vars(parent).get("_keeps_keywords"):
            return None
        if "unknown" in code.co_varnames:       # the root class of blocks or optimizers, which refuses unknown keywords
            return names
    return None


def _constructors(cls):
    """Yield (class, `__init__`) for each class in the MRO that defines its own `__init__`."""
    for parent in cls.__mro__[:-1]:
        if "__init__" in vars(parent):
            yield parent, vars(parent)["__init__"]


def unknown_argument(cls: type, names: Iterable[str]) -> CallError:
    """Return the CallError for keyword arguments that no `__init__` of a class accepts."""
    name = next(iter(names))
    keywords: list[str] = []
    for _, init in _constructors(cls):
        parameters = inspect.signature(init).parameters
        keywords += [key for key, p in parameters.items()
                     if key != "self" and key not in keywords and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if not any(p.kind == p.VAR_KEYWORD for p in parameters.values()):
            break
    here = [key for key in ARGUMENTS.get(name, ()) if key in keywords]
    instead = f" Write {' and '.join(here)}." if here else nearest(name, keywords)
    has = f"it has {', '.join(keywords)}." if keywords else "it takes no keyword arguments."
    return CallError(f"{cls.__name__}: unknown argument {name!r}; {has}" + instead)
