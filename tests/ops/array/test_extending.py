"""The messages of `tile`, `repeat` and `Pad`."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd

MESSAGES = [
    (lambda: nd.tile(zeros(2), reps=(-1,)),
     "tile: reps=(-1,) must not be negative"),
    (lambda: nd.repeat(zeros(2), repeats=-1),
     "repeat: repeats=-1 must not be negative"),
    (lambda: nd.pad(zeros(2, 3), mode="edge", pad_width=(1, 1)),
     "Pad: pad_width=(1, 1) needs two numbers, not negative, for each of the 2 axes of data (2, 3)"),
    (lambda: nd.pad(zeros(2, 3), mode="reflect", pad_width=(0, 0, 3, 1)),
     "Pad: mode='reflect' must pad axis 1 of data (2, 3) with fewer than 3 elements, found 3"),
    (lambda: nd.pad(zeros(2, 3), mode="round", pad_width=(0, 0, 3, 1)),
     "Pad: attribute mode is 'round', expected one of 'constant', 'edge', 'reflect'."),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)
