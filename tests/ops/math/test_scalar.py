"""Operators of an array and a number: which type the result has."""

import numpy as np
from helpers.elementwise_draws import FLOATS, INTEGERS, quick, shapes
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minigluon import nd


@quick
@given(data=st.data(), dtype=st.sampled_from(FLOATS + INTEGERS), number=st.integers(-9, 9) | st.floats(-9, 9, width=16))
def test_a_number_takes_the_type_of_the_array(data, dtype, number):
    x = data.draw(hnp.arrays(dtype, data.draw(shapes), elements=st.integers(0, 9)))
    converted = np.array(number).astype(np.float64 if dtype in FLOATS else np.int64).astype(dtype)
    a = nd.array(x, dtype=dtype)
    with np.errstate(all="ignore"):
        for got, expected in [(a + number, x + converted), (number - a, converted - x), (a * number, x * converted),
                              (a > number, x > converted), (nd.maximum(a, number), np.maximum(x, converted))]:
            assert got.dtype == np.dtype(dtype).type
            np.testing.assert_array_equal(got.asnumpy(), expected.astype(dtype))
