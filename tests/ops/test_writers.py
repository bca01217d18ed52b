"""Kernels of the NumPy table against forward: the same values in memory that a plan has laid out, full of garbage."""

import math
import tracemalloc

import numpy as np
import pytest
from helpers.memory import least
from helpers.op_heads import head_grad
from helpers.rows import bound, garbage, recorded
from hypothesis import given, settings
from hypothesis import strategies as st
from op_cases import CASES

from minigluon import autograd, init, nd
from minigluon.backend import Spec
from minigluon.backend.numpy import forward_for, writer_for
from minigluon.base import DTypeError
from minigluon.dispatch import infer
from minigluon.gluon import nn
from minigluon.gluon.loss import SoftmaxCrossEntropyLoss
from minigluon.ops import REGISTRY
from minigluon.ops.fields import MISSING
from minigluon.ops.math.broadcast import Broadcast
from minigluon.ops.op import Op

pytestmark = pytest.mark.once

# Where the writer computes in another order than forward, and why. Everything else is equal bit for bit.
ANOTHER_ORDER = {}


class Planned:
    """An operator's writer with the memory that a plan would give it: garbage at first."""

    def __init__(self, op, arrays, train=False):
        self.op, self.arrays = op, [np.ascontiguousarray(a) for a in arrays]
        self.names = op.argument_names(len(arrays))
        self.how = {"train": train} if op.takes_train else {}
        self.write = None
        if not op.dynamic:
            self.inputs = [Spec(a.shape, a.dtype) for a in arrays]
            self.outputs = infer(op, self.inputs)
            self.prepare()

    def __repr__(self):
        return f"{self.op!r} on {[a.dtype.name for a in self.arrays]}, {self.how}"

    def prepare(self):
        writer = writer_for(self.op, self.inputs, self.outputs, **self.with_rng())
        self.write = writer and writer.run
        self.scratch = [garbage(spec) for spec in writer.scratch] if writer else []

    def with_rng(self):
        return {**self.how, "rng": np.random.default_rng(7)} if self.op.random else self.how

    def expected(self):
        """What forward gives: the outputs, and the new values of mutated inputs by name."""
        results = forward_for(self.op, *[a.dtype for a in self.arrays])(*self.arrays, **self.with_rng())
        if self.op.num_outputs == 1 and not self.op.mutates:
            return [results], {}
        results = list(results)
        mutated = zip(self.op.mutates, results[self.op.num_outputs:], strict=False)
        return results[:self.op.num_outputs], {name: value for name, value in mutated if value is not None}

    def run(self, alias=None):
        """Write, with `alias` over the memory of that input, and compare all outputs and inputs."""
        inputs = [a.copy() for a in self.arrays]
        outputs = [garbage(spec) for spec in self.outputs]
        if alias is not None:
            outputs[0] = inputs[alias].reshape(self.outputs[0].shape)
        expected, mutated = self.expected()
        if self.op.random:      # a writer holds its generator: prepare it anew, with the same numbers to come
            self.prepare()
        self.write(inputs, outputs + self.scratch)
        tolerance = ANOTHER_ORDER.get(self.op.name)
        for number, (found, wanted) in enumerate(zip(outputs, expected, strict=True)):
            close(found, wanted, tolerance, f"{self!r}: output {number}, alias {alias}")
        for i, (name, found, before) in enumerate(zip(self.names, inputs, self.arrays, strict=True)):
            if i != alias:
                wanted = mutated.get(name, before)
                close(found, wanted, tolerance, f"{self!r}: input {name}, alias {alias}")

    def check(self):
        self.run()
        self.run()
        out = self.outputs[0]
        for i, (name, array) in enumerate(zip(self.names, self.arrays, strict=True)):
            if name in self.op.in_place and name not in self.op.mutates and Spec((array.size,), array.dtype) == Spec(
                    (math.prod(out.shape),), out.dtype):
                self.run(alias=i)


def close(found, wanted, tolerance, message):
    wanted = np.asarray(wanted)
    assert found.shape == wanted.shape, message
    assert found.dtype == wanted.dtype, message
    if tolerance is None:
        np.testing.assert_array_equal(found, wanted, message)
    else:
        eps = np.finfo(found.dtype).eps
        scale = np.max(np.abs(wanted), initial=0, where=np.isfinite(wanted))
        np.testing.assert_allclose(found, wanted, tolerance * eps, tolerance * eps * scale, err_msg=message)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_a_writer_writes_what_forward_gives(case):
    for dtype in "float32", "float64":
        arrays = case.inputs(dtype)
        op = bound(case.op, arrays, case.attrs)
        for train in (False, True) if op.takes_train else (False,):
            planned = Planned(op, arrays, train)
            if planned.write is not None:
                planned.check()


@pytest.mark.parametrize("case", [c for c in CASES if c.grad], ids=lambda c: c.id)
def test_the_writers_of_gradients_write_what_forward_gives(case):
    arrays = [nd.array(a, dtype=a.dtype) for a in case.inputs("float32")]
    for i in case.grad:
        arrays[i].attach_grad()
    with recorded() as calls, autograd.record(train_mode=case.train):
        outputs = getattr(nd, case.op)(*arrays, **case.attrs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        heads = [nd.array(head_grad(y.shape, i), dtype=y.dtype) for i, y in enumerate(outputs)]
        autograd.backward(outputs, heads)
    ours = {op: Planned(op, inputs, train) for op, inputs, train in calls}
    for planned in ours.values():
        if planned.write is not None:
            planned.check()


# -- the nets of the benchmarks -----------------------------------------------------------------------------------

def lenet():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(50, 5, activation="relu"),
            nn.MaxPool2D(2, 2), nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10))
    return net, (64, 1, 28, 28)


def alexnet():
    """AlexNet's layers and image size with an eighth of its channels, and a batch of two."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 11, 4, 2, activation="relu"), nn.MaxPool2D(3, 2), nn.Conv2D(24, 5, padding=2),
            nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(3, 2), nn.Conv2D(48, 3, padding=1, activation="relu"),
            nn.MaxPool2D(3, 2), nn.Flatten(), nn.Dense(64, activation="relu"), nn.Dropout(0.5), nn.Dense(10))
    return net, (2, 3, 227, 227)


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(256, activation="tanh"), nn.Dense(2, activation="sigmoid"))
    return net, (1, 512)


@pytest.fixture(params=[lenet, alexnet, mlp], ids=lambda f: f.__name__, scope="module")
def train_step(request):
    """All operators of a training step, forward and backward, with their inputs."""
    net, shape = request.param()
    net.initialize(init.Xavier())
    x, label = nd.random.uniform(shape=shape), nd.array([0] * shape[0])
    net(x)
    loss = SoftmaxCrossEntropyLoss()
    with recorded() as calls, autograd.record():
        loss(net(x), label).backward()
    return [Planned(op, arrays, train) for op, arrays, train in calls]


def test_every_operator_of_a_train_step_has_a_writer(train_step):
    assert len(train_step) > 10
    assert [p.op.name for p in train_step if p.write is None] == []


def test_the_writers_of_a_train_step_allocate_nothing_large(train_step):
    for planned in train_step:
        inputs, outputs = [a.copy() for a in planned.arrays], [garbage(spec) for spec in planned.outputs]
        planned.write(inputs, outputs + planned.scratch)

        def written(planned=planned, inputs=inputs, outputs=outputs):
            tracemalloc.start()
            planned.write(inputs, outputs + planned.scratch)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return peak
        peak = least(written, 2 ** 17)      # NumPy's own buffers: 8192 elements of each of three operands
        assert peak < 2 ** 17, f"{planned.op!r} allocates {peak} bytes"


def test_scratch_memory_of_a_train_step_is_small(train_step):
    for planned in train_step:
        size = sum(a.nbytes for a in planned.scratch)
        one_image = max(a.nbytes / a.shape[0] * math.prod(getattr(planned.op, "kernel", ())) for a in planned.arrays)
        assert size <= max(2 ** 21, 2 * one_image), f"{planned.op!r} asks for {size} bytes"
        planned.check()


# -- any shape ----------------------------------------------------------------------------------------------------

shapes = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)
dtypes = st.sampled_from(["float32", "float64", "float16", "int32", "int8", "uint8", "int64", "bool"])
ELEMENTWISE = sorted({cls.name for cls in REGISTRY.values() if cls.elementwise is True and not cls.mutates
                      and cls.infer_shape is Op.infer_shape or issubclass(cls, Broadcast)})


def values(shape, dtype, seed):
    """Numbers of both signs, whole ones among them, with infinity and NaN."""
    numbers = np.random.default_rng(seed).normal(0, 2, shape)
    numbers = np.where(numbers > 0.5, np.rint(numbers), numbers)
    if np.dtype(dtype).kind != "f":
        return (numbers if dtype != "uint8" else abs(numbers)).astype(dtype)
    numbers[numbers > 4] = np.inf
    numbers[numbers < -4] = np.nan
    return numbers.astype(dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ELEMENTWISE)
@given(shapes, dtypes, st.booleans(), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_elementwise_families(name, shape, dtype, large, seed):
    cls = REGISTRY[name]
    if large:
        shape = (3, 2 ** 13 // 3 + seed)            # more than one block, the last one short
    attributes = {field: 1.5 for field, f in cls.fields.items() if f.default is MISSING and f.annotation is float}
    op = cls(**attributes) if "act_type" not in cls.fields else cls(act_type="relu")
    count = 3 if cls.variadic else len(op.list_arguments())
    op = cls(num_args=3) if cls.variadic else op
    arrays = [values(shape, dtype, seed + i) for i in range(count)]
    try:
        wanted = forward_for(op, *[a.dtype for a in arrays])(*arrays)
        planned = Planned(op, arrays)
    except (DTypeError, TypeError):
        return
    if planned.write is not None and wanted.dtype == planned.outputs[0].dtype:
        planned.check()


@given(shapes, st.integers(0, 3), st.booleans(), st.booleans(), st.sampled_from(["float32", "float64", "int32"]))
@settings(max_examples=30, deadline=None)
def test_fully_connected(shape, count, no_bias, flatten, dtype):
    rng = np.random.default_rng(0)
    features = math.prod(shape[1:]) if flatten else shape[-1]
    arrays = [rng.integers(-3, 4, s).astype(dtype) for s in (shape, (count, features), (count,))]
    op = REGISTRY["FullyConnected"](num_hidden=count, no_bias=no_bias, flatten=flatten)
    planned = Planned(op, arrays[:3 - no_bias])
    planned.check()
    grad = rng.integers(-3, 4, planned.outputs[0].shape).astype(dtype)
    Planned(REGISTRY["_fully_connected"](flatten=flatten), arrays[:2]).check()
    Planned(REGISTRY["_fully_connected_data_grad"](flatten=flatten), [grad, arrays[1], arrays[0]]).check()
    Planned(REGISTRY["_fully_connected_weight_grad"](flatten=flatten), [grad, arrays[0]]).check()


@given(st.data(), st.integers(0, 3), st.integers(1, 3), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_convolution_and_pooling(data, batch, d, last, wide):
    """Also with wide images, which have a product each."""
    numbers = st.lists(st.integers(1, 3), min_size=d, max_size=d).map(tuple)
    kernel, stride, dilate = (data.draw(numbers) for _ in range(3))
    pad = data.draw(st.lists(st.integers(0, 2), min_size=d, max_size=d).map(tuple))
    extra = data.draw(numbers)
    groups, ins, outs = (data.draw(st.integers(1, 2)) for _ in range(3))
    space = [dl * (k - 1) + e + (60 if wide and i == d - 1 else 0)
             for i, (k, dl, e) in enumerate(zip(kernel, dilate, extra, strict=True))]
    layout = {1: "NWC", 2: "NHWC", 3: "NDHWC"}[d] if last else None
    rng = np.random.default_rng(0)

    def array(channels, space, first=batch):
        shape = (first, *space, channels) if last else (first, channels, *space)
        return rng.integers(-3, 4, shape).astype("float32")

    how = {"kernel": kernel, "stride": stride, "dilate": dilate, "pad": pad, "num_group": groups, "layout": layout}
    x, weight = array(groups * ins, space), array(ins, kernel, groups * outs)
    bias = np.arange(groups * outs, dtype="float32")
    conv = Planned(REGISTRY["Convolution"](num_filter=groups * outs, **how), [x, weight, bias])
    conv.check()
    grad = rng.integers(-3, 4, conv.outputs[0].shape).astype("float32")
    Planned(REGISTRY["_conv"](**how), [x, weight, grad]).check()
    Planned(REGISTRY["_conv_data_grad"](**how), [grad, weight, x]).check()
    Planned(REGISTRY["_conv_weight_grad"](**how), [grad, x, weight]).check()
    for pool_type in "max", "avg", "sum":
        attributes = {"kernel": kernel, "stride": stride, "pad": tuple(np.minimum(pad, kernel) // 2),
                      "pool_type": pool_type, "layout": layout}
        pool = Planned(REGISTRY["Pooling"](**attributes), [x])
        pool.check()
        grad = rng.integers(-3, 4, pool.outputs[0].shape).astype("float32")
        if pool_type == "max":
            Planned(REGISTRY["_max_pooling_grad"](**attributes), [grad, x, pool.expected()[0][0]]).check()
        else:
            Planned(REGISTRY["_sum_pooling_grad"](**attributes), [grad, x]).check()
