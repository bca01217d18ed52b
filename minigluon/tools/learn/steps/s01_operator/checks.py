"""The checks of step 1. Each check defines its own operators, which are not yet in the table."""

from itertools import count

from .....base import OpAttributeError
from .....ops.op import Op
from .....ops.registry import REGISTRY, register
from ...checking import check, expect, same

_numbers = count()


def _operator(*arguments, class_name=None, **how):
    """Return a class with two attributes, registered by the learner's `register`."""
    class Operator(Op):
        factor: float
        offset: int = 0

    Operator.__name__ = class_name or f"operator{next(_numbers)}"
    return register(*arguments, **how)(Operator)


@check("register", "an operator is in the table under its name, and has the names of its inputs")
def enters() -> None:
    cls = _operator("data", "weight", class_name="scale_and_shift")
    expect(isinstance(cls, type), "@register returns {found} instead of the class; a decorator returns what the "
           "class's name will refer to, so `enter` ends with `return cls`", found=cls)
    same("register('data', 'weight') on class scale_and_shift: cls.name", vars(cls).get("name"), "scale_and_shift",
         "without name= it is the name of the class")
    same("register('data', 'weight'): cls.arguments", vars(cls).get("arguments"), ("data", "weight"),
         "the names of the inputs, as a tuple")
    same("register('data', 'weight'): cls.variadic", vars(cls).get("variadic"), False,
         "only an operator whose first argument starts with '*' takes any number of inputs")
    same("register('data', 'weight'): cls.aliases", vars(cls).get("aliases"), (), "no other names were given")
    expect(REGISTRY.get("scale_and_shift") is cls, "REGISTRY['scale_and_shift'] is {found}; expected the class: enter "
           "it under its name", found=REGISTRY.get("scale_and_shift"))


@check("register", "the attributes are found in the annotations")
def finds_fields() -> None:
    cls = _operator("data", name="with_fields")
    same("class with `factor: float` and `offset: int = 0`: list(cls.fields)", list(vars(cls).get("fields", ())),
         ["factor", "offset"], "fields_of(cls) finds them in the annotations")


@check("register", "name= and aliases= set the names")
def takes_names() -> None:
    cls = _operator("data", name="shift", aliases=["shift_old", "Shift"])
    same("register('data', name='shift'): cls.name", cls.name, "shift", "name= takes precedence over the name of the "
         "class")
    same("register('data', aliases=['shift_old', 'Shift']): cls.aliases", cls.aliases, ("shift_old", "Shift"),
         "a tuple of the other names")
    for name in ("shift", "shift_old", "Shift"):
        expect(REGISTRY.get(name) is cls, "REGISTRY[{name!r}] is {found}; expected the class: enter it under its name "
               "and under each alias", name=name, found=REGISTRY.get(name))
    expect(REGISTRY.get(cls.__name__) is not cls, "a class {name} is entered under this name although name='shift' was "
           "given", name=cls.__name__)


@check("register", "an argument with a star takes any number of arrays")
def takes_stars() -> None:
    cls = _operator("*data", name="any_number")
    same("register('*data'): cls.variadic", cls.variadic, True, "the first argument starts with '*'")
    same("register('*data'): cls.arguments", cls.arguments, ("data",), "the name of the input has no '*'")
    cls = _operator(name="no_input")
    same("register(): cls.variadic", cls.variadic, False, "an operator without inputs, such as zeros, has no first "
         "argument")
    same("register(): cls.arguments", cls.arguments, (), "no names were given")


@check("register", "a name that is taken is refused, and the table stays as it was")
def refuses_twins() -> None:
    first = _operator("data", name="twin", aliases=["twin_alias"])
    for how in ({"name": "twin"}, {"name": "another", "aliases": ["twin_alias"]}):
        try:
            _operator("data", **how)
        except ValueError:
            continue
        expect(False, "register('data', {how}) is the second of that name, but nothing was raised; expected a "
               "ValueError, because one of the two would be silently lost", how=how)
    expect(REGISTRY["twin"] is first and REGISTRY["twin_alias"] is first, "after a second operator 'twin' was refused, "
           "REGISTRY['twin'] is no longer the first one: check before you enter")


@check("Op.complete", "attributes get their defaults, in the order of their declaration")
def completes() -> None:
    cls = _operator("data", name="completed")
    attributes = cls.complete({"factor": 2.0})
    same("complete({'factor': 2.0}) of an operator with offset: int = 0", attributes, {"factor": 2.0, "offset": 0},
         "an attribute that is not given has its default")
    attributes = cls.complete({"offset": 3, "factor": 2.0})
    same("the order of complete({'offset': 3, 'factor': 2.0})", list(attributes), ["factor", "offset"],
         "the order of cls.fields, not the order in the call")
    same("complete({'offset': 3, 'factor': 2.0})", attributes, {"factor": 2.0, "offset": 3},
         "a given value takes precedence over the default")


@check("Op.complete", "texts are parsed, and errors name the operator")
def parses() -> None:
    cls = _operator("data", name="parsed")
    attributes = cls.complete({"factor": "2", "offset": "3"})
    same("complete({'factor': '2', 'offset': '3'})", attributes, {"factor": 2.0, "offset": 3},
         "files store attributes as texts; field.parse converts them to numbers")
    same("the type of factor in complete({'factor': 2})", type(cls.complete({"factor": 2})["factor"]), float,
         "field.parse converts to the type of the annotation")
    try:
        attributes = cls.complete({"factor": "red"})
    except OpAttributeError as error:
        expect("parsed" in str(error), "complete({{'factor': 'red'}}) raises: {error}. The message does not name the "
               "operator: pass cls.name to field.parse", error=error)
        return
    expect(False, "complete({{'factor': 'red'}}) returns {found}; expected an OpAttributeError, which field.parse "
           "raises", found=attributes)


@check("Op.complete", "an attribute without a default must be given, and None counts as given")
def misses() -> None:
    cls = _operator("data", name="missed")
    try:
        attributes = cls.complete({"offset": 1})
    except OpAttributeError as error:
        expect("factor" in str(error), "complete({{'offset': 1}}) raises: {error}. Expected it to name the missing "
               "attribute, factor", error=error)
    else:
        expect(False, "complete({{'offset': 1}}) returns {found}; expected an OpAttributeError: factor has no default",
               found=attributes)

    class optional(Op):
        size: int | None = 4

    cls = register("data", name="optional_size")(optional)
    same("complete({'size': None}) of an operator with size: int | None = 4", cls.complete({"size": None}),
         {"size": None}, "None was given; the default applies only if nothing is given")


@check("Op.__new__", "operators with equal attributes are one object")
def interns() -> None:
    cls = _operator("data", name="interned")
    one, two = cls(factor=2), cls(factor="2", offset=0)
    expect(isinstance(one, cls), "interned(factor=2) returns {found}; expected an object of the class", found=one)
    same("the attributes of interned(factor=2)", one.attributes, {"factor": 2.0, "offset": 0},
         "put the values into self.__dict__")
    expect(one is two, "interned(factor=2) and interned(factor='2', offset=0) are two objects; expected one: both have "
           "the values factor=2.0, offset=0, so the second is found in _interned")


@check("Op.__new__", "operators that differ are different objects")
def distinguishes() -> None:
    cls, other = _operator("data", name="one_kind"), _operator("data", name="another_kind")
    expect(cls(factor=2) is not cls(factor=3), "factor=2 and factor=3 return the same operator: the values belong in "
           "the key")
    expect(type(other(factor=2)) is other, "an operator of one class with factor=2 is returned for another class: the "
           "class belongs in the key")
    expect(cls(factor=0.0) is not cls(factor=-0.0), "factor=0.0 and factor=-0.0 return the same operator, but x / 0.0 "
           "is not x / -0.0: make the key of distinct(value)")

    class swapped(Op):
        first: int
        second: int

    cls = register("data", name="swapped")(swapped)
    expect(cls(first=1, second=2) is not cls(first=2, second=1), "first=1, second=2 and first=2, second=1 return the "
           "same operator: the order of the values matters")
    same("the attributes of swapped(first=2, second=1)", cls(first=2, second=1).attributes, {"first": 2, "second": 1},
         "each value must have its own name")
