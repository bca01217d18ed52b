"""Convolutions with kernel size 1 and no gaps between windows. These convolutions are matrix products, for which cuBLAS
can be used."""

import math

from ...launch import In, Out
from ..gemm import Matrix, product

__all__ = ["backward", "channels_of", "forward", "suits"]

WIDE_ENOUGH = 64        # with fewer windows per image, a product per image would leave tiles half empty


def suits(geometry, result, bias):
    """Returns whether this is the best method for a convolution with this result, or for the gradient of its data."""
    if set(geometry.kernel) != {1} or set(geometry.stride) != {1} or any(geometry.pad):
        return False
    if geometry.last:
        return geometry.groups == 1
    return math.prod(geometry.space(result.shape)) >= WIDE_ENOUGH and (bias is None or geometry.groups == 1)


def forward(geometry, data, weight, result, device, bias=None, relu=False):
    """Returns the Work for weight In(1) times data In(0)."""
    filters, channels = weight.shape[0], channels_of(weight, geometry)
    return _multiplied(geometry, data, filters, channels, (channels, 1), result, device, bias, relu)


def backward(geometry, grad, weight, result, device, bias=None):
    """Returns the Work for the transposed weight In(1) times grad In(0)."""
    filters, channels = weight.shape[0], channels_of(weight, geometry)
    return _multiplied(geometry, grad, channels * geometry.groups, filters // geometry.groups, (1, channels), result,
                       device, bias, False)


def channels_of(spec, geometry):
    """Returns the number of channels of an array in the geometry's layout or, for a weight, the number per group."""
    return spec.shape[-1 if geometry.last else 1]


def _multiplied(geometry, source, outs, ins, weight_steps, result, device, bias, relu):
    """outs: channels of the result; ins: channels of the source, per group.

    weight_steps: strides to the next out and in.
    """
    batch, windows, groups = source.shape[0], math.prod(geometry.space(source.shape)), geometry.groups
    if geometry.last:               # all windows of all images are rows of one matrix
        return product(result.dtype, batch * windows, outs, ins, Matrix(In(0), ins, 1),
                       Matrix(In(1), *weight_steps).T, Matrix(Out(0), outs, 1), device, added=bias,
                       by="column" if bias else None, relu=relu)
    rows = outs // groups
    return product(result.dtype, rows, windows, ins, Matrix(In(1), *weight_steps, batch=(0, rows * ins)),
                   Matrix(In(0), windows, 1, batch=(groups * ins * windows, ins * windows)),
                   Matrix(Out(0), windows, 1, batch=(outs * windows, rows * windows)), device,
                   batches=(batch, groups), added=bias, by="row" if bias else None, relu=relu)
