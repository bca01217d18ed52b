"""Rows of the operators' table run: as nd calls them, inside a graph, and what runs in both passes on the reference."""

import contextlib
import sys

import numpy as np
import pytest

import minigluon as mx
from helpers import WIDE
from helpers.op_heads import head_grad
from minigluon import autograd, nd, sym
from minigluon.backend import Kernel, ReferenceBackend, use_backend
from minigluon.frontend.binding import bind
from minigluon.ops import REGISTRY


def every_other(cases):
    """Half of the rows, for dear tests of what is alike with the plugin and without it: the even ones with it, the odd
    ones without it. MINIGLUON_TESTS=wide and --operator take all.
    """
    if WIDE or len({case.op for case in cases}) == 1:
        return cases
    without_plugin = sys.modules.get("minigluon_accel", "not asked") is None         # see conftest.py
    return cases[int(without_plugin)::2]


def bound(name, arrays, attrs):
    """The operator that `nd.name(*arrays, **attrs)` runs."""
    arrays = [nd.array(a, dtype=a.dtype) for a in arrays]
    return bind(REGISTRY[name], arrays, dict(attrs), lambda a: isinstance(a, nd.NDArray))[0]


def garbage(spec):
    """Memory as it is before anything is written to it: NaN, or a number nobody would expect."""
    array = np.empty(spec.shape, spec.dtype)
    array.fill(np.nan if spec.dtype.kind == "f" else 1 if spec.dtype.kind == "b" else 77)
    return array


@contextlib.contextmanager
def recorded():
    """The operators that run on the reference in the block, each as (op, its inputs, train)."""
    calls, prepare = [], ReferenceBackend.prepare

    def spy(backend, op, inputs, outputs, train, rng):
        kernel = prepare(backend, op, inputs, outputs, train, rng)

        def spied(ins):
            calls.append((op, [np.array(a, order="C") for a in ins], train))
            return kernel.run(ins)
        return Kernel(spied, kernel.write, kernel.scratch)

    with pytest.MonkeyPatch.context() as patch, use_backend("numpy"):
        patch.setattr(ReferenceBackend, "prepare", spy)
        yield calls


def surrounded(F, case, arrays, setting):
    """The outputs of a case as a list; 'between' puts an operator before each input and behind each output."""
    if setting == "between":
        arrays = [x + 0 for x in arrays]
    outputs = getattr(F, case.op)(*arrays, **case.attrs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple, sym.Symbol)) else [outputs]
    return [y * 2 + y for y in outputs] if setting == "between" else outputs


def run(case, setting, function, arrays):
    """(outputs, gradients of the inputs that the case differentiates, inputs afterwards), all as NumPy arrays."""
    mx.random.seed(7)
    arrays = [nd.array(a, dtype=a.dtype) for a in arrays]
    for i in case.grad:
        arrays[i].attach_grad()
    with autograd.record(train_mode=case.train):
        outputs = function(arrays)
    if case.grad:
        autograd.backward(outputs, [nd.array(head_grad(y.shape, i), dtype=y.dtype) for i, y in enumerate(outputs)])
    return ([y.asnumpy() for y in outputs], [arrays[i].grad.asnumpy() for i in case.grad],
            [x.asnumpy() for x in arrays])


def operators_of(case, arrays, attrs=None):
    """All that runs in a forward and backward pass of a case on these arrays: [(op, inputs, train)]."""
    arrays = [nd.array(a, dtype=a.dtype) for a in arrays]
    for i in case.grad:
        arrays[i].attach_grad()
    with recorded() as calls, autograd.record(train_mode=case.train):
        outputs = getattr(nd, case.op)(*arrays, **(case.attrs if attrs is None else attrs))
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        if case.grad:
            heads = [nd.array(head_grad(y.shape, i), dtype=y.dtype) for i, y in enumerate(outputs)]
            autograd.backward(outputs, heads)
    return calls
