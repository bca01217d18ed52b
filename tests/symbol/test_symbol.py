"""Symbols: composing, naming, listing, inference in both directions, errors."""

import operator

import numpy as np
import pytest
from helpers.errors import unplaced

import minigluon as mx
from minigluon import nd, sym
from minigluon.base import ArgumentError, DTypeError, MXNetError, NotImplementedForSymbol, ShapeError

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("fresh_names")]


def mlp():
    x = sym.var("data")
    hidden = sym.FullyConnected(x, num_hidden=4, name="fc1")
    return sym.FullyConnected(sym.relu(hidden), num_hidden=2, name="fc2")


def test_missing_inputs_become_variables():
    assert mlp().list_arguments() == ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"]


def test_no_variable_where_the_attributes_ask_for_none():
    net = sym.FullyConnected(sym.var("x"), num_hidden=4, no_bias=True, name="fc")
    assert net.list_arguments() == ["x", "fc_weight"]


def test_names_count_and_take_prefixes():
    x = sym.var("x")
    assert [sym.relu(x).name, sym.relu(x).name, sym.exp(x).name] == ["relu0", "relu1", "exp0"]
    with mx.name.Prefix("net_"):
        assert sym.relu(x).name == "net_relu0"
        assert sym.relu(x, name="mine").name == "net_mine"


def test_outputs_and_internals():
    parts = sym.split(sym.var("x"), num_outputs=3, name="s")
    assert parts.list_outputs() == ["s_output0", "s_output1", "s_output2"]
    assert parts[1].list_outputs() == ["s_output1"]
    assert parts["s_output2"].list_outputs() == ["s_output2"]
    assert len(parts) == len(list(parts)) == 3
    net = mlp()
    assert net.get_internals().list_outputs()[-1] == "fc2_output"
    assert net.get_children().list_outputs() == ["relu0_output", "fc2_weight", "fc2_bias"]


def test_infer_shape_fills_parameters_from_data():
    arguments, outputs, auxiliary = mlp().infer_shape(data=(7, 3))
    assert arguments == [(7, 3), (4, 3), (4,), (2, 4), (2,)]
    assert outputs == [(7, 2)]
    assert auxiliary == []


def test_infer_shape_goes_backwards():
    a, b = sym.var("a"), sym.var("b")
    arguments, outputs, _ = sym.elemwise_add(a, sym.exp(b)).infer_shape(a=(2, 5))
    assert arguments == [(2, 5), (2, 5)]
    assert outputs == [(2, 5)]


@pytest.mark.parametrize("length", [98, 99, 100, 300])
def test_shapes_reach_the_other_end_of_a_chain_of_any_length(length):
    y = a = sym.var("a")
    for _ in range(length):
        y = sym.relu(y)
    total = sym.elemwise_add(y, sym.var("b"))
    assert total.infer_shape(b=(2, 3))[0] == total.infer_shape(a=(2, 3))[0] == [(2, 3), (2, 3)]
    assert a.infer_shape(a=(2, 3))[1] == [(2, 3)]


def test_inference_knows_its_inputs():
    for action in (lambda: mlp().infer_shape(data=(7, 3), fc1_wieght=(4, 3)), lambda: mlp().infer_type(fc1_wieght="f4"),
                   lambda: mlp().infer_shape_partial(fc1_wieght=(4, 3))):
        with pytest.raises(ArgumentError) as error:
            action()
        assert str(error.value) == ("the symbol has no input 'fc1_wieght'; its inputs are data, fc1_weight, fc1_bias, "
                                    "fc2_weight, fc2_bias. Did you mean 'fc1_weight', 'fc2_weight'?")
    with pytest.raises(ArgumentError) as error:
        sym.relu(sym.var("a")).infer_shape((2, 3), (3,))
    assert str(error.value) == "2 are given in order, but the symbol has 1 arguments: a"
    assert sym.BatchNorm(sym.var("data"), name="bn").infer_shape(bn_moving_mean=(3,), data=(5, 3))[2] == [(3,), (3,)]


def test_infer_shape_partial_says_0():
    arguments, outputs, _ = mlp().infer_shape_partial()
    assert arguments == [(), (4, 0), (4,), (2, 4), (2,)]
    assert outputs == [(0, 2)]


def test_infer_shape_says_what_does_not_follow():
    text = "^the shapes of data, fc1_weight do not follow from the given ones$"
    with pytest.warns(UserWarning, match=text) as caught:
        assert mlp().infer_shape() == (None, None, None)
    assert caught[0].filename == __file__


def test_zero_in_a_given_shape_is_a_length_that_others_tell():
    a, b = sym.var("a"), sym.var("b")
    assert sym.elemwise_add(a, b).infer_shape(a=(0, 2), b=(1, 0)) == ([(1, 2), (1, 2)], [(1, 2)], [])
    assert sym.SoftmaxOutput(a, b).infer_shape(a=(4, 3), b=(0,)) == ([(4, 3), (4,)], [(4, 3)], [])
    assert sym.FullyConnected(a, num_hidden=3).infer_shape(a=(0, 5)) == ([(0, 5), (3, 5), (3,)], [(0, 3)], [])
    conv = sym.Convolution(a, num_filter=2, kernel=(3, 3))
    arguments, outputs, _ = conv.infer_shape_partial(a=(0, 3, 0, 0))        # no image of no height: unknown it stays
    assert arguments == [(0, 3, 0, 0), (2, 3, 3, 3), (2,)]
    assert outputs == [(0, 2, 0, 0)]
    with pytest.warns(UserWarning, match="^the shapes of a do not follow from the given ones$"):
        assert conv.infer_shape(a=(0, 3, 0, 0)) == (None, None, None)
    empty = {"a": mx.nd.zeros((0, 2)), "b": mx.nd.zeros((0, 2))}
    assert sym.elemwise_add(a, b).eval(**empty)[0].shape == (0, 2)
    with pytest.raises(ShapeError):
        sym.elemwise_add(a, b).bind(mx.cpu(), {**empty, "b": mx.nd.zeros((1, 2))})


def test_infer_type():
    assert mlp().infer_type(data="float16") == ([np.float16] * 5, [np.float16], [])


def test_infer_type_goes_backwards():
    total = sym.elemwise_add(sym.relu(sym.exp(sym.var("a"))), sym.var("b"))
    assert total.infer_type(b="float16") == ([np.float16] * 2, [np.float16], [])
    assert mlp().infer_type(fc2_bias="float64") == ([np.float64] * 5, [np.float64], [])
    assert sym.Cast(sym.var("a"), dtype="float16").infer_type()[0] == [None]
    with pytest.raises(DTypeError) as error:
        sym.elemwise_add(sym.relu(sym.var("a")), sym.var("b"), name="total").infer_type("float32", "float16")
    assert unplaced(error.value) == ("elemwise_add: inputs have different dtypes: lhs float32, rhs float16. Convert "
                                     "with .astype(dtype).\n  node: 'total'")


def test_auxiliary_states():
    net = sym.BatchNorm(sym.var("data"), name="bn")
    assert net.list_arguments() == ["data", "bn_gamma", "bn_beta"]
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.infer_shape(data=(2, 3, 4, 4))[2] == [(3,), (3,)]
    assert net.list_inputs() == ["data", "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var"]


def test_shape_clash_names_the_node():
    with pytest.raises(ShapeError) as error:
        mlp().infer_shape(data=(7, 3), fc1_weight=(4, 5))
    assert unplaced(error.value) == (
        "FullyConnected: weight has shape (4, 5), expected (4, 3)\n"
        "  node: 'fc1'\n"
        "  inputs: data = 'data' (7, 3), weight = 'fc1_weight' (4, 5), bias = 'fc1_bias' None")


def test_a_scope_knows_its_attributes_and_may_be_entered_twice():
    scope, names = mx.AttrScope(a="1"), mx.name.NameManager()
    assert scope.get(None) == {"a": "1"}
    with mx.AttrScope(b="2"), scope, scope:
        assert scope.get({"c": "3"}) == {"a": "1", "b": "2", "c": "3"}
    assert mx.attribute.current() == {}
    before = mx.name.current()
    with names, names:
        pass
    assert mx.name.current() is before


def test_variables_carry_shape_type_and_attributes():
    x = sym.var("x", shape=(2, 0), dtype="float16", lr_mult=2, init="zeros", __mark__="yes")
    assert x.list_attr() == {"__shape__": "(2, 0)", "__dtype__": "2", "__lr_mult__": "2", "lr_mult": "2",
                             "__init__": "zeros", "__mark__": "yes"}
    assert x.infer_shape_partial()[0] == [(2, 0)]
    with mx.AttrScope(group="a"):
        assert sym.relu(x).attr("group") == "a"


def test_names_of_outputs_beside_hidden_ones_are_mxnets():
    x = sym.var("x")
    assert sym.sort(x, name="s").list_outputs() == ["s_output0"]
    assert sym.topk(x, ret_typ="value", name="s").list_outputs() == ["s_output0"]
    assert sym.topk(x, name="s").list_outputs() == sym.argsort(x, name="s").list_outputs() == ["s_output"]
    assert sym.CTCLoss(x, sym.var("l"), name="s").list_outputs() == ["s_output0"]
    assert sym.linalg.det(x, name="s").list_outputs() == ["s_output0"]
    assert sym.split(x, num_outputs=1, name="s").list_outputs() == ["s_output0"]
    assert sym.make_loss(x, name="s").list_outputs() == ["s_loss"]
    assert sym.BatchNorm(x, name="s").list_outputs() == ["s_output"]
    for norm, third in (sym.BatchNorm, "s_var"), (sym.LayerNorm, "s_std"), (sym.GroupNorm, "s_std"):
        assert norm(x, output_mean_var=True, name="s").list_outputs() == ["s_output", "s_mean", third]


def test_arithmetic_broadcasts_and_takes_numbers():
    x, y = sym.var("x"), sym.var("y")
    assert (x + y).infer_shape(x=(3, 1), y=(1, 4))[1] == [(3, 4)]
    assert (2 - x * 3 > 1).infer_shape(x=(5,))[1] == [(5,)]
    assert sym.maximum(1, x).infer_shape(x=(5,))[1] == [(5,)]


def test_slices_cut_the_array():
    x = sym.var("x")
    assert x[:, :, 1:, 1:].infer_shape(x=(2, 3, 4, 5))[1] == [(2, 3, 3, 4)]
    assert x[1:3].infer_shape(x=(4, 2))[1] == [(2, 2)]
    with pytest.raises(MXNetError) as error:
        x[:, 0]
    assert str(error.value) == ("a Symbol is cut with slices only, found (slice(None, None, None), 0): the number of "
                                "axes may be unknown. Use sym.slice_axis, sym.take or sym.reshape for the rest.")


def test_a_symbol_has_no_truth_value():
    with pytest.raises(MXNetError) as error:
        bool(sym.var("x") > 0)
    assert str(error.value) == (
        "a Symbol has no truth value, since it stands for a computation that has not run: `if` on data cannot be "
        "traced. Use F.where, or leave the block imperative.")


@pytest.mark.parametrize(("name", "told"), [
    ("shape", "shapes are not known while a graph is written. Let operators find them: F.reshape with the codes 0 and "
              "-1, F.slice_like, F.broadcast_like, F.shape_array."),
    ("dtype", "element types are not known while a graph is written; infer_type tells them."),
    ("asnumpy", "it stands for a computation that has not run, so there are no values to look at. Compute with the "
                "functions of F, or leave the block imperative."),
    ("context", "a graph runs on the device of the arrays that it is given."),
    ("backward", "gradients belong to arrays: record a call of the block, or bind the symbol and call backward."),
    ("T", "use F.transpose(x)."), ("detach", "use F.BlockGrad(x).")])
def test_what_only_arrays_have(name, told):
    x = sym.var("x")
    with pytest.raises(NotImplementedForSymbol) as error:
        getattr(x, name)
    assert str(error.value) == f"a Symbol has no {name}: {told}"
    assert not hasattr(x, name)
    assert hasattr(mx.nd.ones((1,)), name)


def test_unknown_attributes_and_writing():
    x = sym.var("x")
    with pytest.raises(AttributeError, match="^'Symbol' object has no attribute 'shpae'$"):
        x.shpae                                                     # noqa: B018
    with pytest.raises(NotImplementedForSymbol) as error:
        x[:] = 0
    assert str(error.value) == ("a Symbol cannot be written to, since the nodes of a graph never change. Make a new "
                                "value, as F.where and F.concat do.")
    with pytest.raises(MXNetError) as error:
        mx.nd.relu(x)
    assert str(error.value) == ("relu: data must be an array of the same kind as the others, found Symbol <Symbol x>. "
                                "Call the function of F, which is sym while a graph is written.")


def test_one_output_where_one_is_needed():
    with pytest.raises(MXNetError) as error:
        sym.relu(sym.split(sym.var("x"), num_outputs=2), name="r")
    assert str(error.value) == "relu 'r': input data has 2 outputs, expected one. Choose one with symbol[i]."


def test_deep_graphs_need_no_recursion():
    x = sym.var("x")
    for _ in range(20_000):
        x = x + 1
    assert x.infer_shape(x=(2,))[1] == [(2,)]
    assert len(x.nodes()) == 20_001


def test_the_name_is_an_attribute():
    assert mlp().attr("name") == mlp().name == "fc2"


def test_an_initializer_as_an_attribute_is_written_as_its_text():
    init = mx.init.Xavier(magnitude=2)
    for x in (sym.var("x", attr={"__init__": init}), sym.relu(sym.var("y"), attr={"__init__": init})):
        assert x.attr("__init__") == init.dumps()


def test_absolute_value():
    x = sym.var("x")
    assert abs(x).list_arguments() == ["x"]
    assert abs(x).eval(x=nd.array([-2, 3]))[0].asnumpy().tolist() == [2, 3]


@pytest.mark.parametrize(("call", "text"), [
    (lambda: sym.var(3), "a variable's name must be a string, found int 3"),
    (lambda: sym.var("x", mark="yes"), "variable 'x': unknown keyword 'mark'; attributes are written __mark__"),
    (lambda: mlp()["fc9_output"], "the symbol has no single output 'fc9_output'; its outputs are fc2_output"),
    (lambda: sym.add("a", 1), "add: expected Symbols or numbers, found str."),
    (lambda: mx.AttrScope(a=1), "AttrScope: attribute a must be a string, found int 1"),
])
def test_messages(call, text):
    with pytest.raises(MXNetError) as error:
        call()
    assert str(error.value) == text


@pytest.mark.parametrize(("graph", "shape", "dtype"), [
    (lambda: sym.zeros((2, 3)), (2, 3), np.float32),
    (lambda: sym.ones(4, dtype="int32"), (4,), np.int32),
    (lambda: sym.full((2,), 7.5), (2,), np.float32),
    (lambda: sym.arange(5), (5,), np.float32),
    (lambda: sym.arange(2, 8, 2, repeat=2), (6,), np.float32),
    (lambda: sym.linspace(0, 1, 5), (5,), np.float32),
    (lambda: sym.eye(3, 4, dtype="float64"), (3, 4), np.float64),
    (lambda: sym.random.normal(shape=(2, 2)), (2, 2), np.float32),
])
def test_graphs_without_inputs(graph, shape, dtype):
    assert graph().infer_shape() == ([], [shape], [])
    assert graph().infer_type() == ([], [dtype], [])
    assert graph().list_arguments() == []


def test_split_v2():
    x = sym.var("x")
    equal, cut = sym.split_v2(x, 3, axis=1), x.split_v2((1, 3), axis=1)
    assert equal.list_attr() == {"axis": "1", "indices": "[]", "sections": "3", "squeeze_axis": "False"}
    assert cut.list_attr() == {"axis": "1", "indices": "[0, 1, 3]", "sections": "0", "squeeze_axis": "False"}
    assert (equal.name, cut.name) == ("_split_v20", "_split_v21")
    for symbol, shapes in ((equal, [(2, 2)] * 3), (cut, [(2, 1), (2, 2), (2, 3)])):
        assert sym.load_json(symbol.tojson()).infer_shape(x=(2, 6))[1] == shapes


def test_debug_str_is_mxnets_listing():
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    assert net.debug_str() == ("Symbol Outputs:\n\toutput[0]=fc(0)\nVariable:x\nVariable:fc_weight\nVariable:fc_bias\n"
                               "--------------------\nOp:FullyConnected, Name=fc\nInputs:\n\targ[0]=x(0) version=0\n"
                               "\targ[1]=fc_weight(0) version=0\n\targ[2]=fc_bias(0) version=0\nAttrs:\n"
                               "\tnum_hidden=3\n")


def test_a_symbol_is_optimized_for_no_backend():
    net = sym.relu(sym.var("x"))
    with pytest.warns(UserWarning, match="^optimize_for\\('TensorRT'\\): minigluon has no backends"):
        assert net.optimize_for("TensorRT", args={}) is net
    assert net.as_nd_ndarray() is net
    assert net.infer_type_partial() == ([None], [None], [])


def test_histogram():
    x = sym.var("x")
    counts, edges = sym.histogram(x, 4, range=(0, 8)).eval(x=mx.nd.array([0, 1, 5, 7]))
    assert (counts.asnumpy().tolist(), edges.asnumpy().tolist()) == ([2, 0, 1, 1], [0, 2, 4, 6, 8])
    counts, _ = sym.histogram(x, sym.var("edges")).eval(x=mx.nd.array([0, 1, 5, 7]), edges=mx.nd.array([0, 1, 8]))
    assert counts.asnumpy().tolist() == [1, 3]
    with pytest.raises(MXNetError) as error:
        sym.histogram(x)
    assert str(error.value) == ("histogram of a symbol needs range=(low, high): the least and the greatest element are "
                                "not known while a graph is written")


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "imod"])
def test_symbols_are_not_changed_in_place(name):
    x = mx.sym.var("x")
    for other in (2, mx.sym.var("y")):
        with pytest.raises(mx.base.NotImplementedForSymbol) as caught:
            getattr(operator, name)(x, other)
        assert str(caught.value) == (
            "a Symbol cannot be changed in place (+=, -=, *=, /=, %=), since the nodes of a graph never change. Write "
            "x = x + y instead of x += y.")
