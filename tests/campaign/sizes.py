"""One hybridized call after another with other lengths: each gives what a fresh compilation for its shape gives.

A row of the table of operators is called inside of a block; one of its inputs' lengths is changed, wherever it stands,
to some others in turn. From the second shape on the plan is one with names for lengths; what it computes, gradients
included, is compared bit for bit with a block that has seen no other shape. Where that one raises, the other must, too.
"""

import random

import numpy as np
from helpers.op_heads import head_grad
from op_cases import CASES

import minigluon as mx
from minigluon import autograd, gluon, nd

SECONDS = 10.0
IN_CI = 15
LARGEST = 1 << 16       # elements of an input


class Row(gluon.HybridBlock):
    """The operator, with an elementwise one before and behind it, so that there is something to plan."""

    def __init__(self, row, **kwargs):
        super().__init__(**kwargs)
        self.row = row

    def hybrid_forward(self, F, *inputs):
        row = self.row
        inputs = [x * 1 if k in row.grad else x for k, x in enumerate(inputs)]
        outputs = getattr(F, row.op)(*inputs, **row.attrs)
        return [y * 2 for y in (outputs if F is mx.sym or isinstance(outputs, (list, tuple)) else [outputs])]


def case(seed):
    """A row, the length that changes, and its values in turn."""
    draw = random.Random(seed)
    row = draw.choice([row for row in CASES if row.makers])
    lengths = sorted({n for x in row.inputs() for n in x.shape if n > 1}) or [1]
    return {"row": row.id, "length": draw.choice(lengths), "values": [draw.randrange(2, 24) for _ in range(5)],
            "record": bool(row.grad) and draw.random() < 0.5, "places": draw.choice(["all", "all", "first"])}


def run(case):
    """What differs, or None."""
    row = next(row for row in CASES if row.id == case["row"])
    kept = Row(row)
    kept.hybridize()
    rng = np.random.default_rng(0)
    for value in [case["length"], *case["values"]]:
        arrays = [resized(x, case, value, rng) for x in row.inputs("float32")]
        if max(x.size for x in arrays) > LARGEST:
            continue
        fresh = Row(row)
        fresh.hybridize()
        found, wanted = (outcome(block, row, arrays, case["record"]) for block in (kept, fresh))
        if isinstance(found, str) != isinstance(wanted, str):
            return f"{case}, at {value}: {first(found)}, but compiled for this shape alone: {first(wanted)}"
        if isinstance(found, str):
            continue
        for number, (a, b) in enumerate(zip(found, wanted, strict=True)):
            if a.shape != b.shape or a.dtype != b.dtype or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
                return f"{case}, at {value}: result {number} differs from that of a plan for this shape alone"
    return None


def resized(x, case, value, rng):
    """The array with the length changed, its numbers drawn from its own so that indices stay indices."""
    axes = [axis for axis, n in enumerate(x.shape) if n == case["length"]]
    for axis in axes if case["places"] == "all" else axes[:1]:
        x = x.take(np.arange(value) % x.shape[axis], axis)
    return x


def outcome(block, row, arrays, record):
    """Results and gradients as NumPy arrays, or the kind of error."""
    inputs = [nd.array(x, dtype=x.dtype) for x in arrays]
    for k in row.grad if record else ():
        inputs[k].attach_grad()
    mx.random.seed(7)
    try:
        with autograd.record(train_mode=row.train) if record else (
                autograd.train_mode() if row.train else autograd.predict_mode()):
            outputs = block(*inputs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        if record:
            autograd.backward(outputs, [nd.array(head_grad(y.shape, k), dtype=y.dtype) for k, y in enumerate(outputs)])
        grads = [inputs[k].grad for k in row.grad] if record else []
        return [x.asnumpy() for x in (*outputs, *grads)]
    except mx.MXNetError as error:
        return f"{type(error).__name__}: {error}"


def first(result):
    return result.splitlines()[0] if isinstance(result, str) else "no error"
