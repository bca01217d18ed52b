"""Hybridized nets whose parameters or structure change; copies, statistics, random numbers."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from helpers.hybrid_twins import array, both, close, equal, hybrid, mlp, twins, values, variable

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon import symbol as sym
from minigluon.base import ContextError, DTypeError
from minigluon.gluon import nn
from minigluon.hybrid import CachedOp

# -- parameters -----------------------------------------------------------------------------------------------------


def test_deferred_initialization_through_a_hybridized_call():
    mx.random.seed(1)
    net = mlp(5, 3)
    mx.random.seed(1)
    twin = mlp(5, 3)
    twin.hybridize()
    results = []
    for block in net, twin:
        mx.random.seed(2)
        with autograd.record():
            y = block(array(2, 4))
        y.backward()
        results.append([y, block[0].weight.data(), block[0].weight.grad(), block[1].bias.grad()])
    for found, wanted in zip(results[1], results[0], strict=True):
        equal(found, wanted)


class Dropped(gluon.Parameter):
    """A parameter as AWD-LSTM's code writes it: in training, `data` drops other entries of the value each time."""

    def data(self, ctx=None):
        value = self._check_and_get(self._data, ctx)
        if not autograd.is_training():
            return value
        self.calls = getattr(self, "calls", 0) + 1
        keep = nd.arange(value.size).reshape(value.shape) % (self.calls + 1) == 0
        return value * keep.astype(value.dtype)

    def list_data(self):
        return self._check_and_get(self._data, list)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("in_units", [3, 0])
def test_a_parameter_that_computes_its_data(hybridize, in_units):
    net = nn.Dense(2, in_units=in_units, use_bias=False)
    weight = Dropped("dropped_weight", shape=(2, in_units), allow_deferred_init=True)
    net._reg_params["weight"] = net.params._params[net.weight.name] = weight
    with pytest.raises(gluon.parameter.UninitializedError, match="'dropped_weight' has not been initialized"):
        weight.data()
    net.initialize("ones")
    net.hybridize(hybridize)
    x = nd.array([[1, 2, 4]])
    assert net(x).asnumpy().tolist() == [[7, 7]]
    for sums, grad in (([[5, 2]], [[1, 0, 4], [0, 2, 0]]), ([[1, 1]], [[1, 0, 0], [1, 0, 0]])):
        with autograd.record():
            y = net(x)
        y.backward()
        assert y.asnumpy().tolist() == sums
        assert weight.grad().asnumpy().tolist() == grad
    assert net(x).asnumpy().tolist() == [[7, 7]]
    step = gluon.TrainStep(net, gluon.loss.L2Loss(), gluon.Trainer([weight], "sgd"))
    step.loss.hybridize()
    step(x, nd.ones((1, 2)))
    assert step.reason == ("parameter 'dropped_weight' is of a class that computes its data" if hybridize else
                           f"Dense {net.name!r} is not hybridized")


def test_parameters_that_nothing_uses_may_stay_deferred():
    class Net(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.used, self.unused = nn.Dense(3), nn.Dense(2)
                self.scale = self.params.get("scale", shape=(2, 0), init="one", allow_deferred_init=True)

        def hybrid_forward(self, F, x, scale):
            return self.used(F.elemwise_mul(x, scale))

    for active in False, True:
        net = Net(prefix="net_")
        net.initialize()
        net.hybridize(active)
        x = variable(2, 4)
        with autograd.record():
            y = net(x)
        y.backward()
        assert y.shape == (2, 3)
        assert net.scale.shape == (2, 4)
        with pytest.raises(gluon.parameter.DeferredInitializationError, match="Dense 'net_dense1' was never called"):
            net.unused.weight.data()


@pytest.mark.parametrize("change", [
    lambda net: [p.set_data(p.data() * 2) for p in net.collect_params().values()],
    lambda net: net[0].weight.data().__setitem__(slice(None), 0.5),
    lambda net: net.initialize(mx.init.Constant(0.25), force_reinit=True),
    lambda net: net.collect_params().setattr("grad_req", "add"),
    lambda net: net[0].collect_params().setattr("grad_req", "null"),
    lambda net: net.collect_params().zero_grad(),
    lambda net: net.collect_params().reset_ctx(mx.cpu(0)),
], ids=["set_data", "in_place", "reinit", "grad_add", "grad_null", "zero_grad", "reset_ctx"])
def test_parameters_changed_between_calls(change):
    results = []
    for block in twins(mlp(5, 3), array(2, 4)):
        for turn in range(3):
            if turn == 1:
                change(block)
            with autograd.record():
                y = block(array(2, 4))
            y.backward()
            results.append([y.asnumpy(), *[p.grad().asnumpy() for p in block.collect_params().values()
                                           if p.grad_req != "null"]])
    for found, wanted in zip(results[3:], results[:3], strict=True):
        assert len(found) == len(wanted)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_parameters_loaded_cast_and_moved(tmp_path):
    x = array(2, 4)
    net, other = mlp(5, 3), mlp(5, 3)
    other(x)
    other.save_parameters(str(tmp_path / "other.params"))
    net.hybridize()
    net(x)
    net.load_parameters(str(tmp_path / "other.params"))
    equal(net(x), other(x))
    for dtype in ["float64", "float16", "float32"]:
        net.cast(dtype)
        other.cast(dtype)
        equal(net(x.astype(dtype)), other(x.astype(dtype)))
    net[0].cast("float64")          # a child alone: the net around it notices
    with pytest.raises(DTypeError, match="inputs have different dtypes"):
        net(x)
    net[0].cast("float32")
    net.collect_params().reset_ctx([mx.cpu(1), mx.cpu(2)])
    for ctx in mx.cpu(1), mx.cpu(2):
        y = net(x.as_in_context(ctx))
        assert y.context == ctx
        equal(y.as_in_context(mx.cpu(0)), other(x))
    with pytest.raises(ContextError, match="the input of shape"):
        net(x)
    net.save_parameters(str(tmp_path / "net.params"))
    fresh = mlp(5, 3)
    fresh.hybridize()
    fresh.load_parameters(str(tmp_path / "net.params"), ctx=mx.cpu(0))
    equal(fresh(x), other(x))


def test_shared_parameters():
    first = nn.Dense(3, in_units=3)
    net = nn.HybridSequential()
    net.add(first, nn.Dense(3, in_units=3, params=first.params))
    net.initialize()
    results = []
    for active in [False, True]:
        net.hybridize(active)
        with autograd.record():
            y = net(array(2, 3))
        y.backward()
        results.append([y, first.weight.grad().copy()])
    equal(results[1][0], results[0][0])
    equal(results[1][1], results[0][1])


def test_copies_and_pickles_are_hybridized_and_have_traces_of_their_own():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = array(4, 5)
    y = net(x)
    for twin in copy.deepcopy(net), pickle.loads(pickle.dumps(net)):
        equal(twin(x), y)
        twin[0].weight.set_data(twin[0].weight.data() * 2)
        assert (twin(x).asnumpy() != y.asnumpy()).any()
        equal(net(x), y)
        twin.add(nn.Dense(7, in_units=2))
        twin[3].initialize()
        assert twin(x).shape == (4, 7)
        assert net(x).shape == (4, 2)


# -- structure ------------------------------------------------------------------------------------------------------


def test_layers_added_after_a_call():
    inner = mlp(5, 3)
    net = nn.HybridSequential()
    net.add(inner)
    net.hybridize()
    x = array(2, 4)
    assert net(x).shape == (2, 3)
    inner.add(nn.Dense(7, in_units=3))              # inside a child: the graph of the whole net is traced anew
    inner[2].initialize()
    assert net(x).shape == (2, 7)
    net.add(nn.Dense(2, in_units=7))
    net[1].initialize()
    assert net(x).shape == (2, 2)
    net.hybridize(False)
    wanted = net(x)
    net.hybridize()
    equal(net(x), wanted)


def test_a_child_replaced_as_an_attribute():
    class Net(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.layer = nn.Dense(3, in_units=4)

        def hybrid_forward(self, F, x):
            return self.layer(x)

    net = nn.HybridSequential()
    net.add(Net())
    net.initialize()
    net.hybridize()
    assert net(array(2, 4)).shape == (2, 3)
    net[0].layer = nn.Dense(5, in_units=4)
    net[0].layer.initialize()
    assert net(array(2, 4)).shape == (2, 5)


def test_back_to_imperative():
    net = hybrid(lambda F, x: x + 1)
    net(array(2))
    net(array(3))
    assert net.calls == 1
    net.hybridize(False)
    net(array(2))
    net(array(2))
    assert net.calls == 3
    net.hybridize()
    net(array(2))
    net(array(2))
    assert net.calls == 4


def test_hybridized_children_in_an_imperative_net():
    imperative, first, second = both(lambda F, x: F.tanh(x) * x) + both(lambda F, x: F.exp(x))[1:]
    net = nn.Sequential()
    net.add(first, nn.Lambda(lambda x: nd.concat(x, x, dim=0)), second)
    x = variable(2, 3)
    with autograd.record():
        y = net(x)
    y.backward()
    found = y, x.grad.copy()
    with autograd.record():
        y = nd.exp(nd.concat(imperative(x), imperative(x), dim=0))
    y.backward()
    equal(found[0], y)
    equal(found[1], x.grad)
    net(array(2, 3))
    assert first.calls == second.calls == 1


def test_a_hybridized_child_in_a_hybridized_net_is_part_of_its_graph():
    net = mlp(5, 3)
    x = array(2, 4)
    net(x)
    wanted = copy.deepcopy(net)
    net[0].hybridize()
    net.hybridize()
    equal(net(x), wanted(x))
    with autograd.record():
        y = net(x)
    (graph,) = set(net._graphs.values())
    assert y.entry.op.name == "hybridized block"
    assert not net[0]._graphs
    assert len(graph.compiled.last_plan.steps) >= 3


def test_new_arrays_of_the_same_kind_need_no_new_plan():
    net = mlp(5, 3)
    net.hybridize()
    x = array(2, 4)
    net(x)
    (graph,) = set(net._graphs.values())
    plan = graph.compiled.last_plan
    net.initialize(force_reinit=True)
    net(x)
    assert graph.compiled.last_plan is plan
    net.collect_params().reset_ctx([mx.cpu(0), mx.cpu(1)])
    equal(net(x), net(x.as_in_context(mx.cpu(1))))
    assert len(graph.compiled.signatures()) == 2
    for param in net.collect_params().values():
        param.cast("float64")
    assert net(x.astype("float64")).dtype == np.float64
    assert len(graph.compiled.signatures()) == 3


def test_a_graph_does_not_mix_devices_that_it_knows_one_by_one():
    compiled = CachedOp(sym.dot(sym.var("x"), sym.var("w")), ["x", "w"])
    x, w = array(2, 4), array(4, 3)
    there = mx.cpu(1)
    compiled([x], [w])
    compiled([x.as_in_context(there)], [w.as_in_context(there)])
    for data, params in ([x], [w.as_in_context(there)]), ([x.as_in_context(there)], [w]):
        with pytest.raises(ContextError, match="inputs are on different devices"):
            compiled(data, params)


def test_plain_blocks_are_named_once():
    class Plain(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.inner = nn.Dense(2)

        def forward(self, x):
            return self.inner(x) * 2

    net = nn.Sequential(prefix="net_")
    inner = nn.Sequential(prefix="inner_")
    inner.add(Plain(prefix="plain_"), nn.Dense(3))
    net.add(nn.Dense(3), nn.Lambda("relu", prefix="lambda_"), inner)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        net.hybridize()
    assert [str(w.message) for w in caught] == [
        "hybridize on Sequential 'net': these blocks in it are plain Blocks, which run imperatively: Lambda 'lambda', "
        "Plain 'plain'. Hybrid blocks around and inside them run as separate graphs. Derive them from HybridBlock to "
        "get a single graph."]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net.hybridize(False)
        mlp(3, 2).hybridize()
    net.initialize()
    with pytest.warns(UserWarning, match="plain Blocks"):
        net.hybridize()
    assert net(array(2, 4)).shape == (2, 3)
    assert net[0]._graphs
    assert net[2][0].inner._graphs


def test_symbols_through_a_hybridized_net():
    net = mlp(5, 3, prefix="net_")
    net.hybridize()
    net(array(2, 4))
    y = net(sym.var("x"))
    assert isinstance(y, sym.Symbol)
    assert y.list_arguments() == ["x", "net_dense0_weight", "net_dense0_bias", "net_dense1_weight", "net_dense1_bias"]
    _, shapes, _ = y.infer_shape(x=(7, 4))
    assert shapes == [(7, 3)]


def test_batch_norm_statistics_after_many_steps():
    def build():
        net = nn.HybridSequential()
        net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"), nn.Flatten(),
                nn.Dense(3, in_units=64), nn.BatchNorm(in_channels=3, momentum=0.5))
        net.initialize()
        return net

    net, twin = twins(build(), array(2, 2, 6, 6))
    for block in net, twin:
        trainer = gluon.Trainer(block.collect_params(), "sgd", {"learning_rate": 0.1})
        for step in range(6):
            x = array(8, 2, 6, 6, seed=step)
            with autograd.record(train_mode=step != 3):
                loss = block(x).square().mean()
            loss.backward()
            trainer.step(1)
            block(x)            # in between, predictions leave the statistics alone
    for (name, wanted), found in zip(values(net).items(), values(twin).values(), strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=name)
    # A plan that only infers may multiply the filters by what BatchNorm multiplies with, beforehand.
    close(twin(array(8, 2, 6, 6)).asnumpy(), net(array(8, 2, 6, 6)).asnumpy())


def test_a_batch_norm_used_twice_updates_in_the_program_s_order():
    class Net(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.norm = nn.BatchNorm(in_channels=2)

        def hybrid_forward(self, F, x, y):
            first = self.norm(x)
            second = self.norm(y)
            return second - first

    net, twin = Net(), Net()
    for block in net, twin:
        block.initialize()
    twin.hybridize()
    for block in net, twin:
        with autograd.record():
            block(array(5, 2), array(5, 2, seed=1) * 10)
    equal(twin.norm.running_mean.data(), net.norm.running_mean.data())
    equal(twin.norm.running_var.data(), net.norm.running_var.data())


@pytest.mark.parametrize("function", [
    lambda F, x: F.Dropout(F.Dropout(x, p=0.5) * 2, p=0.25),
    lambda F, x: [F.Dropout(x, p=0.5), F.Dropout(x, p=0.5)][::-1],
    lambda F, x: (lambda first, second: second * 3 + first)(F.Dropout(x, p=0.5), F.Dropout(x + 1, p=0.5)),
    lambda F, x: (lambda noise, y: [y, noise])(F.random.normal(shape=(5, 6)), F.Dropout(x, p=0.5)),
])
def test_the_same_seed_gives_the_same_masks(function):
    imperative, net = both(function)
    results = []
    for block in imperative, net:
        mx.random.seed(3)
        x = variable(5, 6)
        for _ in range(2):
            with autograd.record():
                ys = block(x)
                ys = ys if isinstance(ys, list) else [ys]
                total = sum((y * (i + 1)).sum() for i, y in enumerate(ys))
            total.backward()
            results += [*ys, x.grad.copy()]
    half = len(results) // 2
    for found, wanted in zip(results[half:], results[:half], strict=True):
        equal(found, wanted)
