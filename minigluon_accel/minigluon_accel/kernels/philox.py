"""Random numbers from the reference's own generator, with identical results.

This generator is NumPy's Philox, which is counter-based: element i of a sequence depends only on the seed and i. So
each thread can draw a part of the sequence, and the result depends neither on the number of threads nor on the backend.
See `csrc/philox.h`.
"""

import functools

import numpy as np

from minigluon.backend import Spec

from ..engine import Call, Phase

__all__ = ["DRAW", "DRAWS", "state_of"]

DRAW = 4                                        # the cost of a random number, in additions
DRAWS = Spec((16,), np.dtype("int64"))         # memory for csrc/philox.h's Draws


def _drawn(state, count):
    """Returns `count` float32 numbers in [0, 1), as the kernels draw them."""
    out, draws = np.empty(count, np.float32), np.empty(*DRAWS)
    dtype = np.dtype("float32")
    Call(Phase("take_numbers", dtype, state=state, count=count, place=1),
         Phase("random_uniform", dtype, size=count, low=0.0, width=1.0))([out], [draws])
    return out


@functools.cache
def _is_known():
    """Returns whether this NumPy version stores its state and draws as `csrc/philox.h` assumes."""
    ours, theirs = (np.random.Generator(np.random.Philox(key=(5, 7))) for _ in range(2))
    if type(ours.bit_generator).__name__ != "Philox":
        return False
    return all(np.array_equal(_drawn(ours.bit_generator.ctypes.state_address, count), theirs.random(count, np.float32))
               for count in (3, 1, 20, 7, 64))


def state_of(rng):
    """Returns the address of the generator's state, or a string that says why the kernels cannot draw from it."""
    if not isinstance(rng.bit_generator, np.random.Philox) or not _is_known():
        return "another generator"
    return rng.bit_generator.ctypes.state_address
