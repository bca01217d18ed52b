"""formats.plain: values that come back from a text as they were."""

import json
import math

import numpy as np
import pytest
from helpers import errors

from minigluon.base import FileFormatError, MXNetError
from minigluon.serialization import lossless_json

pytestmark = pytest.mark.once

VALUES = [None, True, 0, -(2**70), 0.1, math.inf, 5e-324, "ä\n", [], (), {}, [1, (2, [3.0, "x"])], {"a": (1,), "b": {}},
          {1: "one", (2, 3): None}, {"!tuple": 1}, {"": 0}]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back(value):
    found = lossless_json.loads(lossless_json.dumps(value))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64", "bool", "complex64"])
def test_arrays_and_their_numbers_come_back_to_the_bit(dtype):
    array = np.random.RandomState(0).randn(2, 3).astype(dtype)
    found, number, empty = lossless_json.loads(lossless_json.dumps([array, array[1, 1], array[:0]]))
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert (number.dtype, number.tobytes()) == (array.dtype, array[1, 1].tobytes())
    assert empty.shape == (0, 3)
    found[0] = 0                        # it may be written to


def test_nan_and_negative_zero_come_back():
    nan, zero = lossless_json.loads(lossless_json.dumps([math.nan, -0.0]))
    assert math.isnan(nan)
    assert math.copysign(1, zero) == -1


def test_the_text_is_json():
    assert json.loads(lossless_json.dumps({"epoch": 3, "place": [1, None]})) == {"epoch": 3, "place": [1, None]}


def test_what_is_no_plain_value_is_refused():
    assert errors.message(MXNetError, lambda: lossless_json.dumps({"x": {1, 2}})) == (
        "a set cannot be stored: {1, 2}. Numbers, strings, None, NumPy's arrays, and lists, tuples and dicts of them "
        "can.")


@pytest.mark.parametrize("text", ["", "{", '{"!list": 1}', '{"!array": ["<f4", [2], "AAAA"]}', '{"!array": 1}',
                                  '{"!scalar": ["O", ""]}', '{"!tuple": 1}', "[" * 10000])
def test_other_texts_are_refused(text):
    with pytest.raises(FileFormatError, match="this is not text written by dumps: "):
        lossless_json.loads(text)
