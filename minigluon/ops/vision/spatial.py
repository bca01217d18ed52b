"""Sampling of images at a grid of points: each point is the source of one element in the result.

Jaderberg, Simonyan, Zisserman, Kavukcuoglu 2015, Spatial transformer networks, arXiv:1506.02025. Points are (x, y)
from -1, the center of the first element along an axis, to 1, the center of the last.
"""

from typing import Literal

import numpy as np

from ..fields import Shape
from ..op import Op
from ..registry import register
from .boxes import wide
from .interpolation import Points

__all__ = []


class FloatOp(Op):
    """Base class of operators that accept only floating-point data."""

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.argument_names(len(dtypes)), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)


def ruler(count, dtype):
    """Returns `count` points from -1 to 1; NaN for a single point, as in MXNet."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return -1 + np.arange(count, dtype=dtype) * (dtype.type(2) / dtype.type(count - 1))


@register("data")
class GridGenerator(FloatOp):
    """The grid for BilinearSampler: the source point of each element in its result.

    data (N, 6), or with warp (N, 2, H, W) | out (N, 2, h, w), or with warp like data

    With affine, data contains matrices (2, 3), and out contains the matrix times (x, y, 1) for each point (x, y) of a
    regular grid from -1 to 1. With warp, data contains the shift of each element along x and y, in elements.

    transform_type: affine or warp.
    target_shape: the (h, w) of the grid, for affine.

    Source: Jaderberg, Simonyan, Zisserman and Kavukcuoglu 2015, Spatial transformer networks, arXiv:1506.02025.

    >>> matrix = nd.array([[0.5, 0, 0, 0, 1, 0]])
    >>> print(nd.GridGenerator(matrix, transform_type="affine", target_shape=(2, 3)).asnumpy())
    [[[[-0.5  0.   0.5]
       [-0.5  0.   0.5]]
    <BLANKLINE>
      [[-1.  -1.  -1. ]
       [ 1.   1.   1. ]]]]
    """

    transform_type: Literal["affine", "warp"]
    target_shape: Shape = (0, 0)
    keeps = ()

    def infer_shape(self, data):
        if self.transform_type == "warp":
            self.require_rank("data", data, 4)
            data = self.require("data", data, (None, 2, None, None))
            return [data], [data]
        if len(self.target_shape) != 2 or min(self.target_shape) < 1:
            raise self.shape_clash(f"target_shape={self.target_shape} must be two positive numbers, (h, w), for "
                                   "transform_type='affine'")
        data = self.require("data", data, (None, 6))
        return [data], [(data[0], 2, *self.target_shape)]

    def forward(self, data):
        real = wide(data)
        if self.transform_type == "affine":
            return affine_grid(real, self.target_shape).astype(data.dtype)
        h, w = data.shape[2:]
        x, y = (np.arange(n, dtype=real.dtype) for n in (w, h))
        moved = real + np.stack(np.broadcast_arrays(x, y[:, None]))
        return (in_halves(moved) - 1).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        if self.transform_type == "warp":
            return F._grid_in_halves(out_grads[0])
        return F._affine_grid_grad(out_grads[0], target_shape=self.target_shape)


def affine_grid(matrices, shape):
    """Returns matrices (N, 6) times the points of a regular grid of this shape, as (N, 2, h, w)."""
    h, w = shape
    y, x = np.meshgrid(ruler(h, matrices.dtype), ruler(w, matrices.dtype), indexing="ij")
    a, b, c = (column[..., None, None] for column in np.moveaxis(matrices.reshape(-1, 2, 3), 2, 0))
    return a * x + b * y + c


def in_halves(moved):
    """Returns shifts in elements (N, 2, H, W) along x and y as fractions of half the lengths of these axes."""
    h, w = moved.shape[2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        return moved / np.array([(w - 1) / 2, (h - 1) / 2], moved.dtype).reshape(2, 1, 1)


@register("data")
class _grid_in_halves(FloatOp):
    """data (N, 2, H, W) divided by ((W - 1) / 2, (H - 1) / 2): the derivative of 'warp'. It is its own adjoint."""

    keeps = ()

    def infer_shape(self, data):
        self.require_rank("data", data, 4)
        data = self.require("data", data, (None, 2, None, None))
        return [data], [data]

    def forward(self, data):
        return in_halves(wide(data)).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._grid_in_halves(out_grads[0])


@register("grad")
class _affine_grid_grad(FloatOp):
    """The adjoint of 'affine': grad (N, 2, h, w) to (N, 6)."""

    target_shape: Shape
    keeps = ()

    def infer_shape(self, grad):
        grid = GridGenerator(transform_type="affine", target_shape=self.target_shape)
        (data,), (output,) = grid.infer_shape(None if grad is None else (grad[0], 6))
        return [self.require("grad", grad, output)], [data]

    def forward(self, grad):
        real, (h, w) = wide(grad), self.target_shape
        x, y = ruler(w, real.dtype), ruler(h, real.dtype)
        sums = [(real * x).sum((2, 3)), (real * y[:, None]).sum((2, 3)), real.sum((2, 3))]
        return np.stack(sums, -1).reshape(len(grad), 6).astype(grad.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F.GridGenerator(out_grads[0], transform_type="affine", target_shape=self.target_shape)


def points(grid, space):
    """Returns the points of one grid (2, h, w) in planes of shape `space`."""
    y, x = ((at + 1) * at.dtype.type((n - 1) / 2) for at, n in zip(grid[::-1], space, strict=True))
    return Points(y, x, *space)


class GridSampling(FloatOp):
    """Base class of samplers, which take planes of data and a grid for each image."""

    def each(self, data, grid):
        """Yields (planes (C, H · W), Points) for each image."""
        n, c, h, w = data.shape
        for planes, at in zip(wide(data).reshape(n, c, h * w), wide(grid), strict=True):
            yield planes, points(at, (h, w))

    def sampled(self, data, grid):
        out = np.zeros((len(data), data.shape[1], *grid.shape[2:]), data.dtype)
        for result, (planes, at) in zip(out, self.each(data, grid), strict=True):
            if data.size:
                result[...] = at.of(planes)
        return out


@register("data", "grid")
class BilinearSampler(GridSampling):
    """data at the points of grid, by bilinear interpolation; elements beyond the edges count as zero.

    data (N, C, H, W) | grid (N, 2, h, w): x and y of each point, from -1 to 1 | out (N, C, h, w)


    Source: Jaderberg, Simonyan, Zisserman and Kavukcuoglu 2015, Spatial transformer networks, arXiv:1506.02025.

    >>> data, grid = nd.array([[[[0, 4], [0, 4]]]]), nd.array([[[[-1, 0, 1]], [[0, 0, 0]]]])
    >>> print(nd.BilinearSampler(data, grid).asnumpy())
    [[[[0. 2. 4.]]]]
    """

    cudnn_off: bool | None = None
    keeps = ("inputs",)

    def infer_shape(self, data, grid):
        self.require_rank("data", data, 4)
        self.require_rank("grid", grid, 4)
        batch = None if data is None else data[0]
        grid = self.require("grid", grid, (batch, 2, None, None))
        data = self.require("data", data, (grid[0], None, None, None))
        return [data, grid], [(data[0], data[1], *grid[2:])]

    def forward(self, data, grid):
        return self.sampled(data, grid)

    def gradient(self, F, out_grads, inputs, outputs):
        return [lambda: F._bilinear_sampler_data_grad(out_grads[0], *inputs),
                lambda: F._bilinear_sampler_grid_grad(out_grads[0], *inputs)]


def sampler_shapes(op, grad, data, grid):
    """Returns the shapes of the inputs of one of the gradients of BilinearSampler."""
    (data, grid), (output,) = BilinearSampler().infer_shape(data, grid)
    return [op.require("grad", grad, output), data, grid]


@register("grad", "data", "grid")
class _bilinear_sampler_data_grad(GridSampling):
    """The gradient of BilinearSampler with respect to data, distributed to the four elements around each point."""

    shape_only = ("data",)
    keeps = ("inputs",)

    def infer_shape(self, grad, data, grid):
        inputs = sampler_shapes(self, grad, data, grid)
        return inputs, [inputs[1]]

    def forward(self, grad, data, grid):
        out = np.zeros(data.shape, grad.dtype)
        if not grad.size or not data.size:
            return out
        for result, share, at in zip(out, wide(grad), wide(grid), strict=True):
            result[...] = points(at, data.shape[2:]).spread(share).reshape(result.shape)
        return out


@register("grad", "data", "grid")
class _bilinear_sampler_grid_grad(GridSampling):
    """The gradient of BilinearSampler with respect to grid: slopes of data, times half the lengths of the axes."""

    keeps = ("inputs",)

    def infer_shape(self, grad, data, grid):
        inputs = sampler_shapes(self, grad, data, grid)
        return inputs, [inputs[2]]

    def forward(self, grad, data, grid):
        out, (h, w) = np.zeros(grid.shape, grad.dtype), data.shape[2:]
        if not data.size:
            return out
        for result, share, (planes, at) in zip(out, wide(grad), self.each(data, grid), strict=True):
            by_y, by_x = at.slopes(planes)
            result[0] = (share * by_x).sum(0) * ((w - 1) / 2)
            result[1] = (share * by_y).sum(0) * ((h - 1) / 2)
        return out


@register("data", "loc")
class SpatialTransformer(GridSampling):
    """data sampled at an affine grid: GridGenerator applied to loc, then BilinearSampler.

    data (N, C, H, W) | loc (N, 6): matrices (2, 3) | out (N, C, h, w)

    target_shape: the (h, w) of the grid.
    transform_type: affine, the only type.
    sampler_type: bilinear, the only type.

    Source: Jaderberg, Simonyan, Zisserman and Kavukcuoglu 2015, Spatial transformer networks, arXiv:1506.02025.

    >>> data, mirror = nd.array([[[[1, 2], [3, 4]]]]), nd.array([[-1, 0, 0, 0, 1, 0]])
    >>> how = {"target_shape": (2, 2), "transform_type": "affine", "sampler_type": "bilinear"}
    >>> print(nd.SpatialTransformer(data, mirror, **how).asnumpy())
    [[[[2. 1.]
       [4. 3.]]]]
    """

    target_shape: Shape = (0, 0)
    transform_type: Literal["affine"]
    sampler_type: Literal["bilinear"]
    cudnn_off: bool | None = None
    keeps = ("inputs",)

    def infer_shape(self, data, loc):
        self.require_rank("data", data, 4)
        if len(self.target_shape) != 2 or min(self.target_shape) < 1:
            raise self.shape_clash(f"target_shape={self.target_shape} must be two positive numbers, (h, w)")
        loc = self.require("loc", loc, (None if data is None else data[0], 6))
        data = self.require("data", data, (loc[0], None, None, None))
        return [data, loc], [(*data[:2], *self.target_shape)]

    def forward(self, data, loc):
        return self.sampled(data, affine_grid(wide(loc), self.target_shape))

    def gradient(self, F, out_grads, inputs, outputs):
        data, loc = inputs
        shape = self.target_shape
        grid = F.GridGenerator(loc, transform_type="affine", target_shape=shape)
        return [lambda: F._bilinear_sampler_data_grad(out_grads[0], data, grid),
                lambda: F._affine_grid_grad(F._bilinear_sampler_grid_grad(out_grads[0], data, grid),
                                            target_shape=shape)]
