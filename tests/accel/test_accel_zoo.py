"""The networks of the model zoo leave nothing to the reference: minigluon-accel has kernels for all their operators.

Kernels are prepared from shapes alone, so that no network has to run: hybridized as its plans do it, and imperatively
operator by operator. What has no kernel for such shapes is in the ledger, `dispatch.declined`, afterwards.
"""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from records import zoo_cases as cases

import minigluon as mx
from minigluon import dispatch
from minigluon.backend import Spec
from minigluon.gluon.loss import SoftmaxCrossEntropyLoss
from minigluon.gluon.model_zoo import vision
from minigluon.hybrid import compile_graph

BATCH = 2
_prepared = set()       # (operator, *Specs, train) that some network has asked for already


def specs_of(graph, pixels):
    """{variable: Spec, float32} of a loss for images of so many pixels."""
    names = [*graph.list_arguments(), *graph.list_auxiliary_states()]
    arguments, _, states = graph.infer_shape(data=(BATCH, 3, pixels, pixels), label=(BATCH,))
    shapes = zip(names, [*arguments, *states], strict=True)
    return {name: Spec(tuple(shape), np.dtype("float32")) for name, shape in shapes}


def prepare_each(graph, specs, train):
    """Kernels for the nodes of a graph as they are."""
    for node in graph.nodes():
        if node.op is not None:
            inputs = [specs[pair] for pair in node.inputs]
            key = node.op, *inputs, train
            if key not in _prepared:
                _prepared.add(key)
                dispatch.prepare(node.op, mx.cpu(), inputs, [specs[node, i] for i in range(node.op.num_outputs)], train)


@pytest.mark.parametrize("name", vision._MODELS)
def test_every_operator_has_a_kernel(name):
    net = cases.build(mx, name)
    scores = net(mx.sym.var("data"))
    loss = SoftmaxCrossEntropyLoss()(scores, mx.sym.var("label"))
    known = specs_of(loss, cases.side(name))
    trained = [param.name for param in net.collect_params().values() if param.grad_req != "null"]
    before, reports = dispatch.declined.copy(), []

    compile_graph(loss, known, list(known), mx.cpu(), True, trained, reports)
    passes = {report.name: report for report in reports}
    prepare_each(passes["infer"].after, passes["infer"].specs, False)
    prepare_each(passes["infer"].after, passes["infer"].specs, True)
    prepare_each(passes["differentiate"].after, passes["differentiate"].specs, True)
    del known["label"]
    compile_graph(scores, known, list(known), mx.cpu())

    assert dict(dispatch.declined - before) == {}
