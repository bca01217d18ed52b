"""The docstrings of operators: what a family says once, and the examples of rows."""

import re
from typing import Literal

import pytest

from minigluon import nd, sym
from minigluon.ops import REGISTRY, Op
from minigluon.ops.docstrings import example, help_doc, public_doc, tells_shapes
from minigluon.ops.fields import MISSING, DType, Field, Shape

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


class Mapped(Op):
    """Base with shapes.

    data (any shape) | out like data
    """


@pytest.mark.parametrize(("own", "inputs", "expected"), [
    ("x²\n\n    of x", ["data"], "x²\n\ndata (any shape) | out like data\n\nof x"),
    ("x²\n\n    data (N,) | out (M,)", ["data"], "x²\n\ndata (N,) | out (M,)"),
    ("x²", ["lhs"], "x²"),
], ids=["inherited", "its own", "of another input"])
def test_shapes_of_the_family_stand_behind_what_is_computed(own, inputs, expected):
    assert public_doc(type("some", (Mapped,), {"__doc__": own, "fields": {}, "arguments": inputs})) == expected
    assert tells_shapes(REGISTRY["relu"])


def test_help_has_types_and_defaults():
    fields = {"kernel": Field("kernel", Shape, MISSING), "stride": Field("stride", Shape, ()),
              "lr": Field("lr", float, MISSING), "wd": Field("wd", float, 0.0),
              "mode": Field("mode", Literal["a", "b"] | None, None), "axis": Field("axis", int | None, -1),
              "dtype": Field("dtype", DType | None, None), "cudnn_off": Field("cudnn_off", bool, False)}
    doc = """x

    kernel: size
    stride: step
    lr, wd: rates
    mode: how
    axis: which
    dtype: its type

    >>> 1
    1"""
    shown = help_doc(type("some", (Op,), {"__doc__": doc, "fields": fields, "arguments": ("data",)}), "Symbol")
    assert shown == """x

kernel (int or tuple of ints): size
stride (int or tuple of ints, default ()): step
lr (float), wd (float, default 0.0): rates
mode ('a' or 'b', default None): how
axis (int or None, default -1): which
dtype (str or dtype, default None): its type
cudnn_off (bool, default False): changes nothing; in MXNet True leaves cuDNN out.
name (str, default None): the name of the node. Without it the operator's name and a number make one.
attr (dict of str, default None): attributes of your own for the node, such as {'lr_mult': '0.1'}.

>>> 1
1"""
    assert help_doc(operator(None, "data"), "NDArray") is None          # python -OO


def test_long_sentences_go_on_in_the_next_line():
    words = " ".join(["word"] * 30)
    fields = {"k": Field("k", int, MISSING)}
    cls = type("some", (Op,), {"__doc__": f"x\n\n    k: {words}", "fields": fields, "arguments": ()})
    first, second = help_doc(cls, "NDArray").splitlines()[2:4]
    assert first.startswith("k (int): word word")
    assert len(first) <= 112
    assert second.startswith("    word")


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
