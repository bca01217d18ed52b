"""Assignment on the device: `buffer[...] = value` with NumPy's semantics, performed by the kernels in `copying.cu`."""

import functools

import numpy as np

from ..strides import collapse, stretched
from .compile import Runner, prepare
from .launch import THREADS, In, Launch, Out, SourceFile, blocks, dims, types
from .launcher import Buffer
from .strides import strides_of

__all__ = ["assign", "assign_elements"]

SOURCE = SourceFile("copying.cu")
MAX_COPIES = 1024       # the number of different copies that are cached


def assign(to, value):
    """Performs to[...] = value.

    value: a number, a NumPy array or a buffer. Raises ValueError if value cannot be broadcast.
    """
    if isinstance(value, Buffer):
        if value.device is not to.device:
            raise ValueError(f"a buffer on {value.device} cannot be written to one on {to.device}")
        _require_fit(value.shape, to.shape)
        if value.owner is to.owner and not _same(to, value) and _overlap(to, value):
            value = value.copy()
        _copy(to, value)
        return
    value = np.asarray(value)
    if value.ndim == 0:
        _fill(to, value.astype(to.dtype)[()])
        return
    _require_fit(value.shape, to.shape)
    value = value.astype(to.dtype, copy=False)
    if to.c_contiguous and value.shape == to.shape:
        to.device.memory.upload(value, to)
        return
    _copy(to, _uploaded(to.device, value))


def assign_elements(to, key, value):
    """Performs to[key] = value for a key that contains arrays. If an element is selected several times, it receives the
    last value."""
    numbers = np.arange(to.size).reshape(to.shape)[key]
    _require_fit(np.shape(value), numbers.shape)
    if not numbers.size:
        return
    values = to.device.memory.empty(numbers.shape, to.dtype)
    assign(values, value)
    reversed_order = numbers.reshape(-1)[::-1]
    chosen, last = np.unique(reversed_order, return_index=True)
    where = np.unravel_index(chosen, to.shape)
    places = sum((i * s for i, s in zip(where, strides_of(to), strict=True)), np.zeros(len(chosen), np.int64))
    pairs = _uploaded(to.device, np.stack([places, numbers.size - 1 - last]).astype(np.int64))
    launch = Launch(SOURCE, "scatter_elements", {**types(to.dtype), "FROM": "float"}, blocks(len(chosen)),
                    THREADS, [Out(0), In(0), In(1), len(chosen)])
    _runner(to.device, launch, 2)([values, pairs, to])


def _copy(to, source):
    if to.size:
        run = _copier(to.device, to.dtype, source.dtype, to.shape, strides_of(to),
                      stretched(source.shape, strides_of(source), to.shape))
        run([source, to])


def _fill(to, number):
    if to.size:
        _filler(to.device, to.dtype, to.shape, strides_of(to), number.tobytes())([to])


@functools.lru_cache(MAX_COPIES)
def _copier(device, dtype, from_dtype, shape, strides, from_strides):
    lengths, (to_strides, from_strides) = collapse(shape, [strides, from_strides])
    count = int(np.prod(shape, dtype=np.int64))
    launch = Launch(SOURCE, "copy_strided", {**types(dtype), "FROM": types(from_dtype)["T"]}, blocks(count),
                    THREADS, [Out(0), In(0), count, np.int32(len(lengths)), dims(lengths), dims(to_strides),
                     dims(from_strides)])
    return _runner(device, launch, 1)


@functools.lru_cache(MAX_COPIES)
def _filler(device, dtype, shape, strides, number):
    lengths, (strides,) = collapse(shape, [strides])
    count = int(np.prod(shape, dtype=np.int64))
    launch = Launch(SOURCE, "fill_strided", {**types(dtype), "FROM": "float"}, blocks(count), THREADS,
                    [Out(0), np.frombuffer(number, dtype)[0], count, np.int32(len(lengths)), dims(lengths),
                     dims(strides)])
    return _runner(device, launch, 0)


def _runner(device, launch, inputs):
    """Returns the function that launches a kernel with `inputs` inputs and one output."""
    return Runner(device, [prepare(device, launch, {In: 0, Out: inputs})], inputs + 1).run


def _uploaded(device, array):
    buffer = device.memory.empty(array.shape, array.dtype)
    device.memory.upload(array, buffer)
    return buffer


def _require_fit(shape, to_shape):
    trimmed = tuple(shape)
    while len(trimmed) > len(to_shape) and trimmed[0] == 1:
        trimmed = trimmed[1:]
    if np.broadcast_shapes(trimmed, to_shape) != tuple(to_shape):
        raise ValueError(f"shape {shape} cannot be stretched to {to_shape}")


def _same(a, b):
    return a.pointer == b.pointer and a.shape == b.shape and a.strides == b.strides


def _overlap(a, b):
    """Returns whether two views of the same memory may share elements."""
    if not a.size or not b.size:
        return False
    (a_start, a_end), (b_start, b_end) = _extent(a), _extent(b)
    return a_start < b_end and b_start < a_end


def _extent(x):
    """Returns (the first address of a view, the address just past its end)."""
    size = x.dtype.itemsize
    steps = [(n - 1) * s * size for n, s in zip(x.shape, strides_of(x), strict=True)]
    return x.pointer + sum(min(s, 0) for s in steps), x.pointer + sum(max(s, 0) for s in steps) + size
