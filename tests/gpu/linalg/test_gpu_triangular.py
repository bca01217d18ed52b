"""Triangles and triangular equations on the GPU."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, agree
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError

dtypes = st.sampled_from(["float32", "float64"])
flags = st.booleans()


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
