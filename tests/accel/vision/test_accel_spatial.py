"""Grids and samplers of many points: several parts and rests of vectors."""

import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.twin_checks import RNG, check


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_samplers(dtype):
    data, grid = RNG.normal(size=(3, 5, 19, 23)), RNG.uniform(-1.3, 1.3, (3, 2, 60, 50))
    grad, loc = RNG.normal(size=(3, 5, 60, 50)), RNG.uniform(-1, 1, (3, 6))
    how = {"target_shape": (60, 50), "transform_type": "affine"}
    check("BilinearSampler", data, grid, dtype=dtype)
    check("_bilinear_sampler_data_grad", grad, data, grid, dtype=dtype)
    check("_bilinear_sampler_grid_grad", grad, data, grid, dtype=dtype)
    check("SpatialTransformer", data, loc, dtype=dtype, sampler_type="bilinear", **how)
    check("GridGenerator", loc, dtype=dtype, **how)
    check("_affine_grid_grad", grid, dtype=dtype, target_shape=(60, 50))
