"""Products of batches of matrices on the GPU."""

import pytest
from helpers.gpu_checks import agree
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st

dtypes = st.sampled_from(["float32", "float64"])
flags = st.booleans()


@settings(max_examples=15)
@given(st.lists(st.integers(0, 4), max_size=2), st.integers(1, 40), st.integers(1, 40), st.integers(0, 40), flags,
       flags, st.sampled_from([1.0, -0.5, 0.0]), dtypes)
def test_products(batch, rows, columns, depth, transpose_a, transpose_b, alpha, dtype):
    a = numbers((*batch, depth, rows) if transpose_a else (*batch, rows, depth), dtype)
    b = numbers((*batch, columns, depth) if transpose_b else (*batch, depth, columns), dtype, 1)
    c = numbers((*batch, rows, columns), dtype, 2)
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    agree("batch_dot", a, b, **attrs)
    agree("_linalg_gemm2", a, b, alpha=alpha, **attrs)
    agree("_linalg_gemm", a, b, c, alpha=alpha, beta=0.5, **attrs)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("transpose_a", "transpose_b"), [(False, True), (True, False)])
def test_rows_along_another_axis(axis, transpose_a, transpose_b):
    def shape(rows, columns):
        sides = [2, 3, 4]
        sides[axis] = rows
        return (*sides, columns)
    a = numbers(shape(6, 5) if transpose_a else shape(5, 6), "float32")
    b = numbers(shape(7, 6) if transpose_b else shape(6, 7), "float32", 1)
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b, "axis": axis}
    agree("_linalg_gemm2", a, b, alpha=2.0, **attrs)
    agree("_linalg_gemm", a, b, numbers(shape(5, 7), "float32", 2), beta=-1.0, **attrs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(5, 7), (2, 3, 9, 4), (3, 0, 4), (0, 4, 4)])
def test_syrk_and_transpose(shape, dtype):
    a = numbers(shape, dtype)
    for transpose in False, True:
        agree("_linalg_syrk", a, transpose=transpose, alpha=-1.5)
    agree("_linalg_transpose", a)
