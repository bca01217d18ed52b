"""Dropout and uniform random numbers, from the very generator that the reference draws from, with its results.

That generator is NumPy's Philox, which counts: number i of a sequence follows from the seed and i alone. So threads
draw parts of it, and the result depends neither on their number nor on the backend. See `csrc/philox.h`.
"""

import functools
import math

import numpy as np

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size

DRAW = 4                                        # what a random number costs beside an addition
DRAWS = Spec((16,), np.dtype("int64"))         # memory for csrc/philox.h's Draws


def _drawn(state, count):
    """So many numbers in [0, 1) of float32, as the kernels draw them."""
    out, draws = np.empty(count, np.float32), np.empty(*DRAWS)
    dtype = np.dtype("float32")
    Call(Phase("take_numbers", dtype, state=state, count=count, place=1),
         Phase("random_uniform", dtype, size=count, low=0.0, width=1.0))([out], [draws])
    return out


@functools.cache
def _is_known():
    """Does this NumPy keep its state, and draw, as `csrc/philox.h` has it?"""
    ours, theirs = (np.random.Generator(np.random.Philox(key=(5, 7))) for _ in range(2))
    if type(ours.bit_generator).__name__ != "Philox":
        return False
    return all(np.array_equal(_drawn(ours.bit_generator.ctypes.state_address, count), theirs.random(count, np.float32))
               for count in (3, 1, 20, 7, 64))


def state_of(rng):
    """The address of the generator's state, or why the kernels cannot draw from it."""
    if not isinstance(rng.bit_generator, np.random.Philox) or not _is_known():
        return "another generator"
    return rng.bit_generator.ctypes.state_address


def dropping(dtype, state, p, count, data, out, mask, draws, data_first=0, mask_first=0):
    """The Phases that draw `count` numbers, and drop as many elements; data, out, mask, draws: places in io."""
    return (Phase("take_numbers", dtype, state=state, count=count, place=draws),
            Phase("dropout", dtype, parts(DRAW * count), data=data, out=out, mask=mask, draws=draws,
                  data_first=data_first, mask_first=mask_first, size=count,
                  least=math.ceil(float(np.float32(p)) * 2 ** 24), kept=1 / (1 - p) if p < 1 else 0.0))


@kernel_for("Dropout")
def dropout(op, inputs, outputs, train, rng):
    data, mask = inputs[0], outputs[1]
    declined = reals(*inputs, *outputs)
    if declined:
        return declined
    count = size(data)
    if not op.draws(train):
        return Call(Phase("dropout_pass", data.dtype, max(parts(count), 1), size=count, ones=size(mask)))
    state = state_of(rng)
    if isinstance(state, str) or mask.shape != data.shape:
        return state if isinstance(state, str) else "axes"
    return Call(*dropping(data.dtype, state, op.p, count, data=0, out=1, mask=2, draws=3), scratch=[DRAWS])


@kernel_for("_random_uniform")
def random_uniform(op, inputs, outputs, rng):
    out = outputs[0]
    if out.dtype != np.float32:
        return f"dtype {out.dtype}"
    if op.low > op.high:
        return "low above high, which the reference refuses"
    state = state_of(rng)
    if isinstance(state, str):
        return state
    count, width = size(out), np.subtract(op.high, op.low)
    return Call(Phase("take_numbers", out.dtype, state=state, count=count, place=1),
                Phase("random_uniform", out.dtype, parts(DRAW * count), size=count, low=op.low, width=width),
                scratch=[DRAWS])
