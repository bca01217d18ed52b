"""What the memory plan says, against what is allocated: tracemalloc sees every buffer of NumPy's."""

import gc
import tracemalloc

import pytest

import minigluon as mx
from minigluon import autograd, nd
from minigluon.gluon import nn


def lenet():
    """LeNet, a batch and a head gradient."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(20, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
                nn.Conv2D(50, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
                nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10))
    return net, nd.random.uniform(shape=(64, 1, 28, 28)), nd.ones((64, 10))


def deep(rows=64):
    """A hundred layers."""
    net = nn.HybridSequential()
    with net.name_scope():
        for _ in range(99):
            net.add(nn.Dense(71, activation="relu"))
        net.add(nn.Dense(10))
    return net, nd.random.uniform(shape=(rows, 784)), nd.ones((rows, 10))


def peak_of_a_step(make, **how):
    """(bytes that forward and backward take at most, the plan or None), beyond parameters, gradients and data."""
    net, x, head = make()
    net.initialize(mx.init.Xavier())
    if how.pop("hybrid"):
        net.hybridize(**how)

    def step():
        with autograd.record():
            y = net(x)
        y.backward(head)

    step()
    step()
    plans = [graph.compiled.last_plan for graph in getattr(net, "_graphs", {}).values()]
    gc.collect()
    # The least of three: a table of the whole process (interned operators, the test runner's reports) that happens to
    # grow during a step doubles at once, by hundreds of kilobytes, and grows only once.
    peak = min(_traced_peak(step) for _ in range(3))
    kept = plans[0].memory.size if plans else 0         # the block, which the plan holds from step to step
    return peak + kept, plans[0] if plans else None


def _traced_peak(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("make", "recompute"), [(lenet, False), (lenet, True), (deep, False),
                                                 (lambda: deep(rows=256), True)])
def test_the_planned_number_is_the_measured_one(make, recompute):
    """Within a tenth: beside the buffers there are Python's own objects, some 70 kB for a hundred layers."""
    measured, plan = peak_of_a_step(make, hybrid=True, recompute=recompute)
    assert abs(plan.memory.peak - measured) <= 0.1 * measured


@pytest.mark.parametrize(("make", "recompute"), [(lenet, False), (deep, True)])
def test_a_hybridized_step_takes_six_tenths_of_the_memory(make, recompute):
    imperative, _ = peak_of_a_step(make, hybrid=False)
    hybridized, _ = peak_of_a_step(make, hybrid=True, recompute=recompute)
    assert hybridized <= 0.6 * imperative


@pytest.mark.parametrize("make", [lenet, deep])
def test_the_block_is_hardly_larger_than_what_lives_at_one_step(make):
    _, plan = peak_of_a_step(make, hybrid=True)
    inside = [b for b in plan.memory.buffers if b.kind in ("value", "scratch")]
    alive = max(sum(b.size for b in inside if b.first <= step <= b.last) for step in range(plan.memory.steps))
    assert alive <= plan.memory.size <= 1.1 * alive
