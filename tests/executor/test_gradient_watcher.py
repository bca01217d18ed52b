"""What monitors of executors see: names of inputs, hidden outputs and gradients. All as MXNet 1.9.1 has them."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd, sym

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("fresh_names")]

X = sym.var("x")


def seen_by(symbol, monitor_all=True, train=True, **shapes):
    """[name] of what a monitor sees in forward, and in backward."""
    executor = symbol.simple_bind(mx.cpu(), **shapes)
    for array in executor.arg_arrays:
        array[:] = 1
    seen = []
    executor.set_monitor_callback(lambda name, array: seen.append(name), monitor_all)
    executor.forward(is_train=train)
    forward, seen[:] = list(seen), []
    executor.backward([nd.ones(y.shape) for y in executor.outputs])
    return forward, seen


@pytest.mark.parametrize(("make", "names"), [
    (lambda x: sym.relu(x, name="n"), ["n_input0"]),
    (lambda x: 2 / x, ["_rdivscalar0_input0"]),
    (lambda x: x + x, ["_plus0_lhs", "_plus0_rhs"]),
    (lambda x: sym.Activation(x, act_type="tanh", name="n"), ["n_input0"]),
    (lambda x: sym.SoftmaxActivation(x, name="n"), ["n_input0"]),
    (lambda x: sym.softmax(x, name="n"), ["n_data"]),
    (lambda x: sym.Cast(x, dtype="float64", name="n"), ["n_input0"]),
    (lambda x: sym.BlockGrad(x, name="n"), ["n_input0"]),
    (lambda x: sym.mean(x, axis=1, name="n"), ["n_input0"]),
    (lambda x: sym.norm(x, name="n"), ["n_input0"]),
    (lambda x: sym.transpose(x, name="n"), ["n_input0"]),
    (lambda x: sym.Flatten(x, name="n"), ["n_input0"]),
    (lambda x: sym.reshape(x, shape=(3, 2), name="n"), ["n_input0"]),
    (lambda x: sym.slice_axis(x, axis=0, begin=0, end=1, name="n"), ["n_input0"]),
    (lambda x: sym.tile(x, reps=(2,), name="n"), ["n_data"]),
    (lambda x: sym.concat(x, x, dim=0, name="n"), ["n_arg0", "n_arg1"]),
    (lambda x: sym.stack(x, x, name="n"), ["n_arg0", "n_arg1"]),
    (lambda x: sym.add_n(x, x, name="n"), ["n_arg0", "n_arg1"]),
    (lambda x: sym.LeakyReLU(x, name="n"), ["n_data"]),
    (lambda x: sym.SequenceMask(x, name="n"), ["n_data"]),
])
def test_names_of_inputs(make, names):
    forward, _ = seen_by(make(X), x=(2, 3))
    assert [name for name in forward if name != "x"][:-1] == names


def test_names_of_inputs_of_pictures():
    up = sym.UpSampling(X, scale=2, sample_type="nearest", num_args=1, name="u")
    forward, _ = seen_by(sym.Crop(up, h_w=(1, 1), num_args=1, name="c"), x=(1, 1, 2, 2))
    assert forward == ["x", "u_arg0", "u_output", "c_arg0", "c_output"]


@pytest.mark.parametrize(("make", "hidden"), [
    (sym.BatchNorm, ["n_mean", "n_var"]),
    (sym.LayerNorm, ["n_mean", "n_std"]),
    (sym.Dropout, ["n_mask"]),
    (sym.L2Normalization, ["n_norm"]),
], ids=lambda x: getattr(x, "__name__", None))
def test_hidden_outputs_come_after_the_visible_ones(make, hidden):
    forward, _ = seen_by(make(X, name="n"), monitor_all=False, x=(2, 3))
    assert forward == ["n_output", *hidden]


def test_an_output_that_is_not_hidden_is_seen_once():
    forward, _ = seen_by(sym.BatchNorm(X, output_mean_var=True, name="n"), monitor_all=False, x=(2, 3))
    assert forward == ["n_output", "n_mean", "n_var"]


def regression():
    hidden = sym.Activation(sym.FullyConnected(X, num_hidden=2, name="p"), act_type="relu", name="q")
    return sym.LinearRegressionOutput(hidden, name="r")


GRADIENTS = ["r_backward_output0", "r_backward_output1", "q_backward_output", "p_backward_output0",
             "p_backward_output1", "p_backward_output2"]


def test_backward_tells_the_gradients_of_the_inputs_of_each_node():
    assert seen_by(regression(), x=(2, 3), r_label=(2, 2))[1] == GRADIENTS
    assert seen_by(regression(), train=False, x=(2, 3), r_label=(2, 2))[1] == []


def test_inputs_that_an_operator_overwrites_have_no_gradient():
    symbol = sym.Dropout(sym.BatchNorm(X, name="b"), name="d")
    assert seen_by(symbol, x=(2, 3))[1] == ["d_backward_output", *[f"b_backward_output{i}" for i in range(3)]]


def test_a_monitor_sees_the_gradients_and_they_are_right():
    executor = regression().simple_bind(mx.cpu(), x=(2, 3), r_label=(2, 2))
    for array in executor.arg_arrays:
        array[:] = 1
    monitor = mx.mon.Monitor(1, pattern=".*backward.*")
    monitor.install(executor)
    for step in range(2):
        monitor.tic()
        executor.forward(is_train=True)
        executor.backward()
        assert monitor.toc() == [(step + 1, name, text) for name, text in zip(
            GRADIENTS, ["1.5\t", "0.0\t", "1.5\t", "3.0\t", "3.0\t", "3.0\t"], strict=True)]
    assert executor.grad_dict["p_weight"].asnumpy().tolist() == np.full((2, 3), 3).tolist()


def test_a_monitor_of_a_module_sees_them_too():
    module = mx.mod.Module(regression(), ["x"], ["r_label"])
    module.bind([("x", (2, 3))], [("r_label", (2, 2))])
    module.init_params(mx.init.One())
    monitor = mx.mon.Monitor(1, pattern=".*backward.*")
    module.install_monitor(monitor)
    monitor.tic()
    module.forward_backward(mx.io.DataBatch([nd.ones((2, 3))], [nd.ones((2, 2))]))
    assert [name for _, name, _ in monitor.toc()] == GRADIENTS


def test_gradients_of_a_loop_come_from_its_nodes_around():
    outs, _ = sym.contrib.foreach(lambda x, s: (x * s, s), X, sym.var("s"))
    _, backward = seen_by(sym.exp(outs, name="e"), x=(2, 3), s=(3,))
    assert backward == ["e_backward_output"]
