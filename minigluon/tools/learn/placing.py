"""Functions in the place of the engine's own.

`bring_in` puts a learner's functions where the engine has its own: in a class, or in every module that has imported
one. So all of the engine runs the learner's code, and nothing of the engine is left that could be graded in its stead.
There is no way back: all this happens in a process of its own, which ends with its check.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...backend.registry import forget_kernels
from ...ops import REGISTRY
from .errors import Refused
from .step import Row
from .text import _

if TYPE_CHECKING:
    from .step import Part, Step

__all__ = ["bring_in", "current", "file_of", "give_back", "ran", "remove", "set_up"]

ran: Counter[Any] = Counter()         # part -> how often the learner's function has been called


def remove(step: Step) -> None:
    """Take the engine's own parts of a step away: what calls one says so."""
    if step.c_file is not None:
        return              # none of them is the engine's
    for part in step.holes:
        _place(part, _kind_of(current(part), _removed(step, part)))


def bring_in(step: Step, module: Any) -> None:
    """Put the learner's functions, those of `module`, in the place of the engine's own."""
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
    for part in step.parts:             # what the learner's file calls by a name is what stands in the engine now
        name = part.name.split(".")[0]
        setattr(module, name, _owner(part) if "." in part.name else _function_of(current(part)))
    forget_kernels()                   # kernels remember the functions that they were made with


def give_back(part: Part, own: Any) -> None:
    """Put the engine's own, what `current(part)` was, back into its place."""
    _place(part, own)
    forget_kernels()


def set_up(step: Step, module: Any) -> None:
    """What else has to be done for LeNet to run the learner's code."""
    if step.setup is not None:
        step.setup(module)


def current(part: Part) -> Any:
    """What stands in the engine's place now, as it is in the class or module."""
    if isinstance(part, Row):
        return next(vars(cls)["derivative"] for cls in REGISTRY.values() if part.row in _names_of_row(cls))
    return vars(_owner(part))[part.name.split(".")[-1]]


def file_of(member: Any) -> Any:
    """The file in which a function, method or property was written; None for what is none."""
    code = getattr(_function_of(member), "__code__", None)
    return code and code.co_filename


def _names_of_row(cls):
    return {cls.name, cls.name.removeprefix("broadcast_")} if "derivative" in vars(cls) else ()


def _owner(part):
    """The module or class of the engine that has the part."""
    owner = importlib.import_module(part.module)
    for name in part.name.split(".")[:-1]:
        owner = vars(owner)[name]
    return owner


def _place(part, new):
    old = current(part)
    if isinstance(part, Row):
        for cls in set(REGISTRY.values()):          # `broadcast_mul` and `elemwise_mul` are made of one row
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
    """The function in a staticmethod, classmethod or property; a function itself."""
    if isinstance(member, (staticmethod, classmethod)):
        return member.__func__
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return member


def _kind_of(old, function):
    """`function` as a staticmethod, property and so on, as `old` is."""
    if isinstance(old, property):
        return property(function, old.fset, old.fdel, old.__doc__)
    if isinstance(old, (staticmethod, classmethod, cached_property)):
        return type(old)(function)
    return function


def _mended(member, owner):
    """The same with `super()` of the engine's class, since it becomes a method of that."""
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
        raise Refused(_("the engine's own {part} was called, which is yours to write in step {number}").format(
            part=part.name, number=step.number))
    return removed
