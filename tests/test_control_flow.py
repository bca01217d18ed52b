"""Loops and branches: `foreach`, `while_loop`, `cond` on arrays, as nodes of a graph, in files."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, nd, sym
from minigluon.base import ArgumentError


@pytest.fixture(autouse=True)
def _fresh_names():
    with mx.name.NameManager():
        yield


def text_of(action):
    with pytest.raises(ArgumentError) as error:
        action()
    return str(error.value)


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


def test_statistics_that_a_body_updates_are_auxiliary_states():
    outs, _ = sym.contrib.foreach(lambda x, s: (sym.BatchNorm(x, name="bn"), s), sym.var("x"), [])
    assert outs.list_arguments() == ["x", "bn_gamma", "bn_beta"]
    assert outs.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
