"""Another user of CUDA in the same process and thread, which makes its own context current and leaves it so."""

import contextlib
import ctypes

import numpy as np
import pytest
from helpers.gpu_checks import GPU

import minigluon as mx
from minigluon import autograd, gluon, nd

driver = pytest.importorskip("minigluon_accel.gpu.driver", reason="minigluon-accel is not installed")


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


def program():
    """Arrays, kernels, random numbers, copies both ways, a hybridized net and its graph, a step."""
    yield
    x = nd.array(np.arange(12).reshape(3, 4), ctx=GPU)
    yield
    total = (x * 2 + 1).sum(axis=1)
    yield
    assert total.asnumpy().tolist() == [16, 48, 80]
    yield
    assert nd.random.uniform(shape=(100,), ctx=GPU).max().asscalar() <= 1
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(5, in_units=4, activation="relu"), gluon.nn.Dense(2, in_units=5))
    net.initialize(mx.init.One(), ctx=GPU)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.0})
    for _ in range(3):                          # as a graph from the second call on
        yield
        with autograd.record():
            out = net(x)
        yield
        out.backward()
        yield
        trainer.step(1)
        yield
        assert out.asnumpy().tolist() == [[30, 30], [110, 110], [190, 190]]
    mx.nd.waitall()


@pytest.mark.parametrize("way", ["set", "pushed", "none"])
def test_all_is_right_whatever_is_current(foreign, way):
    for _ in program():
        if way == "none":
            ask("cuCtxSetCurrent", ctypes.c_void_p())
        else:
            ask("cuCtxSetCurrent" if way == "set" else "cuCtxPushCurrent_v2", foreign)
    if way == "pushed":
        with contextlib.suppress(AssertionError):       # what is on the stack goes, down to nothing
            while True:
                ask("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
