"""The parts of the engine that the learner writes, with tasks and hints."""

from __future__ import annotations

from typing import Any

from ...step import Hole, Part, Step

_SAVED = ("name", "variadic", "arguments", "fields", "aliases")


def setup(learned: Any) -> None:
    """Empty the table of operators, and register all of them again with the learner's `register`."""
    from .....ops.registry import REGISTRY, register
    classes = [cls for cls in dict.fromkeys(REGISTRY.values())
               if not cls.__module__.startswith("minigluon.tools.learn")]
    REGISTRY.clear()
    for cls in classes:
        arguments = [f"*{a}" for a in cls.arguments] if cls.variadic else cls.arguments
        name, aliases = cls.name, cls.aliases
        for attribute in _SAVED:
            if attribute in vars(cls):
                delattr(cls, attribute)
        register(*arguments, name=None if name == cls.__name__ else name, aliases=aliases)(cls)


STEP = Step(
    title="An operator, and the registry",
    parts=[
        Part("minigluon.ops.registry", "register", (Hole(
            "set on cls what the docstring says: name; variadic, whether the first argument starts with '*'; "
            "arguments, a tuple of the names without '*'; fields, which fields_of finds; aliases, a tuple. Then enter "
            "cls in REGISTRY under its name and each alias; raise ValueError if one is already there. Return cls.",
            "cls.name =", "return cls"),)),
        Part("minigluon.ops.op", "Op.complete", (Hole(
            "for each field of cls.fields, in that order: the given value, parsed by field.parse(value, cls.name), or "
            "else the default, unchanged. Raise OpAttributeError if there is neither: the default is then MISSING. "
            "Return the dict of values.",
            "values: dict", "return values"),)),
        Part("minigluon.ops.op", "Op.__new__", (Hole(
            "look in the dict _interned for an operator of this class with these values, and return it. If there is "
            "none, create one with object.__new__(cls), put the values into its __dict__, and store it. The key needs "
            "distinct(value) of each value; see that function. _interned drops an operator that nobody else holds, so "
            "keep the new one in a variable.",
            "key =", "return cast"),)),
        Part("minigluon.ops.op", "distinct"),
    ],
    hints={
        "register": [
            "`name or cls.__name__` is the name: a decorator without name= gives None.",
            "cls.name and all aliases lead to the class: loop over (cls.name, *aliases), and check all of them in "
            "REGISTRY before you enter any.",
        ],
        "Op.complete": [
            "attributes.get(name, field.default) is the given value, or the default.",
            "A default is already in its final form. A user may have written a text such as '4': only given values are "
            "parsed.",
        ],
        "Op.__new__": [
            "A dict key must be hashable: a tuple of cls and a tuple of the values.",
            "self.name = value is refused, because an operator is frozen; self.__dict__.update(values) is not.",
        ],
    },
    setup=setup,
    equivalent={
        "register: (cls.name, *aliases)  ->  (*aliases, cls.name)": "the order in which names are entered",
        "Op.__new__: (cls, tuple([distinct(value) for value in values.values()]))  ->  "
        "(tuple([distinct(value) for value in values.values()]), cls)": "the order within a key",
    },
)
