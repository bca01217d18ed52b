"""Sampling of images at the points of a grid: GridSample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ......ops.vision.spatial import ruler
from ...table import translates
from ...values import UntranslatableError

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = []


def affine_grid(g: Builder, matrices: Any, shape: Sequence[int]) -> Value:
    """Applies matrices (N, 6) to the points of a regular grid of this shape: (N, 2, h, w)."""
    y, x = np.meshgrid(*(ruler(n, np.dtype(np.float32)) for n in shape), indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), np.ones(x.size, np.float32)]).astype(matrices.dtype)
    product = g.MatMul(g.reshape(matrices, (matrices.shape[0], 2, 3)), g.constant(points))
    product.shape = (matrices.shape[0], 2, x.size)
    return g.reshape(product, (matrices.shape[0], 2, *shape))


@translates("GridGenerator")
def grid_generator(g, op, data):
    if op.transform_type == "affine":
        return affine_grid(g, data, op.target_shape)
    height, width = data.shape[2:]
    if isinstance(height, SymbolicDim) or isinstance(width, SymbolicDim):
        raise UntranslatableError("the image's size is left open")
    x, y = np.broadcast_arrays(np.arange(width), np.arange(height)[:, None])
    half = np.array([(width - 1) / 2, (height - 1) / 2]).reshape(2, 1, 1)
    moved = data + g.constant(np.stack([x, y]).astype(data.dtype))
    return moved / g.constant(half.astype(data.dtype)) - 1.0


def sampled(g: Builder, data: Value, grid: Any) -> Any:
    """Writes GridSample; points outside the image are read as zero."""
    return g.GridSample(data, g.transpose(grid, [0, 2, 3, 1]), align_corners=1, padding_mode="zeros",
                        mode="bilinear" if g.opset < 20 else "linear")


@translates("BilinearSampler", since=16)
def bilinear_sampler(g, op, data, grid):
    return sampled(g, data, grid)


@translates("SpatialTransformer", since=16)
def spatial_transformer(g, op, data, loc):
    return sampled(g, data, affine_grid(g, loc, op.target_shape))
