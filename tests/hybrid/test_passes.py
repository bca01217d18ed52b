"""The passes over a graph, one at a time: what simplification leaves, what fusion joins, and that neither changes a
number."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import autograd, backend, gluon, nd
from minigluon import symbol as sym
from minigluon.backend import Spec
from minigluon.backend.numpy import ReferenceKernel
from minigluon.hybrid import Draft, interpret
from minigluon.hybrid.fuse import fuse
from minigluon.hybrid.fused_chain import BLOCK
from minigluon.hybrid.report import Report
from minigluon.hybrid.simplify import simplify
from minigluon.hybrid.specs import infer_specs

a, b = sym.var("a"), sym.var("b")
FLOAT = np.dtype("float32")


def known(shape, *names):
    return {name: Spec(shape, FLOAT) for name in names or ("a", "b")}


def operators(graph):
    return [node.op.name for node in graph.nodes() if node.op is not None]


def simplified(graph, shape=(2, 3), **how):
    names = graph.list_inputs()
    specs = infer_specs(graph, known(shape, *names))
    draft = simplify(Draft(graph, specs, **how))
    simple, report = draft.graph, Report(draft.summary[0], graph, draft.graph, draft.summary[1], specs)
    values = {name: nd.array(np.random.default_rng(i).normal(size=shape)) for i, name in enumerate(names)}
    for before, after in zip(interpret(graph, values), interpret(simple, values), strict=True):
        np.testing.assert_array_equal(before.asnumpy(), after.asnumpy())
    assert all((node, i) in specs for node in simple.nodes() for i in range(node.op.num_outputs if node.op else 1))
    return operators(simple), report


@pytest.mark.parametrize(("graph", "left"), [
    (sym.identity(sym.sin(a)), ["sin"]),
    (sym.Cast(sym.sin(a), dtype="float32"), ["sin"]),
    (sym.Cast(sym.sin(a), dtype="float64"), ["sin", "Cast"]),
    (sym.sin(a) * 1, ["sin"]),
    (sym.sin(a) / 1, ["sin"]),
    (sym.sin(a) ** 1, ["sin"]),
    (sym.sin(a) * 2, ["sin", "_mul_scalar"]),
    (sym.sin(a) + 0, ["sin", "_plus_scalar"]),              # -0.0 + 0 is 0.0
    (sym.transpose(sym.transpose(a)) + 1, ["_plus_scalar"]),
    (sym.transpose(sym.transpose(a, axes=(1, 0)), axes=(0, 1)), ["transpose"]),
    (sym.reshape(sym.reshape(sym.sin(a), shape=(6,)), shape=(3, 2)), ["sin", "Reshape"]),
    (sym.reshape(sym.reshape(sym.sin(a), shape=(6,)), shape=(2, 3)), ["sin"]),
    (sym.Flatten(sym.sin(a)), ["sin"]),
    (sym.expand_dims(sym.Flatten(sym.sin(a)), axis=0), ["sin", "expand_dims"]),
    (sym.broadcast_add(sym.zeros_like(sym.sin(a)), b), ["_zeros", "broadcast_add"]),
    (sym.sin(a) + sym.sin(a), ["sin", "broadcast_add"]),
    (sym.sin(a) + sym.sin(b), ["sin", "sin", "broadcast_add"]),
    (sym.Group([sym.sin(a), sym.sin(a)]), ["sin"]),
], ids=lambda value: "+".join(value) if isinstance(value, list) else None)
def test_simplification(graph, left):
    assert simplified(graph)[0] == left


def test_simplification_reports_what_it_did():
    _, report = simplified(sym.sin(a) * 1 + sym.sin(a))
    assert str(report) == ("simplify: 4 operators before, 2 after\n"
                           "  times or divided by 1: 1\n"
                           "  computed once instead of twice: 1\n"
                           "  4 operators before, 2 after")


def test_what_matters_to_gradients_stays_until_they_are_there():
    assert simplified(sym.BlockGrad(sym.sin(a)), wanted=("a",))[0] == ["sin", "BlockGrad"]
    assert simplified(sym.BlockGrad(sym.sin(a)))[0] == ["sin"]


def test_random_numbers_are_drawn_as_often_as_the_program_says():
    graph = sym.Dropout(a, p=0.5) + sym.Dropout(a, p=0.5)
    specs = infer_specs(graph, known((2, 3), "a"))
    assert operators(simplify(Draft(graph, specs, train=True)).graph) == ["Dropout", "Dropout", "broadcast_add"]
    assert operators(simplify(Draft(graph, specs)).graph) == ["broadcast_add"]


def test_relu_goes_behind_max_pooling_where_nothing_else_reads_it():
    def pooled(x, **kwargs):
        return sym.Pooling(x, kernel=(2, 2), stride=(2, 2), **{"pool_type": "max", **kwargs})

    relu = sym.relu(sym.sin(a))
    shape = (1, 2, 5, 5)
    assert simplified(pooled(relu), shape)[0] == ["sin", "Pooling", "relu"]
    assert simplified(pooled(sym.Activation(a, act_type="relu")), shape)[0] == ["Pooling", "Activation"]
    assert simplified(pooled(relu, pool_type="avg"), shape)[0] == ["sin", "relu", "Pooling"]
    assert simplified(pooled(relu, pooling_convention="full"), shape)[0] == ["sin", "relu", "Pooling"]
    assert simplified(sym.Group([pooled(relu), relu]), shape)[0] == ["sin", "relu", "Pooling"]


# -- fusion ---------------------------------------------------------------------------------------------------------

def fused(graph, shape=(2, 3), boundary=None, **specs):
    names = graph.list_inputs()
    found = infer_specs(graph, {**known(shape, *names), **specs})
    return fuse(Draft(graph, found, results=len(graph) if boundary is None else boundary)).graph, found


def test_a_chain_is_one_node_of_the_last_ones_name():
    graph = sym.tanh(sym.sin(a) * b + 1, name="last")
    node, = [n for n in fused(graph)[0].nodes() if n.op is not None]
    assert node.name == "last"
    assert [(op.name, operands) for op, operands in node.op.program] == [
        ("sin", (0,)), ("broadcast_mul", (-1, 1)), ("_plus_scalar", (-2,)), ("tanh", (-3,))]
    assert [parent.name for parent, _ in node.inputs] == ["a", "b"]


def test_what_is_not_elementwise_or_of_another_shape_is_not_fused():
    graph = sym.sin(sym.dot(sym.sin(sym.cos(a)), b))
    assert operators(fused(graph, (3, 3))[0]) == ["_fused", "dot", "sin"]
    graph = sym.sin(sym.broadcast_add(sym.cos(a), sym.var("row")))
    assert operators(fused(graph, (3, 3), row=Spec((1, 3), FLOAT))[0]) == ["cos", "broadcast_add", "sin"]


def test_a_result_and_what_two_others_read_is_not_hidden_inside():
    bent = sym.cos(a)
    assert operators(fused(sym.Group([sym.sin(bent), bent]))[0]) == ["cos", "sin"]
    twice = sym.sin(bent) + sym.dot(bent, bent)
    assert operators(fused(twice, (3, 3))[0]) == ["cos", "dot", "_fused"]
    assert operators(fused(sym.sin(bent) + sym.exp(bent))[0]) == ["_fused"]


def test_nothing_is_fused_across_the_end_of_the_forward_part():
    forward = sym.sin(a)
    assert operators(fused(sym.Group([forward, sym.cos(sym.exp(forward))]), boundary=1)[0]) == ["sin", "_fused"]
    inside = sym.exp(sym.sin(a))
    graph = sym.Group([inside, sym.tanh(sym.cos(inside))])
    assert operators(fused(graph, boundary=1)[0]) == ["_fused", "_fused"]


UNARY = ["sin", "tanh", "square", "relu", "negative"]
BINARY = ["broadcast_add", "broadcast_mul", "broadcast_maximum", "elemwise_sub"]


@st.composite
def elementwise_graphs(draw):
    """A graph of elementwise operators in which every value is used at least once."""
    values = [sym.var(f"x{i}") for i in range(draw(st.integers(1, 3)))]
    unused = list(values)
    for _ in range(draw(st.integers(1, 8))):
        pick = st.sampled_from(values)
        first = unused.pop(0) if unused else draw(pick)
        if draw(st.booleans()):
            made = getattr(sym, draw(st.sampled_from(UNARY)))(first)
        else:
            made = getattr(sym, draw(st.sampled_from(BINARY)))(first, draw(pick))
        values.append(made)
        unused.append(made)
    while len(unused) > 1:
        unused.append(unused.pop(0) + unused.pop(0))
    return unused[0]


@settings(deadline=None)
@given(elementwise_graphs(), st.sampled_from([1, 7, BLOCK - 1, BLOCK, BLOCK + 3, 2 * BLOCK + 1]), st.data())
def test_a_fused_writer_gives_what_its_operators_give(graph, size, data):
    rng = np.random.default_rng(0)
    values = {name: rng.normal(size=size).astype("float32") for name in graph.list_inputs()}
    with backend.use_backend("numpy"):
        expected, = interpret(graph, {name: nd.array(x) for name, x in values.items()})
    node, = [n for n in fused(graph, (size,))[0].nodes() if n.op is not None]       # all of it is one operator
    inputs = [values[parent.name] for parent, _ in node.inputs]
    names = node.op.argument_names(len(inputs))
    np.testing.assert_array_equal(node.op.forward(*inputs), expected.asnumpy())

    specs = [Spec((size,), FLOAT)] * len(inputs), [Spec((size,), FLOAT)]
    kernel = ReferenceKernel(node.op, *specs)
    scratch = [np.full(spec.shape, np.nan, spec.dtype) for spec in kernel.scratch]
    free = [x for x, name in zip(inputs, names, strict=True) if name in node.op.in_place]
    out = data.draw(st.sampled_from([np.full(size, np.nan, "float32"), *free]))     # garbage, or the place of an input
    kernel.write(inputs, [out, *scratch])
    np.testing.assert_array_equal(out, expected.asnumpy())


VIEWS = {"BlockGrad": sym.BlockGrad, "MakeLoss": lambda x: sym.MakeLoss(x, grad_scale=3), "make_loss": sym.make_loss,
         "Linear": lambda x: sym.LinearRegressionOutput(x, b), "MAE": lambda x: sym.MAERegressionOutput(x, b),
         "SVM": lambda x: sym.SVMOutput(x, sym.reshape(b, shape=(-1,))), "identity": sym.identity,
         "Flatten": sym.Flatten, "Reshape": lambda x: sym.reshape(x, shape=(-1, 1)),
         "_copyto": lambda x: getattr(sym, "_copyto", sym.identity)(x)}


@pytest.mark.parametrize("inner", VIEWS)
@pytest.mark.parametrize("outer", VIEWS)
def test_views_of_views_keep_their_gradients(inner, outer):
    """A loss hands its data on and has a gradient of its own; one after a Flatten was taken for a reshape."""
    graph = VIEWS[outer](VIEWS[inner](sym.Flatten(a)))
    values = {"a": nd.arange(1, 5), "b": nd.array([[1], [0], [1], [0]])}
    tape, net = values["a"].copy(), gluon.SymbolBlock(graph, [sym.var(name) for name in graph.list_inputs()])
    compiled = tape.copy()
    tape.attach_grad()
    compiled.attach_grad()
    with autograd.record():
        plainly = interpret(graph, {**values, "a": tape})[0]
        planned = net(*[compiled if name == "a" else values[name] for name in graph.list_inputs()])
    for result in (plainly, planned):
        result.backward()
    np.testing.assert_array_equal(compiled.grad.asnumpy(), tape.grad.asnumpy())
