"""Modules: files, sharing, buckets, and what is refused. What they compute is in tests/programs/module_*.py."""

import logging
import os
import subprocess

import numpy as np
import pytest
from helpers import TESTS
from helpers.errors import error_of
from records import mxnet_checkpoints

import minigluon as mx
from minigluon import nd, sym
from minigluon.optimizer import states_file

DATA, LABEL = [("data", (4, 3))], [("softmax_label", (4,))]


def graph(classes=2, dropout=False):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=classes, name="fc")
    net = mx.sym.Dropout(net, p=0.5, name="drop") if dropout else net
    return mx.sym.SoftmaxOutput(net, name="softmax")


def bound(symbol=None, training=True, **options):
    mod = mx.mod.Module(graph() if symbol is None else symbol, **options)
    mod.bind(DATA, LABEL, for_training=training)
    mod.init_params(mx.init.Normal(0.5))
    return mod


def batch(size=4, seed=0):
    numbers = np.random.RandomState(seed)
    return mx.io.DataBatch([nd.array(numbers.randn(size, 3))], [nd.array(numbers.randint(0, 2, size))])


def stepped(mod, steps=2, **settings):
    mod.init_optimizer(optimizer_params={"learning_rate": 0.3, "momentum": 0.9}, **settings)
    for seed in range(steps):
        mod.forward_backward(batch(seed=seed))
        mod.update()
    return mod


def values(mod):
    args, states = mod.get_params()
    return {name: x.asnumpy() for name, x in {**args, **states}.items()}


def same(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_checkpoint_goes_on_where_it_was_written(tmp_path, caplog):
    prefix = str(tmp_path / "net")
    mod = stepped(bound())
    with caplog.at_level(logging.INFO):
        mod.save_checkpoint(prefix, 3, save_optimizer_states=True)
    assert [record.getMessage() for record in caplog.records] == [
        f'Saved checkpoint to "{prefix}-0003.params"', f'Saved optimizer state to "{prefix}-0003.states"']
    again = mx.mod.Module.load(prefix, 3, load_optimizer_states=True)
    again.bind(DATA, LABEL)
    for each in (mod, again):
        if not each.optimizer_initialized:
            each.init_optimizer(optimizer_params={"learning_rate": 0.3, "momentum": 0.9})
        each.forward_backward(batch(seed=9))
        each.update()
    assert same(values(mod), values(again))
    symbol, args, states = mx.model.load_checkpoint(prefix, 3)
    assert (symbol.list_arguments(), sorted(args), states) == (graph().list_arguments(), ["fc_bias", "fc_weight"], {})


def test_parameters_and_damaged_states(tmp_path):
    mod, path = stepped(bound()), str(tmp_path / "x")
    mod.save_params(path)
    other = bound()
    other.load_params(path)
    assert same(values(mod), values(other))
    mod.save_optimizer_states(path)
    with open(path, "rb") as file:
        whole = file.read()
    assert sorted(states_file.load(whole)) == [0, 1]
    with open(path, "wb") as file:
        file.write(whole[:-20])
    assert error_of(lambda: mod.load_optimizer_states(path)).startswith(f"cannot load {path!r}: the ")


def test_a_bucketing_checkpoint(tmp_path):
    def generate(key):
        net = mx.sym.sum(mx.sym.Embedding(mx.sym.var("data"), input_dim=5, output_dim=2, name="embed"), axis=1)
        return mx.sym.SoftmaxOutput(net, name="softmax"), ["data"], ["softmax_label"]

    def batch_of(length):
        return mx.io.DataBatch([nd.ones((4, length))], [nd.zeros(4)], bucket_key=length,
                               provide_data=[("data", (4, length))], provide_label=LABEL)

    mod = mx.mod.BucketingModule(generate, default_bucket_key=6)
    mod.bind([("data", (4, 6))], LABEL)
    mod.init_params(mx.init.Normal(1))
    mod.init_optimizer()
    for length in (6, 2, 6):
        mod.prepare(batch_of(length))
        mod.forward_backward(batch_of(length))
        mod.update()
    mod.save_checkpoint(str(tmp_path / "net"), 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "net-0001.params", "net-2-symbol.json", "net-6-symbol.json", "net.buckets"]
    again = mx.mod.BucketingModule.load(str(tmp_path / "net"), 1, generate, default_bucket_key=6)
    again.bind([("data", (4, 6))], LABEL, for_training=False)
    assert same(values(mod), values(again))
    for each in (mod, again):
        each.forward(batch_of(2), is_train=False)
    assert np.array_equal(mod.get_outputs()[0].asnumpy(), again.get_outputs()[0].asnumpy())


@pytest.mark.parametrize("writer", ["mxnet", "minigluon"])
def test_checkpoints_cross(tmp_path, writer):
    """Written by one, read by both, and the next step has the same result."""
    python = os.environ.get("MINIGLUON_MXNET_PYTHON")
    if not python:
        pytest.skip("MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
    prefix = str(tmp_path / "net")

    def run(package, what):
        if package == "mxnet":
            subprocess.run([python, "-m", "records.mxnet_checkpoints", package, what, prefix], cwd=TESTS, check=True,
                           capture_output=True)
        else:
            mxnet_checkpoints.run(mx, what, prefix)

    run(writer, "write")
    results = []
    for reader in ("mxnet", "minigluon"):
        run(reader, "read")
        with np.load(prefix + "-next.npz") as stored:
            results.append(dict(stored))
    assert results[0].keys() == results[1].keys()
    for name in results[0]:
        np.testing.assert_allclose(results[0][name], results[1][name], rtol=1e-5, atol=1e-6, err_msg=name)


# -- binding and sharing --------------------------------------------------------------------------------------------


def test_a_shared_module_has_the_same_arrays():
    mod = stepped(bound())
    other = mx.mod.Module(graph())
    other.bind([("data", (2, 3))], [("softmax_label", (2,))], shared_module=mod)
    other.forward_backward(batch(2))
    other.update()                                  # with the optimizer of the first
    assert other._exec_group.param_arrays[0][0] is mod._exec_group.param_arrays[0][0]


def test_binding_again_keeps_the_values(caplog):
    mod = stepped(bound())
    before = values(mod)
    mod.bind(DATA, LABEL)
    assert [record.getMessage() for record in caplog.records] == ["Already bound, ignoring bind()"]
    mod.bind([("data", (7, 3))], [("softmax_label", (7,))], for_training=False, force_rebind=True)
    assert same(before, values(mod))
    mod.forward(batch(7))
    assert mod.get_outputs()[0].shape == (7, 2)


def test_a_batch_of_another_size_without_labels():
    mod = bound(context=[mx.cpu(0), mx.cpu(1)])
    mod.forward(mx.io.DataBatch([nd.ones((6, 3))]), is_train=False)
    assert mod.get_outputs()[0].shape == (6, 2)
    assert [x.context for x in mod.get_outputs(merge_multi_context=False)[0]] == [mx.cpu(0), mx.cpu(1)]
    assert mod.predict(np.ones((8, 3), "float32")).shape == (8, 2)


def test_a_batch_that_needs_other_parameters():
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (4, 8))], for_training=False)
    module.init_params(mx.init.One())
    with pytest.raises(mx.base.ShapeError) as caught:
        module.forward(mx.io.DataBatch([nd.ones((4, 9))]))
    assert str(caught.value) == (
        "reshape: parameter 'fc_weight' has shape (3, 8), but batches of data (4, 9) need (3, 9). Only the size of the "
        "batch and other lengths that no parameter depends on may change.")
    module.forward(mx.io.DataBatch([nd.ones((2, 8))]))
    assert module.get_outputs()[0].asnumpy().tolist() == [[8, 8, 8]] * 2


def test_backward_twice():
    """The plan's values are used up by the first; the second computes them anew where that gives the same."""
    mod = bound()
    mod.forward(batch(), is_train=True)
    mod.backward()
    first = [g[0].asnumpy() for g in mod._exec_group.grad_arrays]
    mod.backward()
    assert all(np.array_equal(a, b[0].asnumpy()) for a, b in zip(first, mod._exec_group.grad_arrays, strict=True))
    mod.init_optimizer()
    mod.update()
    assert "second forward pass would compute others: an argument has been overwritten since." in error_of(mod.backward)
    mod = bound(graph(dropout=True))
    mod.forward_backward(batch())
    assert error_of(mod.backward) == (
        "backward: the values of the last forward pass were consumed by the first backward, and a second forward pass "
        "would compute others: 'drop' (Dropout) draws random numbers or updates its statistics. Call forward before "
        "each backward, or use an executor of symbol.simple_bind, which keeps them.")


def test_a_monitor_sees_the_operators():
    mod, seen = bound(), []
    monitor = mx.mon.Monitor(1, stat_func=lambda x: x.sum(), pattern=".*output")
    mod.install_monitor(monitor)
    monitor.tic()
    mod.forward(batch(), is_train=False)
    seen = [name for _, name, _ in monitor.toc()]
    assert {"fc_output", "softmax_output"} <= set(seen)


# -- errors ---------------------------------------------------------------------------------------------------------


def test_what_is_missing_is_named():
    mod = mx.mod.Module(graph())
    assert error_of(lambda: mod.forward(batch())) == (
        "forward: this Module is not bound yet. Call bind(data_shapes=...) first, or fit, which does everything.")
    assert error_of(lambda: mod.update_metric(mx.metric.Accuracy(), [])) == (
        "update_metric: this Module is not bound yet. Call bind(data_shapes=...) first, or fit, which does everything.")
    mod.bind(DATA, LABEL)
    assert error_of(lambda: mod.predict(nd.ones((4, 3)))) == (
        "predict: this Module has no parameters yet. Call init_params() first, or fit, which does everything.")
    mod.init_params()
    assert error_of(mod.update) == (
        "update: this Module has no optimizer yet. Call init_optimizer() first, or fit, which does everything.")
    assert error_of(lambda: mod.init_params(arg_params={"fc_wight": nd.ones((2, 3))}, force_init=True)) == (
        "init_params: there is no value for 'fc_bias' among the given fc_wight. Pass allow_missing=True to "
        "initialize it.")
    assert error_of(lambda: mod.set_params({"fc_weight": nd.ones((2, 2)), "fc_bias": nd.ones(2)}, {})) == (
        "init_params: 'fc_weight' was bound with shape (2, 3), but the given array has shape (2, 2)")


def test_what_a_module_refuses():
    assert error_of(lambda: mx.mod.Module(graph(), data_names=["dat"]), ValueError) == (
        "Module(..., data_names=['dat']): the symbol has no argument 'dat'. Those that do not look like parameters are "
        "data, softmax_label. Did you mean 'data'?")
    assert error_of(lambda: mx.mod.Module(graph(), context="cpu")) == (
        "Module: context must be a device such as mx.cpu(), or a list of them, found 'cpu'")
    mod = mx.mod.Module(graph(), context=[mx.cpu(i) for i in range(5)])
    assert error_of(lambda: mod.bind(DATA, LABEL)) == (
        "a batch of 4 samples leaves a device with none: 5 devices, work_load_list [1, 1, 1, 1, 1]. Use a larger "
        "batch or fewer devices.")
    assert error_of(lambda: mx.mod.Module(graph()).bind(DATA, [("softmax_label", (3,))])) == (
        "bind: 'softmax_label' has shape (3,), so its batch has 3 samples, but 'data' has 4")
    assert error_of(lambda: mx.mod.Module(graph()).bind([("x", (4, 3))], LABEL)) == (
        "data_shapes gives 'x', but the module was made with data_names=['data']")
    mod = bound(training=False)
    mod.forward(batch())
    assert error_of(mod.backward) == "backward: the module was bound with for_training=False"
    assert error_of(mod.get_input_grads) == "get_input_grads: the module was bound without inputs_need_grad=True"
    empty = mx.io.NDArrayIter(np.ones((2, 3)), np.ones(2), 4, last_batch_handle="discard")
    assert error_of(lambda: bound().fit(empty, num_epoch=1)) == (
        "fit: NDArrayIter has no batch in epoch 0; check its data and batch_size, and whether it was reset")
    assert error_of(lambda: bound().fit(empty)) == "fit needs num_epoch, the epoch before which to stop"


def test_warnings():
    with pytest.warns(UserWarning, match=r"Module\(\.\.\., label_names=\['y'\]\): the symbol has no argument 'y'"):
        mx.mod.Module(graph(), label_names=["y"])
    mod = bound()
    with pytest.warns(UserWarning, match="^Parameters already initialized and force_init=False. init_params call"):
        mod.init_params()
    with pytest.warns(UserWarning, match=r"the SGD has rescale_grad=1, but 1 / \(batch size\) is 0.25"):
        mod.init_optimizer(optimizer=mx.optimizer.SGD())
    with pytest.warns(DeprecationWarning, match="FeedForward has been deprecated"):
        model = mx.model.FeedForward(graph())
    assert error_of(lambda: model.predict(np.ones((2, 3)))) == (
        "FeedForward: it has no parameters yet. Call fit, or load a checkpoint.")


def test_refusals_of_other_modules():
    chain = mx.mod.SequentialModule()
    assert error_of(lambda: chain.add(bound(), take_label=True)) == (
        "SequentialModule.add: unknown meta 'take_label'; there are take_labels, auto_wiring. Did you mean "
        "'take_labels'?")
    assert error_of(lambda: chain.bind(DATA)) == "SequentialModule.bind: it has no modules. Call add first."
    first = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    chain.add(mx.mod.Module(first, label_names=[])).add(mx.mod.Module(graph(2)), auto_wiring=True, take_labels=True)
    chain.bind(DATA, LABEL)
    assert error_of(chain.init_params) == ("SequentialModule: modules 0 and 1 both have a parameter 'fc_weight'. Give "
                                           "the symbols different names.")
    assert error_of(lambda: mx.mod.BucketingModule(lambda key: None)) == (
        "BucketingModule needs default_bucket_key, the key of the graph with all parameters")
    loss = mx.mod.PythonLossModule()
    loss.bind([("data", (4, 2))], LABEL)
    loss.forward(batch())
    assert error_of(lambda: loss.backward([1])) == "PythonLossModule.backward: a loss takes no out_grads"
    with pytest.raises(NotImplementedError, match="PythonLossModule needs grad_func="):
        loss.backward()


def test_what_libraries_read_of_a_module():
    """The values are MXNet's."""
    net = sym.BatchNorm(sym.FullyConnected(sym.var("data"), num_hidden=3, name="f"), name="b")
    net = sym.SoftmaxOutput(net, name="softmax")
    module = mx.mod.Module(net, context=[mx.cpu(0), mx.cpu(1)], fixed_param_names=["f_weight"])
    module.bind([("data", (4, 5))], [("softmax_label", (4,))], inputs_need_grad=True)
    group = module._exec_group
    assert (module._grad_req, module._total_exec_bytes, group._total_exec_bytes) == ("write", 0, 0)
    assert group.grad_req == {"data": "write", "f_weight": "null", "f_bias": "write", "b_gamma": "write",
                              "b_beta": "write", "softmax_label": "null"}
    assert group.arg_names == ["data", "f_weight", "f_bias", "b_gamma", "b_beta", "softmax_label"]
    assert [[(part, x.shape) for part, x in arrays] for arrays in group.data_arrays] == [
        [(slice(0, 2), (2, 5)), (slice(2, 4), (2, 5))]]
    assert [[(part, x.shape) for part, x in arrays] for arrays in group.label_arrays] == [
        [(slice(0, 2), (2,)), (slice(2, 4), (2,))]]
    assert [[x.shape for x in arrays] for arrays in group.input_grad_arrays] == [[(2, 5), (2, 5)]]
    assert [[x.shape for x in arrays] for arrays in group.aux_arrays] == [[(3,), (3,)]] * 2
    assert (group.state_arrays, group.label_names, group.output_names) == ([], ["softmax_label"], ["softmax_output"])
    assert (group.data_layouts, group.label_layouts, group.output_layouts, group.num_outputs) == ([0], [0], [0], 1)
    assert (group.fixed_param_names, group.execs[0]._group2ctx) == (["f_weight"], None)


def test_a_module_without_data():
    net = mx.sym.var("w") * 2
    with pytest.raises(AssertionError, match="data_shapes is empty.*symbol.simple_bind"):
        mx.mod.Module(net, data_names=[], label_names=None).bind([])
    for shapes in None, [3], 5:
        with pytest.raises(mx.MXNetError, match=r"expected a list of DataDescs.*\('data', \(32, 10\)\)"):
            mx.mod.Module(mx.sym.var("data") * 2, label_names=None).bind(shapes)


def test_labels_under_a_name_that_the_graph_does_not_have_are_refused():
    mod = mx.mod.Module(graph())
    text = error_of(lambda: mod.bind(DATA, [("lab", (4,))]), mx.base.ArgumentError)
    assert "label_shapes gives 'lab', but the module was made with label_names=['softmax_label']" in text
    assert not mod.binded
    without = mx.mod.Module(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), label_names=None)
    with pytest.warns(UserWarning, match="label_shapes gives"):
        without.bind(DATA, LABEL)
