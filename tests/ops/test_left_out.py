"""An operator with an input less or more than its attributes ask for is an error in words, whoever calls it."""

import contextlib

import numpy as np
import pytest
from helpers.misfits import valid_calls

from minigluon import autograd, nd, sym
from minigluon.backend import available, use_backend
from minigluon.base import MXNetError
from minigluon.ndarray.imperative import invoke
from minigluon.ops import REGISTRY
from minigluon.symbol.symbol import compose

BACKENDS = [name for name in ("numpy", "accel") if name in available()]


def distinct_calls():
    """[(op, arrays, train)]: of each operator those that differ in what they take."""
    found = {}
    for calls in valid_calls().values():
        for op, arrays, train in calls:
            if arrays:
                found.setdefault((op.name, len(arrays), op.num_inputs), (op, arrays, train))
    return list(found.values())


def misfit_inputs(op, inputs):
    """Lists of inputs with one left out, in its place None, one more, none at all, or something that is no array."""
    for place in range(len(inputs)):
        if op.num_inputs is not None:
            yield inputs[:place] + inputs[place + 1:]
        yield inputs[:place] + [None] + inputs[place + 1:]
        yield [*inputs[:place], 2.5, *inputs[place + 1:]]
    yield []
    if op.num_inputs is not None:
        yield [*inputs, inputs[-1]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_input_of_every_operator(backend):
    calls = distinct_calls()
    assert len({op.name for op, _, _ in calls}) > 380
    with use_backend(backend), np.errstate(all="ignore"):
        for op, arrays, train in calls:
            refuse_all(op, arrays, train)


def refuse_all(op, arrays, train):
    for warm in False, True:
        inputs = [nd.array(a, dtype=a.dtype) for a in arrays]
        with autograd.train_mode() if train else contextlib.nullcontext():
            if warm:                    # a kernel is remembered under the operator
                invoke(op, [x.copy() for x in inputs])
            for given in misfit_inputs(op, inputs):
                for how in ("plain", "recorded", "out") if warm else ("plain",):
                    with pytest.raises(MXNetError) as error, autograd.record() if how == "recorded" else (
                            contextlib.nullcontext()):
                        invoke(op, given, out=nd.zeros((1,)) if how == "out" else None)
                    assert op.name in str(error.value), (op, len(given), how)


def test_the_messages():
    x, op = nd.ones((3, 2, 2)), REGISTRY["SequenceMask"](use_sequence_length=True)
    takes = ("SequenceMask(use_sequence_length=True, value=0.0, axis=0) takes 2 inputs (data, sequence_length): "
             "{}.")
    for inputs, text in [
            ([x], takes.format("sequence_length missing")), ([], takes.format("data, sequence_length missing")),
            ([None, x], takes.format("data missing")), ([x, None], takes.format("sequence_length missing")),
            ([x, x, x], takes.format("3 were given")),
            ([x, 2], "SequenceMask: sequence_length must be an NDArray, found int 2. Convert it with nd.array(...).")]:
        with pytest.raises(MXNetError) as error:
            invoke(op, inputs)
        assert str(error.value) == text
    with pytest.raises(MXNetError) as error:
        nd.multi_sum_sq(x, x, num_arrays=3)
    assert str(error.value) == "multi_sum_sq takes 3 inputs, as its attributes say, found 2"
    with pytest.raises(MXNetError) as error:
        compose(op, [sym.var("a"), sym.var("b"), sym.var("c")])
    assert str(error.value) == takes.format("3 were given")
