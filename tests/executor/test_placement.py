"""group2ctx: a graph on several devices computes what it does on one, and its arrays are where their groups are."""

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import nd, sym
from minigluon.base import ArgumentError, ContextError

pytestmark = pytest.mark.usefixtures("fresh_names")

CPU = mx.cpu
GROUPS = {"a": CPU(1), "b": CPU(2)}
SHAPES = {"x": (4, 3), "label": (4,)}
PLACES = {"x": 1, "f_weight": 1, "f_bias": 1, "n_gamma": 2, "n_beta": 2, "h_weight": 0, "h_bias": 0, "label": 0,
          "n_moving_mean": 2, "n_moving_var": 2}


def net():
    """x and f in group a, the normalization in group b, the rest in none; f's output is used in both."""
    with mx.AttrScope(ctx_group="a"):
        hidden = sym.FullyConnected(sym.var("x"), num_hidden=5, name="f")
    with mx.AttrScope(ctx_group="b"):
        normal = sym.BatchNorm(hidden, name="n", fix_gamma=False)
    out = sym.FullyConnected(normal + sym.tanh(hidden), num_hidden=2, name="h")
    return sym.SoftmaxOutput(out, sym.var("label"), name="s")


def fill(executor):
    for number, (name, x) in enumerate(executor.arg_dict.items()):
        x[:] = np.arange(4) % 2 if name == "label" else np.cos(np.arange(x.size) + number).reshape(x.shape)


def numbers_of(executor):
    """Two steps: outputs, gradients and states."""
    fill(executor)
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward()
    arrays = {**executor.grad_dict, **executor.aux_dict, "output": executor.outputs[0]}
    return {name: x.asnumpy() for name, x in arrays.items()}


def assert_equal(found, expected):
    assert found.keys() == expected.keys()
    for name, x in found.items():
        np.testing.assert_allclose(x, expected[name], rtol=1e-5, atol=1e-7, err_msg=name)


def test_arrays_and_gradients_are_on_the_devices_of_their_groups():
    executor = net().simple_bind(CPU(0), group2ctx=GROUPS, **SHAPES)
    found = {name: x.context for name, x in {**executor.arg_dict, **executor.aux_dict}.items()}
    assert found == {name: CPU(number) for name, number in PLACES.items()}
    assert all(executor.grad_dict[name].context is x.context for name, x in executor.arg_dict.items())
    assert executor.outputs[0].context is CPU(0)


@pytest.mark.parametrize("req", ["write", "add"])
def test_the_numbers_are_those_of_one_device(req):
    spread = net().simple_bind(CPU(0), grad_req=req, group2ctx=GROUPS, **SHAPES)
    assert_equal(numbers_of(spread), numbers_of(net().simple_bind(CPU(0), grad_req=req, **SHAPES)))


def test_bound_arrays_of_a_program_and_its_head_gradients():
    with mx.AttrScope(ctx_group="a"):
        product = sym.var("x") * sym.var("y")
    arrays = {name: nd.array([1, 2, 3], ctx=CPU(1)) for name in "xy"}
    grads = {name: nd.zeros((3,), CPU(1)) for name in "xy"}
    executor = product.bind(CPU(0), arrays, grads, group2ctx=GROUPS)
    assert executor.forward(is_train=True)[0].context is CPU(1)         # as in MXNet, where it was computed
    executor.backward(nd.array([1, 10, 100]))
    assert executor.grad_dict["x"].asnumpy().tolist() == [1, 20, 300]
    assert executor.forward(x=nd.array([2, 2, 2]))[0].asnumpy().tolist() == [2, 4, 6]


def test_arguments_on_other_devices_are_copied_as_in_mxnet():
    with mx.AttrScope(ctx_group="a"):
        product = sym.var("x") * sym.var("y")
    arrays = {"x": nd.array([1, 2, 3], ctx=CPU(2)), "y": nd.array([1, 2, 3])}
    assert product.bind(CPU(0), arrays, group2ctx=GROUPS).forward()[0].asnumpy().tolist() == [1, 4, 9]
    executor = product.bind(CPU(0), arrays, {name: nd.zeros((3,), CPU(1)) for name in "xy"}, group2ctx=GROUPS)
    assert executor.forward(is_train=True)[0].context is CPU(1)
    executor.backward(nd.array([1, 10, 100], ctx=CPU(1)))
    assert executor.grad_dict["y"].asnumpy().tolist() == [1, 20, 300]
    assert executor.grad_dict["y"].context is CPU(1)
    grads = {"x": nd.zeros((3,), CPU(1)), "y": nd.zeros(3)}
    assert error_of(lambda: product.bind(CPU(0), arrays, grads, group2ctx=GROUPS), ContextError) == (
        "bind: 'y' in args_grad is on cpu(0), but the graph is bound to cpu(1). Move it with .as_in_context(cpu(1)).")
    assert error_of(lambda: product.bind(CPU(0), arrays), ContextError).startswith("bind: 'x' in args is on cpu(2)")


def test_a_state_is_where_the_operator_is_that_overwrites_it():
    mean, var = sym.var("mean"), sym.var("var")
    with mx.AttrScope(ctx_group="a"):
        normal = sym.BatchNorm(sym.var("x"), sym.var("g"), sym.var("b"), mean, var, name="n")
    executor = normal.simple_bind(CPU(0), group2ctx=GROUPS, x=(4, 3))
    executor.arg_dict["x"][:] = 2
    executor.forward(is_train=True)
    assert executor.aux_dict["mean"].context is CPU(1)
    np.testing.assert_allclose(executor.aux_dict["mean"].asnumpy(), [0.2] * 3, rtol=1e-6)


def test_reshape_and_monitors_keep_the_devices():
    executor = net().simple_bind(CPU(0), group2ctx=GROUPS, **SHAPES)
    seen = {}
    executor.set_monitor_callback(lambda name, x: seen.update({name: x.context}))
    other = executor.reshape(x=(2, 3), label=(2,))
    fill_two = nd.ones((2, 3))
    other.forward(is_train=True, x=fill_two)
    other.backward()
    assert other.arg_dict["x"].context is CPU(1)
    assert (seen["f_output"], seen["n_output"], seen["h_output"]) == (CPU(1), CPU(2), CPU(0))
    assert seen["n_backward_output0"] is CPU(2)


def test_backward_of_what_was_drawn_on_several_devices():
    with mx.AttrScope(ctx_group="a"):
        inner = sym.Dropout(sym.var("x"), p=0.5, mode="always")
    outer = sym.Dropout(inner, p=0.5, mode="always")
    executor = outer.simple_bind(CPU(0), group2ctx=GROUPS, x=(100,))
    executor.arg_dict["x"][:] = 1
    out = executor.forward(is_train=False)[0].asnumpy()
    executor.backward(nd.ones((100,)))
    assert set(out) == {0, 4}
    assert executor.grad_dict["x"].asnumpy().tolist() == out.tolist()


def test_groups_that_are_all_on_one_device_have_a_plan():
    executor = net().simple_bind(CPU(0), group2ctx={"a": CPU(0), "b": CPU(0)}, **SHAPES)
    executor.forward()
    assert executor._runner.planned_bytes() > 0


def test_what_group2ctx_must_be():
    assert error_of(lambda: net().simple_bind(CPU(0), group2ctx={"a": CPU(1)}, **SHAPES), ArgumentError) == (
        "group2ctx has no device for group 'b' of 'n_gamma'; it has a")
    assert error_of(lambda: net().simple_bind(CPU(0), group2ctx={"a": "cpu"}, **SHAPES), ArgumentError) == (
        "group2ctx: the device of group 'a' must be a Context such as mx.cpu(1), found str 'cpu'")


# -- modules ----------------------------------------------------------------------------------------------------------


def trained(context, group2ctxs, optimizer="sgd"):
    """The parameters after three steps, and the Module."""
    module = mx.mod.Module(net(), ["x"], ["label"], context=context, group2ctxs=group2ctxs)
    module.bind([("x", (4, 3))], [("label", (4,))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer=optimizer, optimizer_params={"learning_rate": 0.5})
    x = nd.array(np.cos(np.arange(12)).reshape(4, 3))
    for _ in range(3):
        module.forward_backward(mx.io.DataBatch([x], [nd.array([0, 1, 0, 1])]))
        module.update()
    args, aux = module.get_params()
    return {name: x.asnumpy() for name, x in {**args, **aux}.items()}, module


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_a_module_trains_across_devices_as_on_one(optimizer):
    expected, _ = trained(CPU(0), None, optimizer)
    found, module = trained(CPU(0), GROUPS, optimizer)
    assert_equal(found, expected)
    arrays = module._exec_group.execs[0].arg_dict
    assert {name: x.context for name, x in arrays.items()} == {name: CPU(PLACES[name]) for name in arrays}


@pytest.mark.parametrize("group2ctxs", [
    [{"a": CPU(1), "b": CPU(2)}, {"a": CPU(4), "b": CPU(5)}],
    {"a": [CPU(1), CPU(4)], "b": [CPU(2), CPU(5)]},
], ids=["a list of dicts", "a dict of lists"])
def test_each_context_of_a_module_has_its_own_devices(group2ctxs):
    expected, _ = trained([CPU(0), CPU(3)], None)
    found, module = trained([CPU(0), CPU(3)], group2ctxs)
    assert_equal(found, expected)
    assert [e.arg_dict["n_gamma"].context for e in module._exec_group.execs] == [CPU(2), CPU(5)]


def test_one_device_of_a_group_is_for_all_contexts():
    _, module = trained([CPU(0), CPU(3)], {"a": CPU(1), "b": [CPU(2)]})
    for executor in module._exec_group.execs:
        assert (executor.arg_dict["x"].context, executor.arg_dict["n_gamma"].context) == (CPU(1), CPU(2))


def test_buckets_share_their_parameters_on_these_devices():
    def generate(length):
        with mx.AttrScope(ctx_group="a"):
            hidden = sym.sum(sym.FullyConnected(sym.var("x"), num_hidden=2, flatten=False, name="f"), axis=1)
        return sym.LinearRegressionOutput(hidden, name="r"), ["x"], ["r_label"]
    module = mx.mod.BucketingModule(generate, 4, context=CPU(0), group2ctxs={"a": CPU(1)})
    module.bind([("x", (2, 4, 3))], [("r_label", (2, 2))])
    module.init_params(mx.init.One())
    module.init_optimizer()
    for length in (4, 2):
        module.forward(mx.io.DataBatch([nd.ones((2, length, 3))], [nd.zeros((2, 2))], bucket_key=length,
                                       provide_data=[("x", (2, length, 3))], provide_label=[("r_label", (2, 2))]))
        assert module._curr_module._exec_group.execs[0].arg_dict["f_weight"].context is CPU(1)
        module.backward()
        module.update()
    assert module.get_params()[0]["f_weight"].asnumpy().max() < 1


def test_what_group2ctxs_must_be():
    def refused(given):
        return error_of(lambda: mx.mod.Module(net(), ["x"], ["label"], context=[CPU(0), CPU(3)], group2ctxs=given),
                        ArgumentError)
    assert refused([GROUPS]) == "group2ctxs has 1 dicts for 2 contexts"
    assert refused({"a": [CPU(1)] * 3}) == "group2ctxs: group 'a' has 3 devices for 2 contexts"
    assert refused({"a": 1}) == "group2ctxs: group 'a' must have a device such as mx.cpu(1), or a list of them, found 1"
    assert refused("a") == ("group2ctxs must be a dict from groups to devices, or a list with one for each context, "
                            "found str")
