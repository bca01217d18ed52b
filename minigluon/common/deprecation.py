"""Deprecated names: they work as before, and warn at the program's line until they are removed.

    @deprecated("gluon.utils.cut", "gluon.utils.split_data", since="1.2", until="2.0")      a function or a class
    @deprecated_argument("size", "units", since="1.2", until="2.0")                         an argument by keyword
    __getattr__ = deprecated_names(__name__, {"cut": "split_data"}, since="1.2", until="2.0")   names in a module

`since` is the first version that warns, `until` the first version without the name; a test fails in that version if the
name still exists. docs/versions.md describes the policy. This does not apply to names that MXNet 1.9.1 itself calls
deprecated, which stay.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..base import CallError
from ..diagnostics import strictness

__all__ = ["deprecated", "deprecated_argument", "deprecated_names", "warn_deprecated"]

Target = TypeVar("Target", bound=Callable[..., Any])


def warn_deprecated(old: str, new: str | None, since: str, until: str) -> None:
    """Issue a DeprecationWarning at the program's line; Python's filters show it once per line.

    old: the deprecated name, as a program writes it.
    new: what to write instead; None if there is no replacement.
    since: the first version of minigluon that warned.
    until: the first version without the name.
    """
    instead = "" if new is None else f" Use {new}."
    strictness.warn(f"{old} is deprecated since minigluon {since} and will be removed in {until}.{instead}",
                    DeprecationWarning)


def deprecated(old: str, new: str | None, since: str, until: str) -> Callable[[Target], Target]:
    """Return a decorator that makes calling the function, or creating an instance of the class, warn like
    `warn_deprecated`.
    """
    def decorate(target: Target) -> Target:
        if inspect.isclass(target):
            target.__init__ = warning_first(target.__init__)
            return target
        return warning_first(target)

    def warning_first(function: Any) -> Any:
        @functools.wraps(function)
        def warned(*args: Any, **kwargs: Any) -> Any:
            warn_deprecated(old, new, since, until)
            return function(*args, **kwargs)
        return warned
    return decorate


def deprecated_argument(old: str, new: str | None, since: str, until: str) -> Callable[[Target], Target]:
    """Return a decorator that warns about the keyword argument `old`, and passes it as `new` or, if `new` is None,
    drops it.

    Raises CallError if a call passes both.
    """
    def decorate(function: Target) -> Target:
        name = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def renamed(*args: Any, **kwargs: Any) -> Any:
            if old in kwargs:
                warn_deprecated(f"{name}({old}=...)", new and f"{new}=", since, until)
                value = kwargs.pop(old)
                if new in kwargs:
                    raise CallError(f"{name}: {old} is the old name of {new}; give one of them")
                if new is not None:
                    kwargs[new] = value
            return function(*args, **kwargs)
        renamed.old_names = (old, *getattr(function, "old_names", ()))     # pyright: ignore[reportFunctionMemberAccess]
        return renamed          # type: ignore[return-value]
    return decorate


def deprecated_names(module: str, names: Mapping[str, str], since: str, until: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module: each of `names` returns the attribute that it is mapped to, and warns.

    module: the module's `__name__`.
    names: {old name: new name}, both in this module.
    """
    def __getattr__(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        warn_deprecated(f"{module}.{name}", f"{module}.{names[name]}", since, until)
        return getattr(sys.modules[module], names[name])
    return __getattr__
