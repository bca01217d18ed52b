"""Parameters are replaced by other memory, and several of them in one step for the other threads."""

import os
import threading

import numpy as np
import pytest
from helpers.threads import run_in_threads

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn
from minigluon.gluon import parameter_snapshots as snapshots


def elsewhere(function):
    """The result of a function in another thread, while this one waits."""
    return run_in_threads(lambda i: function(), count=1)[0]


class Twice(gluon.HybridBlock):
    """Uses its weight in two operators, and a second parameter."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(2,))
            self.factor = self.params.get("factor", shape=(2,))
        self.initialize("ones")

    def hybrid_forward(self, F, x, weight, factor):
        return x * weight * factor + weight


def number(net):
    """What the net makes of one: 2 with all parameters 1, 10 with 2, 30 with 3."""
    return net(nd.ones((2,))).asnumpy()[0].item()


def set_all(net, value):
    for param in net.collect_params().values():
        param.set_data(nd.full(param.shape, value))


def dynamic():
    """A block whose shapes depend on values: its graph runs node by node."""
    net = Twice()
    net.hybrid_forward = lambda F, x, weight, factor: F.contrib.boolean_mask(x * weight * factor + weight, x)
    net.hybridize()
    return net


def hybridized():
    net = Twice()
    net.hybridize()
    return net


NETS = {"imperative": Twice, "hybridized": hybridized, "node by node": dynamic}


# -- one array ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("replace", [
    lambda p: p.set_data(nd.full((2, 3), 5)),
    lambda p: p.set_data(np.full((2, 3), 5)),
    lambda p: p._load_init(nd.full((2, 3), 5), None)])
def test_who_reads_keeps_what_was_there(replace):
    param = gluon.Parameter("w", shape=(2, 3))
    param.initialize("ones")
    before = param.data().buffer
    replace(param)
    np.testing.assert_array_equal(nd.NDArray(before, mx.cpu()).asnumpy(), np.ones((2, 3)))
    np.testing.assert_array_equal(param.data().asnumpy(), np.full((2, 3), 5))


def test_the_array_and_its_views_are_those_of_before():
    param = gluon.Parameter("w", shape=(2, 3))
    param.initialize("ones")
    array = param.data()
    row, flat, cut, copy = array[1], array.reshape((6,)), array.detach(), array.copy()
    inner = flat[1:4]
    param.set_data(nd.array([[1, 2, 3], [4, 5, 6]]))
    assert param.data() is array
    for view, values in ((row, [4, 5, 6]), (flat, [1, 2, 3, 4, 5, 6]), (inner, [2, 3, 4]), (cut[0], [1, 2, 3]),
                         (copy[0], [1, 1, 1])):
        assert view.asnumpy().tolist() == values
    inner[:] = 0
    assert array.asnumpy().tolist() == [[1, 0, 0], [0, 5, 6]]
    param.grad_req = "null"                 # another array on the same memory
    param.set_data(nd.zeros((2, 3)))
    assert not array.asnumpy().any()


def test_the_tape_notices_a_replacement():
    param = gluon.Parameter("w", shape=(2,))
    param.initialize("ones")
    with autograd.record():
        y = param.data() * param.data()
    param.set_data(nd.zeros((2,)))
    with pytest.raises(mx.MXNetError, match="was written in place after operator"):
        y.backward()
    with autograd.record(), pytest.raises(mx.MXNetError, match="writing in place"):
        param.set_data(nd.zeros((2,)))


@pytest.mark.parametrize("step", ["step", "TrainStep"])
def test_a_trainer_writes_to_the_new_memory(step):
    def trained(replaced):
        net, loss = nn.Dense(1, in_units=2), gluon.loss.L2Loss()
        net.initialize("ones")
        net.hybridize()
        loss.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        planned, x, label = gluon.TrainStep(net, loss, trainer), nd.array([[1, 2], [3, 4]]), nd.ones((2,))
        for _ in range(3):
            for param in net.collect_params().values():
                if replaced:
                    param.set_data(param.data())
            if step == "TrainStep":
                planned(x, label)
                plans = planned.plans
                assert plans == planned.plans
                continue
            with autograd.record():
                value = loss(net(x), label)
            value.backward()
            trainer.step(2)
        return net.weight.data().asnumpy()

    np.testing.assert_array_equal(trained(True), trained(False))


def test_a_planned_step_stays_when_weights_are_replaced():
    net, loss = nn.Dense(1, in_units=2), gluon.loss.L2Loss()
    net.initialize()
    net.hybridize()
    loss.hybridize()
    step = gluon.TrainStep(net, loss, gluon.Trainer(net.collect_params(), "adam"))
    step(nd.ones((2, 2)), nd.ones((2,)))
    plan, = step.plans
    net.weight.set_data(nd.ones((1, 2)))
    gluon.Parameter("another", shape=(1,)).initialize()
    step(nd.ones((2, 2)), nd.ones((2,)))
    assert step.plans == [plan]


def test_an_executor_on_a_parameters_statistics():
    data = mx.sym.var("data")
    net = nn.BatchNorm(in_channels=2)
    net.initialize()
    names = "gamma", "beta", "running_mean", "running_var"
    symbol = mx.sym.BatchNorm(data, *map(mx.sym.var, names), fix_gamma=False, eps=0)
    arrays = {name: getattr(net, name).data() for name in names}
    executor = symbol.bind(mx.cpu(), {"data": nd.ones((1, 2)), "gamma": arrays["gamma"], "beta": arrays["beta"]},
                           aux_states={name: arrays[name] for name in names[2:]})
    assert executor.forward()[0].asnumpy().tolist() == [[1, 1]]
    net.running_mean.set_data(nd.array([3, 4]))
    assert executor.forward()[0].asnumpy().tolist() == [[-2, -3]]


# -- several -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("called", [True, False])
@pytest.mark.parametrize("kind", NETS)
def test_others_see_all_replacements_or_none(kind, called):
    """called: have its arrays been looked up before?"""
    net = NETS[kind]()

    def read():
        with gluon.parameter_snapshot():
            return number(net)

    assert not called or number(net) == 2
    with gluon.replace_together():
        net.weight.set_data(nd.full((2,), 3))
        assert elsewhere(read) == 2
        if kind != "imperative":
            assert elsewhere(lambda: number(net)) == 2
        assert number(net) == 6             # the thread itself sees what it has replaced
        net.factor.set_data(nd.full((2,), 3))
        assert elsewhere(read) == 2
        assert number(net) == 12
    assert elsewhere(read) == elsewhere(lambda: number(net)) == number(net) == 12


@pytest.mark.parametrize("kind", NETS)
def test_a_snapshot_stays_as_it_is(kind):
    net = NETS[kind]()
    with gluon.parameter_snapshot():
        for value in 2, 3:
            elsewhere(lambda value=value: set_all(net, value))
            assert number(net) == 2
            assert elsewhere(lambda: number(net)) == value ** 2 + value
        with gluon.parameter_snapshot():
            assert net.weight.data().asnumpy().tolist() == net.weight.list_data()[0].asnumpy().tolist() == [1, 1]
        net.factor.set_data(nd.zeros((2,)))         # what it replaces itself it sees, and all others with it
        assert number(net) == 3
    assert number(net) == 3


@pytest.mark.parametrize(("change", "after"), [
    (lambda net: net.cast("float64"), "float64"),
    (lambda net: net.collect_params().reset_ctx(mx.cpu(1)), "float32"),
    (lambda net: net.initialize("zeros", force_reinit=True), "float32")])
@pytest.mark.parametrize("kind", NETS)
def test_arrays_of_another_kind(kind, change, after):
    net = NETS[kind]()
    number(net)

    def read():
        with gluon.parameter_snapshot():
            opened.set()
            changed.wait()
            return number(net), net.weight.data().dtype

    opened, changed, results = threading.Event(), threading.Event(), []
    thread = threading.Thread(target=lambda: results.append(read()))
    thread.start()
    opened.wait()
    change(net)
    changed.set()
    thread.join()
    assert results == [(2, np.float32)]
    assert net.weight.data().dtype == np.dtype(after)


def test_after_an_error_of_a_file_everything_is_as_it_was(tmp_path):
    file = str(tmp_path / "w.params")
    net = hybridized()
    number(net)
    for wrong, says in ((nd.ones((3,)), r"has shape \(2,\), the file \(3,\)"),
                        (nd.ones((2,), dtype="float64"), "the loaded array has dtype float64")):
        nd.save(file, {"weight": nd.full((2,), 7), "factor": wrong})
        with pytest.raises(mx.MXNetError, match=says):
            net.load_parameters(file)
        assert number(net) == 2


def test_after_an_error_inside_everything_is_as_it_was():
    net, other = hybridized(), Twice()
    number(net)

    def change():
        with gluon.replace_together():
            net.cast("float64")
            net.weight.set_data(nd.full((2,), 7))
            other.collect_params().reset_ctx(mx.cpu(1))
            fresh.set_data(nd.ones((4,)))
            raise ZeroDivisionError

    fresh = gluon.Parameter("w", shape=(0,), allow_deferred_init=True)
    fresh.initialize()
    with pytest.raises(ZeroDivisionError):
        change()
    assert number(net) == number(other) == 2
    assert net.weight.dtype == np.float32
    assert fresh.is_deferred
    assert fresh.shape == (0,)


def test_files_hold_one_version(tmp_path):
    net = hybridized()
    number(net)
    saves = {"a": lambda file: net.save_parameters(file), "b": lambda file: net.collect_params().save(file),
             "c": lambda file: net.export(file)}
    with gluon.replace_together():
        net.weight.set_data(nd.full((2,), 3))
        for name, save in saves.items():
            elsewhere(lambda name=name, save=save: save(str(tmp_path / name)))
    for name in "a", "b", "c-0000.params":
        assert {x.asnumpy()[0] for x in nd.load(str(tmp_path / name)).values()} == {1}


def test_nothing_is_kept_for_readers_that_are_gone():
    net = hybridized()
    number(net)
    with gluon.parameter_snapshot():
        elsewhere(lambda: set_all(net, 2))
        number(net)
    assert (snapshots.scopes, len(snapshots._snapshots), snapshots._before) == (0, 0, {})


def test_a_parameter_that_computes_its_data_in_a_snapshot():
    class Doubled(gluon.Parameter):
        def data(self, ctx=None):
            return super().data(ctx) * 2

    net = Twice()
    net.weight.__class__ = Doubled
    net.weight._plain = None
    for active in False, True:
        net.hybridize(active)
        set_all(net, 1)
        with gluon.parameter_snapshot():
            elsewhere(lambda: set_all(net, 3))
            assert number(net) == 4
        assert number(net) == 24


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_process_of_a_thread_while_another_replaces():
    net = hybridized()
    number(net)

    def fork():
        child = os.fork()
        if child == 0:
            set_all(net, 2)             # would wait for a thread that is not there
            os._exit(int(number(net)))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    with gluon.replace_together():
        assert elsewhere(fork) == 6
