"""The docstrings of operators: what a family says once, and the examples of rows."""

import re

import pytest

from minigluon import nd, sym
from minigluon.ops import REGISTRY, Op
from minigluon.ops.docstrings import example, help_doc, public_doc

pytestmark = pytest.mark.once


class Scaled(Op):
    """Base of all that scale.

    factor: what each element
        is multiplied by
    offset, shift: what is added
    other: of an attribute that not all have
    """


def operator(doc, *arguments, **members):
    """A class like those in the table, which it does not enter."""
    return type("some", (Scaled,), {"__doc__": doc, "fields": dict.fromkeys(members), "arguments": arguments})


FACTOR, OFFSET = "factor: what each element\n    is multiplied by", "offset, shift: what is added"


@pytest.mark.parametrize(("own", "expected"), [
    ("x · factor", f"x · factor\n\n{FACTOR}\n{OFFSET}"),
    ("x · factor\n\n    Raises ShapeError for a scalar.",
     f"x · factor\n\n{FACTOR}\n{OFFSET}\n\nRaises ShapeError for a scalar."),
    ("x\n\n    shift, offset: 0 or 1\n\n    >>> 1 + 1\n    2", f"x\n\nshift, offset: 0 or 1\n{FACTOR}\n\n>>> 1 + 1\n2"),
    ("x\n\n    offset, shift: 0\n    factor: 2", "x\n\noffset, shift: 0\nfactor: 2"),
    ("x\n\n    out: y\n\n    Source: a paper", f"x\n\nout: y\n{FACTOR}\n{OFFSET}\n\nSource: a paper"),
], ids=["alone", "errors", "own sentence", "nothing to add", "source"])
def test_sentences_of_the_family_stand_behind_those_of_the_operator(own, expected):
    assert public_doc(operator(own, "data", factor=float, offset=float, shift=float)) == expected


def test_sentences_are_of_attributes_and_inputs_that_are_there():
    assert public_doc(operator("x", "factor")) == f"x\n\n{FACTOR}"
    assert public_doc(operator("x", "data")) == "x"
    assert public_doc(operator(None, "data")) is None          # python -OO


def test_an_example_is_rounded_where_it_has_fractions():
    assert example("f(x)", "[1., 2.]") == "\n\n>>> f(x).asnumpy()\narray([1., 2.], dtype=float32)"
    assert example("f(x)", "[1. , 2.5]") == "\n\n>>> f(x).asnumpy().round(2)\narray([1. , 2.5], dtype=float32)"


def test_functions_and_methods_show_it():
    shown = public_doc(REGISTRY["sum"])
    assert "keepdims: True leaves the reduced axes in the result, with length 1" in shown
    assert nd.sum.__doc__ == nd.NDArray.sum.__doc__ == help_doc(nd.sum.op, "NDArray")
    assert sym.sum.__doc__ == sym.Symbol.sum.__doc__ == help_doc(sym.sum.op, "Symbol")


def test_every_attribute_of_a_public_operator_is_said():
    """In a sentence or in the text; how many inputs there are is counted."""
    unsaid = []
    for name, cls in REGISTRY.items():
        if not name.startswith("_") or name.startswith(("_contrib_", "_image_", "_linalg_")):
            text = public_doc(cls).partition(">>>")[0]
            unsaid += [(name, a) for a in cls.fields if a != "num_args" and not re.search(rf"\b{a}\b", text)]
    assert not unsaid
