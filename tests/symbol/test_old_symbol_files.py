"""Symbol files before MXNet 0.9.4: initializers that are added to variables, and entries without versions.

The attributes and entries are what MXNet 1.9.1 gives for these files.
"""

import json

import pytest

import minigluon as mx
from minigluon import sym

INITIAL = {"g": '["Constant", {"value": 0.25}]', "up_weight": '["bilinear", {}]', "bn_moving_mean": '["zero", {}]',
           "bn_moving_var": '["one", {}]'}


def text(version, own=False):
    """A file with PReLU, UpSampling and BatchNorm. own: whether it gives the slope an initializer itself."""
    def variable(name, **attrs):
        return {"op": "null", "name": name, "inputs": [], **({"attr": attrs} if attrs else {})}

    def entries(*numbers):
        return [[number, 0, 0] if version >= 900 else [number, 0] for number in numbers]
    auxiliary = [variable("bn_moving_mean"), variable("bn_moving_var")] if version >= 900 else []
    nodes = [
        variable("data"), variable("g", **({"__init__": '["one", {}]'} if own else {})),
        {"op": "LeakyReLU", "name": "p", "param": {"act_type": "prelu"}, "inputs": entries(0, 1)},
        variable("up_weight"),
        {"op": "UpSampling", "name": "up", "param": {
            "scale": "2", "sample_type": "bilinear", "num_filter": "3", "num_args": "2"}, "inputs": entries(2, 3)},
        variable("bn_gamma"), variable("bn_beta"), *auxiliary,
        {"op": "BatchNorm", "name": "bn", "param": {}, "inputs": entries(4, 5, 6, *(7, 8)[:len(auxiliary)])}]
    arguments = [number for number, node in enumerate(nodes) if node["op"] == "null"]
    return json.dumps({"nodes": nodes, "arg_nodes": arguments, "heads": entries(len(nodes) - 1),
                       **({"attrs": {"mxnet_version": ["int", version]}} if version >= 900 else {})})


def initializers(symbol):
    return {name: attrs["__init__"] for name, attrs in symbol.attr_dict().items() if "__init__" in attrs}


@pytest.mark.parametrize("version", [800, 900, 903])
def test_initializers_are_added(version):
    assert initializers(sym.load_json(text(version))) == INITIAL
    assert initializers(sym.load_json(text(version, own=True))) == {**INITIAL, "g": '["one", {}]'}


def test_later_files_are_left_as_they_are():
    assert initializers(sym.load_json(text(904))) == {}


@pytest.mark.parametrize("version", [800, 900, 904])
def test_entries_keep_their_versions(version):
    symbol = sym.load_json(text(version))

    def entries(graph):
        return [node["inputs"] for node in json.loads(graph.tojson())["nodes"] if node["op"] == "BatchNorm"]
    old = [[4, 0, 0], [5, 0, 0], [6, 0, 0], [7, 0, 0], [8, 0, 0]]
    assert entries(symbol) == entries(symbol * 2) == entries(sym.load_json(symbol.tojson())) == [old]
    assert entries(sym.BatchNorm(symbol, name="new")) == [
        old, [[9, 0, 0], [10, 0, 0], [11, 0, 0], [12, 0, 1], [13, 0, 1]]]


def test_weights_of_a_module():
    module = mx.mod.Module(sym.load_json(text(800)), label_names=None)
    module.bind([("data", (1, 3, 2, 2))])
    module.init_params(mx.init.Normal())
    weights, states = module.get_params()
    assert weights["g"].asnumpy().tolist() == [0.25] * 3
    assert weights["up_weight"].asnumpy().ravel()[:3].tolist() == [0.0625, 0.1875, 0.1875]
    assert states["bn_moving_var"].asnumpy().tolist() == [1] * 3
