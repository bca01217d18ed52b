"""Attention in one pass: each way to write it becomes one operator, with the numbers of the graph as it was written."""

import math

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from minigluon_accel.backend import BACKEND, AccelBackend, CompiledKernel

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import Spec
from minigluon.gluon import nn
from minigluon.ops import REGISTRY
from minigluon_accel import engine

BATCH, LENGTH, UNITS, HEADS = 3, 20, 24, 4
RNG = np.random.default_rng(7)
LAYOUTS = {"query_layout": "NTC", "key_layout": "NTC", "value_layout": "NTC", "out_layout": "NTC"}


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


MASKS = [("none", ()), ("add", (1, 1, 0, 1)), ("add", (0, 1, 1, 1)), ("where", (1, 0, 1, 1)), ("where", (1, 1, 1, 0)),
         ("length", (1, 0, 0)), ("length", (1, 1, 1)), ("until", (0, 0, 1))]


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
    def draw(*shape):
        return RNG.normal(size=shape).astype(dtype)

    arrays = [draw(batch, queries, heads * size), draw(batch, keys, heads * size), draw(batch, keys, heads * width)]
    full = [n if d else 1 for n, d in zip((batch, heads, queries, keys), differs, strict=False)]
    if masking == "add":
        arrays.append(3 * draw(*full))
    elif masking == "where":
        arrays.append((RNG.random(full) < 0.6).astype(dtype))
    elif masking != "none":
        arrays.append(RNG.integers(0, keys + 2, (*full, 1)).astype(dtype))
    attributes = {**LAYOUTS, "heads": heads, "scale": size ** -0.5, "masking": masking, "weighs": masking == "where",
                  "fill": -1e4 if masking in ("where", "until") else 0}
    for name, more in [("_attention", {}), *[("_attention_dropped", {"p": p}) for p in (0.0, 0.3, 1.0)]]:
        op = REGISTRY[name](**attributes, **more)
        expected = op.forward(*arrays, **({"rng": generator()} if op.random else {}))
        compare([written(op, arrays, threads) for threads in (1, 2)], expected, tolerance)
        back, grads = REGISTRY[name + "_grad"](**op.attributes), [draw(*expected[0].shape), *expected, *arrays]
        compare([written(back, grads, threads) for threads in (1, 2)], back.forward(*grads), 20 * tolerance)


def compare(results, expected, tolerance):
    one, two = results
    for a, b, c in zip(one, two, expected, strict=True):
        assert a.tobytes() == b.tobytes()
        np.testing.assert_allclose(a, c, rtol=tolerance, atol=tolerance)


# -- the pass -------------------------------------------------------------------------------------------------------

class Attention(gluon.HybridBlock):
    """Self-attention in one of the ways in which programs write it."""

    def __init__(self, way):
        super().__init__(prefix="net_")
        self.way = way
        with self.name_scope():
            self.query, self.key, self.value = (nn.Dense(UNITS, flatten=False) for _ in range(3))

    def split(self, F, x):
        return F.reshape(F.transpose(F.reshape(x, (0, 0, HEADS, -1)), (0, 2, 1, 3)), (-3, 0, 0))

    def hybrid_forward(self, F, x, mask=None):
        query, key, value = self.query(x), self.key(x), self.value(x)
        if "interleaved" in self.way:
            return self.interleaved(F, F.transpose(F.concat(query, key, value, dim=-1), (1, 0, 2)), mask)
        query, key, value = (self.split(F, y) for y in (query, key, value))
        weights = self.weights(F, self.scores(F, query, key), mask)
        mixed = F.batch_dot(self.dropped(F, weights), value)
        mixed = F.reshape(F.transpose(F.reshape(mixed, (-4, -1, HEADS, 0, 0)), (0, 2, 1, 3)), (0, 0, -3))
        return (mixed, weights) if self.way == "weights too" else mixed

    def interleaved(self, F, x, lengths):
        scores = F.contrib.interleaved_matmul_selfatt_qk(x, heads=HEADS)
        if lengths is None:
            weights = F.softmax(scores, axis=-1)
        else:
            lengths = F.reshape(F.broadcast_axis(F.expand_dims(lengths, 1), axis=1, size=HEADS), (-1, 0), reverse=True)
            weights = F.softmax(scores, length=lengths, use_length=True, axis=-1)
        return F.contrib.interleaved_matmul_selfatt_valatt(x, self.dropped(F, weights), heads=HEADS)

    def dropped(self, F, weights):
        if self.way == "rows dropped":
            return F.Dropout(weights, p=0.4, axes=(2,))
        return F.Dropout(weights, p=0.4) if "dropped" in self.way else weights

    def scores(self, F, query, key):
        if self.way == "query divided":
            return F.batch_dot(F.contrib.div_sqrt_dim(query), key, transpose_b=True)
        if self.way == "key turned":
            return F.batch_dot(query, F.transpose(key, (0, 2, 1))) * 0.4
        return F.batch_dot(query, key, transpose_b=True) / math.sqrt(UNITS // HEADS)

    def weights(self, F, scores, mask):
        if "GluonNLP" in self.way:
            mask = F.reshape(F.broadcast_axis(F.expand_dims(mask, 1), axis=1, size=HEADS), (-1, 0, 0), reverse=True)
            return F.softmax(F.where(mask, scores, -1e18 * F.ones_like(scores)), axis=-1) * mask
        if "added" in self.way:
            scores = F.broadcast_add(F.reshape(scores, (-4, -1, HEADS, 0, 0)), F.expand_dims(mask, 1))
            return F.reshape(F.softmax(scores, axis=-1), (-3, 0, 0))
        if "lengths of d2l" in self.way:
            lengths = F.repeat(F.repeat(mask, HEADS, axis=0), LENGTH, axis=0)
            scores = F.SequenceMask(F.reshape(scores, (-3, 0)), lengths, True, axis=1, value=-1e6)
            return F.reshape(F.softmax(scores), (-4, -1, LENGTH, 0))
        return F.softmax(scores, axis=-1)


CAUSAL = np.tril(np.ones((LENGTH, LENGTH)))
MASK_OF = {
    "GluonNLP's mask": np.tile(CAUSAL, (BATCH, 1, 1)), "GluonNLP's mask, rows of zeros": RNG.random(
        (BATCH, LENGTH, LENGTH)) < 0.06, "added": RNG.normal(size=(BATCH, LENGTH, LENGTH)),
    "added, causal": np.where(CAUSAL, 0, -np.inf)[None], "lengths of d2l": np.array([5, 20, 11]),
    "interleaved, lengths": np.tile([[5], [20], [0]], (1, LENGTH))}
MASK_OF |= {f"{way}, dropped": MASK_OF[way] for way in ("GluonNLP's mask", "added, causal", "lengths of d2l",
                                                        "interleaved, lengths")}
WAYS = ["plain", "query divided", "key turned", "interleaved", *MASK_OF, "dropped", "interleaved, dropped"]


def results(net, x, mask):
    """Predictions, and those of a train step with its gradients."""
    arguments = [x] if mask is None else [x, mask]
    x.attach_grad()
    with autograd.record():
        y = net(*arguments)
        loss = ((y[0] if isinstance(y, list) else y) * nd.arange(BATCH * LENGTH * UNITS).reshape(
            y[0].shape if isinstance(y, list) else y.shape)).mean() / 100
    loss.backward()
    predicted = net(*arguments)
    predicted = predicted[0] if isinstance(predicted, list) else predicted
    return [a.asnumpy() for a in (predicted, loss, x.grad, *[p.grad() for p in net.collect_params().values()])]


def net_of(way):
    mx.random.seed(3)
    net = Attention(way)
    net.initialize(mx.init.Xavier(magnitude=6))
    mask = MASK_OF.get(way)
    return net, nd.random.normal(shape=(BATCH, LENGTH, UNITS)), None if mask is None else nd.array(mask)


def plans(net):
    return [runner.plan for graph in net._graphs.values() for runners in graph.compiled._runners.values()
            for runner in runners.values()]


def operators(net):
    return {step.node.op.name for plan in plans(net) for step in plan.steps}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_becomes_one_operator(way, monkeypatch):
    net, x, mask = net_of(way)
    net.hybridize()
    mx.random.seed(5)
    found = results(net, x, mask)
    names, memory = operators(net), max(plan.memory.size for plan in plans(net))
    dropped = {"_attention_dropped", "_attention_dropped_grad"} if "dropped" in way else set()
    assert {"_attention", *(dropped or {"_attention_grad"})} <= names
    assert not {"softmax", "batch_dot", "Dropout"} & names
    monkeypatch.setattr(AccelBackend, "combine", lambda self, graph, specs, wanted, reports: graph)
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
    assert "_attention_dropped" not in operators(net)


def test_dropped_weights_are_those_that_the_imperative_net_drops():
    net, x, _ = net_of("dropped")
    mx.random.seed(5)
    expected = results(net, x, None)
    net, x, _ = net_of("dropped")
    net.hybridize()
    mx.random.seed(5)
    for a, b in zip(results(net, x, None), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5 * max(1, np.abs(b).max()))
    assert "_attention_dropped" in operators(net)


@pytest.mark.parametrize("p", [-0.1, 1.5, np.nan, np.inf])
def test_what_is_no_probability_meets_no_kernel(p):
    arrays = [nd.ones(shape) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 4))]
    with pytest.raises(mx.base.ShapeError, match=f"_attention_dropped: p={p} is no probability, expected 0 to 1"):
        nd._internal._attention_dropped(*arrays, p=p)


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
    graph._compile([Spec(shape, dtype) for shape in shapes], x.context, (), reports)
    (report,) = [report for report in reports if report.name == "attention"]
    assert report.notes == ["net_batch_dot1: one pass for 4 heads in place of batch_dot, _div_scalar, softmax, "
                            "batch_dot"]
