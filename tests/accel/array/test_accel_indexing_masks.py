"""Compiled `where` with a mask of booleans, and casts of masks, against the reference."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin

from minigluon.ops import REGISTRY

SHAPES = [(), (3,), (4, 5), (3, 1000), (2, 0)]


def check(name, arrays, **attributes):
    assert Twin(REGISTRY[name](**attributes), arrays).check(), name


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64", "uint8", "bool"])
def test_where(dtype):
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        x, y = (np.asarray(rng.integers(0, 2 if dtype == "bool" else 100, shape)).astype(dtype) for _ in range(2))
        check("where", [np.asarray(rng.random(shape) < 0.5), x, y])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "bool"])
def test_casts(dtype):
    for shape in SHAPES:
        check("Cast", [np.asarray(np.random.default_rng(1).random(shape) < 0.5)], dtype=dtype)
