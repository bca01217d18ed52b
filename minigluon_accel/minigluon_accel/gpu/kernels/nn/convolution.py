"""Convolution, Deconvolution and their gradients as matrix products whose right factor is never stored.

The argument of the kernels is struct Scene in nn/convolution.cuh. With a stride, the gradient of the data consists of
several products: one for each position of an element relative to the stride.
"""

import math
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec
from minigluon.ops.nn.convolution import fitted

from ....kernels.nn.convolution import Axes, three
from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, limit_of_32_bits, types
from .. import gemm
from ..registry import kernel_for
from . import convolution_pointwise as pointwise
from .convolution_library import by_cudnn_or

__all__ = ["backward", "convolved", "forward", "weight_gradient"]

SOURCE = SourceFile("nn/convolution.cu")
SIMPLE_SOURCE = SourceFile("nn/convolution_simple.cu")
MAX_GROUP_ROWS = 4      # with at most this many filters per group, tiles of 32 would be mostly empty, so none are used
UNTILED = 16            # cost of a product without tiles, relative to one in a tile; estimated, not measured on a GPU
SMALL = limit_of_32_bits(2 ** 31 - 2 ** 24)  # with fewer elements, positions fit in 32 bits, including those just
                                             # outside the array


# -- the operators ----------------------------------------------------------------------------------------------------

@kernel_for("Convolution")
def convolution(op, inputs, outputs, device):
    return convolved(op, inputs, outputs, device)


def convolved(op, inputs, outputs, device, relu=False):
    """Returns the Work of a Convolution, followed by relu if set."""
    (data, weight), (out,), geometry = inputs[:2], outputs, op.geometry()
    bias = None if op.no_bias else In(2)
    return by_cudnn_or(lambda: forward(geometry, data, weight, out, device, bias, relu),
                       op, "Forward", geometry, (data, weight, out), device, bias, relu)


@kernel_for("_conv")
def conv(op, inputs, outputs, device):
    data, weight, like = inputs
    geometry, out = op.fitted(data.shape, like.shape), outputs[0]
    return by_cudnn_or(lambda: forward(geometry, data, weight, out, device),
                       op, "Forward", geometry, (data, weight, out), device)


@kernel_for("_conv_data_grad")
def conv_data_grad(op, inputs, outputs, device):
    grad, weight, data = inputs
    geometry = op.fitted(data.shape, grad.shape)
    return by_cudnn_or(lambda: backward(geometry, grad, weight, outputs[0], device),
                       op, "BackwardData", geometry, (outputs[0], weight, grad), device)


@kernel_for("Deconvolution")
def deconvolution(op, inputs, outputs, device):
    (data, weight), (out,) = inputs[:2], outputs
    geometry, bias = op.geometry(), None if op.no_bias else In(2)
    if any(op.target_shape):
        geometry = fitted(geometry, geometry.space(out.shape), geometry.space(data.shape))
    return by_cudnn_or(lambda: backward(geometry, data, weight, out, device, bias),
                       op, "BackwardData", geometry, (out, weight, data), device, bias)


@kernel_for("_conv_weight_grad")
def conv_weight_grad(op, inputs, outputs, device):
    grad, data, _ = inputs
    geometry = op.fitted(data.shape, grad.shape)
    return by_cudnn_or(lambda: weight_gradient(geometry, grad, data, outputs[0], device),
                       op, "BackwardFilter", geometry, (data, outputs[0], grad), device)


# -- the products -----------------------------------------------------------------------------------------------------

class Steps(NamedTuple):
    """Strides of an array of images, or of a weight, whose filters take the place of the images."""

    image: int
    channel: int
    z: int
    y: int
    x: int


def steps(spec, geometry):
    """Returns the Steps of an array in the geometry's layout."""
    z, y, x = three(geometry.space(spec.shape), 1)
    channels = pointwise.channels_of(spec, geometry)
    if geometry.last:
        return Steps(z * y * x * channels, 1, y * x * channels, x * channels, channels)
    return Steps(channels * z * y * x, z * y * x, y * x, x, 1)


def forward(geometry, data, weight, result, device, bias=None, relu=False, way=None):
    """Returns the Work that convolves In(0) with In(1) into Out(0).

    way: None or, in tests, a method of `ConvolutionCall.work`.
    """
    if way is None and pointwise.suits(geometry, result, bias):
        return pointwise.forward(geometry, data, weight, result, device, bias, relu)
    axes = Axes(geometry, geometry.space(data.shape), geometry.space(result.shape)).forward()
    source, filters, place = steps(data, geometry), steps(weight, geometry), steps(result, geometry)
    rows, channels = weight.shape[0] // geometry.groups, pointwise.channels_of(weight, geometry)
    call = ConvolutionCall(result.dtype, data.shape[0], geometry.groups, rows, channels, geometry.last, source, place,
                           filters, filters.channel, left=(filters.image, rows * filters.image),
                           out=(place.channel, rows * place.channel), operands=(In(1), In(0)), bias=bias, relu=relu)
    return call.work(axes, device, _number(data, weight, result), way)


def backward(geometry, grad, weight, result, device, bias=None, way=None):
    """Returns the Work of the gradient of the data, which has the shape of `result`: In(0) is grad, In(1) is weight."""
    if way is None and pointwise.suits(geometry, grad, bias):
        return pointwise.backward(geometry, grad, weight, result, device, bias)
    axes = Axes(geometry, geometry.space(result.shape), geometry.space(grad.shape))
    source, filters, place = steps(grad, geometry), steps(weight, geometry), steps(result, geometry)
    rows, channels = pointwise.channels_of(weight, geometry), weight.shape[0] // geometry.groups
    call = ConvolutionCall(result.dtype, grad.shape[0], geometry.groups, rows, channels, geometry.last, source, place,
                           filters, filters.image, left=(filters.channel, channels * filters.image),
                           out=(place.channel, rows * place.channel), operands=(In(1), In(0)), bias=bias, gathers=True)
    number = _number(grad, weight, result)
    passes = list(axes.backward())
    if way is None and windows_are_few(passes, axes.forward()):
        way = "few windows"
    works = [call.work(part, device, number, way) for part in passes]
    # The parts run in sequence, so they can share scratch memory.
    scratch = max([work.scratch for work in works if work.scratch], key=lambda specs: specs[0].shape, default=[])
    return Work(*[launch for work in works for launch in work.launches], scratch=scratch)


def windows_are_few(passes, windows):
    """Returns whether, for each element of the data, a loop over windows is faster than a loop over taps.

    Tiles multiply for each element and each tap, even if there is no window there. If the kernel is as large as the
    image, there is one window, and as many taps as elements. Looping over windows requires one product for each window
    and each of its taps. This wastes nothing, but does not use tiles.
    """
    work = sum(math.prod(w[1] * w[3] for w, _, _ in axes) for axes in passes)
    return UNTILED * math.prod(w[1] * w[3] for w, _, _ in windows) < work


def weight_gradient(geometry, grad, data, result, device, way=None):
    """Returns the Work of the gradient of the weight, which has the shape of `result`: In(0) is grad, In(1) is data."""
    axes = Axes(geometry, geometry.space(data.shape), geometry.space(grad.shape)).forward()
    source, place, filters = steps(data, geometry), steps(grad, geometry), steps(result, geometry)
    rows, channels = result.shape[0] // geometry.groups, pointwise.channels_of(result, geometry)
    call = ConvolutionCall(result.dtype, data.shape[0], geometry.groups, rows, channels, geometry.last, source, place,
                           filters, filters.channel, left=(place.channel, rows * place.channel),
                           out=(filters.image, rows * filters.image), operands=(In(0), In(1)), over_windows=True)
    return call.work(axes, device, _number(grad, data, result), way)


def _number(*specs):
    return "int" if max(math.prod(spec.shape) for spec in specs) < SMALL else "long long"


class ConvolutionCall(NamedTuple):
    """One of the three sums in nn/convolution.cuh.

    source, place, filters: Steps of the array that windows read, of the array with one element per window, and of the
    weight. tap_channel: strides in the weight from one channel of the depth to the next. left, out: strides of the left
    factor and of the result to the next row and the next group. operands: the left factor and the source.
    """

    dtype: object
    batch: int
    groups: int
    rows: int
    channels: int
    last: bool
    source: Steps
    place: Steps
    filters: Steps
    tap_channel: int
    left: tuple
    out: tuple
    operands: tuple
    bias: object = None
    relu: bool = False
    over_windows: bool = False
    gathers: bool = False

    def work(self, axes, device, number, way=None):
        """Returns the Work along these axes. way: None or "few windows"; in tests also "tiles", "direct" or "plain"."""
        windows = self.batch * math.prod(axis[0][1] for axis in axes)
        taps = self.channels * math.prod(axis[0][3] for axis in axes)
        columns, depth = (taps, windows) if self.over_windows else (windows, taps)
        elements = self.groups * self.rows * columns
        if not elements:
            return Work()
        if way is None and self.groups > 1 and self.rows <= MAX_GROUP_ROWS:
            way = "direct"
        if way == "plain":
            return Work(self.simple("conv_plain", axes, number, blocks(elements)))
        if way == "few windows":
            return Work(self.simple("conv_few_windows", axes, number, blocks(elements)))
        if way == "direct":
            name, grid = ("conv_direct_sum", blocks(elements, 1)) if self.over_windows else (
                "conv_direct", blocks(elements))
            return Work(self.simple(name, axes, number, grid))
        tiles = gemm.tiles_for(self.dtype, self.rows, columns, depth, self.groups, device)
        count = self.groups * tiles.count(self.rows, columns)
        splits, length = gemm.cut(tiles, count, depth, device)
        out, (left, source) = Out(0), self.operands
        parts = Scratch(0) if splits > 1 else left                  # not read, but must be an address
        bias, scene = self.bias or left, self.scene(axes, number, splits, length)
        first = Launch(SOURCE, "conv_tiles", {**tiles.defines(self.dtype, number), **self.kind(axes)},
                       count * splits, tiles.threads, [out, left, source, bias, parts, scene])
        if splits == 1:
            return Work(first)
        return Work(first, self.simple("conv_sum", axes, number, blocks(elements), parts, splits, length),
                    scratch=[Spec((splits * elements,), gemm.sums_dtype(self.dtype))])

    def kind(self, axes):
        """Returns the macros of nn/convolution.cuh."""
        y = axes[1][0]
        planes = y[:5] != (1, 1, 1, 1, 0)           # one element, one window that begins there, and one tap
        return {"SUM_OVER_WINDOWS": int(self.over_windows), "GATHERS": int(self.gathers), "PLANES": int(planes)}

    def simple(self, function, axes, number, grid, parts=None, splits=1, length=0):
        """Returns the Launch of a function of nn/convolution_simple.cu."""
        defines = {**types(self.dtype), "A": gemm.sums_type(self.dtype), "NUMBER": number, **self.kind(axes)}
        left, source = self.operands
        operands = [Out(0), left, source, self.bias or left, *([parts] if parts else [])]
        return Launch(SIMPLE_SOURCE, function, defines, grid, THREADS,
                      [*operands, self.scene(axes, number, splits, length)])

    def scene(self, axes, number, splits, length):
        """Returns struct Scene."""
        numbers = []
        for name, (windows, (at, by, _), (tap, tap_step, _)) in zip("zyx", axes, strict=True):
            size, count, step, taps, first, apart = windows
            numbers += [size, count, step, first, taps, apart, at, by, tap, tap_step,
                        *(getattr(array, name) for array in (self.source, self.filters, self.place))]
        numbers += [self.batch, self.groups, self.rows, self.channels, self.last, self.source.image,
                    self.source.channel, self.channels * self.source.channel, self.tap_channel, self.place.image,
                    *self.left, *self.out, splits, length, self.bias is not None, self.relu]
        return np.array(numbers, np.int32 if number == "int" else np.int64)
