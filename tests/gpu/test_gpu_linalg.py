"""Products of batches of matrices, triangles and triangular equations on the GPU."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, agree
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError

flags = st.booleans()
dtypes = st.sampled_from(["float32", "float64"])


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


@settings(max_examples=10)
@given(st.lists(st.integers(0, 3), max_size=2), st.integers(1, 12), st.integers(0, 9), flags, flags, flags,
       st.sampled_from([1.0, 0.5, 0.0]), dtypes)
def test_triangular(batch, n, many, transpose, rightside, lower, alpha, dtype):
    a = numbers((*batch, n, n), dtype) / n + np.eye(n, dtype=dtype)         # equations that lose few digits
    b = numbers((*batch, many, n) if rightside else (*batch, n, many), dtype, 1)
    attrs = {"transpose": transpose, "rightside": rightside, "lower": lower, "alpha": alpha}
    agree("_linalg_trmm", a, b, **attrs)
    agree("_linalg_trsm", a, b, **attrs)
    agree("_linalg_triangle", a, lower=lower, diagonal=alpha)


def test_what_the_other_triangle_holds_does_not_count():
    a = numbers((4, 4), "float32") / 4 + np.eye(4, dtype="float32")
    a[0, 3] = np.nan
    b = numbers((4, 2), "float32", 1)
    for name in "_linalg_trmm", "_linalg_trsm":
        agree(name, a, b)
    agree("_linalg_triangle", a)


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_singular_matrix_is_refused(hybridize):
    a = np.tril(np.ones((3, 3), "float32"))
    a[1, 1] = 0
    if hybridize:
        block = mx.gluon.nn.HybridLambda(lambda F, a, b: F.linalg_trsm(a, b) + 1)
        block.hybridize()
    else:
        block = nd.linalg_trsm
    with pytest.raises(ArgumentError, match="^_linalg_trsm: Singular matrix$"):
        block(nd.array(a, ctx=GPU), nd.ones((3, 2), ctx=GPU)).asnumpy()
    whole = block(nd.array(np.eye(3), ctx=GPU), nd.ones((3, 2), ctx=GPU)).asnumpy()     # and it goes on
    np.testing.assert_array_equal(whole, np.full((3, 2), 2 if hybridize else 1, "float32"))
