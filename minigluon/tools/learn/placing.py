"""Replacement of the engine's functions with a learner's functions.

`bring_in` installs a learner's functions where the engine has its own functions: in a class, or in every module that
has imported them. The entire engine therefore runs the learner's code, and the engine's own code cannot be graded by
accident. This is not undone, because it happens in a separate process, which ends after its check.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...backend.forgetting import forget_kernels
from ...ops import REGISTRY
from .errors import RefusedFileError
from .step import Row
from .text import _

if TYPE_CHECKING:
    from .step import Part, Step

__all__ = ["bring_in", "current", "file_of", "give_back", "ran", "remove", "set_up"]

ran: Counter[Any] = Counter()         # part -> the number of calls of the learner's function


def remove(step: Step) -> None:
    """Replace the engine's own parts of a step with functions that raise Refused."""
    if step.c_file is not None:
        return              # no part of such a step belongs to the engine
    for part in step.holes:
        _place(part, _kind_of(current(part), _removed(step, part)))


def bring_in(step: Step, module: Any) -> None:
    """Replace the engine's own functions with the learner's, from `module`."""
    if step.c_file is not None:
        step.install(module, ran)
        return
    for part in step.parts:
        if not isinstance(part, Row) and "." in part.name:
            owner = _owner(part)
            function = _mended(vars(vars(module)[part.name.split(".")[0]])[part.name.split(".")[-1]], owner)
        else:
            function = vars(module)[part.name]
        _place(part, _kind_of(function, _counted(part, _function_of(function))))
    for part in step.parts:             # names used in the learner's file refer to the engine's current functions
        name = part.name.split(".")[0]
        setattr(module, name, _owner(part) if "." in part.name else _function_of(current(part)))
    forget_kernels()                   # kernels keep the functions that they were created with


def give_back(part: Part, own: Any) -> None:
    """Restore the engine's own function, which `current(part)` returned earlier."""
    _place(part, own)
    forget_kernels()


def set_up(step: Step, module: Any) -> None:
    """Do anything else that LeNet requires to run the learner's code."""
    if step.setup is not None:
        step.setup(module)


def current(part: Part) -> Any:
    """Return the current member in the engine's class or module."""
    if isinstance(part, Row):
        return next(vars(cls)["derivative"] for cls in REGISTRY.values() if part.row in _names_of_row(cls))
    return vars(_owner(part))[part.name.split(".")[-1]]


def file_of(member: Any) -> Any:
    """Return the file that defines a function, method or property; None for anything else."""
    code = getattr(inspect.unwrap(_function_of(member)), "__code__", None)
    return code and code.co_filename


def _names_of_row(cls):
    return {cls.name, cls.name.removeprefix("broadcast_")} if "derivative" in vars(cls) else ()


def _owner(part):
    """Return the module or class of the engine that contains the part."""
    owner = importlib.import_module(part.module)
    for name in part.name.split(".")[:-1]:
        owner = vars(owner)[name]
    return owner


def _place(part, new):
    old = current(part)
    if isinstance(part, Row):
        for cls in set(REGISTRY.values()):          # `broadcast_mul` and `elemwise_mul` come from the same row
            if _function_of(vars(cls).get("derivative")) is _function_of(old):
                cls.derivative = staticmethod(_function_of(new))
        return
    owner, name = _owner(part), part.name.split(".")[-1]
    if isinstance(owner, type):
        setattr(owner, name, new)
        if isinstance(new, cached_property):
            new.__set_name__(owner, name)
        return
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] in ("minigluon", "minigluon_learner"):
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)
                elif type(value) is list and any(item is old for item in value):       # such as a pass's rules
                    value[:] = [new if item is old else item for item in value]


def _function_of(member):
    """Return the function in a staticmethod, classmethod or property, or the function itself."""
    if isinstance(member, (staticmethod, classmethod)):
        return member.__func__
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return member


def _kind_of(old, function):
    """Return `function` as a staticmethod, property and so on, like `old`."""
    if isinstance(old, property):
        return property(function, old.fset, old.fdel, old.__doc__)
    if isinstance(old, (staticmethod, classmethod, cached_property)):
        return type(old)(function)
    return function


def _mended(member, owner):
    """Return the member with the engine's class for `super()`, because it becomes a method of that class."""
    function = _function_of(member)
    free = function.__code__.co_freevars
    if "__class__" not in free:
        return member
    cells = [types.CellType(owner) if name == "__class__" else cell
             for name, cell in zip(free, function.__closure__, strict=True)]
    other = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                               tuple(cells))
    other.__kwdefaults__, other.__doc__, other.__qualname__ = (
        function.__kwdefaults__, function.__doc__, function.__qualname__)
    return _kind_of(member, other)


def _counted(part, function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        ran[part.module, part.name] += 1
        return function(*args, **kwargs)
    return run


def _removed(step, part):
    def removed(*args, **kwargs):
        raise RefusedFileError(_("the engine's own {part} was called, but it is yours to write in step "
                                 "{number}").format(part=part.name, number=step.number))
    return removed
