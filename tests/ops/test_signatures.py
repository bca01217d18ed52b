"""Operators take the same inputs and attributes as in MXNet 1.9.1, in the same order, with the same defaults."""

import ast
import json

import pytest
from records import DATA

from minigluon.ops import REGISTRY
from minigluon.ops.fields import MISSING, Graph

pytestmark = pytest.mark.once

MXNET = json.loads((DATA / "mxnet_signatures.json").read_text())
COMMON = sorted(set(REGISTRY) & set(MXNET))

# Where the signature is deliberately another one.
DIFFERENT = {
    "smooth_l1": "MXNet does not write down the default of scalar, which is 1",
    **dict.fromkeys(["_linalg_potrf", "linalg_potrf", "_linalg_potri", "linalg_potri"],
                    "MXNet takes lower, and does not list it"),
    "_linspace": "MXNet lists the attributes of _arange, but takes start, stop, num, endpoint",
    "_copyto": "it names both devices, because its gradient goes back",
    "BatchNorm_v1": "MXNet lists no moving statistics, which it takes all the same",
}


def mxnet_default(kind):
    """The default in a text such as 'float, optional, default=0.5', or MISSING."""
    if "required" in kind:
        return MISSING
    text = kind.partition("default=")[2].strip()
    if text.startswith("'") and text.endswith("'"):
        text = text[1:-1]
    if text == "[]":
        return ()
    if kind.startswith("boolean") and text in "01":
        return text == "1"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def same(ours, theirs):
    theirs = tuple(theirs) if isinstance(theirs, list) else theirs
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return ours == pytest.approx(theirs, rel=1e-6)
    return ours == theirs or (ours in (None, ()) and theirs in (None, (), ""))


@pytest.mark.parametrize("name", COMMON)
def test_same_signature_as_mxnet(name):
    ours, theirs = REGISTRY[name], MXNET[name]
    if name in DIFFERENT:
        pytest.skip(DIFFERENT[name])
    if not ours.variadic:
        assert list(ours.arguments) == theirs["inputs"]
    assert ours.variadic == theirs["variadic"]
    attributes = [a for a in theirs["attributes"] if not (ours.variadic and a == "num_args")]
    held = [f for f, field in ours.fields.items() if field.annotation is Graph]         # MXNet lists no graphs
    assert [f for f in ours.fields if f != "num_args" and f not in held] == attributes
    for field in attributes:
        default = mxnet_default(theirs["attributes"][field])
        assert same(ours.fields[field].default, default), f"{field}: {ours.fields[field].default!r}, MXNet {default!r}"


def test_same_aliases_as_mxnet():
    """Two names that are one operator in MXNet are one operator here."""
    real = {name: MXNET[name]["real"] for name in COMMON if MXNET[name]["real"] in REGISTRY}
    assert len(real) > 100
    assert [name for name in real if REGISTRY[name] is not REGISTRY[real[name]]] == []
