"""Names with a leading underscore that programs written for MXNet use. Here they are all listed."""

import pytest

import minigluon as mx
from minigluon.compat.private_names import ALIASES, KEPT

pytestmark = pytest.mark.once

NAMES = [
    "base._as_list",
    "gluon.HybridBlock._clear_cached_op",
    "gluon.HybridBlock._in_format",
    "gluon.HybridBlock._out_format",
    "gluon.SymbolBlock._in_format",
    "gluon.SymbolBlock._out_format",
    "gluon.block._flatten",
    "gluon.loss._apply_weighting",
    "gluon.loss._reshape_like",
    "metric.ndarray",
]


def found(name):
    """What a program finds under the name, as a class or a module has it."""
    *path, last = name.split(".")
    place = mx
    for part in path:
        place = getattr(place, part)
    return vars(place)[last]


def test_these_names_are_listed():
    assert sorted([*ALIASES, *KEPT]) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_listed_name_is_there(name):
    assert name.rpartition(".")[2].startswith("_") or name == "metric.ndarray"      # the last is a module it imports
    if name in ALIASES:
        assert found(name) is ALIASES[name][0]
    else:
        assert callable(found(name))


def test_as_list():
    from minigluon.base import _as_list
    both = (1, 2)
    assert _as_list(both) is both
    assert [_as_list(x) for x in ([3], 3, "ab", None)] == [[3], [3], ["ab"], [None]]


def test_all_of_autograd_is_imported_with_the_class_of_arrays():
    names = {}
    exec("from minigluon.autograd import *", names)
    assert names["NDArray"] is mx.nd.NDArray
    assert names["record"] is mx.autograd.record
