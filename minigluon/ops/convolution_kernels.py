"""How the reference computes convolutions: window columns, then one matrix product.

A convolution and its two adjoints are the partial derivatives of one sum over batch n, groups, channels and taps,

    Σ  grad[n, o, p] · weight[o, c, tap] · data[n, c, p · stride + tap · dilate - pad]

`convolve` gives grad's place, `data_gradient` data's and `weight_gradient` weight's. Each is linear in both of its
arguments, so the three also are each other's derivatives.

Inside, arrays are ordered (channels, *space, batch): a row of a window is then one long run in memory for any kernel,
and all windows of all images are the columns of a single matrix. Columns take kernel-size times the memory of the
data, so a large batch goes in parts.
"""

import itertools
from dataclasses import dataclass

import numpy as np

__all__ = ["Geometry", "convolve", "convolve_direct", "data_gradient", "data_gradient_direct", "weight_gradient",
           "weight_gradient_direct"]

COLUMNS = 2 ** 21           # elements of the column matrix at a time, unless one image alone has more


@dataclass(frozen=True)
class Geometry:
    """Where the windows of a convolution lie; one number for each space axis. `last`: channels are the last axis."""

    kernel: tuple
    stride: tuple
    dilate: tuple
    pad: tuple
    groups: int = 1
    last: bool = False

    def out_space(self, space):
        """Number of windows along each axis; None where the size is unknown, negative or 0 when none fits."""
        return tuple(None if n is None else (n + 2 * p - d * (k - 1) - 1) // s + 1
                     for n, k, s, d, p in zip(space, self.kernel, self.stride, self.dilate, self.pad, strict=True))

    def space(self, shape):
        """The space axes of an array's shape."""
        return tuple(shape[1:-1] if self.last else shape[2:])

    def shape(self, n, channels, space):
        """A shape in this layout."""
        return (n, *space, channels) if self.last else (n, channels, *space)

    def inner(self, array):
        """A view in the order (channels, *space, batch); for a weight (input channels, *kernel, output channels)."""
        axes = range(array.ndim)
        return array.transpose(*axes[::-1][:1], *axes[1:-1], 0) if self.last else array.transpose(*axes[1:], 0)

    def filters(self, weight):
        """A weight as (groups, filters of a group, channels of a group · taps)."""
        weight = np.moveaxis(weight, -1, 1) if self.last else weight
        return weight.reshape(self.groups, weight.shape[0] // self.groups, -1)

    def taps(self, out):
        """For each tap of the kernel its index, and the slices of the padded space that its windows see."""
        for tap in itertools.product(*map(range, self.kernel)):
            yield tap, tuple(slice(t * d, t * d + s * (n - 1) + 1, s)
                             for t, s, d, n in zip(tap, self.stride, self.dilate, out, strict=True))

    @property
    def is_pointwise(self):
        """A 1x1 kernel on every element: a matrix product as it stands."""
        return set(self.kernel) == set(self.stride) == {1} and not any(self.pad) and not self.last


def _padded(data, geometry):
    """(channels, *space, batch) in one piece of memory, with zeros around it."""
    if not any(geometry.pad):
        return np.ascontiguousarray(data)
    space = [n + 2 * p for n, p in zip(data.shape[1:-1], geometry.pad, strict=True)]
    padded = np.zeros((data.shape[0], *space, data.shape[-1]), data.dtype)
    padded[_inside(geometry, data.shape)] = data
    return padded


def _inside(geometry, shape):
    """Index of the part of a padded array that is not padding."""
    return (slice(None), *(slice(p, p + n) for p, n in zip(geometry.pad, shape[1:-1], strict=True)))


def _columns(data, geometry, out):
    """(groups, channels of a group · taps, windows · batch): the elements under each window as a column."""
    data = _padded(data, geometry)
    channel, *steps, item = data.strides
    windows = np.lib.stride_tricks.as_strided(
        data, (data.shape[0], *geometry.kernel, *out, data.shape[-1]),
        (channel, *(b * d for b, d in zip(steps, geometry.dilate, strict=True)),
         *(b * s for b, s in zip(steps, geometry.stride, strict=True)), item), writeable=False)
    rows = data.shape[0] // geometry.groups * int(np.prod(geometry.kernel))
    return windows.reshape(geometry.groups, rows, int(np.prod(out)) * data.shape[-1])


def _parts(batch, channels, geometry, out):
    """Slices of the batch whose columns together stay below COLUMNS elements."""
    one = max(1, channels * int(np.prod(geometry.kernel)) * int(np.prod(out)))
    step = max(1, COLUMNS // one)
    return [slice(i, min(i + step, batch)) for i in range(0, batch, step)]


def _wide(*arrays):
    """float16 has no fast product and loses the sum's low bits: compute in float32."""
    return [a.astype(np.float32) for a in arrays] if arrays[0].dtype == np.float16 else arrays


def convolve(data, weight, geometry, out):
    """The convolution, without bias. `out`: the number of windows along each axis."""
    dtype = data.dtype
    data, weight = _wide(data, weight)
    filters = geometry.filters(weight)
    count = weight.shape[0]
    result = np.empty(geometry.shape(data.shape[0], count, out), dtype)
    if geometry.is_pointwise:
        flat = data.reshape(data.shape[0], geometry.groups, filters.shape[2], int(np.prod(out)))
        result[...] = np.matmul(filters, flat).reshape(result.shape)
        return result
    data, target = geometry.inner(data), geometry.inner(result)
    for part in _parts(data.shape[-1], data.shape[0], geometry, out):
        columns = _columns(data[..., part], geometry, out)
        target[..., part] = np.matmul(filters, columns).reshape(count, *out, -1)
    return result


def data_gradient(grad, weight, geometry, space):
    """What reaches each element of the data, whose space is `space`, from `grad` at the windows: col2im."""
    dtype, out = grad.dtype, geometry.space(grad.shape)
    grad, weight = _wide(grad, weight)
    filters = geometry.filters(weight).transpose(0, 2, 1)
    channels = filters.shape[1] // int(np.prod(geometry.kernel)) * geometry.groups
    result = np.empty(geometry.shape(grad.shape[0], channels, space), dtype)
    if geometry.is_pointwise:
        flat = grad.reshape(grad.shape[0], geometry.groups, filters.shape[2], int(np.prod(out)))
        result[...] = np.matmul(filters, flat).reshape(result.shape)
        return result
    grad, target = geometry.inner(grad), geometry.inner(result)
    reach = [n + 2 * p for n, p in zip(space, geometry.pad, strict=True)]
    for part in _parts(grad.shape[-1], channels, geometry, out):
        rows = np.ascontiguousarray(grad[..., part])
        batch = rows.shape[-1]
        columns = np.matmul(filters, rows.reshape(geometry.groups, filters.shape[2], -1))
        columns = columns.reshape(channels, *geometry.kernel, *out, batch)
        padded = np.zeros((channels, *reach, batch), columns.dtype)
        for tap, under in geometry.taps(out):
            padded[(slice(None), *under)] += columns[(slice(None), *tap)]
        target[..., part] = padded[_inside(geometry, target.shape)]
    return result


def weight_gradient(grad, data, geometry):
    """How each weight adds up what `grad` says at every window: one product of rows and columns."""
    dtype, out = grad.dtype, geometry.space(grad.shape)
    grad, data = (geometry.inner(a) for a in _wide(grad, data))
    filters, channels = grad.shape[0], data.shape[0]
    groups = geometry.groups
    total = np.zeros((groups, filters // groups, channels // groups * int(np.prod(geometry.kernel))), grad.dtype)
    for part in _parts(data.shape[-1], channels, geometry, out):
        columns = _columns(data[..., part], geometry, out)
        rows = np.ascontiguousarray(grad[..., part]).reshape(groups, filters // groups, -1)
        total += np.matmul(rows, columns.transpose(0, 2, 1))
    weight = total.reshape(filters, channels // groups, *geometry.kernel).astype(dtype, copy=False)
    return np.ascontiguousarray(np.moveaxis(weight, 1, -1)) if geometry.last else weight


# -- the same three, plain to read: one tap of the kernel after the other, channels first -------------------------
#
# The tests hold the fast ones to these.

def convolve_direct(data, weight, geometry, out):
    """out[n, o, p] = Σ over c and taps of weight[o, c, tap] · data[n, c, p · stride + tap · dilate - pad]"""
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in geometry.pad)])
    result = np.zeros((data.shape[0], weight.shape[0], *out), data.dtype)
    for outs, ins in _groups(geometry, weight):
        for tap, under in geometry.taps(out):
            seen = padded[(slice(None), ins, *under)]
            result[:, outs] += np.einsum("oc,nc...->no...", weight[(outs, slice(None), *tap)], seen)
    return result


def data_gradient_direct(grad, weight, geometry, space):
    """The sum of `convolve_direct` read from the other side: each window adds to the elements it has seen."""
    out = geometry.space(grad.shape)
    reach = [n + 2 * p for n, p in zip(space, geometry.pad, strict=True)]
    padded = np.zeros((grad.shape[0], weight.shape[1] * geometry.groups, *reach), grad.dtype)
    for outs, ins in _groups(geometry, weight):
        for tap, under in geometry.taps(out):
            sent = np.einsum("oc,no...->nc...", weight[(outs, slice(None), *tap)], grad[:, outs])
            padded[(slice(None), ins, *under)] += sent
    return padded[(slice(None), *_inside(geometry, (0, *space, 0)))]


def weight_gradient_direct(grad, data, geometry):
    """For each tap, the product of what the windows saw there with what `grad` says."""
    out = geometry.space(grad.shape)
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in geometry.pad)])
    weight = np.zeros((grad.shape[1], data.shape[1] // geometry.groups, *geometry.kernel), grad.dtype)
    summed = [0, *range(2, grad.ndim)]
    for outs, ins in _groups(geometry, weight):
        for tap, under in geometry.taps(out):
            seen = padded[(slice(None), ins, *under)]
            weight[(outs, slice(None), *tap)] = np.tensordot(grad[:, outs], seen, axes=(summed, summed))
    return weight


def _groups(geometry, weight):
    """For each group, which output channels it makes and which input channels it sees."""
    outs, ins = weight.shape[0] // geometry.groups, weight.shape[1]
    return [(slice(g * outs, (g + 1) * outs), slice(g * ins, (g + 1) * ins)) for g in range(geometry.groups)]
