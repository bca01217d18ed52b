"""Uniform numbers and integers: the CPU's own. See `philox.py`."""

import math

import numpy as np

from minigluon.base import ArgumentError
from minigluon.ops.random.random import _checked

from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, Work, blocks, size, types
from ..philox import DRAWS, download, known, take, upload
from ..registry import kernel_for

__all__ = ["check_arrays", "check_numbers", "scalars"]


def scalars(op):
    """The parameters among the attributes of an operator that draws for given numbers."""
    return [value for name, value in op.attributes.items() if name not in ("shape", "ctx", "dtype")]


def check_numbers(op, dtype):
    """Raise the reference's ArgumentError for parameters that it refuses: it is asked for no numbers."""
    _checked(op, np.random.Generator(np.random.Philox(0)), scalars(op), (0,), dtype)


def check_arrays(op, inputs, dtype, device):
    """An Enqueue that does the same for arrays of parameters. It waits for them, as the reference's errors depend on
    values."""
    def enqueue(stream, addresses):
        parameters = [download(device, stream, address, spec).reshape(*spec.shape, 1)
                      for address, spec in zip(addresses, inputs, strict=True)]
        _checked(op, np.random.Generator(np.random.Philox(0)), parameters, (*inputs[0].shape, 0), dtype)
    return Enqueue("checking parameters", enqueue, [In(k) for k in range(len(inputs))], replayable=False)


def _drawing(dtype):
    """The type in which the reference draws."""
    return np.dtype("float64" if dtype == np.float64 else "float32")


def _uniform(op, out, rng, device, arguments, defines, before=()):
    if not known(rng):
        return "another generator"
    count = size(out)
    if not count:
        return Work(*before)
    wide = out.dtype == np.float64
    defines = types(out.dtype, N=_drawing(out.dtype), **defines)
    if before:
        defines["ARRAYS"] = 1
    return Work(*before, take(rng, count, device, wide=wide), Launch(
        "random/random.cu", "wide_uniform" if wide else "uniform", defines, blocks(-(-count // (4 if wide else 8))),
        THREADS, [Out(0), Scratch(0), count, *arguments]), scratch=[DRAWS])


@kernel_for("_random_uniform", "_random_uniform_like")
def uniform(op, inputs, outputs, rng, device):
    out = outputs[0]
    check_numbers(op, out.dtype)
    number = _drawing(out.dtype).type
    with np.errstate(over="ignore"):
        width = np.subtract(op.high, op.low, dtype=number) if np.subtract(op.high, op.low) != 1 else number(1)
        return _uniform(op, out, rng, device, [1, number(op.low), width], {})


@kernel_for("_sample_uniform")
def sample_uniform(op, inputs, outputs, rng, device):
    out = outputs[0]
    return _uniform(op, out, rng, device, [max(math.prod(op.shape), 1), In(0), In(1)], {"P": inputs[0].dtype},
                    [check_arrays(op, inputs, out.dtype, device)])


@kernel_for("_random_randint")
def randint(op, inputs, outputs, rng, device):
    """A power of two of integers from 32 or 64 bits each; other ranges, for which the generator's numbers are rejected
    here and there, so that how many it gives depends on them, are drawn on the host."""
    out = outputs[0]
    try:
        np.random.Generator(np.random.Philox(0)).integers(op.low, op.high, (1,), out.dtype)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{op.name}: {error}") from None
    count, width = size(out), op.high - op.low
    if not count:
        return Work()
    if width == 1 or width & width - 1 or out.dtype.name not in ("int32", "int64") or not known(rng):
        return Work(Enqueue("drawing integers", _drawn_on_host(op, out, rng, device), [Out(0)], replayable=False))
    wide = width > 2 ** 32
    return Work(take(rng, count, device, wide=wide), Launch(
        "random/random.cu", "wide_integers" if wide else "integers", {**types(out.dtype), "N": "float"},
        blocks(-(-count // 8)), THREADS, [Out(0), Scratch(0), count, op.low, np.uint64(width % 2 ** 64)]),
        scratch=[DRAWS])


def _drawn_on_host(op, out, rng, device):
    def enqueue(stream, addresses):
        upload(device, stream, addresses[0], rng.integers(op.low, op.high, out.shape, out.dtype))
        device.synchronize()            # before the array's memory goes
    return enqueue
