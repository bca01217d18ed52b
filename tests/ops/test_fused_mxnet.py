"""A network that the real MXNet 1.9.1 has quantized for a CPU, read from its file: the same integers in each layer."""

import json

import numpy as np
import pytest
from helpers.errors import error_of
from records import DATA

from minigluon import nd, sym
from minigluon.base import FileFormatError
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter
from minigluon.symbol.symbol import Symbol

RECORDED = np.load(DATA / "mxnet_fused.npz")
WAYS = "tensor-wise", "channel-wise"


def parts_of(way):
    """Return (graph, {name: array} of its inputs, {name: array} of what MXNet computed)."""
    def named(kind):
        start = f"{way}/{kind}/"
        return {key.removeprefix(start): RECORDED[key] for key in RECORDED.files if key.startswith(start)}
    inputs = {name: nd.array(x, dtype=x.dtype) for name, x in {**named("param"), "data": RECORDED["data"]}.items()}
    return sym.load_json(str(RECORDED[f"{way}/graph"])), inputs, named("out")


class Apart(Rewriter):
    """Makes each layer read what MXNet computed before it, in variables with the names of these outputs."""

    def visit(self, node):
        new = node.with_inputs([self.where[pair] for pair in node.inputs])
        self.put(node, new)
        self.layers = {**getattr(self, "layers", {}), node.output_name(0): new}
        if node.op is not None and node.op.name.startswith("_sg_"):
            self.where[node, 0] = Node(None, node.output_name(0), (), {}), 0


def layers_of(way):
    """Return {name: (array here, array of MXNet)} of the fused layers' outputs."""
    graph, inputs, expected = parts_of(way)
    apart = Apart(graph)
    apart.rewritten()
    names = [name for name, node in apart.layers.items() if node.op is not None and node.op.name.startswith("_sg_")]
    together = Symbol([(apart.layers[name], 0) for name in names])
    inputs |= {name: nd.array(expected[name], dtype=expected[name].dtype) for name in names}
    outputs = together.eval(**{name: inputs[name] for name in together.list_inputs()})
    return {name: (out.asnumpy(), expected[name]) for name, out in zip(names, outputs, strict=True)}


@pytest.mark.parametrize("way", WAYS)
def test_each_layer_gives_mxnets_integers(way):
    layers = layers_of(way)
    assert len(layers) == 7
    for name, (actual, expected) in layers.items():
        assert actual.dtype == expected.dtype, name
        np.testing.assert_array_equal(actual, expected, name)


@pytest.mark.parametrize("way", WAYS)
def test_the_whole_network_gives_mxnets_numbers(way):
    graph, inputs, expected = parts_of(way)
    name, = graph.list_outputs()
    np.testing.assert_array_equal(graph.eval(**inputs)[0].asnumpy(), expected[name])


@pytest.mark.parametrize("way", WAYS)
def test_the_file_is_written_as_it_was_read(way):
    text = str(RECORDED[f"{way}/graph"])
    graph = json.loads(text)
    again = json.loads(sym.load_json(text).tojson())
    for mine, theirs in zip(again["nodes"], graph["nodes"], strict=True):
        assert mine["op"] == theirs["op"]
        assert mine.get("attrs", {}) == theirs.get("attrs", {})
        assert [n["op"] for s in mine.get("subgraphs", []) for n in s["nodes"]] == [
            n["op"] for s in theirs.get("subgraphs", []) for n in s["nodes"]]


def changed(change):
    """Return the message about the file after `change` of its first fused node."""
    graph = json.loads(str(RECORDED["tensor-wise/graph"]))
    change(next(node for node in graph["nodes"] if node["op"] == "_sg_mkldnn_conv"))
    return error_of(lambda: sym.load_json(json.dumps(graph)), FileFormatError)


def test_an_attribute_that_contradicts_the_graph_is_refused():
    message = changed(lambda node: node["attrs"].pop("with_act"))
    assert message.endswith("_sg_mkldnn_conv: with_act=False, but its graph contains Convolution, BatchNorm, "
                            "Activation.")


def test_another_graph_is_refused():
    def change(node):
        inner = node["subgraphs"][0]["nodes"][-1]
        inner["op"], inner["attrs"] = "sin", {}
    assert changed(change).endswith(
        "_sg_mkldnn_conv: its graph contains Convolution, BatchNorm, sin, expected Convolution, BatchNorm, an "
        "activation, elemwise_add and an activation, in this order, of which only Convolution is required.")


def test_older_names_of_attributes():
    text = str(RECORDED["tensor-wise/graph"])
    older = text.replace('"with_act"', '"with_relu"').replace('"with_postsum_act"', '"with_postsum_relu"')
    graph, inputs, _ = parts_of("tensor-wise")
    expected = graph.eval(**inputs)[0].asnumpy()
    np.testing.assert_array_equal(sym.load_json(older).eval(**inputs)[0].asnumpy(), expected)
