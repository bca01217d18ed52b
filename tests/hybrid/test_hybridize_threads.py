"""One hybridized net called by many threads at once: each has its own values and its own record."""

import copy
import sys
import threading
import weakref

import numpy as np
import pytest
from helpers.hybrid_twins import array, gradients, hybrid, mlp
from helpers.threads import run_in_threads

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import forgetting
from minigluon.gluon import nn
from minigluon.hybrid import CachedOp
from minigluon.hybrid.cached_op import Plans


@pytest.fixture(autouse=True)
def _switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def convolutions():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, 3, padding=1, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(8, 3, activation="relu"),
            nn.AvgPool2D(2, 2), nn.BatchNorm(), nn.Flatten(), nn.Dense(30, activation="tanh"), nn.LayerNorm(),
            nn.Dense(5))
    net.initialize()
    return net


def forward(net, x):
    return net(x).asnumpy()


def recorded(net, x):
    """The gradient of the input: parameters are shared by the threads, and so would their gradients be."""
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = net(x)
        loss = (nd.softmax(y) * y).sum()
    loss.backward()
    return np.concatenate([y.asnumpy().ravel(), x.grad.asnumpy().ravel()])


@pytest.mark.parametrize("function", [forward, recorded])
@pytest.mark.parametrize("build", [convolutions, lambda: mlp(40, 30, 5)])
def test_many_threads(build, function):
    net = build()
    image = [nd.array(np.random.default_rng(i).normal(size=(6, 3, 16, 16))) for i in range(8)]
    net(image[0])
    net.collect_params().setattr("grad_req", "null")
    net.hybridize()
    serial = [function(net, x.copy()) for x in image]
    for _ in range(3):
        results = run_in_threads(lambda i: [function(net, image[i].copy()) for _ in range(4)], count=8)
        for found, wanted in zip(results, serial, strict=True):
            for y in found:
                np.testing.assert_array_equal(y, wanted)


def test_threads_with_gradients_of_their_own():
    """Forward passes of all threads come before the first backward pass; a lock keeps the shared gradients apart."""
    net = mlp(20, 5)
    net(array(4, 10))
    wanted = []
    for i in range(8):
        with autograd.record():
            y = net(array(4, 10, seed=i))
        y.backward()
        wanted.append(gradients(net))
    net.hybridize()
    lock, all_recorded = threading.Lock(), threading.Barrier(8)

    def step(i):
        with autograd.record():
            y = net(array(4, 10, seed=i))
        all_recorded.wait()
        with lock:
            y.backward()
            return gradients(net)

    for found, expected in zip(run_in_threads(step, count=8), wanted, strict=True):
        for name, grad in found.items():
            np.testing.assert_array_equal(grad, expected[name])


def test_the_first_call_of_a_new_net_in_many_threads():
    for active in False, True, True, True:
        net = convolutions()
        twin = copy.deepcopy(net)
        net.hybridize(active)
        x = nd.array(np.random.default_rng(0).normal(size=(2, 3, 16, 16)))
        results = run_in_threads(lambda i, net=net, x=x: net(x).asnumpy(), count=8)
        for y in results:
            np.testing.assert_array_equal(y, net(x).asnumpy())
        assert twin[0].weight._data is None         # the copy was not touched


def test_an_error_in_one_thread_leaves_the_others_as_they_are():
    net = convolutions()
    net.hybridize()
    x, wrong = nd.ones((2, 3, 16, 16)), nd.ones((2, 4, 16, 16))
    wanted = net(x).asnumpy()

    def call(i):
        for _ in range(10):
            if i % 2:
                with pytest.raises(mx.MXNetError, match="Convolution"), autograd.record():
                    net(wrong)
                assert not autograd.is_recording()
            else:
                np.testing.assert_array_equal(net(x).asnumpy(), wanted)

    run_in_threads(call, count=8)


@pytest.mark.parametrize("active", [False, True])
def test_the_first_calls_of_a_new_net_differ_from_thread_to_thread(active):
    """Batches and train modes differ; the parameters are made once, and the names are those of one net."""
    net = mlp(6, 3)
    net.hybridize(active)
    inputs = [nd.ones((i + 1, 5)) for i in range(8)]

    def call(i):
        with autograd.record(train_mode=i % 2 == 0):
            return net(inputs[i])

    results = run_in_threads(call, count=8)
    for y, x in zip(results, inputs, strict=True):
        np.testing.assert_array_equal(y.asnumpy(), net(x).asnumpy())
    assert net[0].weight.shape == (6, 5)


def test_blocks_made_in_threads_have_names_of_their_own():
    def names(i):
        net = nn.HybridSequential(prefix=f"net{i}_")
        with net.name_scope():
            net.add(*[nn.Dense(2) for _ in range(20)])
        return [block.name for block in net]

    for i, found in enumerate(run_in_threads(names, count=8)):
        assert found == [f"net{i}_dense{n}" for n in range(20)]


def test_a_parameter_that_another_thread_has_just_finished_was_deferred():
    """It saw no array, and before it says why, there is one: whoever waits for deferred initialization goes on."""
    param = gluon.Parameter("weight", shape=(2,))
    param.initialize()
    with pytest.raises(gluon.parameter.DeferredInitializationError, match="^Parameter 'weight' has no value yet"):
        param._raise_unavailable(None, None)


def test_each_thread_has_its_own_shapes_and_modes():
    net = hybrid(lambda F, x: F.Dropout(F.softmax(x), p=0.5) * 2)

    def call(i):
        results = []
        for n in range(1, 30):
            x = nd.ones((n, 4)) * n
            with autograd.train_mode() if i % 2 else autograd.predict_mode():
                results.append(net(x).asnumpy())
        return results

    for i, results in enumerate(run_in_threads(call, count=8)):
        for y in results:
            assert set(np.unique(y)) <= ({0, 1} if i % 2 else {0.5})


def test_plans_that_another_thread_has_cleared_meanwhile():
    class Cleared(Plans):
        def __contains__(self, key):
            found = super().__contains__(key)
            self.clear()
            return found

        def __setitem__(self, key, value):
            """Gone at once."""

    net = mlp(3)
    wanted = net(array(2, 4)).asnumpy()
    net.hybridize()
    net(array(1, 4))
    for graph in net._graphs.values():
        for params in graph.bound.values():
            cleared = Cleared()
            dict.update(cleared, params.plans)
            params.plans = cleared
    np.testing.assert_array_equal(net(array(2, 4)).asnumpy(), wanted)


def test_the_profiler_begins_while_another_thread_makes_a_net(monkeypatch):
    class Keepers(weakref.WeakSet):
        another = None

        def __iter__(self):
            for keeper in super().__iter__():
                if self.another is None:
                    self.another = CachedOp(mx.sym.var("x"), ["x"])
                    self.add(self.another)
                yield keeper

    first = CachedOp(mx.sym.var("x"), ["x"])
    monkeypatch.setattr(forgetting, "kernel_caches", Keepers([first]))
    for state in "run", "stop":
        mx.profiler.set_state(state)


def test_devices_of_threads():
    net = mlp(6, 3)
    net.collect_params().reset_ctx([mx.cpu(i) for i in range(4)])
    net(array(2, 4))
    net.hybridize()
    wanted = net(array(2, 4)).asnumpy()

    def call(i):
        x = array(2, 4).as_in_context(mx.cpu(i % 4))
        for _ in range(20):
            y = net(x)
            assert y.context == x.context
        return y.asnumpy()

    for y in run_in_threads(call, count=8):
        np.testing.assert_array_equal(y, wanted)
