"""What an editor completes, and that it lists nothing of the engine: jedi's completions, and names beside MXNet's."""

import json

import pytest
from helpers import WIDE
from records import DATA

import minigluon as mx

pytestmark = pytest.mark.once

HEAD = """
import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn
x = nd.ones((2, 3))
net = nn.Sequential()
net.add(nn.Dense(4))
loss = gluon.loss.L2Loss()
trainer = gluon.Trainer(net.collect_params(), "sgd")
"""


@pytest.mark.parametrize(("code", "names"), [
    ("x.", "shape asnumpy sum reshape attach_grad backward"),
    ("x[0].", "asscalar"),
    ("net[0].", "collect_params name_scope initialize"),
    ("net.", "add hybridize save_parameters"),
    ("nn.", "Dense Conv2D BatchNorm HybridSequential"),
    ("gluon.loss.", "L2Loss SoftmaxCrossEntropyLoss"),
    ("autograd.", "record grad pause backward"),
    ("mx.", "cpu gpu nd sym gluon"),
    ("trainer.", "step set_learning_rate learning_rate"),
    ("mx.sym.var('x').", "infer_shape list_arguments tojson"),
    *[("(x + x).", "shape asnumpy mean argmax"), ("x.grad.", "asnumpy norm"), ("nd.relu(x).", "asnumpy"),
      ("gluon.data.", "DataLoader ArrayDataset vision"), ("nd.contrib.", "box_iou")] * WIDE,
])
def test_jedi_completes(code, names):
    jedi = pytest.importorskip("jedi")
    source = HEAD + code
    found = {c.name for c in jedi.Script(source).complete(source.count("\n") + 1, len(code))}
    assert set(names.split()) <= found


RECORDED = json.loads((DATA / "mxnet_names.json").read_text())

# Public names that MXNet's class has not, and why they are there.
ADDED = {
    "nd.NDArray": {
        "all any item": "as in NumPy", "as_in_ctx": "MXNet 2's name", "wait_to_write": "beside wait_to_read",
        "buffer device": "the backend's memory, for kernels and DLPack", "entry output_index": "the tape, chapter 3"},
    "sym.Symbol": {"nodes": "the graph, chapter 7"},
    "gluon.Block": {"was_called graph_obstacle": "whether and how the block runs as a graph, chapter 9"},
    "gluon.HybridBlock": {
        "was_called graph_obstacle activate add_graph_host block_graphs drop_graphs hybrid_flags": "the same",
        "export_onnx": "mx.onnx.export_model of a block"},
    "gluon.Parameter": {
        "computes_data": "a Constant's and a sum's values follow from others", "described": "for messages",
        "is_deferred is_initialized": "chapter 4", "replacements": "new values for threads that read"},
}


@pytest.mark.parametrize("name", ADDED)
def test_a_class_has_mxnets_names_and_few_others(name):
    cls = mx
    for part in name.split("."):
        cls = getattr(cls, part)
    listed = dir(mx.nd.ones(2)) if name == "nd.NDArray" else dir(cls)       # an array lists fewer names than its class
    others = {n for n in listed if not n.startswith("_")} - set(RECORDED[name])
    assert others == {n for names in ADDED[name] for n in names.split()}
