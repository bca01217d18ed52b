"""Another user of CUDA in the same process and thread, which makes its own context current and leaves it so.

It comes before each line of a program: `switching` runs one so.
"""

import contextlib
import ctypes
import functools
import gc
import sys

import numpy as np
import pytest
from helpers import WIDE
from helpers.gpu_checks import GPU, _pooled  # noqa: F401 - fixture
from helpers.processes import program
from minigluon_accel.gpu import driver

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn


def ask(name, *arguments):
    status = getattr(driver.api(), name)(*arguments)
    assert status == 0, f"{name}: {driver.describe(status)}"


@pytest.fixture
def foreign():
    """A context of another library, on the same device."""
    nd.zeros((1,), ctx=GPU).wait_to_read()
    context, ours = ctypes.c_void_p(), ctypes.c_void_p()
    ask("cuCtxGetCurrent", ctypes.byref(ours))
    ask("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
    ask("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    yield context
    ask("cuCtxSetCurrent", ours)
    ask("cuCtxDestroy_v2", context)


@pytest.fixture
def switch(way, foreign):
    """What the other library does: it sets its context, pushes it again and again, or leaves none."""
    pushed = 0

    def act():
        nonlocal pushed
        pushed += 1
        if way == "none":
            ask("cuCtxSetCurrent", ctypes.c_void_p())
        else:
            ask("cuCtxSetCurrent" if way == "set" else "cuCtxPushCurrent_v2", foreign)
    yield act
    assert pushed > 5
    if way == "pushed":
        with contextlib.suppress(AssertionError):       # what is on the stack goes, down to nothing
            while True:
                ask("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


@contextlib.contextmanager
def before_each_line(function, act):
    """Call act() before each line of a function that runs."""
    def trace(frame, event, argument):
        if frame.f_code is not function.__code__:
            return None
        if event == "line":
            act()
        return trace
    former = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(former)


def switching(function, switch):
    """What a program returns, with the other library's switch before each of its lines."""
    with before_each_line(function, switch):
        return function()


def test_the_switch_comes_before_each_line():
    seen = []

    def three():
        x = [1]
        x.append(2)
        return x
    assert switching(three, lambda: seen.append(0)) == [1, 2]
    assert len(seen) == 3


# -- programs ---------------------------------------------------------------------------------------------------------


def arrays_and_copies():
    x = nd.array(np.arange(12).reshape(3, 4), ctx=GPU)
    total = (x * 2 + 1).sum(axis=1)
    there = total.as_in_context(mx.cpu())
    back = there.as_in_context(GPU)
    back[1] = 7
    back[nd.array([2], ctx=GPU)] = -1
    x[:, 1] = nd.zeros((3,), ctx=GPU)
    turned = x.T.copy()
    turned.wait_to_read()
    large = nd.array(np.ones(2 ** 20), ctx=GPU)
    back += large.sum() - large.shape[0]
    return there.asnumpy().tolist(), back.asnumpy().tolist(), turned.asnumpy()[1].tolist()


def memory_that_comes_and_goes():
    x = [nd.full((1000 + k,), k, ctx=GPU) for k in range(8)]
    kept = x[3] * 1
    del x[2:]
    gc.collect()
    y = nd.zeros((1003,), ctx=GPU)
    GPU.empty_cache()
    y += kept
    free, total = mx.context.gpu_memory_info(0)
    del x
    nd.waitall()
    return y.asnumpy().sum(), 0 < free < total


def numbers():
    mx.random.seed(5, ctx=GPU)
    first = nd.random.uniform(shape=(50,), ctx=GPU)
    second = nd.random.normal(shape=(50,), ctx=GPU)
    third = nd.random.randint(0, 1000, shape=(20,), ctx=GPU)
    fourth = nd.shuffle(nd.arange(20, ctx=GPU))
    mx.random.seed(5, ctx=GPU)
    again = nd.random.uniform(shape=(50,), ctx=GPU)
    assert (again.asnumpy() == first.asnumpy()).all()
    return [x.asnumpy().tolist() for x in (first, second, third, fourth)]


def a_net_of_all_kinds():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
    net.add(nn.MaxPool2D(2), nn.Flatten(), nn.Dropout(0.25), nn.Dense(3, in_units=16))
    mx.random.seed(1)
    net.initialize(mx.init.Xavier(), ctx=GPU)
    net.hybridize()
    loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    x = nd.array(np.random.default_rng(0).normal(size=(4, 2, 4, 4)), ctx=GPU)
    y = nd.array([0, 1, 2, 0], ctx=GPU)
    for _ in range(4):                                  # as a graph from the second round on
        with autograd.record():
            value = loss(net(x), y)
        value.backward()
        trainer.step(4)
        losses.append(value.asnumpy().tolist())
    del value, net
    return losses


def a_step_as_one_program():
    net = nn.HybridSequential()
    net.add(nn.Dense(5, in_units=4, activation="tanh"), nn.Dense(1, in_units=5))
    net.initialize(mx.init.One(), ctx=GPU)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    step = gluon.TrainStep(net, gluon.loss.L2Loss(), trainer)
    x, y = nd.ones((3, 4), ctx=GPU), nd.zeros((3,), ctx=GPU)
    losses = []
    for _ in range(4):
        losses.append(step(x, y).asnumpy().tolist())
    nd.waitall()
    return losses


def indices_out_of_range():
    table = nd.arange(3, ctx=GPU)
    found = nd.take(table, nd.array([1, 9], ctx=GPU), mode="raise")
    try:
        found.asnumpy()
    except mx.base.OutOfRangeError as error:
        return str(error)


@functools.cache
def wanted(function):
    """What the program returns where it is alone."""
    return function()


@pytest.mark.parametrize(("way", "function"), [
    *[("set", function) for function in (arrays_and_copies, memory_that_comes_and_goes, numbers, a_net_of_all_kinds,
                                         a_step_as_one_program, indices_out_of_range)],
    *[(way, function) for way in ("pushed", "none")
      for function in (memory_that_comes_and_goes, *[a_net_of_all_kinds] * WIDE)],
], ids=lambda value: getattr(value, "__name__", value))
def test_all_is_right_whatever_is_current(switch, pooled, function):
    assert switching(function, switch) == wanted(function)


def test_what_the_programs_compute():
    assert wanted(arrays_and_copies) == ([16, 48, 80], [16, 7, -1], [0, 0, 0])
    assert wanted(memory_that_comes_and_goes) == (3009, True)
    losses = np.mean(wanted(a_step_as_one_program), axis=1)
    assert losses[-1] < losses[0]


def test_two_devices_and_another_library():
    """The other library's context is on the second device, so that memory would come from the wrong one."""
    lines = program("""
        import ctypes
        from minigluon_accel.gpu import driver
        first, second = mx.gpu(0), mx.gpu(1)
        a, b = nd.ones((1000,), ctx=first), nd.ones((1000,), ctx=second)
        foreign = ctypes.c_void_p()
        ask = driver.api()
        assert ask.cuCtxCreate_v2(ctypes.byref(foreign), 0, 1) == 0
        for k in range(3):
            for ctx, x in (first, a), (second, b):
                assert ask.cuCtxPushCurrent_v2(foreign) == 0
                y = nd.full((1000,), k, ctx=ctx) + x
                assert ask.cuCtxSetCurrent(foreign) == 0
                print(y.context, y.asnumpy().sum(), (y + x.as_in_context(ctx)).sum().asscalar())
        before = [mx.context.gpu_memory_info(device)[0] for device in (0, 1)]
        ask.cuCtxSetCurrent(foreign)
        kept = nd.zeros((5000,), ctx=first)
        after = [mx.context.gpu_memory_info(device)[0] for device in (0, 1)]
        print(before[0] - after[0] >= 20000, before[1] - after[1])
        nd.waitall()
    """, MINIGLUON_GPU_COUNT="2") if driver.emulated() else None
    found = [f"gpu({device}) {1000.0 * (k + 1)} {1000.0 * (k + 2)}" for k in range(3) for device in (0, 1)]
    assert lines in (None, [*found, "True 0"])
