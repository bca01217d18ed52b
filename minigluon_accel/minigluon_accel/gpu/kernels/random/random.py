"""Uniform numbers, integers and permutations, equal to those on the CPU; other distributions differ. See
`philox.py`."""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.base import ArgumentError
from minigluon.ops.random.random import _checked

from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..philox import DRAWS, PER_STREAM, is_supported, take
from ..registry import kernel_for
from ..transfers import download

__all__ = []

SOURCE = SourceFile("random/random.cu")
DISTRIBUTIONS_SOURCE = SourceFile("random/random_distributions.cu")


def scalars(op):
    """Returns the distribution parameters among the attributes of an operator with scalar parameters."""
    return [value for name, value in op.attributes.items() if name not in ("shape", "ctx", "dtype")]


def check_numbers(op, dtype):
    """Raises the reference's ArgumentError for invalid parameters, by drawing zero numbers from it."""
    _checked(op, np.random.Generator(np.random.Philox(0)), scalars(op), (0,), dtype)


def check_arrays(op, inputs, dtype, device):
    """Returns an Enqueue that performs this check for arrays of parameters. It waits for the arrays because the
    reference's errors depend on the arrays' values."""
    def enqueue(stream, addresses):
        parameters = [download(device, stream, address, spec).reshape(*spec.shape, 1)
                      for address, spec in zip(addresses, inputs, strict=True)]
        _checked(op, np.random.Generator(np.random.Philox(0)), parameters, (*inputs[0].shape, 0), dtype)
    return Enqueue("checking parameters", enqueue, [In(k) for k in range(len(inputs))], replayable=False)


def _drawing(dtype):
    """Returns the dtype in which the reference draws."""
    return np.dtype("float64" if dtype == np.float64 else "float32")


def _uniform(op, out, rng, device, arguments, defines, before=()):
    if not is_supported(rng):
        return "another generator"
    count = size(out)
    if not count:
        return Work(*before)
    wide = out.dtype == np.float64
    defines = types(out.dtype, N=_drawing(out.dtype), **defines)
    if before:
        defines["ARRAYS"] = 1
    return Work(*before, take(rng, count, device, wide=wide), Launch(
        SOURCE, "wide_uniform" if wide else "uniform", defines, blocks(-(-count // (4 if wide else 8))),
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
    """Draws on the device if the range is a power of two, using 32 or 64 bits for each integer.

    Other ranges are drawn on the host: they reject some of the generator's numbers, so the number of draws depends on
    the values drawn.
    """
    out = outputs[0]
    try:
        np.random.Generator(np.random.Philox(0)).integers(op.low, op.high, (1,), out.dtype)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{op.name}: {error}") from None
    count, width = size(out), op.high - op.low
    if not count:
        return Work()
    if width == 1 or width & width - 1 or out.dtype.name not in ("int32", "int64") or not is_supported(rng):
        return Work(Enqueue("drawing integers", _drawn_on_host(op, out, rng, device), [Out(0)], replayable=False))
    wide = width > 2 ** 32
    return Work(take(rng, count, device, wide=wide), Launch(
        SOURCE, "wide_integers" if wide else "integers", {**types(out.dtype), "N": "float"},
        blocks(-(-count // 8)), THREADS, [Out(0), Scratch(0), count, op.low, np.uint64(width % 2 ** 64)]),
        scratch=[DRAWS])


def _drawn_on_host(op, out, rng, device):
    def enqueue(stream, addresses):
        device.memory.send(rng.integers(op.low, op.high, out.shape, out.dtype), addresses[0])
    return enqueue


# -- other distributions: a random stream per element, so the numbers are not the CPU's -------------------------------

_KERNELS = {"normal": "normals", "gamma": "gammas", "exponential": "exponentials", "poisson": "poissons",
            "negative_binomial": "negative_binomials",
            "generalized_negative_binomial": "generalized_negative_binomials"}


def _drawn(kernel, out, rng, device, arguments, defines, before=()):
    if not is_supported(rng):
        return "another generator"
    count = size(out)
    if not count:
        return Work(*before)
    return Work(*before, take(rng, PER_STREAM * count, device), Launch(
        DISTRIBUTIONS_SOURCE, kernel, {**types(out.dtype, **defines), **({"ARRAYS": 1} if defines else {})},
        blocks(count), THREADS, [Out(0), Scratch(0), count, *arguments]), scratch=[DRAWS])


@kernel_for(*[f"_random_{name}{form}" for name in _KERNELS for form in ("", "_like")])
def numbers(op, inputs, outputs, rng, device):
    """Draws with scalar parameters, in a given shape or in the shape of the input, whose elements are not read."""
    check_numbers(op, outputs[0].dtype)
    kernel = _KERNELS[op.name.removeprefix("_random_").removesuffix("_like")]
    return _drawn(kernel, outputs[0], rng, device, [1, *map(float, scalars(op))], {})


@kernel_for(*[f"_sample_{name}" for name in _KERNELS])
def arrays(op, inputs, outputs, rng, device):
    """Draws with parameter arrays."""
    if any(spec.dtype != inputs[0].dtype for spec in inputs):
        return f"parameters of dtypes {', '.join(str(spec.dtype) for spec in inputs)}"
    return _drawn(_KERNELS[op.name.removeprefix("_sample_")], outputs[0], rng, device,
                  [max(math.prod(op.shape), 1), *[In(k) for k in range(len(inputs))]], {"P": inputs[0].dtype},
                  [check_arrays(op, inputs, outputs[0].dtype, device)])


@kernel_for("_shuffle")
def shuffle(op, inputs, outputs, rng, device):
    """Draws the order on the host, step by step, so that it equals the reference's."""
    data = inputs[0]
    items = data.shape[0]

    def enqueue(stream, addresses):
        device.memory.send(rng.permutation(items).astype(np.int64, copy=False), addresses[0])
    order = Enqueue("drawing a permutation", enqueue, [Scratch(0)], replayable=False)
    if not size(data):
        return Work(order, scratch=[Spec((max(items, 1),), np.dtype("int64"))])
    moves = Launch(SOURCE, "permuted", {**types(data.dtype), "N": "float"}, blocks(size(data)), THREADS,
                   [Out(0), In(0), Scratch(0), size(data), size(data) // items])
    return Work(order, moves, scratch=[Spec((items,), np.dtype("int64"))])
