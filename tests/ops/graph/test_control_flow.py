"""Loops and branches: `foreach`, `while_loop`, `cond` on arrays, as nodes of a graph, in files."""

import functools
import gzip
import inspect
import itertools
import json

import numpy as np
import pytest
from helpers.damage import damage
from helpers.errors import error_of, unplaced
from helpers.mxnet_arithmetic import with_mxnets_arithmetic
from hypothesis import given, settings
from hypothesis import strategies as st
from records import DATA
from records.control_cases import CASES, arguments

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.base import ArgumentError, DTypeError, FileFormatError, MXNetError, ShapeError
from minigluon.common.nest import flatten, regroup
from minigluon.gluon.tracing import fresh_subgraph_names
from minigluon.hybrid import CachedOp

pytestmark = pytest.mark.usefixtures("fresh_names")

RECORDED = json.loads(gzip.decompress((DATA / "mxnet_control.json.gz").read_bytes()))


text_of = functools.partial(error_of, kind=ArgumentError)


# -- arrays ---------------------------------------------------------------------------------------------------------


def test_foreach_sums_up_and_differentiates():
    x, start = nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([10, 20])
    x.attach_grad()
    start.attach_grad()
    with autograd.record():
        sums, last = nd.contrib.foreach(lambda row, total: (row + total, row + total), x, start)
        result = nd.concat(sums, last.expand_dims(0), dim=0)
    result.backward()
    assert sums.asnumpy().tolist() == [[11, 22], [14, 26], [19, 32]]
    assert last.asnumpy().tolist() == [19, 32]
    assert x.grad.asnumpy().tolist() == [[4, 4], [3, 3], [2, 2]]
    assert start.grad.asnumpy().tolist() == [4, 4]


def test_foreach_nests_as_the_program_does():
    x, y = nd.array([[1], [2]]), nd.array([[[10]], [[20]]])
    seen = []

    def body(slices, states):
        seen.append((type(slices), slices[1][0].shape, type(states)))
        a, (b,) = slices
        return [a, [b + states[0]]], (states[0] + 1, [a])

    (first, (second,)), states = nd.contrib.foreach(body, (x, [y]), (nd.zeros((1,)), [x[0]]))
    assert seen == [(list, (1, 1), tuple)] * 2
    assert first.shape == (2, 1)
    assert second.asnumpy().tolist() == [[[10]], [[21]]]
    assert states[0].asscalar() == 2
    assert states[1][0].asscalar() == 2


def test_foreach_without_states_or_outputs():
    x = nd.array([1, 2, 3])
    assert nd.contrib.foreach(lambda i, s: (i, s), x, [])[1] == []
    outs, total = nd.contrib.foreach(lambda i, s: ([], s + i), x, nd.zeros((1,)))
    assert outs == []
    assert total.asscalar() == 6


def test_foreach_over_nothing_knows_the_shapes():
    calls = []

    def body(x, state):
        calls.append(autograd.is_training())
        return [x, nd.dot(state, state)], state + 1

    with autograd.train_mode():
        (first, second), state = nd.contrib.foreach(body, nd.zeros((0, 4), dtype="float64"), nd.ones((2, 2)))
    assert (first.shape, first.dtype, second.shape) == ((0, 4), np.float64, (0, 2, 2))
    assert state.asnumpy().tolist() == [[1, 1], [1, 1]]
    assert calls == [False]


def test_while_loop_counts_and_fills_up():
    i, total = nd.array([1]), nd.array([0])
    i.attach_grad()
    with autograd.record():
        outs, (i_after, total_after) = nd.contrib.while_loop(
            lambda i, t: i <= 3, lambda i, t: (t, (i + 1, t + i * i)), [i, total], max_iterations=5)
    total_after.backward()
    assert outs.asnumpy().ravel().tolist() == [0, 1, 5, 0, 0]
    assert (i_after.asscalar(), total_after.asscalar()) == (4, 14)
    assert i.grad.asscalar() == 12


def test_while_loop_stops_at_the_limit():
    outs, i = nd.contrib.while_loop(lambda i: i < 100, lambda i: ([i, [i]], i + 1), nd.array([0]), nd.array([2]))
    assert i.asscalar() == 2
    assert [outs[0].shape, outs[1][0].shape] == [(2, 1), (2, 1)]


def test_while_loop_without_a_step():
    for limit, start in ((3, 5), (0, 0)):
        outs, (i,) = nd.contrib.while_loop(lambda i: i < 5, lambda i: (i, [i + 1]), [nd.array([start])], limit)
        assert outs == []
        assert i.asscalar() == start


def test_while_loop_without_outputs():
    outs, i = nd.contrib.while_loop(lambda i: i < 5, lambda i: (None, i + 1), nd.array([0]), 9)
    assert outs == []
    assert i.asscalar() == 5


def test_cond_calls_one_branch():
    x = nd.array([2])
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.cond(x > 1, lambda: x * x, lambda: 1 / 0)
    y.backward()
    assert (y.asscalar(), x.grad.asscalar()) == (4, 4)
    assert nd.contrib.cond(0, lambda: 1 / 0, lambda: [x, (x,)]) == [x, (x,)]


ARRAY_ERRORS = {
    "foreach: data must be one NDArray or nested lists of them, found int 5":
        lambda: nd.contrib.foreach(lambda x, s: (x, s), 5, []),
    "foreach: init_states must be one NDArray or nested lists of them, found None":
        lambda: nd.contrib.foreach(lambda x, s: (x, s), nd.ones((2,)), None),
    "foreach: data is empty; there must be one array, or more":
        lambda: nd.contrib.foreach(lambda x, s: (x, s), [], []),
    "foreach: axis 0 of all data must have one length, one step for each, found shapes (2, 1), (3, 1)":
        lambda: nd.contrib.foreach(lambda x, s: (x, s), [nd.ones((2, 1)), nd.ones((3, 1))], []),
    "foreach: body must return two values, outputs and states, found NDArray. Where there are none, return [] in their "
    "place.":
        lambda: nd.contrib.foreach(lambda x, s: x, nd.ones((2,)), []),
    "foreach: body must return two values, outputs and states, found 3 values. Where there are none, return [] in "
    "their place.":
        lambda: nd.contrib.foreach(lambda x, s: (x, x, s), nd.ones((2,)), []),
    "foreach: the output of body must be one NDArray or nested lists of them, found float 1.5":
        lambda: nd.contrib.foreach(lambda x, s: (1.5, s), nd.ones((2,)), []),
    "foreach: the output of body is * at step 0 and [*, *] at step 1, but outputs are stacked and must be alike":
        lambda: nd.contrib.foreach(lambda x, s: (x if s.asscalar() == 0 else [x, x], s + 1), nd.ones((2,)),
                                   nd.zeros((1,))),
    "foreach: an output has shape (1,) at step 0 and (2,) at step 1, but they are stacked and must have one":
        lambda: nd.contrib.foreach(lambda x, s: (s, nd.concat(s, x, dim=0)), nd.ones((3,)), nd.zeros((1,))),
    "while_loop: max_iterations is missing; the outputs have one place for each iteration":
        lambda: nd.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), nd.ones((1,))),
    "while_loop: max_iterations must be an integer, found 'x'":
        lambda: nd.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), nd.ones((1,)), "x"),
    "while_loop: max_iterations must be 0 or more, found -1":
        lambda: nd.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), nd.ones((1,)), -1),
    "while_loop: loop_vars is empty; there must be one variable, or more":
        lambda: nd.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), [], 3),
    "while_loop: loop_vars must be one NDArray or a list of them, found int 3":
        lambda: nd.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), 3, 3),
    "while_loop: what cond returns must have one element, found an array of shape (2,)":
        lambda: nd.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), nd.ones((2,)), 3),
    "while_loop: loop_vars of func: there are 1 going in and 2 coming out":
        lambda: nd.contrib.while_loop(lambda i: i < 2, lambda i: (i, [i, i]), nd.ones((1,)), 3),
    "while_loop: loop_vars that func returns must be one NDArray or nested lists of them, found int 1":
        lambda: nd.contrib.while_loop(lambda i: i < 2, lambda i: (i, 1), nd.ones((1,)), 3),
    "cond: pred must have one element, found an array of shape (2,)":
        lambda: nd.contrib.cond(nd.ones((2,)), lambda: 1, lambda: 2),
    "cond: pred must be an NDArray of one element or a number, found list":
        lambda: nd.contrib.cond([1], lambda: 1, lambda: 2),
}


@pytest.mark.parametrize("text", ARRAY_ERRORS)
def test_messages_on_arrays(text):
    assert text_of(ARRAY_ERRORS[text]) == text


# -- symbols --------------------------------------------------------------------------------------------------------


def test_the_body_may_use_everything_outside():
    x, w = sym.var("x"), sym.var("w")
    doubled = w * 2
    outs, state = sym.contrib.foreach(lambda row, s: (row * doubled, s + w), x, sym.var("s"))
    graph = sym.Group([outs, state, doubled])
    assert graph.list_arguments() == ["x", "s", "w"]
    assert graph.list_outputs() == ["_foreach0_output0", "_foreach0_output1", "_mulscalar0_output"]
    assert graph.infer_shape(x=(5, 3), w=(3,), s=(3,)) == ([(5, 3), (3,), (3,)], [(5, 3), (3,), (3,)], [])


def test_shapes_follow_in_both_directions():
    def body(x, s):
        h = sym.FullyConnected(x, num_hidden=4, name="fc")
        return h, sym.elemwise_add(h, s)

    outs, state = sym.contrib.foreach(body, sym.var("x"), sym.var("s"))
    graph = sym.Group([outs, state])
    assert graph.list_arguments() == ["x", "s", "fc_weight", "fc_bias"]
    assert graph.infer_shape(x=(5, 2, 3)) == ([(5, 2, 3), (2, 4), (4, 3), (4,)], [(5, 2, 4), (2, 4)], [])
    outs, state = sym.contrib.foreach(lambda x, s: (x * 2, sym.elemwise_add(x, s)), sym.var("x"), sym.var("s"))
    whole = sym.elemwise_add(outs, sym.var("y"))
    assert sym.Group([whole, state]).infer_shape(y=(5, 2, 3)) == (
        [(5, 2, 3), (2, 3), (5, 2, 3)], [(5, 2, 3), (2, 3)], [])


def test_types_follow_in_both_directions():
    outs, state = sym.contrib.foreach(lambda x, s: (x * 2, sym.elemwise_add(x, s)), sym.var("x"), sym.var("s"))
    whole = sym.Group([outs, state])
    for known in "x", "s":
        assert whole.infer_type(**{known: "float16"}) == ([np.float16] * 2, [np.float16] * 2, [])
    assert sym.elemwise_add(outs, sym.var("y")).infer_type(y="float64")[0] == [np.float64] * 3
    branch = sym.contrib.cond(sym.var("p"), lambda: sym.var("x") * 2, lambda: sym.var("z"))
    assert sym.elemwise_add(branch, sym.var("y")).infer_type(p="int32", y="float64")[0] == [np.int32] + [np.float64] * 3


def test_statistics_that_a_body_updates_are_auxiliary_states():
    outs, _ = sym.contrib.foreach(lambda x, s: (sym.BatchNorm(x, name="bn"), s), sym.var("x"), [])
    assert outs.list_arguments() == ["x", "bn_gamma", "bn_beta"]
    assert outs.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]


SYMBOL_ERRORS = {
    "foreach: data must be one Symbol or nested lists of them, found int 5":
        lambda: sym.contrib.foreach(lambda x, s: (x, s), 5, []),
    "foreach: data is empty; there must be one array, or more":
        lambda: sym.contrib.foreach(lambda x, s: (x, s), [], []),
    "foreach: body got * as states and returned [*, *]":
        lambda: sym.contrib.foreach(lambda x, s: (x, [s, s]), sym.var("x"), sym.var("s")),
    "foreach: body got [[*], *] as states and returned [*, *]":
        lambda: sym.contrib.foreach(lambda x, s: (x, [s[1], s[1]]), sym.var("x"), [[sym.var("s")], sym.var("t")]),
    "foreach: body returned neither outputs nor states, so there is nothing to compute":
        lambda: sym.contrib.foreach(lambda x, s: ([], []), sym.var("x"), []),
    "while_loop: cond must return a Symbol of one output, found bool True":
        lambda: sym.contrib.while_loop(lambda i: True, lambda i: (i, i), sym.var("i"), 3),
    "while_loop: loop_vars of func: there are 1 going in and 2 coming out":
        lambda: sym.contrib.while_loop(lambda i: i < 3, lambda i: (i, [i, i]), [sym.var("i")], 3),
    "while_loop: max_iterations is missing; the outputs have one place for each iteration":
        lambda: sym.contrib.while_loop(lambda i: i < 3, lambda i: (i, [i]), [sym.var("i")]),
    "cond: pred must be a Symbol of one output, found bool True":
        lambda: sym.contrib.cond(True, lambda: sym.var("x"), lambda: sym.var("y")),
    "cond: then_func returned 2 outputs and else_func 1, but both must return as many, of equal shapes":
        lambda: sym.contrib.cond(sym.var("p"), lambda: [sym.var("x")] * 2, lambda: sym.var("y")),
    "cond: the output of else_func is empty, so there is nothing to compute":
        lambda: sym.contrib.cond(sym.var("p"), lambda: [sym.var("x")], lambda: []),
}


@pytest.mark.parametrize("text", SYMBOL_ERRORS)
def test_messages_on_symbols(text):
    assert text_of(SYMBOL_ERRORS[text]) == text


def test_messages_of_inference():
    outs, _ = sym.contrib.foreach(lambda x, s: (x[0] + x[1], s), [sym.var("x"), sym.var("y")], [])
    with pytest.raises(ShapeError) as error:
        outs.infer_shape(x=(3, 2), y=(4, 2))
    assert unplaced(error.value) == (
        "_foreach: axis 0 of the data and results has lengths 3 and 4, one step for each\n  node: '_foreach0'\n"
        "  inputs: data0 = 'x' (3, 2), data1 = 'y' (4, 2)")
    _, state = sym.contrib.foreach(lambda x, s: (x, sym.concat(x, s, dim=0)), sym.var("x"), sym.var("s"))
    with pytest.raises(ShapeError) as error:
        state.infer_shape(x=(3, 2), s=(5,))
    assert str(error.value).startswith("_foreach: state 0 before a step has shape (5,) and must have shape (7,)\n")
    _, state = sym.contrib.foreach(lambda x, s: (x, s.astype("float16")), sym.var("x"), sym.var("s"))
    with pytest.raises(DTypeError) as error:
        state.infer_type(s="float32")
    assert unplaced(error.value) == ("_foreach: state 0 before a step has dtype float32 and must have dtype float16. "
                                "Convert with .astype(dtype).\n  node: '_foreach2'")
    x = sym.var("x")
    branches = sym.contrib.cond(sym.var("p"), lambda: x, lambda: sym.concat(x, x, dim=0))
    with pytest.raises(ShapeError) as error:
        branches.infer_shape(p=(1,), x=(3,))
    assert str(error.value).startswith("_cond: output 0 of the first branch has shape (3,) and must have shape (6,)\n")


# -- hybridized -----------------------------------------------------------------------------------------------------


class Loop(gluon.HybridBlock):
    """A block with layers and a parameter of its own, whose computation is a function of the test."""

    def __init__(self, compute, in_units=3, **kwargs):
        super().__init__(**kwargs)
        self.compute = compute
        with self.name_scope():
            self.dense = gluon.nn.Dense(3, flatten=False, in_units=in_units)
            self.norm = gluon.nn.BatchNorm(axis=-1, in_channels=3)
            self.drop = gluon.nn.Dropout(0.5)
            self.scale = self.params.get("scale", shape=(3,), init="ones")

    def hybrid_forward(self, F, *args, scale):
        return self.compute(self, F, scale, *args)


def flat(values):
    return [y for item in values for y in flat(item)] if isinstance(values, (list, tuple)) else [values]


def results(compute, arrays, hybrid, train, in_units):
    """Values, gradients of arguments and parameters, and what statistics became, all as NumPy arrays."""
    mx.random.seed(7)
    net = Loop(compute, in_units)
    net.initialize(mx.init.Uniform(0.5))
    if hybrid:
        net.hybridize()
    arguments = [nd.array(a, dtype=a.dtype) for a in arrays]
    for x in arguments:
        x.attach_grad()
    with autograd.record(train_mode=train):
        outputs = flat(net(*arguments))
        total = sum(((i + 1) * y * y).sum() for i, y in enumerate(outputs))
    total.backward()
    parameters = net.collect_params().values()
    gradients = [p.grad() for p in parameters if p.grad_req != "null"]
    return [y.asnumpy() for y in [*outputs, *[x.grad for x in arguments], *gradients, *[p.data() for p in parameters]]]


def agree(compute, *arrays, train=True, in_units=3):
    """Imperative and hybridized, in values, gradients and statistics. Returns the first output."""
    arrays = [np.asarray(a, dtype="float32") for a in arrays]
    expected, found = (results(compute, arrays, hybrid, train, in_units) for hybrid in (False, True))
    assert [a.shape for a in found] == [a.shape for a in expected]
    for a, b in zip(found, expected, strict=True):
        # A plan adds the gradients of several uses in another order; what cancels has the error of what it comes from.
        scale = np.max(np.abs(b), initial=1)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6 * scale)
    return expected[0]


def cell(net, F, scale, x, h):
    def step(x, states):
        h = F.tanh(net.dense(F.concat(x, states[0], dim=1))) * scale
        return net.drop(h), [h]
    outs, (last,) = F.contrib.foreach(step, x, [h])
    return outs, last


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_recurrent_cell_agrees(length, train):
    """With deferred initialization inside the body, and dropout, which draws the same numbers."""
    agree(cell, draw(length, 2, 4), draw(2, 3), train=train, in_units=0)


def test_a_loop_is_written_out_in_the_plan():
    net = Loop(cell, in_units=0)
    net.initialize()
    net.hybridize()
    net(nd.array(draw(3, 2, 4)), nd.array(draw(2, 3)))
    graph, = set(net._graphs.values())
    names = [step.node.name for step in graph.compiled.last_plan.steps]
    assert sum(name.endswith("dense0_fwd") for name in names) == 3


def test_the_page_about_a_network_shows_the_unrolled_loop(tmp_path):
    net = Loop(cell, in_units=0)
    net.initialize()
    mx.explain(net, nd.array(draw(3, 2, 4)), nd.array(draw(2, 3)), path=tmp_path / "page.html", train=True)
    page = (tmp_path / "page.html").read_text()
    assert "unroll" in page
    assert "foreach0_step2_" in page


@pytest.mark.parametrize("length", [3, 1500])
def test_random_numbers_are_drawn_in_the_order_of_the_program(length):
    """Before, in and after a loop in a loop, unrolled or interpreted; the graph's own order is another one."""
    def compute(net, F, scale, x):
        before = net.drop(x)

        def step(row, total):
            first = net.drop(row)
            second = net.drop(total)
            inner, _ = F.contrib.foreach(lambda e, s: (net.drop(e) * net.drop(scale), s), F.stack(row, total), [])
            return [net.drop(scale) - second, inner], F.tanh(second + first)

        outs, total = F.contrib.foreach(step, x, scale)
        return net.drop(total), outs, before

    agree(compute, draw(length, 3))


def test_statistics_in_a_loop_agree():
    agree(lambda net, F, scale, x: F.contrib.foreach(lambda x, s: (net.norm(x) * scale, s), x, [])[0], draw(4, 5, 3))


def test_loops_in_loops_and_what_is_around_agree():
    def compute(net, F, scale, x, y):
        outer = F.exp(y)

        def row(x, total):
            def element(e, s):
                return e * outer * s, s + scale * e + net.dense(total.expand_dims(0)).reshape((-1,))
            products, s = F.contrib.foreach(element, x * 2, total)
            return [products, [total]], s
        (products, (totals,)), last = F.contrib.foreach(row, x, y)
        return products, totals, last, outer

    agree(compute, draw(2, 4, 3), draw(3, seed=1))


@pytest.mark.parametrize("start", [0, 1, 4, 9])
def test_a_loop_that_depends_on_values_agrees(start):
    def compute(net, F, scale, x, i):
        def func(i, x):
            y = net.dense(x) * scale
            return F.tanh(y), [i + 1, y + x]
        outs, (i, x) = F.contrib.while_loop(lambda i, x: i < 5, func, [i, x], max_iterations=7)
        return x, i, outs

    arrays = draw(2, 3), [start]
    if start < 5:
        agree(compute, *arrays)
    net = Loop(compute)         # without a step, a graph knows the shape of the outputs, and Python does not
    net.initialize()
    net.hybridize()
    outs = net(*map(nd.array, arrays))[2]
    assert outs.shape == (7, 2, 3)
    assert not outs[max(0, 5 - start):].asnumpy().any()


@pytest.mark.parametrize("sign", [1, -1])
def test_both_branches_agree(sign):
    def compute(net, F, scale, x):
        hidden = net.dense(x)
        return F.contrib.cond(x.sum() > 0, lambda: [net.drop(hidden) * scale, x], lambda: [net.dense(-x), x * 2])

    agree(compute, sign * np.abs(draw(2, 3)))


def test_a_branch_in_a_loop_agrees():
    def compute(net, F, scale, x):
        def step(x, total):
            y = F.contrib.cond(x.sum() > total, lambda: net.drop(x) * scale,
                               lambda: net.dense(x.expand_dims(0)).reshape((-1,)))
            return y, total + x.sum()
        return F.contrib.foreach(step, x, F.zeros((1,)))

    agree(compute, draw(6, 3))


def test_a_long_loop_is_interpreted():
    def compute(net, F, scale, x):
        return F.contrib.foreach(lambda x, s: (x * s * scale, s * 0.999), x, F.ones((3,)))

    agree(compute, draw(2000, 3))


def test_what_the_body_leaves_unused_is_allowed():
    agree(lambda net, F, scale, x, s: F.contrib.foreach(lambda x, s: (scale * 2, [s[1], s[1] + 1]), x, [s, s])[1],
          draw(3, 2), draw(3))


def test_no_step_gives_empty_outputs():
    net = Loop(cell, in_units=0)
    net.initialize()
    for _ in range(2):
        outs, last = net(nd.zeros((0, 2, 4)), nd.ones((2, 3)))
        assert outs.shape == (0, 2, 3)
        assert last.asnumpy().tolist() == [[1, 1, 1]] * 2
        net.hybridize()


def test_what_leaves_a_body_by_another_way_is_named():
    def compute(net, F, scale, x):
        seen = []
        outs, _ = F.contrib.foreach(lambda row, s: (seen.append(row * scale) or row, s), x, [])
        return outs + seen[-1]

    net = Loop(compute, prefix="net_")
    net.initialize()
    assert net(nd.ones((2, 3))).shape == (2, 3)
    net.hybridize()
    with pytest.raises(MXNetError) as error:
        net(nd.ones((2, 3)))
    assert str(error.value) == (
        "Loop 'net': 'data-0', a slice or state inside of 'foreach0', or what its body made of it, is used outside. "
        "Let the body return it, as an output or as a state.")


def test_gradients_of_gradients_go_through_a_loop():
    found = []
    for hybrid in (False, True):
        net = Loop(lambda net, F, scale, x: F.contrib.foreach(lambda x, s: (x ** 3 * s, x * s), x, scale)[0])
        net.initialize()
        if hybrid:
            net.hybridize()
        x = nd.array(draw(3, 3))
        x.attach_grad()
        with autograd.record():
            gradient, = autograd.grad([net(x)], [x], create_graph=True)
        gradient.backward()
        found.append(x.grad.asnumpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    assert found[0].any()


structures = st.recursive(st.none(), lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=4)


@settings(max_examples=40, deadline=None)
@given(length=st.integers(0, 4), outputs=structures, states=structures, data=structures, seed=st.integers(0, 99))
def test_any_nesting_agrees(length, outputs, states, data, seed):
    """Lists in lists of data, states and outputs, over 0 steps or more."""
    counts = [len(flatten(regroup(itertools.repeat(0), s))[0]) for s in (data, states, outputs)]

    def compute(net, F, scale, *arrays):
        def body(x, s):
            assert flatten(x)[1] == data
            assert flatten(s)[1] == states
            slices, before = flatten(x)[0], flatten(s)[0]
            total = sum(slices) * scale
            results = [total * (i + 1) + before[i % len(before)] for i in range(counts[2])]
            return regroup(results, outputs), regroup([F.tanh(b) + total for b in reversed(before)], states)

        outs, last = F.contrib.foreach(body, regroup(arrays[:counts[0]], data), regroup(arrays[counts[0]:], states))
        assert flatten(outs)[1] == outputs
        assert flatten(last)[1] == states
        return last, outs

    arrays = [draw(length, 3, seed=seed + i) for i in range(counts[0])] + [draw(3, seed=i) for i in range(counts[1])]
    if length:
        agree(compute, *arrays)
    else:
        agree_in_shapes(compute, arrays)


def agree_in_shapes(compute, arrays):
    shapes = []
    for hybrid in (False, True):
        net = Loop(compute)
        net.initialize()
        if hybrid:
            net.hybridize()
        shapes.append([y.shape for y in flat(net(*map(nd.array, arrays)))])
    assert shapes[0] == shapes[1]


# -- MXNet ----------------------------------------------------------------------------------------------------------

# How many steps a while_loop takes before its condition ends it. MXNet leaves the rest of its outputs as it finds it.
STEPS = {"counting": 3, "while_outer": 4}


def graph_of(name):
    function, _ = CASES[name]
    with mx.name.NameManager(), fresh_subgraph_names():
        return sym.Group(function(sym, *[sym.var(n) for n, _ in arguments(name)]))


@pytest.mark.parametrize("name", CASES)
def test_graphs_are_mxnets(name):
    """Text, names, and back from the text; shapes where MXNet can tell them."""
    recorded = RECORDED[name]
    graph = graph_of(name)
    assert with_mxnets_arithmetic(graph.tojson()) == recorded["json"]
    assert graph.list_arguments() == recorded["arguments"]
    assert graph.list_outputs() == recorded["outputs"]
    loaded = sym.load_json(recorded["json"])
    assert loaded.tojson() == recorded["json"]
    shapes = {n: a.shape for n, a in arguments(name) if n in recorded["arguments"]}
    inferred = [list(map(list, group)) for group in loaded.infer_shape(**shapes)]
    if recorded["shapes"] is not None:
        assert inferred == recorded["shapes"]


@pytest.mark.parametrize("name", CASES)
def test_arrays_are_mxnets(name):
    function, _ = CASES[name]
    arrays = [nd.array(a) for _, a in arguments(name)]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        outputs = function(nd, *arrays)
        total = sum(((i + 1) * y * y).sum() for i, y in enumerate(outputs))
    total.backward()
    compare(name, RECORDED[name]["arrays"], [y.asnumpy() for y in outputs], [x.grad.asnumpy() for x in arrays])


def in_a_plan(graph, arrays, gradients):
    for x, gradient in zip(arrays, gradients, strict=True):
        autograd.mark_variables([x], [gradient])
    with autograd.record():
        outputs = CachedOp(graph, graph.list_arguments())(arrays, [])
        total = sum(((i + 1) * y * y).sum() for i, y in enumerate(outputs))
    total.backward()
    return outputs


def in_an_executor(graph, arrays, gradients):
    executor = graph.bind(mx.cpu(), arrays, gradients)
    outputs = executor.forward(is_train=True)
    executor.backward([2 * (i + 1) * y for i, y in enumerate(outputs)])
    return outputs


@pytest.mark.parametrize("run", [in_a_plan, in_an_executor])
@pytest.mark.parametrize("name", CASES)
def test_executed_graphs_are_mxnets(name, run):
    """The graph that MXNet wrote, run here."""
    graph = sym.load_json(RECORDED[name]["json"])
    used, given = graph.list_arguments(), dict(arguments(name))
    arrays = [nd.array(given[n]) for n in used]
    found = [nd.zeros_like(x) for x in arrays]
    outputs = run(graph, arrays, found)
    if RECORDED[name]["graph"] is not None:
        values, gradients = RECORDED[name]["graph"]
    else:                   # where MXNet's executor fails, the functions on arrays still work
        values, gradients = RECORDED[name]["arrays"]
        gradients = dict(zip([n for n, _ in arguments(name)], gradients, strict=True))
    compare(name, [values, [gradients[n] for n in used]], [y.asnumpy() for y in outputs],
            [gradient.asnumpy() for gradient in found])


def compare(name, recorded, outputs, gradients):
    for found, expected in zip([*outputs, *gradients], [*recorded[0], *recorded[1]], strict=True):
        expected = np.array(expected, "float32")
        assert found.shape == expected.shape
        steps = STEPS.get(name) if len(expected.shape) > 1 else None
        np.testing.assert_allclose(found[:steps], expected[:steps], rtol=1e-5, atol=1e-6)
        assert steps is None or not found[steps:].any()


def test_a_loss_after_a_loop_needs_no_gradient_of_its_own():
    outs, _ = sym.contrib.foreach(lambda x, s: (x * s, s + x), sym.var("x"), sym.var("s"))
    loss = sym.make_loss(outs * outs)
    executor = loss.bind(mx.cpu(), {"x": nd.array([1, 2, 3]), "s": nd.array([1])}, {"x": nd.zeros((3,))})
    executor.forward(is_train=True)
    executor.backward()
    assert executor.grad_dict["x"].asnumpy().tolist() == [2 + 2 * 4 * 2 + 2 * 12 * 3, 2 * 4 * 2 + 2 * 12 * 3, 96]


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_gradient_of_a_loop_is_not_written_down():
    outs, _ = sym.contrib.foreach(lambda x, s: (x, s), sym.var("x"), [])
    with pytest.raises(MXNetError) as error:
        outs.gradient(["x"])
    assert unplaced(error.value) == (
        "_foreach: Symbol.gradient cannot write down the gradient of a loop or branch. Bind the graph and call "
        "backward on the executor, or use it in a block inside autograd.record().\n  node: '_foreach0'")


def damaged(change):
    """The message about a graph of a loop after a change to the JSON of its node."""
    graph = json.loads(graph_of("several").tojson())
    change(next(node for node in graph["nodes"] if node["op"] == "_foreach"))
    with pytest.raises(FileFormatError) as error:
        sym.load_json(json.dumps(graph))
    return str(error.value).partition(", at ")[2]


def of_foreach(**attributes):
    return lambda node: node["attrs"].update(attributes)


def test_messages_about_files():
    where = "node 4 '_foreach0': "
    assert damaged(lambda node: node.pop("subgraphs")) == where + "_foreach holds 1 subgraphs (body), found 0."
    assert damaged(of_foreach(in_data_locs="[0, 0]")) == (
        where + "_foreach: in_data_locs=(0, 0), in_state_locs=(1, 3) and remain_locs=() do not give each of 4 inputs a "
        "place among the 4 of the body")
    assert damaged(of_foreach(num_args="7", remain_locs="[4, 5]")) == (
        where + "_foreach: in_data_locs=(0, 2), in_state_locs=(1, 3) and remain_locs=(4, 5) do not give each of 6 "
        "inputs a place among the 4 of the body")
    assert damaged(of_foreach(num_outputs="4")) == (
        where + "_foreach: num_out_data=3 results and 2 states are not num_outputs=4, or not the 5 outputs of the body")
    assert damaged(lambda node: node["inputs"].pop()) == (
        where + "num_args is 5, but there are 3 inputs and 1 graphs.")
    assert damaged(lambda node: node["subgraphs"][0]["nodes"][1].update(name="x-0")) == (
        "the heads: several variables have the name 'x-0'.")
    assert damaged(lambda node: node["subgraphs"][0]["nodes"][1].update(op="nothing")).startswith(
        "node 1 's-0': there is no operator 'nothing'.")
    assert damaged(lambda node: node.update(op="exp", attrs={}, inputs=node["inputs"][:1])) == (
        where + "exp holds 0 subgraphs (none), found 1.")


def test_loops_are_not_too_deep_in_one_another():
    def nested(x, depth):
        if depth == 0:
            return x
        return sym.contrib.foreach(lambda y, s: (nested(y, depth - 1), s), x, [])[0]

    text = nested(sym.var("x"), 20).tojson()
    assert sym.load_json(text).tojson() == text
    with pytest.raises(FileFormatError) as error:
        sym.load_json(nested(sym.var("x"), 21).tojson())
    assert str(error.value).endswith("graphs are in one another more than 20 deep.")


def test_what_a_body_does_not_use_stays_in_the_file():
    graph = sym.Group(sym.contrib.foreach(lambda x, s: (s[0], [s[0] * 2, s[0]]), sym.var("x"),
                                          [sym.var("s"), sym.var("t")])[1])
    again = sym.load_json(graph.tojson())
    assert again.tojson() == graph.tojson()
    assert again.infer_shape(x=(3, 2), s=(4,)) == ([(3, 2), (4,), (4,)], [(4,), (4,)], [])


JUNK = st.one_of(st.none(), st.integers(-3, 12), st.text(max_size=3), st.just([]), st.just({}),
                 st.lists(st.integers(-1, 9), max_size=4),
                 st.sampled_from(["[0]", "[1, 0]", "[-1]", "[]", "_foreach", "_cond", "_while_loop", "exp", "3"]))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["nested", "while_outer", "branches_of_two", "branch_in_loop"]), st.data())
def test_damaged_graphs_are_refused_or_whole(name, data):
    graph = json.loads(RECORDED[name]["json"])
    damage(data, graph, JUNK)
    try:
        symbol = sym.load_json(json.dumps(graph))
    except MXNetError:
        return
    text = symbol.tojson()
    assert sym.load_json(text).tojson() == text
    try:
        symbol.infer_shape_partial()
    except MXNetError:
        return


def without_types(function):
    """Its signature as MXNet shows it."""
    signature = inspect.signature(function)
    parameters = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return inspect.Signature(parameters)


def test_signatures_are_mxnets():
    assert [str(without_types(getattr(F.contrib, name))) for F in (nd, sym)
            for name in ("foreach", "while_loop", "cond")] == [
        "(body, data, init_states)", "(cond, func, loop_vars, max_iterations=None)", "(pred, then_func, else_func)",
        "(body, data, init_states, name='foreach')",
        "(cond, func, loop_vars, max_iterations=None, name='while_loop')", "(pred, then_func, else_func, name='cond')"]


def test_the_namespaces_are_modules():
    found = {}
    exec("from minigluon.ndarray.contrib import box_iou, foreach\n"
         "from minigluon.symbol.contrib import SyncBatchNorm\n"
         "from minigluon.ndarray.linalg import gemm2\n"
         "import minigluon.symbol.image as image\n"
         "from minigluon.ndarray.sparse import csr_matrix, dot\n"
         "from minigluon.symbol.sparse import retain", found)
    assert found["foreach"] is nd.contrib.foreach
    assert found["box_iou"] is nd.contrib.box_iou
    assert found["gemm2"] is nd.linalg.gemm2
    assert found["SyncBatchNorm"] is sym.contrib.SyncBatchNorm
    assert found["image"] is sym.image
    assert found["dot"] is nd.dot
    assert found["csr_matrix"] is nd.sparse.csr_matrix
    assert found["retain"](sym.var("x"), sym.var("i")).list_arguments() == ["x", "i"]
    with pytest.raises(ImportError):
        exec("from minigluon.ndarray.contrib import box_ious")


def test_the_older_namespaces():
    assert mx.contrib.nd is mx.contrib.ndarray is nd.contrib
    assert mx.contrib.sym is mx.contrib.symbol is sym.contrib
    assert {"foreach", "while_loop", "cond", "boolean_mask"} <= set(dir(nd.contrib)) & set(dir(sym.contrib))
