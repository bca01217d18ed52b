"""Attention in the ways in which programs write it, and arrays for the operator that takes their place."""

import math

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

__all__ = ["BATCH", "HEADS", "LENGTH", "MASKS", "UNITS", "WAYS", "Attention", "net_of", "operands", "operators",
           "plans", "results"]

BATCH, LENGTH, UNITS, HEADS = 3, 20, 24, 4
RNG = np.random.default_rng(7)
LAYOUTS = {"query_layout": "NTC", "key_layout": "NTC", "value_layout": "NTC", "out_layout": "NTC"}
# what a mask does, and along which axes it differs
MASKS = [("none", ()), ("add", (1, 1, 0, 1)), ("add", (0, 1, 1, 1)), ("where", (1, 0, 1, 1)), ("where", (1, 1, 1, 0)),
         ("length", (1, 0, 0)), ("length", (1, 1, 1)), ("until", (0, 0, 1))]


def operands(masking, differs, dtype, batch, heads, queries, keys, size, width):
    """(arrays, attributes) for `_attention`, all in layout NTC."""
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
    attributes = {**LAYOUTS, "heads": heads, "scale": max(size, 1) ** -0.5, "masking": masking,
                  "weighs": masking == "where", "fill": -1e4 if masking in ("where", "until") else 0}
    return arrays, attributes


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
    return [runner.plan for graph in net._graphs.values() for runners in graph.compiled._plans.values()
            for runner in runners.values()]


def operators(net):
    return {step.node.op.name for plan in plans(net) for step in plan.steps}
