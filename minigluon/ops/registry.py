"""The table of operators, on which `nd`, `sym`, stubs, JSON files and tests are based."""

import typing
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from .fields import MISSING, Field
from .on_demand import OperatorTable
from .op import Op

__all__ = ["REGISTRY", "register"]

REGISTRY: dict[str, type[Op]] = OperatorTable()        # every name and alias -> operator class
Class = TypeVar("Class", bound=type[Op])


def register(*arguments: str, name: str | None = None, aliases: Sequence[str] = ()) -> Callable[[Class], Class]:
    """Class decorator that names an operator's inputs and registers the operator.

    arguments: names of the inputs in order; a name that starts with '*' takes any number of arrays.
    name: the public name if it differs from the class's name. aliases: other public names.

    >>> @mx.ops.register("data")
    ... class cube(mx.ops.Op):
    ...     def forward(self, data):
    ...         return data ** 3
    >>> mx.ops.REGISTRY["cube"]().forward(np.array([2, 3]))
    array([ 8, 27])
    >>> mx.ops.REGISTRY.pop("cube") is cube         # only for this example
    True
    """
    def enter(cls: Class) -> Class:
        cls.name = name or cls.__name__
        cls.variadic = bool(arguments) and arguments[0].startswith("*")
        cls.arguments = tuple(a.lstrip("*") for a in arguments)
        cls.fields = fields_of(cls)
        cls.aliases = tuple(aliases)
        for key in (cls.name, *aliases):
            if key in REGISTRY:
                raise ValueError(f"operator {key} is registered twice: {REGISTRY[key]} and {cls}")
            REGISTRY[key] = cls
        return cls
    return enter


def define(name: str, arguments: Sequence[str], base: type[Op], doc: str, aliases: Sequence[str] = (),
           **members: Any) -> type[Op]:
    """Registers one row of a family's table: a subclass of `base` with `members`."""
    members = {key: staticmethod(value) if callable(value) else value for key, value in members.items()}
    # A row has no class statement of its own, so `family` refers to the class that the row completes.
    cls = type(name, (base,), {"__doc__": doc, "__module__": base.__module__, "family": base, **members})
    return register(*arguments, name=name, aliases=aliases)(cls)


def operator(name: str) -> type[Op]:
    """Returns the class registered under a name. Raises KeyError if there is none."""
    return REGISTRY[name]


@cache
def fields_of(cls):
    """Returns the annotated attributes of an operator class, base classes first, as a dict of `Field`s."""
    single = len(cls.__bases__) == 1        # then only the class itself can differ from its base class
    fields = dict(fields_of(cls.__bases__[0])) if single else {}
    for base in [cls] if single else reversed(cls.__mro__):
        own = vars(base)
        fields |= {name: Field(name, field.annotation, own[name]) for name, field in fields.items() if name in own}
        # A default in a class above the annotation does not count: for `num_outputs: int`, Op.num_outputs is not the
        # default.
        fields |= {name: Field(name, annotation, own.get(name, MISSING))
                   for name, annotation in getattr(base, "__annotations__", {}).items()
                   if annotation is not typing.ClassVar and typing.get_origin(annotation) is not typing.ClassVar}
    return fields


__all__ += ["Op", "define", "operator"]
