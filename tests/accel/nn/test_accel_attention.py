"""Attention in one pass: each way to write it becomes one operator, with the numbers of the graph as it was written."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.attention_nets import MASKS, UNITS, WAYS, Attention, net_of, operands, operators, plans, results
from minigluon_accel.backend import BACKEND, AccelBackend, CompiledKernel

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import Spec
from minigluon.hybrid.runners import compile_runner
from minigluon.ops import REGISTRY
from minigluon_accel import engine

RNG = np.random.default_rng(7)


# -- the kernels ----------------------------------------------------------------------------------------------------

def generator():
    """The same one each time, some of whose numbers are used up."""
    rng = np.random.Generator(np.random.Philox(key=(5, 7)))
    rng.random(3, np.float32)
    return rng


def written(op, arrays, threads):
    """What the kernel of an operator writes."""
    specs = [Spec(x.shape, x.dtype) for x in arrays]
    shapes, dtypes = op.infer_shape(*[x.shape for x in arrays])[1], op.infer_dtype(*[x.dtype for x in arrays])[1]
    outputs = [Spec(*each) for each in zip(shapes, dtypes, strict=True)]
    kernel = BACKEND.prepare(op, specs, outputs, False, generator() if op.random else None)
    assert isinstance(kernel, CompiledKernel), kernel
    targets = [np.full(spec.shape, 7, spec.dtype) for spec in outputs]
    engine.set_threads(threads)
    kernel.write(arrays, targets)
    return targets


@pytest.mark.parametrize("isa", [name for name, (built, has) in engine.isas().items() if built and has])
@pytest.mark.parametrize(("masking", "differs"), MASKS)
def test_kernels_agree_with_the_reference(isa, masking, differs):
    """Blocks of all sizes, rows that vectors do not divide, masks that differ along some axes; with 1 and 2 threads."""
    before = engine.isa()
    engine.set_isa(isa)
    try:
        for dtype, tolerance in (("float32", 2e-5), ("float64", 1e-11)):
            for sizes in [(2, 3, 5, 7, 4, 6), (1, 2, 140, 139, 16, 32)]:
                check(masking, differs, np.dtype(dtype), tolerance, *sizes)
    finally:
        engine.set_isa(before)


def check(masking, differs, dtype, tolerance, batch, heads, queries, keys, size, width):
    arrays, attributes = operands(masking, differs, dtype, batch, heads, queries, keys, size, width)
    for name, more in [("_attention", {}), *[("_attention_dropout", {"p": p}) for p in (0.0, 0.3, 1.0)]]:
        op = REGISTRY[name](**attributes, **more)
        expected = op.forward(*arrays, **({"rng": generator()} if op.random else {}))
        compare([written(op, arrays, threads) for threads in (1, 2)], expected, tolerance)
        grads = [RNG.normal(size=expected[0].shape).astype(dtype), *expected, *arrays]
        back = REGISTRY[name + "_grad"](**op.attributes)
        compare([written(back, grads, threads) for threads in (1, 2)], back.forward(*grads), 20 * tolerance)


def compare(results, expected, tolerance):
    one, two = results
    for a, b, c in zip(one, two, expected, strict=True):
        assert a.tobytes() == b.tobytes()
        np.testing.assert_allclose(a, c, rtol=tolerance, atol=tolerance)


# -- the pass -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("way", WAYS)
def test_each_way_becomes_one_operator(way, monkeypatch):
    net, x, mask = net_of(way)
    net.hybridize()
    mx.random.seed(5)
    found = results(net, x, mask)
    names, memory = operators(net), max(plan.memory.size for plan in plans(net))
    dropped = {"_attention_dropout", "_attention_dropout_grad"} if "dropped" in way else set()
    assert {"_attention", *(dropped or {"_attention_grad"})} <= names
    assert not {"softmax", "batch_dot", "Dropout"} & names
    monkeypatch.setattr(AccelBackend, "passes_before_gradients", [])
    net, x, mask = net_of(way)
    net.hybridize()
    mx.random.seed(5)
    expected = results(net, x, mask)
    assert "_attention" not in operators(net)
    assert memory < max(plan.memory.size for plan in plans(net))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5 * max(1, np.abs(b).max()))


def test_weights_that_are_a_result_stay():
    net, x, _ = net_of("weights too")
    net.hybridize()
    results(net, x, None)
    assert "_attention" not in operators(net)


def test_a_mask_that_is_learned_stays():
    """Its gradient would be an array of all scores; without a gradient there is no reason to keep it apart."""
    net, x, mask = net_of("added")
    net.hybridize()
    mask.attach_grad()
    with autograd.record():
        net(x, mask).backward()
    assert "_attention" not in operators(net)
    net(x, mask)
    assert "_attention" in operators(net)
    assert np.abs(mask.grad.asnumpy()).max() > 0


def test_weights_dropped_together_stay():
    """With one draw for a whole row; in predict mode nothing is dropped."""
    net, x, _ = net_of("rows dropped")
    net.hybridize()
    results(net, x, None)
    assert {"Dropout", "softmax", "_attention"} <= operators(net)
    assert "_attention_dropout" not in operators(net)


def test_dropped_weights_are_those_that_the_imperative_net_drops():
    net, x, _ = net_of("dropped")
    mx.random.seed(5)
    expected = results(net, x, None)
    net, x, _ = net_of("dropped")
    net.hybridize()
    mx.random.seed(5)
    for a, b in zip(results(net, x, None), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5 * max(1, np.abs(b).max()))
    assert "_attention_dropout" in operators(net)


@pytest.mark.parametrize("p", [-0.1, 1.5, np.nan, np.inf])
def test_what_is_no_probability_meets_no_kernel(p):
    arrays = [nd.ones(shape) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 4))]
    with pytest.raises(mx.base.ShapeError, match=f"_attention_dropout: p={p} is not a probability, expected 0 to 1"):
        nd._internal._attention_dropout(*arrays, p=p)


@pytest.mark.parametrize("name", ["_attention", "_attention_grad", "_attention_dropout"])
@pytest.mark.parametrize("masking", ["none", "add", "length", "until"])
def test_only_a_mask_of_where_multiplies_weights(name, masking):
    """Kernels and reference took different factors from other masks, and the kernel one from a mask that is absent."""
    message = f"{name}: weighs is only for masking='where', found masking='{masking}'"
    with pytest.raises(mx.base.OpAttributeError, match=message):
        REGISTRY[name](masking=masking, weighs=True)


def test_few_queries_stay():
    """As in decoding: their scores are few."""
    net = Attention("plain")
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 7, UNITS)))
    assert "_attention" not in operators(net)


def test_a_report_tells_what_was_replaced():
    """Which is what `minigluon.explain` shows."""
    net, x, _ = net_of("plain")
    reports, dtype = [], np.dtype("float32")
    net(x)
    net.hybridize()
    net(x)
    graph = next(iter(net._graphs.values())).compiled
    shapes = [x.shape, *[(UNITS, UNITS), (UNITS,)] * 3]
    known = {name: Spec(shape, dtype) for name, shape in zip(graph.inputs, shapes, strict=True)}
    compile_runner(graph, known, x.context, (), reports=reports)
    (report,) = [report for report in reports if report.name == "fuse attention"]
    assert report.notes == ["net_batch_dot1: one pass for 4 heads in place of batch_dot, _div_scalar, softmax, "
                            "batch_dot"]
