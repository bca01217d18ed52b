"""`Block.save(prefix)` and `load(prefix)`: the parameters and the structure of a network in two files."""

import itertools
import json

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import gluon, nd
from minigluon.base import FileFormatError
from minigluon.gluon import nn

KEYS = itertools.count()
X = nd.array([[1, 2, 3, 4]])


class Tower(gluon.HybridBlock):
    """The key of its child, and so the names of parameters in files, is another one in each instance."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.register_child(nn.Dense(3, activation="relu"), f"layer{next(KEYS)}")
            self.scale = self.params.get("scale", shape=(1, 3))

    def hybrid_forward(self, F, x, scale):
        child, = self._children.values()
        return F.broadcast_mul(child(x), scale)


def net(units=2):
    made = nn.HybridSequential()
    made.add(Tower(), nn.Dense(units))
    return made


def saved(folder, hybridized=True):
    """(prefix, what the saved network computes)"""
    made = net()
    made.initialize()
    made.hybridize(hybridized)
    expected = made(X).asnumpy()
    made.save(str(folder / "tower"))
    return str(folder / "tower"), expected


@pytest.mark.parametrize("hybridized", [False, True])
def test_names_and_keys_may_differ(tmp_path, hybridized):
    prefix, expected = saved(tmp_path, hybridized)
    other = net()
    other.load(prefix)
    assert other._active is other[0]._active is hybridized
    np.testing.assert_array_equal(other(X).asnumpy(), expected)
    assert list(nd.load(f"{prefix}-model.params")) != list(other._collect_params_with_prefix())


def test_what_is_loaded_may_be_exported_without_a_call(tmp_path):
    prefix, expected = saved(tmp_path)
    other = net()
    other.load(prefix)
    other.export(prefix)
    block = gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-0000.params")
    np.testing.assert_array_equal(block(X).asnumpy(), expected)


@pytest.mark.once
def test_the_structure(tmp_path):
    prefix, _ = saved(tmp_path)
    with open(f"{prefix}-model.json") as file:
        (key, entry), = json.load(file).items()
    assert key == "hybridsequential0"
    assert list(entry["children"].values()) == entry["keys"] == ["0", "1"]
    assert (entry["hybridized"], entry["in_format"], entry["out_format"]) == (True, [0], 0)
    assert [mx.sym.load_json(text).name for text in entry["inputs"]] == ["data"]
    assert len(mx.sym.load_json(entry["symbol"]).list_arguments()) == 6
    tower = entry["tower1"]
    assert tower["parameters"] == ["scale"]
    assert tower["orig_name"] == next(iter(entry["children"]))
    assert tower["dense2"]["activation3"] == {
        "orig_name": tower["dense2"]["orig_name"] + "_relu", "hybridized": False, "active": True, "parameters": [],
        "children": {}, "keys": []}
    assert entry["dense4"]["parameters"] == ["weight", "bias"]


def without_our_own(entry):
    """What MXNet would have written."""
    return {key: without_our_own(value) if isinstance(value, dict) else value for key, value in entry.items()
            if key not in ("active", "keys", "parameters")}


@pytest.mark.once
def test_a_structure_that_mxnet_has_written(tmp_path):
    prefix, expected = saved(tmp_path)
    with open(f"{prefix}-model.json") as file:
        structure = without_our_own(json.load(file))
    with open(f"{prefix}-model.json", "w") as file:
        json.dump(structure, file)
    other = net()
    other.load(prefix)
    assert (other._active, other[0]._active) == (True, False)       # MXNet counts those with a graph of their own
    np.testing.assert_array_equal(other(X).asnumpy(), expected)


@pytest.mark.once
def test_files_of_another_network(tmp_path):
    prefix, _ = saved(tmp_path)
    path = f"{prefix}-model.json"
    plain = nn.HybridSequential(prefix="net_")
    assert error_of(lambda: plain.load(prefix), FileFormatError) == (
        f"{path!r} is of another network. For HybridSequential 'net' it should have 0 children in 'hybridsequential0', "
        "but it has 2.")
    assert error_of(lambda: nn.Dense(2, prefix="fc_").load(prefix), FileFormatError) == (
        f"{path!r} is of another network. For Dense 'fc' it should have an entry 'dense0'.")
    dense = nn.Dense(2, use_bias=False, prefix="fc_")
    dense.initialize()
    dense(X)
    dense.save(prefix)
    assert error_of(lambda: nn.Dense(2, prefix="fc_").load(prefix), FileFormatError) == (
        f"{path!r} is of another network. For Dense 'fc' it should have the parameters weight, bias in 'dense0', but "
        f"it has others.")
    other = nn.Dense(3, use_bias=False)
    other.initialize()
    with pytest.raises(mx.MXNetError):
        other.load(prefix)
    assert not other._active


@pytest.mark.once
@pytest.mark.parametrize("text", ["", "[", "3", "[]", '{"dense0": 3}', '{"dense0": {"children": 3, "keys": 4}}',
                                  "[" * 100000, "\xff"])
def test_a_damaged_structure(tmp_path, text):
    prefix = str(tmp_path / "a")
    dense = nn.Sequential()
    dense.add(nn.Dense(1, in_units=1))
    dense.initialize()
    dense.save(prefix)
    (tmp_path / "a-model.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(FileFormatError, match="a-model.json"):
        dense.load(prefix)


@pytest.mark.once
def test_a_missing_structure(tmp_path):
    prefix, _ = saved(tmp_path)
    (tmp_path / "tower-model.json").unlink()
    assert error_of(lambda: net().load(prefix)).startswith(
        f"cannot read '{prefix}-model.json': No such file or directory.")
