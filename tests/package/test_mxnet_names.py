"""Every public name of MXNet 1.9.1's array and Gluon side is here, or is listed in left_out.py with the reason why not.

`record_mxnet_names.py` made the file of names.
"""

import json

import pytest
from records import DATA
from records.left_out import IMPORTED, LEFT_OUT, NAMESPACES_LEFT_OUT

import minigluon as mx
from minigluon import ndarray, symbol

pytestmark = pytest.mark.once

RECORDED = json.loads((DATA / "mxnet_names.json").read_text())

REASONS = {name: reason for reason, names in LEFT_OUT.items() for name in names.split()}
ABSENT = {name: reason for reason, names in NAMESPACES_LEFT_OUT.items() for name in names.split()}


def names_of(namespace):
    """Its names here, or None where it is not there."""
    found = mx
    for part in namespace.split(".") if namespace != "mx" else []:
        found = getattr(found, part, None)
    return None if found is None else set(dir(found))


@pytest.mark.parametrize("namespace", RECORDED)
def test_names(namespace):
    here, imported = names_of(namespace), set(IMPORTED.get(namespace, "").split())
    if here is None:
        assert namespace in ABSENT
        return
    missing = [name for name in RECORDED[namespace] if name not in here]
    assert [name for name in missing if name not in REASONS and name not in imported] == []
    assert imported <= set(missing), "listed as missing, but there"


def test_reasons_are_needed():
    """A name that has come leaves the list, and no name is in it without MXNet having it."""
    missing = {name for namespace, names in RECORDED.items() for name in set(names) - (names_of(namespace) or set())}
    assert sorted(REASONS.keys() - missing) == []
    assert [namespace for namespace in ABSENT if names_of(namespace) is not None] == []


def test_names_that_were_added_for_old_programs(monkeypatch):
    """They are not there for show."""
    x = mx.nd.zeros((2, 3), dtype="float64")
    drawn = mx.nd.random.uniform_like(x, low=1, high=2)
    assert (drawn.shape, drawn.dtype, bool((drawn >= 1).min())) == ((2, 3), x.dtype, True)
    assert mx.sym.random.normal_like(mx.sym.var("x")).list_arguments() == ["x"]
    assert isinstance(x, mx.gluon.tensor_types)
    assert mx.gluon.tensor_types == (symbol.Symbol, ndarray.NDArray)
    assert mx.gluon.block.HybridBlock is mx.gluon.HybridBlock
    assert isinstance(3.5, mx.base.numeric_types)
    assert not isinstance("3", mx.base.numeric_types)
    assert isinstance(mx.nd.ones(1).asscalar(), mx.base.numeric_types)
    assert mx.base.py_str(b"name") == "name"
    assert mx.rnd is mx.random
    for name in ("torch", "caffe"):
        metric = mx.metric.create(name)
        metric.update(None, [mx.nd.array([1, 3])])
        assert metric.get() == (name, 2)
    monkeypatch.setenv("MXNET_HOME", "/data")
    assert mx.base.data_dir() == "/data"
