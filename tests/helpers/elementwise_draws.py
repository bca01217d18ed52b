"""Drawn arrays for elementwise operators: special values, strides of all kinds."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minigluon import nd
from minigluon.ndarray import NDArray

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int32", "int64"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e30, -1e-30, np.inf, -np.inf, np.nan]
quick = settings(max_examples=30, deadline=None)
shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)


def wrap(array):
    """An NDArray on exactly this memory, strides included."""
    return NDArray(array, nd.zeros((1,)).context)


@st.composite
def strided(draw, shape, elements, dtype):
    """An array of that shape that may be a transposed or a stepped view."""
    array = draw(hnp.arrays(dtype, shape, elements=elements))
    kind = draw(st.sampled_from(["plain", "transposed", "stepped", "reversed"]))
    if kind == "transposed":
        return np.array(array.T, order="C").T
    if kind == "stepped":
        wide = np.repeat(array, 2, axis=-1)
        return wide[..., ::2]
    return np.array(array[::-1])[::-1] if kind == "reversed" else array


def special_floats(dtype):
    usual = st.floats(-4, 4, width=16)
    with np.errstate(over="ignore"):
        return usual | st.sampled_from([float(np.asarray(v, dtype)) for v in SPECIAL])


def agree(got, expected, dtype):
    assert got.dtype == np.dtype(dtype).type
    assert got.shape == expected.shape
    tol = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-13}[dtype]
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=tol, atol=tol)
