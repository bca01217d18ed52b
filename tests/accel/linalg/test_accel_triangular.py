"""Triangular systems of sizes that are no longer a handful: several parts, strips and rests of vectors."""

import itertools

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.twin_checks import RNG, check

from minigluon import nd
from minigluon.base import ArgumentError


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [(1, 1, 1), (2, 37, 70), (1, 6, 300)])
def test_triangular_systems(size, dtype):
    batch, n, m = size
    a = RNG.uniform(-1, 1, (batch, n, n)) / n + 2 * np.eye(n)
    for lower, transpose, rightside in itertools.product([False, True], repeat=3):
        b = RNG.normal(size=(batch, m, n) if rightside else (batch, n, m))
        check("_linalg_trsm", a, b, dtype=dtype, lower=lower, transpose=transpose, rightside=rightside, alpha=1.5)


def test_a_zero_on_the_diagonal_is_the_reference_s_error():
    a = np.eye(9)
    a[5, 5] = 0
    with pytest.raises(ArgumentError, match="linalg_trsm: Singular matrix"):
        nd.linalg.trsm(nd.array(a), nd.ones((9, 3))).asnumpy()
