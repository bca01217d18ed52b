"""Sampling grids, and images sampled at their points."""

import math

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..compose import composed
from ..movement import zeros
from ..registry import kernel_for
from .roi_align import in_planes

__all__ = []

SOURCE = SourceFile("vision/spatial.cu")


def _work(function, out, threads, arguments):
    """Returns Work with one launch with the given number of threads, or empty Work if the result is empty."""
    if not size(out):
        return Work()
    return Work(Launch(SOURCE, function, types(out.dtype), blocks(threads), THREADS, arguments))


@kernel_for("GridGenerator")
def grid_generator(op, inputs, outputs):
    out = outputs[0]
    if op.transform_type == "warp":
        return _halves(out, warps=1)
    return _work("affine_grid", out, size(out), [Out(0), In(0), size(out), *out.shape[2:]])


@kernel_for("_grid_in_halves")
def grid_in_halves(op, inputs, outputs):
    return _halves(outputs[0], warps=0)


def _halves(out, warps):
    return _work("in_halves", out, size(out), [Out(0), In(0), size(out), *out.shape[2:], warps])


@kernel_for("_affine_grid_grad")
def affine_grid_grad(op, inputs, outputs):
    out = outputs[0]
    return _work("affine_grid_grad", out, size(out) * THREADS, [Out(0), In(0), size(out), *op.target_shape])


@kernel_for("BilinearSampler")
def sampler(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if not size(data):
        return Work(*zeros(out, Out(0)))
    return _work("sample", out, size(out), [Out(0), In(0), In(1), size(out), *data.shape[1:],
                                            math.prod(out.shape[2:])])


@kernel_for("_bilinear_sampler_data_grad")
def sampler_data_grad(op, inputs, outputs):
    grad, data, _ = inputs
    planes = math.prod(data.shape[:2])
    return in_planes(SOURCE, "sample_data_grad", outputs[0], planes, [
        In(0), In(2), planes, *data.shape[1:], math.prod(grad.shape[2:])])


@kernel_for("_bilinear_sampler_grid_grad")
def sampler_grid_grad(op, inputs, outputs):
    data, out = inputs[1], outputs[0]
    if not size(data):
        return Work(*zeros(out, Out(0)))
    points = size(out) // 2
    return _work("sample_grid_grad", out, points, [Out(0), In(0), In(1), In(2), points, *data.shape[1:],
                                                   math.prod(out.shape[2:])])


@composed("SpatialTransformer")
def spatial_transformer(op, F, data, loc):
    return F.BilinearSampler(data, F.GridGenerator(loc, transform_type="affine", target_shape=op.target_shape))
