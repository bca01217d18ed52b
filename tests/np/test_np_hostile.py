"""Symbol files with drawn attributes, and calls with drawn arguments, raise MXNetErrors or run; a part of
`tests/scripts/np_hostile.py`."""

import random

import pytest
from helpers import numpy_hostile

import minigluon as mx
from minigluon import np, npx

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


@pytest.mark.parametrize("kind", [numpy_hostile.file, numpy_hostile.call])
def test_errors_are_those_of_mxnet(kind):
    draw = random.Random(8)
    problems = {shown: problem for shown, problem in (kind(draw) for _ in range(300)) if problem is not None}
    assert problems == {}


@pytest.mark.parametrize(("call", "problem"), [
    (lambda: np.pad(np.ones(2), 10 ** 13), "memory"), (lambda: np.eye(10 ** 8), "np.eye.*not enough memory"),
    (lambda: np.roll(np.ones((2, 2)), (), (0, 1)), "np.roll: ValueError"),
    (lambda: np.bincount(np.ones(2)), "np.bincount: TypeError: Cannot cast"),
    (lambda: np.mean(np.ones(2), dtype="foo"), "np.mean: TypeError: data type 'foo'"),
    (lambda: np.vsplit(np.ones((0, 2)), 10 ** 11), "np.vsplit.*100000000000 equal parts"),
    (lambda: np.expand_dims(np.ones(3), (1, 1)), "name one twice"),
    (lambda: np.diff(np.ones(3), -1), "n must not be negative"),
    (lambda: np.linalg.matrix_power(np.eye(2), float("inf")), "np.linalg.matrix_power: TypeError"),
])
def test_the_error_names_the_function(call, problem):
    with pytest.raises(mx.MXNetError, match=problem):
        call()


def test_errors_of_a_function_of_the_program_stay_as_they_are():
    def failing(row):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        np.apply_along_axis(failing, 0, np.ones((2, 2)))
