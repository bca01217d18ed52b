"""Executors: the results of MXNet 1.9.1's, arrays shared with the program, what is asked for wrongly."""


import numpy as np
import pytest
from helpers.errors import error_of, unplaced
from records import DATA
from records import executor_cases as cases

import minigluon as mx
from minigluon import autograd, nd, sym
from minigluon.base import ArgumentError, ContextError, DTypeError, MXNetError, ShapeError

pytestmark = pytest.mark.usefixtures("fresh_names")

RECORDED = np.load(DATA / "mxnet_executors.npz")
KEYS = [key.split("/") for key in RECORDED.files]
CPU = mx.cpu()


def dense():
    return sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")


def arrays(**other):
    return {"x": nd.ones((2, 4)), "fc_weight": nd.ones((3, 4)), "fc_bias": nd.ones((3,)), **other}


def bound(**kwargs):
    args = arrays()
    return dense().bind(CPU, args, args_grad={name: nd.zeros(x.shape) for name, x in args.items()}, **kwargs)


# -- what MXNet computes ----------------------------------------------------------------------------------------------


def test_the_recording_is_whole():
    assert len({name for name, _ in KEYS}) == len(cases.NAMES) == 37


@pytest.mark.parametrize("watched", [False, True], ids=["planned", "watched"])
@pytest.mark.parametrize("name", cases.NAMES)
def test_results_gradients_and_states_are_mxnets(name, watched):
    symbol, shapes = cases.build(mx, name)
    executor = symbol.simple_bind(CPU, grad_req=cases.requirements(name, symbol.list_arguments()), **shapes)
    if watched:             # then it runs node by node
        executor.set_monitor_callback(lambda *args: None, monitor_all=True)
    for variable, array in {**executor.arg_dict, **executor.aux_dict}.items():
        array[:] = cases.value(name, variable, array.shape)
    found = {f"predicted{i}": y.asnumpy() for i, y in enumerate(executor.forward())}
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward([nd.array(cases.head(i, y.shape)) for i, y in enumerate(executor.outputs)])
    found.update({f"out{i}": y.asnumpy() for i, y in enumerate(executor.outputs)})
    found.update({f"grad {n}": g.asnumpy() for n, g in executor.grad_dict.items() if g is not None})
    found.update({f"aux {n}": x.asnumpy() for n, x in executor.aux_dict.items()})
    expected = {key: RECORDED[f"{graph}/{key}"] for graph, key in KEYS if graph == name}
    assert found.keys() == expected.keys()
    for key, array in found.items():
        assert array.shape == expected[key].shape, key
        np.testing.assert_allclose(array, expected[key], rtol=2e-5, atol=2e-5, err_msg=key)


@pytest.mark.parametrize("watched", [False, True], ids=["planned", "watched"])
def test_out_grads_are_copied_to_the_device(watched):
    executor = bound()
    if watched:
        executor.set_monitor_callback(lambda *args: None)
    executor.forward(is_train=True)
    executor.backward(nd.full((2, 3), 2, ctx=mx.cpu(1), dtype="float64"))
    np.testing.assert_array_equal(executor.grad_dict["x"].asnumpy(), np.full((2, 4), 6))


def test_a_loss_needs_no_out_grads_and_the_rest_are_optional_where_they_are_not_looked_at():
    x = sym.var("x")
    net = sym.Group([sym.SoftmaxOutput(x, sym.var("label"), name="sm"), sym.BlockGrad(x * 2), sym.make_loss(x * x)])
    executor = net.simple_bind(CPU, x=(2, 3), grad_req={"x": "write"})
    executor.forward(is_train=True, x=nd.ones((2, 3)), label=np.array([0, 2], np.float32))
    executor.backward()
    third = 1 / 3
    expected = np.full((2, 3), third) - np.eye(3)[[0, 2]] + 2
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), expected, rtol=1e-6)


def test_arrays_are_shared_with_the_program():
    args = arrays()
    executor = dense().bind(CPU, args, args_grad={"x": nd.zeros((2, 4))})
    assert executor.arg_arrays[0] is args["x"] is executor.arg_dict["x"]
    assert executor.grad_arrays[1:] == [None, None]
    args["fc_bias"][:] = 5
    assert executor.forward()[0].asnumpy().tolist() == [[9] * 3] * 2


def test_every_forward_writes_to_the_same_outputs():
    executor = bound()
    first = executor.forward()[0]
    executor.forward(x=nd.zeros((2, 4)))
    assert executor.outputs[0] is first is executor.output_dict["fc_output"]
    assert first.asnumpy().tolist() == [[1] * 3] * 2


def test_positions_and_names_mean_the_same():
    listed = list(arrays().values())
    grads = [nd.zeros((2, 4)), None, nd.zeros((3,))]
    executor = dense().bind(CPU, listed, args_grad=grads, grad_req=["write", "write", "add"])
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward({"fc_output": nd.ones((2, 3))})
    assert executor.grad_dict["x"].asnumpy().tolist() == [[3] * 4] * 2
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [4] * 3
    assert executor.grad_dict["fc_weight"] is None


def test_null_leaves_the_array_alone():
    executor = bound(grad_req={"x": "write", "fc_bias": "null"})
    executor.grad_dict["fc_bias"][:] = 7
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 3)))
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [7] * 3
    assert executor.grad_dict["fc_weight"].asnumpy().sum() == 0         # not named, so 'null'


def test_backward_twice_after_one_forward():
    executor = bound(grad_req="add")
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 3)))
    executor.backward(nd.ones((2, 3)))
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [4] * 3


def test_backward_after_a_forward_for_prediction_has_its_mode():
    x = sym.var("x")
    executor = sym.Dropout(x * 2, p=0.9).simple_bind(CPU, x=(50,))
    executor.forward(x=nd.ones((50,)))
    executor.backward(nd.ones((50,)))
    assert executor.grad_dict["x"].asnumpy().tolist() == [2] * 50
    executor.forward(is_train=True)
    executor.backward(nd.ones((50,)))
    assert 0 in executor.grad_dict["x"].asnumpy()


def test_a_program_that_records_does_not_record_the_executor():
    x = nd.ones((2, 4))
    x.attach_grad()
    executor = dense().bind(CPU, arrays(x=x), args_grad={"x": nd.zeros((2, 4))})
    with autograd.record():
        executor.forward(is_train=True, fc_bias=nd.ones((3,)) * 2)
        y = (x * executor.outputs[0].sum()).sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [[36] * 4] * 2
    executor.backward(nd.ones((2, 3)))
    assert executor.grad_dict["x"].asnumpy().tolist() == [[3] * 4] * 2


def test_batch_norm_keeps_its_statistics_in_the_bound_arrays():
    net = sym.BatchNorm(sym.var("x"), name="bn", fix_gamma=False)
    executor = net.simple_bind(CPU, x=(4, 2))
    executor.copy_params_from({"bn_gamma": nd.ones((2,))}, {"bn_moving_var": nd.ones((2,))})
    data = np.arange(8, dtype=np.float32).reshape(4, 2)
    executor.forward(is_train=True, x=data)
    np.testing.assert_allclose(executor.aux_dict["bn_moving_mean"].asnumpy(), 0.1 * data.mean(0), rtol=1e-6)
    before = executor.aux_dict["bn_moving_mean"].asnumpy()
    executor.forward()
    assert executor.aux_dict["bn_moving_mean"].asnumpy().tolist() == before.tolist()


def test_eval():
    assert dense().eval(**arrays())[0].asnumpy().tolist() == [[5] * 3] * 2
    assert (sym.var("a") + 1).eval(ctx=CPU, a=nd.zeros((2,)))[0].asnumpy().tolist() == [1, 1]
    bn = sym.BatchNorm(sym.var("x"), name="bn", fix_gamma=False)       # auxiliary states are given like arguments
    out, = bn.eval(x=nd.ones((1, 2)), bn_gamma=nd.ones((2,)), bn_beta=nd.ones((2,)), bn_moving_mean=nd.ones((2,)),
                   bn_moving_var=nd.ones((2,)))
    assert out.asnumpy().tolist() == [[1, 1]]
    assert sym.arange(3).eval()[0].asnumpy().tolist() == [0, 1, 2]


def test_results_of_a_shape_that_depends_on_values():
    data, mask = sym.var("data"), sym.var("mask")
    executor = sym.contrib.boolean_mask(data, mask).bind(
        CPU, {"data": nd.arange(4), "mask": nd.array([1, 0, 1, 0])}, args_grad={"data": nd.zeros((4,))})
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [0, 2]
    executor.backward(nd.array([5, 6]))
    assert executor.grad_dict["data"].asnumpy().tolist() == [5, 0, 6, 0]
    assert executor.forward(mask=nd.array([1, 1, 1, 0]))[0].asnumpy().tolist() == [0, 1, 2]


# -- simple_bind ------------------------------------------------------------------------------------------------------


def test_types_follow_from_those_given():
    executor = dense().simple_bind(CPU, x=(2, 4), type_dict={"x": "float16"})
    assert {x.dtype for x in (*executor.arg_arrays, *executor.grad_arrays, *executor.outputs)} == {np.float16}
    mixed = sym.Cast(sym.var("a"), dtype="float64") + sym.var("b")
    executor = mixed.simple_bind(CPU, a=(2,), b=(2,))
    assert [x.dtype for x in executor.arg_arrays] == [np.float32, np.float64]


def test_shared_executor_and_buffer():
    first = dense().simple_bind(CPU, x=(4, 4), shared_buffer=(buffer := {}))
    second = dense().simple_bind(CPU, x=(2, 4), shared_arg_names=["fc_weight", "fc_bias"], shared_exec=first,
                                 shared_buffer=buffer)
    assert second.arg_dict["fc_weight"] is first.arg_dict["fc_weight"]
    assert second.grad_dict["fc_weight"] is first.grad_dict["fc_weight"]
    assert set(buffer) == {"x", "fc_weight", "fc_bias"}
    second.forward(x=np.full((2, 4), 3, np.float32))
    assert first.arg_dict["x"].asnumpy()[:2].tolist() == [[3] * 4] * 2      # the same memory
    assert "fc_weight has shape" not in error_of(lambda: dense().simple_bind(CPU, x=(2, 5), shared_exec=first,
                                                                             shared_arg_names=["fc_weight"]))


# -- reshape ----------------------------------------------------------------------------------------------------------


def test_reshape_shares_memory():
    executor = bound()
    smaller = executor.reshape(x=(1, 4))
    assert (smaller.arg_dict["x"].shape, smaller.outputs[0].shape) == ((1, 4), (1, 3))
    assert smaller.arg_dict["fc_weight"] is executor.arg_dict["fc_weight"]
    smaller.forward(is_train=True, x=np.full((1, 4), 9, np.float32))
    smaller.backward(nd.ones((1, 3)))
    assert executor.arg_dict["x"].asnumpy().tolist() == [[9] * 4, [1] * 4]
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [1] * 3
    larger = executor.reshape(allow_up_sizing=True, x=(5, 4))
    assert larger.forward()[0].shape == (5, 3)
    narrow = executor.reshape(partial_shaping=True, x=(2, 2))
    assert narrow.arg_dict["fc_weight"].shape == (3, 2)


# -- gradient ---------------------------------------------------------------------------------------------------------


def test_the_gradient_is_a_symbol():
    x, y = sym.var("x"), sym.var("y")
    gradient = (x * x * y + sym.sin(x)).gradient(["x", "y"])
    assert len(gradient) == 2
    values = {"x": nd.array([1, 2]), "y": nd.array([3, 4])}
    dx, dy = gradient.eval(**values)
    np.testing.assert_allclose(dx.asnumpy(), 2 * np.array([3, 8]) + np.cos([1, 2]), rtol=1e-6)
    assert dy.asnumpy().tolist() == [1, 4]
    second = gradient[0].gradient("x").eval(**values)[0]
    np.testing.assert_allclose(second.asnumpy(), [6 - np.sin(1), 8 - np.sin(2)], rtol=1e-5)


def test_the_gradient_reads_what_operators_hide():
    """The mask of Dropout, for prediction and for training, planned and watched; and from a file."""
    x = sym.var("x")
    gradient = (sym.Dropout(x, p=0.5, name="d") * 2).gradient("x")
    executor = sym.load_json(gradient.tojson()).simple_bind(CPU, x=(100,), grad_req="null")
    assert executor.forward()[0].asnumpy().tolist() == [2] * 100
    assert set(executor.forward(is_train=True)[0].asnumpy()) == {0, 4}
    seen = []
    executor.set_monitor_callback(lambda name, array: seen.append(name))
    assert executor.forward()[0].asnumpy().tolist() == [2] * 100
    assert seen.count("d_output") == 1


def test_the_gradient_of_what_does_not_matter_is_zero():
    x = sym.var("x")
    assert sym.BlockGrad(x).gradient("x").eval(x=nd.ones((2,)))[0].asnumpy().tolist() == [0, 0]


# -- watching ---------------------------------------------------------------------------------------------------------


def test_monitors_see_what_mxnets_see():
    executor = bound()
    seen = []
    executor.set_monitor_callback(lambda name, array: seen.append((name, array.shape)))
    executor.forward()
    assert seen == [("fc_output", (2, 3))]
    seen.clear()
    executor.set_monitor_callback(lambda name, array: seen.append(name), monitor_all=True)
    executor.forward(is_train=True)
    assert seen == ["x", "fc_data", "fc_weight", "fc_weight", "fc_bias", "fc_bias", "fc_output"]
    seen.clear()
    executor.backward(nd.ones((2, 3)))
    assert seen == ["fc_backward_output0", "fc_backward_output1", "fc_backward_output2"]
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [2] * 3
    executor.set_monitor_callback(None)
    seen.clear()
    executor.forward()
    assert seen == []


def test_debug_str_lists_the_graph():
    net = sym.exp(sym.FullyConnected(sym.var("x"), num_hidden=3, no_bias=True, name="fc"), name="e")
    text, total = net.simple_bind(CPU, x=(2, 4)).debug_str().split("Total ")
    assert total.endswith(" MB allocated\n")
    assert text == ("Symbol Outputs:\n\toutput[0]=e(0)\nVariable:x\nVariable:fc_weight\n--------------------\n"
                    "Op:FullyConnected, Name=fc\nInputs:\n\targ[0]=x(0) version=0\n\targ[1]=fc_weight(0) version=0\n"
                    "Attrs:\n\tno_bias=True\n\tnum_hidden=3\n--------------------\nOp:exp, Name=e\nInputs:\n"
                    "\targ[0]=fc(0)\n")


def test_debug_str_tells_the_planned_memory_before_anything_ran():
    def planned(batch, **kwargs):
        net = sym.FullyConnected(sym.relu(sym.FullyConnected(sym.var("x"), num_hidden=256)), num_hidden=256)
        executor = net.simple_bind(CPU, x=(batch, 128), **kwargs)
        before = executor.debug_str()
        executor.forward()
        assert executor.debug_str() == before
        return float(before.splitlines()[-1].split()[1])
    assert [planned(batch) for batch in (64, 1024)] == [0.125, 2]
    assert [planned(batch, grad_req="null") for batch in (64, 1024)] == [0.0625, 1]
    with mx.AttrScope(ctx_group="a"):
        x = sym.var("x")
    spread = sym.relu(x).simple_bind(CPU, group2ctx={"a": mx.cpu(1)}, x=(2,))
    assert spread.debug_str().endswith("Total 0 MB allocated\n")       # it has no plan


def test_the_optimized_symbol_is_a_graph_that_computes_the_same():
    x = sym.var("x")
    executor = (sym.exp(x) + sym.exp(x) * 1).bind(CPU, {"x": nd.array([1, 2])})
    expected = executor.forward()[0].asnumpy()
    optimized = executor.get_optimized_symbol()
    assert optimized.list_arguments() == ["x"]
    assert len(optimized.nodes()) < 5
    np.testing.assert_allclose(optimized.eval(x=nd.array([1, 2]))[0].asnumpy(), expected, rtol=1e-6)


# -- what is asked for wrongly ----------------------------------------------------------------------------------------

CLASH = ("FullyConnected: weight has shape (3, 4), expected (3, 5)\n"
         "  node: 'fc'\n"
         "  inputs: data = 'x' (2, 5), weight = 'fc_weight' (3, 4), bias = 'fc_bias' (3,)")
GPU = "what nd.zeros says of such a device"
TYPES = ("FullyConnected: inputs have different dtypes: data float64, weight float32, bias float32. "
         "Convert with .astype(dtype).\n  node: 'fc'")


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda: dense().bind("cpu", arrays()), ArgumentError, "ctx must be a Context such as mx.cpu(), found str 'cpu'"),
    (lambda: dense().bind(CPU, {"x": nd.ones((2, 4)), "fc_wieght": nd.ones((3, 4))}), ArgumentError,
     "bind: args lacks fc_weight, fc_bias; the graph needs x, fc_weight, fc_bias. Did you mean 'fc_wieght'?"),
    (lambda: dense().bind(CPU, [nd.ones((2, 4))]), ArgumentError,
     "bind: args has 1 arrays, expected 3: x, fc_weight, fc_bias"),
    (lambda: dense().bind(CPU, nd.ones((2, 4))), ArgumentError,
     "bind: args must be a list of NDArrays or a dict from names to NDArrays, found NDArray"),
    (lambda: dense().bind(CPU, arrays(x=np.ones((2, 4)))), ArgumentError,
     "bind: 'x' in args must be an NDArray, found ndarray. Convert it with nd.array(...)."),
    (lambda: dense().bind(CPU, arrays(x=nd.ones((2, 4), ctx=mx.cpu(1)))), ContextError,
     "bind: 'x' in args is on cpu(1), but the graph is bound to cpu(0). Move it with .as_in_context(cpu(0))."),
    (lambda: dense().bind(CPU, arrays(x=nd.ones((2, 5)))), ShapeError, CLASH),
    (lambda: dense().bind(CPU, arrays(x=nd.ones((2, 4), dtype="float64"))), DTypeError, TYPES),
    (lambda: dense().bind(CPU, arrays(), args_grad={"x": nd.ones((2, 5))}), ShapeError,
     "bind: argument 'x' has shape (2, 4), but its array in args_grad has shape (2, 5)"),
    (lambda: dense().bind(CPU, arrays(), grad_req="wirte"), ArgumentError,
     "bind: grad_req of 'x' is 'wirte', expected one of 'write', 'add', 'null'"),
    (lambda: dense().bind(CPU, arrays(), grad_req=["write"]), ArgumentError,
     "bind: grad_req has 1 entries, expected 3: x, fc_weight, fc_bias"),
    (lambda: dense().bind(CPU, arrays(), grad_req=1), ArgumentError,
     "bind: grad_req must be a string, a list or a dict, found int"),
    (lambda: sym.BatchNorm(sym.var("x"), name="bn").bind(CPU, [nd.ones((2, 4))] + [nd.ones((4,))] * 2), ArgumentError,
     "bind: aux_states lacks bn_moving_mean, bn_moving_var; the graph needs bn_moving_mean, bn_moving_var."),
    (lambda: (sym.var("x") + sym.var("x")).bind(CPU, {"x": nd.ones((2,))}), MXNetError,
     "the graph has two variables called 'x'. Use one sym.var for both, or two names."),
    (lambda: dense().eval(x=nd.ones((2, 4))), ArgumentError,
     "bind: args lacks fc_weight, fc_bias; the graph needs x, fc_weight, fc_bias."),
    (lambda: dense().simple_bind(CPU), ShapeError,
     "simple_bind: the shapes of x ?, fc_weight (3, ?) do not follow from the given ones: none. Give them by name, as "
     "in simple_bind(data=(2, 3))."),
    (lambda: dense().simple_bind(CPU, x=(2, 5), fc_weight=(3, 4)), ShapeError,
     CLASH.replace("'fc_bias' (3,)", "'fc_bias' None") + "\n  given: x (2, 5), fc_weight (3, 4)"),
    (lambda: dense().simple_bind(mx.gpu(99), x=(2, 4)), ContextError, GPU),
    (lambda: dense().simple_bind(CPU, x=(2, "big")), ArgumentError,
     "simple_bind: the shape of 'x' is (2, 'big'), expected a tuple of integers"),
    (lambda: dense().simple_bind(CPU, x=(2, -4)), ArgumentError,
     "simple_bind: the shape of 'x' is (2, -4), expected a tuple of integers"),
    (lambda: dense().simple_bind(CPU, x=(2, 4), type_dict={"x": "float64", "fc_weight": "float32"}), DTypeError,
     TYPES.replace("bias float32", "bias None")),
    (lambda: dense().simple_bind(CPU, x=(2, 4), shared_exec=bound(), shared_arg_names=["x", "w"]).reshape(w=(1,)),
     ArgumentError, "reshape: the graph has no argument 'w'; it has x, fc_weight, fc_bias."),
    (lambda: dense().simple_bind(CPU, x=(2, 5), shared_exec=bound(), shared_arg_names=["fc_weight"]), ShapeError,
     "simple_bind: argument 'fc_weight' of shared_exec has shape (3, 4), expected (3, 5)"),
    (lambda: dense().simple_bind(CPU, x=(2, 4), shared_arg_names="x"), ArgumentError,
     "simple_bind: shared_arg_names must be a list, found str"),
    (lambda: dense().simple_bind(CPU, x=(2, 4), shared_buffer=[]), ArgumentError,
     "simple_bind: shared_buffer must be a dict, found list"),
    (lambda: dense().gradient(["y"]), ArgumentError,
     "gradient: the symbol has no input 'y'; its inputs are x, fc_weight, fc_bias."),
])
def test_messages_of_binding(call, kind, text):
    if text is GPU:
        text = error_of(lambda: nd.zeros((2,), ctx=mx.gpu(99)))
    with pytest.raises(kind) as error:
        call()
    assert unplaced(error.value) == text


def after_forward(**kwargs):
    executor = bound(**kwargs)
    executor.forward(is_train=True)
    return executor


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda: bound().forward(data=nd.ones((2, 4))), ArgumentError,
     "forward: the graph has no argument 'data'; it has x, fc_weight, fc_bias."),
    (lambda: bound().forward(x=3), ArgumentError,
     "forward: argument 'x' must be an NDArray or a numpy.ndarray, found int"),
    (lambda: bound().forward(x=nd.ones((3, 4))), ShapeError,
     "forward: argument 'x' was bound with shape (2, 4), found (3, 4). Call reshape for an executor of other shapes."),
    (lambda: after_forward().backward(), MXNetError,
     "backward: output 'fc_output' is not a loss, so out_grads must hold its gradient. Pass an array of shape "
     "(2, 3), or end the graph in sym.make_loss."),
    (lambda: after_forward().backward(nd.ones((2, 4))), ShapeError,
     "backward: output 'fc_output' has shape (2, 3), but its gradient in out_grads has shape (2, 4)"),
    (lambda: after_forward().backward(1.5), ArgumentError,
     "backward: the gradient of 'fc_output' must be an NDArray, found float"),
    (lambda: after_forward().backward({"fc_out": nd.ones((2, 3))}), ArgumentError,
     "backward: there is no output 'fc_out'; there are fc_output. Did you mean 'fc_output'?"),
    (lambda: bound().copy_params_from({"fc_wight": nd.ones((3, 4))}), ArgumentError,
     "copy_params_from: 'fc_wight' is not among the arguments of the graph, x, fc_weight, fc_bias. Did you mean "
     "'fc_weight'? Pass allow_extra_params=True to skip such arrays."),
    (lambda: bound().copy_params_from({}, {"mean": nd.ones((3,))}), ArgumentError,
     "copy_params_from: 'mean' is not among the auxiliary states of the graph, which has none. Pass "
     "allow_extra_params=True to skip such arrays."),
    (lambda: bound().copy_params_from({"x": nd.ones((4,))}), ShapeError,
     "copy_params_from: 'x' was bound with shape (2, 4), but the given array has shape (4,)"),
    (lambda: bound().reshape(x=(5, 4)), ArgumentError,
     "reshape: argument 'x' would grow from (2, 4) to (5, 4). Bind the largest shapes first and reshape to smaller "
     "ones, or pass allow_up_sizing=True to allocate new memory."),
    (lambda: bound().reshape(x=(2, 2)), ArgumentError,
     "reshape: argument 'fc_weight', whose shape was not given, would change from (3, 4) to (3, 2), and could not keep "
     "its values. Pass partial_shaping=True if that is intended."),
    (lambda: sym.Group([dense(), dense()]).simple_bind(CPU, x=(2, 4)), MXNetError,
     "the graph has two variables called 'x'. Use one sym.var for both, or two names."),
    (lambda: sym.Group([net := dense(), net]).simple_bind(CPU, x=(2, 4)).output_dict, ArgumentError,
     "the executor has two outputs called 'fc_output'; use `outputs`, the list of them"),
])
def test_messages_of_executors(call, kind, text):
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == text


def test_a_written_argument_is_noticed_by_backward():
    executor = after_forward()
    executor.arg_dict["fc_weight"][:] = 2
    with pytest.raises(mx.base.WrittenInPlaceError):
        executor.backward(nd.ones((2, 3)))
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 3)))
    assert executor.grad_dict["x"].asnumpy().tolist() == [[6] * 4] * 2


def test_messages_name_the_first_ones_of_many():
    net = sym.var("x")
    for _ in range(40):
        net = sym.FullyConnected(net, num_hidden=2)
    assert error_of(lambda: net.bind(CPU, {"x": nd.ones((1, 2))})) == (
        "bind: args lacks " + ", ".join(f"fullyconnected{i}_{p}" for i in range(6) for p in ("weight", "bias"))
        + " and 68 more; the graph needs x, " + ", ".join(f"fullyconnected{i}_{p}" for i in range(5)
                                                         for p in ("weight", "bias"))
        + ", fullyconnected5_weight and 69 more.")


def test_plans_values_are_used_again():
    """A forward pass for training after another needs no second set of them."""
    executor = bound()
    executor.forward(is_train=True)
    plan, made = executor._runner._graph.last_plan, []
    plan.take, take = lambda: made.append(take()) or made[-1], plan.take
    for _ in range(4):
        executor.forward(is_train=True)
        executor.backward(nd.ones((2, 3)))
    assert len(made) == 4
    assert len(set(map(id, made))) == 1


def test_extra_arrays_are_no_harm():
    """A graph's part may be bound to all parameters of the whole."""
    assert dense().bind(CPU, arrays(other=nd.ones((9,)))).forward()[0].shape == (2, 3)
    executor = dense().simple_bind(CPU, x=(2, 4), other=(9,))
    executor.copy_params_from({"other": nd.ones((9,)), "x": nd.ones((2, 4))}, allow_extra_params=True)
    assert executor.arg_dict["x"].asnumpy().sum() == 8


def bound_product():
    return (sym.var("a") * sym.var("b")).bind(mx.cpu(), {"a": nd.array([2]), "b": nd.array([3])},
                                              {"a": nd.zeros((1,))})


def test_what_is_bound_stays_bound():
    """The numbers are MXNet's: an entry of a dict that a program replaces is not computed with."""
    executor = bound_product()
    executor.arg_dict["a"] = executor.arg_arrays[0] = nd.array([10])
    executor.arg_dict["further"] = executor.grad_dict["a"] = nd.array([7])
    assert executor.forward(is_train=True)[0].item() == 6
    executor.backward(nd.ones((1,)))
    assert (executor.grad_dict["a"].item(), executor.grad_arrays[0].item()) == (7, 3)
    assert executor.reshape(a=(1,), b=(1,)).forward()[0].item() == 6
    executor.copy_params_from({"a": nd.array([4])})
    assert (executor.forward()[0].item(), executor.arg_dict["a"].item()) == (6, 4)
    assert executor.forward(a=nd.array([5]))[0].item() == 6
    del executor.arg_dict["a"]
    assert executor.forward()[0].item() == 6
    with pytest.raises(AttributeError):
        executor.arg_dict = {}


def test_what_is_written_into_an_array_counts():
    executor = bound_product()
    executor.arg_dict["a"][:] = 5
    assert executor.forward()[0].item() == 15
