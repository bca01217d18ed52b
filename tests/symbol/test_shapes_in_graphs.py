"""Shape inference over graphs, in MXNet 1.9.1's terms: its numbers, where nothing else is said."""

import copy
import pickle

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd, sym
from minigluon.base import ShapeError

pytestmark = pytest.mark.once

A, B, X = sym.var("a"), sym.var("b"), sym.var("x")
OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "%": lambda a, b: a % b, "**": lambda a, b: a ** b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    "maximum": sym.maximum, "minimum": sym.minimum, "hypot": sym.hypot, "pow": sym.pow,
}


def known_output(symbol, shape, **known):
    """What inference says of the arguments when the symbol's output has a shape."""
    told = sym.elemwise_add(symbol, sym.var("told"), name="sum")
    shapes = dict(zip(told.list_arguments(), told.infer_shape_partial(told=shape, **known)[0], strict=True))
    del shapes["told"]
    return shapes


# -- Python's operators between symbols -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATORS)
def test_operands_that_are_not_known_are_like_the_others(name):
    both = OPERATORS[name](A, B)
    assert both.infer_shape(a=(2, 3)) == both.infer_shape(b=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert both.infer_shape(a=(0, 10), b=(12, 0)) == ([(12, 10), (12, 10)], [(12, 10)], [])
    assert both.infer_shape_partial(a=(0, 10)) == ([(0, 10), (0, 10)], [(0, 10)], [])
    assert known_output(both, (2, 3)) == {"a": (2, 3), "b": (2, 3)}


def test_operands_that_are_known_are_broadcast():
    assert (A + B).infer_shape(a=(2, 3), b=(3,)) == ([(2, 3), (3,)], [(2, 3)], [])
    # What is known of b comes from its second use, which inference meets later.
    graph = sym.FullyConnected(A + B, bias=B, num_hidden=4, no_bias=False, name="fc")
    assert graph.infer_shape(a=(2, 5, 4))[0][:2] == [(2, 5, 4), (4,)]


@pytest.mark.parametrize("name", ["broadcast_add", "broadcast_maximum"])
def test_the_operators_that_broadcast_by_name_tell_nothing(name):
    symbol = getattr(sym, name)(A, B)
    with pytest.warns(UserWarning, match="^the shapes of b do not follow from the given ones$"):
        assert symbol.infer_shape(a=(2, 3)) == (None, None, None)
    assert symbol.infer_shape_partial(a=(0, 10)) == ([(0, 10), ()], [()], [])


@pytest.mark.parametrize("copied", [lambda s: sym.load_json(s.tojson()), copy.deepcopy,
                                    lambda s: pickle.loads(pickle.dumps(s))], ids=["file", "copy", "pickle"])
def test_a_copy_infers_what_its_original_does(copied):
    both = copied(A * B)
    assert both.infer_shape(a=(2, 3))[1] == [(2, 3)]
    assert both.list_attr() == {}
    assert copied(sym.broadcast_mul(A, B)).infer_shape_partial(a=(2, 3))[1] == [()]


def test_shapes_flow_through_layers_and_a_sum():
    dense = sym.FullyConnected(sym.var("a", shape=(0, 10)), num_hidden=21, name="fc")
    shapes, outputs, _ = (sym.var("c", shape=(5, 0)) + dense).infer_shape()
    assert (shapes, outputs) == ([(5, 21), (5, 10), (21, 10), (21,)], [(5, 21)])


def test_gradients_flow_through_operands_that_were_not_known():
    executor = (A * B).simple_bind(mx.cpu(), a=(2, 3))
    executor.arg_dict["a"][:], executor.arg_dict["b"][:] = 2, 5
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 3)))
    assert executor.grad_dict["a"].asnumpy().tolist() == [[5] * 3] * 2
    assert executor.grad_dict["b"].asnumpy().tolist() == [[2] * 3] * 2


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize(("declared", "found"), [(None, (2, 3)), ((0, 0), (2, 3)), ((0, 3), (2, 3)), ((3,), (3,))])
def test_a_parameter_takes_the_shape_of_what_it_multiplies(declared, found, hybridize):
    """MXNet refuses the last one when it is hybridized."""
    class Scale(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.factor = self.params.get("factor", shape=declared, init="ones", allow_deferred_init=True)

        def hybrid_forward(self, F, x, factor):
            return x * factor

    block = Scale()
    block.initialize()
    if hybridize:
        block.hybridize()
    assert block(nd.ones((2, 3))).shape == (2, 3)
    assert block.factor.shape == found


# -- from outputs to inputs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("symbol", "shape", "expected"), [
    (sym.transpose(X), (2, 3, 4), (4, 3, 2)),
    (sym.transpose(X, axes=(1, 2, 0)), (2, 3, 4), (4, 2, 3)),
    (sym.transpose(X, axes=(-1, 0, 1)), (2, 3, 0), (3, 0, 2)),
    (sym.expand_dims(X, axis=1), (2, 1, 4), (2, 4)),
    (sym.expand_dims(X, axis=-1), (2, 3, 1), (2, 3)),
    (sym.flip(X, axis=1), (2, 3, 4), (2, 3, 4)),
    (sym.split(X, num_outputs=2, axis=1)[1], (2, 3, 4), (2, 0, 4)),
    (sym.split(X, num_outputs=3, axis=-2, squeeze_axis=True)[0], (2, 4), (2, 0, 4)),
    (sym.split_v2(X, 2, axis=1)[0], (2, 3, 4), (2, 0, 4)),
    (sym.Pooling(X, kernel=(2, 2), pool_type="max"), (2, 3, 4, 4), ()),
    (sym.Dropout(X), (2, 3), ()), (sym.softmax(X), (2, 3), ()), (sym.sum(X, axis=0), (3,), ()),
])
def test_the_input_follows_from_the_output(symbol, shape, expected):
    assert known_output(symbol, shape)["x"] == expected


def test_the_alternatives_of_where_follow():
    symbol = sym.where(sym.var("c"), A, B)
    assert known_output(symbol, (2, 3)) == {"c": (), "a": (2, 3), "b": (2, 3)}
    assert known_output(symbol, (2, 3), c=(2,)) == {"c": (2,), "a": (2, 3), "b": (2, 3)}


def test_parts_tell_the_whole():
    parts = sym.split(X, num_outputs=2, axis=1)
    both = sym.Group([parts[0] + A, parts[1] + B])
    assert both.infer_shape_partial(a=(2, 0, 4), b=(0, 3, 0)) == (
        [(2, 0, 4), (2, 0, 4), (2, 3, 4)], [(2, 0, 4), (2, 3, 4)], [])
    rows = sym.SliceChannel(sym.var("rows", shape=(0, 10)), num_outputs=10, axis=1, squeeze_axis=True)
    assert (rows[1] + sym.var("c", shape=(5,))).infer_shape()[0] == [(5, 10), (5,)]
    thirds = sym.SliceChannel(sym.var("whole", shape=(0, 15, 0)), num_outputs=3)
    assert (thirds[1] + sym.var("c", shape=(3, 5, 2))).infer_shape()[0] == [(3, 15, 2), (3, 5, 2)]


def test_a_number_out_of_a_vector_tells_nothing():
    """Its shape is (1,), as is that of a row of one number."""
    parts = sym.split(X, num_outputs=3, axis=0, squeeze_axis=True)
    assert known_output(parts[0], (1,))["x"] == ()
    assert known_output(parts[0], (1,), x=(3,))["x"] == (3,)
    assert known_output(parts[0], (1,), x=(3, 0))["x"] == (3, 1)


def test_the_whole_tells_the_parts_but_for_the_joined_axis():
    joined = sym.concat(A, B, dim=1)
    assert known_output(joined, (2, 5, 4), a=(0, 2, 0), b=(0, 3, 0)) == {"a": (2, 2, 4), "b": (2, 3, 4)}
    assert known_output(joined, (2, 5, 4), a=(0, 2, 0)) == {"a": (2, 2, 4), "b": (2, 0, 4)}


@pytest.mark.parametrize(("settings", "expected"), [
    ({"kernel": (3, 3)}, (5, 3, 10, 10)), ({"kernel": (3, 3), "pad": (1, 1)}, (5, 3, 8, 8)),
    ({"kernel": (3, 3), "dilate": (2, 2)}, (5, 3, 12, 12)), ({"kernel": (3, 3), "stride": (2, 2)}, (5, 3, 0, 0)),
    ({"kernel": (3, 3), "stride": (1, 2)}, (5, 3, 10, 0)), ({"kernel": (2, 5), "pad": (0, 2)}, (5, 3, 9, 8)),
])
def test_a_convolution_with_stride_1_tells_its_space(settings, expected):
    symbol = sym.Convolution(X, num_filter=4, name="conv", **settings)
    assert known_output(symbol, (5, 4, 8, 8), x=(0, 3, 0, 0))["x"] == expected


def test_a_convolution_in_other_layouts_and_ranks():
    last = sym.Convolution(X, num_filter=4, kernel=(3, 3), layout="NHWC", name="conv")
    assert known_output(last, (5, 8, 8, 4), x=(0, 0, 0, 3)) == {
        "x": (5, 10, 10, 3), "conv_weight": (4, 3, 3, 3), "conv_bias": (4,)}
    assert known_output(sym.Convolution(X, num_filter=4, kernel=(3,)), (5, 4, 8), x=(0, 3, 0))["x"] == (5, 3, 10)


# -- sources ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [-1, 0])
@pytest.mark.parametrize("make", [sym.ones, sym.zeros, lambda shape: sym.full(shape, 1)])
def test_sources_take_the_lengths_that_the_graph_tells(make, gap):
    total = make(shape=(4, gap)) + sym.transpose(make(shape=(5, gap)))
    assert total.infer_shape() == ([], [(4, 5)], [])
    assert total.eval()[0].shape == (4, 5)


def test_a_source_without_a_shape_takes_its_partners():
    assert (sym.zeros(shape=()) + A).infer_shape(a=(2, 3)) == ([(2, 3)], [(2, 3)], [])
    assert (sym.zeros(shape=()) + A).eval(a=nd.ones((2, 3)))[0].asnumpy().tolist() == [[1] * 3] * 2
    assert sym.zeros(shape=()).eval()[0].shape == ()


@pytest.mark.parametrize(("repeat", "length", "expected"), [(1, 3, [2, 5, 8]), (2, 4, [2, 2, 5, 5])])
def test_a_range_without_an_end_is_as_long_as_its_partner(repeat, length, expected):
    numbers = sym.arange(start=2, step=3, stop=None, repeat=repeat, infer_range=True)
    total = numbers + sym.zeros(shape=(length,))
    assert total.eval()[0].asnumpy().tolist() == expected
    assert sym.load_json(total.tojson()).eval()[0].asnumpy().tolist() == expected
    with pytest.warns(UserWarning, match="^the shapes of the outputs do not follow"):
        assert numbers.infer_shape() == (None, None, None)


def test_a_range_without_an_end_has_no_rounding_in_its_length():
    for length in range(1, 200):
        numbers = sym.arange(start=0.1, step=0.1, stop=None, infer_range=True) + A
        np.testing.assert_allclose(numbers.eval(a=nd.zeros((length,)))[0].asnumpy(),
                                   0.1 + np.arange(length) * 0.1, rtol=1e-6)


def test_a_range_without_an_end_repeats_whole_numbers():
    numbers = sym.arange(start=2, step=3, stop=None, repeat=2, infer_range=True) + sym.zeros(shape=(3,))
    with pytest.raises(ShapeError, match="^_arange: 3 numbers are needed, which is not a multiple of repeat=2$"):
        numbers.eval()


# -- what is given ----------------------------------------------------------------------------------------------------


def test_partial_results_say_0_and_an_empty_tuple():
    assert sym.relu(X).infer_shape_partial(x=(0, 3)) == ([(0, 3)], [(0, 3)], [])
    assert sym.relu(X).infer_shape_partial() == sym.relu(X).infer_shape_partial(x=()) == ([()], [()], [])
    conv = sym.Convolution(X, num_filter=64, kernel=(7, 7), name="conv")
    assert conv.infer_shape_partial(x=(0, 0, 28, 28)) == ([(0, 0, 28, 28), (64, 0, 7, 7), (64,)], [(0, 64, 22, 22)], [])
    joined = sym.concat(A, B, dim=0)
    assert joined.infer_shape_partial(a=(0, 3), b=(2, 3))[1] == [(0, 3)]        # an unknown length, and not none


def test_a_loop_over_an_unknown_number_of_steps():
    outs, _ = sym.contrib.foreach(lambda x, states: (x + states[0], [states[0] * 2]), sym.var("data"), [sym.var("s")])
    assert outs.infer_shape_partial(data=(0, 3, 8)) == ([(0, 3, 8), (3, 8)], [(0, 3, 8)], [])


def test_what_is_given_goes_before_what_is_declared():
    declared = sym.relu(sym.var("v", shape=(2, 3)))
    assert declared.infer_shape() == ([(2, 3)], [(2, 3)], [])
    assert declared.infer_shape(v=(5, 6)) == declared.infer_shape_partial(v=(5, 6)) == ([(5, 6)], [(5, 6)], [])
    assert declared.infer_shape(v=(5,))[1] == [(5,)]
    assert declared.infer_shape(v=()) == ([(2, 3)], [(2, 3)], [])
    assert declared.simple_bind(mx.cpu(), v=(5, 6)).arg_dict["v"].shape == (5, 6)
    assert declared.infer_shape(v=(5, 0))[1] == [(5, 3)]            # MXNet: (2, 3), nothing of what is given


def test_a_module_takes_other_data_than_declared():
    net = sym.FullyConnected(sym.var("data", shape=(2, 3)), num_hidden=4, name="fc")
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (2, 3))], for_training=False)
    module.init_params()
    for rows in (2, 7):
        module.forward(mx.io.DataBatch([nd.ones((rows, 3))]), is_train=False)
        assert module.get_outputs()[0].shape == (rows, 4)


def test_keywords_of_simple_bind_that_are_no_shapes_are_passed_over():
    executor = sym.relu(X).simple_bind(mx.cpu(), x=(5, 6), number=3, text="abc", flag=True)
    assert executor.arg_dict["x"].shape == (5, 6)
    with pytest.raises(ShapeError, match="^simple_bind: the shapes of x \\? do not follow"):
        sym.relu(X).simple_bind(mx.cpu(), x=5)
