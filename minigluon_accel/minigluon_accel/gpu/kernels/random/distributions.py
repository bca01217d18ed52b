"""Samplers with a stream of random numbers for each element: other numbers than the CPU's, of the same laws."""

import math

from ...launch import THREADS, In, Launch, Out, Scratch, Work, blocks, size, types
from ..philox import DRAWS, PER_STREAM, known, take
from ..registry import kernel_for
from .random import check_arrays, check_numbers, scalars

_KERNELS = {"normal": "normals", "gamma": "gammas", "exponential": "exponentials", "poisson": "poissons",
            "negative_binomial": "negative_binomials",
            "generalized_negative_binomial": "generalized_negative_binomials"}


def _drawn(kernel, out, rng, device, arguments, defines, before=()):
    if not known(rng):
        return "another generator"
    count = size(out)
    if not count:
        return Work(*before)
    return Work(*before, take(rng, PER_STREAM * count, device), Launch(
        "random/distributions.cu", kernel, {**types(out.dtype, **defines), **({"ARRAYS": 1} if defines else {})},
        blocks(count), THREADS, [Out(0), Scratch(0), count, *arguments]), scratch=[DRAWS])


@kernel_for(*[f"_random_{name}{form}" for name in _KERNELS for form in ("", "_like")])
def numbers(op, inputs, outputs, rng, device):
    """Draws for given numbers, in a shape or in that of the input, whose elements do not matter."""
    check_numbers(op, outputs[0].dtype)
    kernel = _KERNELS[op.name.removeprefix("_random_").removesuffix("_like")]
    return _drawn(kernel, outputs[0], rng, device, [1, *map(float, scalars(op))], {})


@kernel_for(*[f"_sample_{name}" for name in _KERNELS])
def arrays(op, inputs, outputs, rng, device):
    """Draws for arrays of parameters."""
    if any(spec.dtype != inputs[0].dtype for spec in inputs):
        return f"parameters of dtypes {', '.join(str(spec.dtype) for spec in inputs)}"
    return _drawn(_KERNELS[op.name.removeprefix("_sample_")], outputs[0], rng, device,
                  [max(math.prod(op.shape), 1), *[In(k) for k in range(len(inputs))]], {"P": inputs[0].dtype},
                  [check_arrays(op, inputs, outputs[0].dtype, device)])
