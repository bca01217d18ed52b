"""`gradient` is written once, for both namespaces: with F=sym it builds the graph that computes what F=nd computes."""

from types import FunctionType

import numpy as np
import pytest
from helpers.op_heads import head_grad
from op_cases import CASES

from minigluon import nd
from minigluon import symbol as sym
from minigluon.backend import ReferenceBackend, Spec, use_backend
from minigluon.dispatch import infer
from minigluon.frontend.binding import bind
from minigluon.ndarray.ndarray import NDArray
from minigluon.ops import REGISTRY


@pytest.fixture(autouse=True, scope="module")
def reference():
    """Graphs are evaluated with each operator's `forward`, so the arrays they are compared with are, too."""
    with use_backend("numpy"):
        yield

WITH_GRADIENT = [c for c in CASES if c.grad and not REGISTRY[c.op].random]


def run(op, buffers, train):
    """All outputs of an operator, hidden ones included, as NumPy arrays."""
    specs = [Spec(b.shape, b.dtype) for b in buffers]
    rng = np.random.Generator(np.random.Philox(0)) if op.random else None
    return ReferenceBackend().prepare(op, specs, infer(op, specs), train, rng).run(buffers)[:op.num_outputs]


def evaluate(graph, values, train):
    """The outputs of a graph from {variable name: NumPy array}."""
    found = {}
    for node in graph.nodes():
        if node.op is None:
            found[node, 0] = values[node.name]
            continue
        results = run(node.op, [found[pair] for pair in node.inputs], train)
        found.update({(node, i): result for i, result in enumerate(results)})
    return [found[pair] for pair in graph.heads]


def gradients(op, F, heads, inputs, outputs):
    """The gradients of the inputs, with only those values that the operator says it looks at."""
    kept_inputs = inputs if {"inputs", "shapes"} & set(op.keeps) else [None] * len(inputs)
    kept_outputs = outputs if "outputs" in op.keeps else [None] * len(outputs)
    grads = op.gradient(F, heads, kept_inputs, kept_outputs)
    if isinstance(grads, sym.Symbol):           # one operator with an output for each input counts as a list
        grads = list(grads)
    grads = grads if isinstance(grads, (list, tuple)) else [grads]
    return [g() if isinstance(g, FunctionType) else g for g in grads]


@pytest.mark.parametrize("case", WITH_GRADIENT, ids=lambda c: c.id)
def test_a_graph_computes_the_same_gradient(case):
    arrays = case.inputs()
    op, bound = bind(REGISTRY[case.op], [nd.array(a, dtype=a.dtype) for a in arrays], dict(case.attrs),
                     lambda a: isinstance(a, NDArray))
    inputs = [x.asnumpy() for x in bound]
    outputs = run(op, inputs, case.train)
    heads = [head_grad(y.shape, i).astype(y.dtype) for i, y in enumerate(outputs)]

    wrapped = [[NDArray(np.array(a), bound[0].context) for a in group] for group in (heads, inputs, outputs)]
    expected = gradients(op, nd, *wrapped)

    names = [[f"{kind}{i}" for i in range(len(group))]
             for kind, group in (("head", heads), ("in", inputs), ("out", outputs))]
    graphs = gradients(op, sym, *[[sym.var(n) for n in group] for group in names])
    assert [g is None for g in graphs] == [g is None for g in expected]

    values = dict(zip(sum(names, []), [*heads, *inputs, *outputs], strict=True))
    for graph, wanted in zip(graphs, expected, strict=True):
        if graph is None:
            continue
        (found,) = evaluate(graph, values, case.train)
        np.testing.assert_allclose(found, wanted.asnumpy(), rtol=1e-12, atol=1e-12)
        if not any(node.op is not None and node.op.dynamic for node in graph.nodes()):
            used = set(graph.list_inputs())
            shapes = {n: v.shape for n, v in values.items() if n in used}
            assert graph.infer_shape(**shapes)[1] == [found.shape]
