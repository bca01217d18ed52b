"""Writers against forward: the same values in memory that a plan has laid out, whatever was there before."""

import math

import numpy as np
import pytest
from op_cases import CASES

from minigluon import nd
from minigluon.backend import Spec
from minigluon.dispatch import infer
from minigluon.ops import REGISTRY
from minigluon.ops.binding import bind

# Where the writer computes in another order than forward, and why. Everything else is equal bit for bit.
ANOTHER_ORDER = {}


def bound(name, arrays, attrs):
    arrays = [nd.array(a, dtype=a.dtype) for a in arrays]
    return bind(REGISTRY[name], arrays, dict(attrs), lambda a: isinstance(a, nd.NDArray))[0]


class Planned:
    """An operator's writer with the memory that a plan would give it: garbage at first."""

    def __init__(self, op, arrays, train=False):
        self.op, self.arrays = op, [np.ascontiguousarray(a) for a in arrays]
        self.names = op.argument_names(len(arrays))
        self.how = {"train": train} if op.modal else {}
        self.write = None
        if not op.dynamic:
            self.inputs = [Spec(a.shape, a.dtype) for a in arrays]
            self.outputs = infer(op, self.inputs)
            self.prepare()
            self.scratch = [garbage(spec) for spec in op.scratch(self.inputs, self.outputs, **self.with_rng())]

    def prepare(self):
        self.write = self.op.writer_for(self.inputs, self.outputs, **self.with_rng())

    def with_rng(self):
        return {**self.how, "rng": np.random.default_rng(7)} if self.op.random else self.how

    def expected(self):
        """What forward gives: the outputs, and the new values of mutated inputs by name."""
        results = self.op.forward_for(*[a.dtype for a in self.arrays])(*self.arrays, **self.with_rng())
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
            close(found, wanted, tolerance, f"{self.op!r}: output {number}, alias {alias}")
        for i, (name, found, before) in enumerate(zip(self.names, inputs, self.arrays, strict=True)):
            if i != alias:
                wanted = mutated.get(name, before)
                close(found, wanted, tolerance, f"{self.op!r}: input {name}, alias {alias}")

    def check(self):
        self.run()
        self.run()
        out = self.outputs[0]
        for i, (name, array) in enumerate(zip(self.names, self.arrays, strict=True)):
            if name in self.op.in_place and array.dtype == out.dtype and array.size == math.prod(out.shape):
                self.run(alias=i)


def garbage(spec):
    array = np.empty(spec.shape, spec.dtype)
    array.fill(np.nan if spec.dtype.kind == "f" else 1 if spec.dtype.kind == "b" else 77)
    return array


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


@pytest.mark.parametrize("train", [False, True], ids=["predict", "train"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_a_writer_writes_what_forward_gives(case, dtype, train):
    arrays = case.inputs(dtype)
    op = bound(case.op, arrays, case.attrs)
    if train and not op.modal:
        return
    planned = Planned(op, arrays, train)
    if planned.write is not None:
        planned.check()
