"""Sampling grids, and images sampled at their points."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


@kernel_for("GridGenerator")
def grid_generator(op, inputs, outputs):
    if op.transform_type != "affine":
        return f"transform_type {op.transform_type}"
    return reals(*inputs) or Call(_affine_grid("affine_grid", outputs[0], 0, 1))


@kernel_for("_affine_grid_grad")
def affine_grid_grad(op, inputs, outputs):
    return reals(*inputs) or Call(_affine_grid("affine_grid_grad", inputs[0], 0, 1))


def _affine_grid(kernel, grid, loc, out):
    images, _, h, w = grid.shape
    return Phase(kernel, grid.dtype, min(parts(4 * size(grid)), 2 * images), images=images, h=h, w=w, loc=loc, out=out)


@kernel_for("BilinearSampler")
def sampler(op, inputs, outputs):
    return reals(*inputs) or Call(_sampling("sample", inputs, size(outputs[0]), data=0, grid=1, out=2))


@kernel_for("_bilinear_sampler_data_grad")
def sampler_data_grad(op, inputs, outputs):
    grad, data, grid = inputs
    work = size(outputs[0]) and size(outputs[0]) + size(grad)
    return reals(*inputs) or Call(_sampling("sample_data_grad", (data, grid), work, math.prod(data.shape[:2]),
                                            data=1, grid=2, out=3))


@kernel_for("_bilinear_sampler_grid_grad")
def sampler_grid_grad(op, inputs, outputs):
    grad, data, grid = inputs
    return reals(*inputs) or Call(_sampling(
        "sample_grid_grad", (data, grid), size(outputs[0]) * max(data.shape[1], 1), data=1, grid=2, out=3))


@kernel_for("SpatialTransformer")
def spatial_transformer(op, inputs, outputs):
    data, loc = inputs
    grid = Spec((data.shape[0], 2, *op.target_shape), data.dtype)
    return reals(*inputs) or Call(
        _affine_grid("affine_grid", grid, 1, 3),
        _sampling("sample", (data, grid), size(outputs[0]), data=0, grid=3, out=2), scratch=[grid])


def _sampling(kernel, of, work, most=64, **places):
    """Returns the Phase of a kernel on the Specs (data, grid). places: operand indices; a gradient has index 0."""
    (images, channels, h, w), grid = of[0].shape, of[1].shape
    return Phase(kernel, of[0].dtype, min(parts(4 * work), most), images=images, channels=channels, h=h, w=w,
                 points=math.prod(grid[2:]), grad=0, **places)
