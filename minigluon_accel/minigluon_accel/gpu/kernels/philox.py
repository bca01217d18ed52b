"""Random numbers for kernels from the host's generator, which advances by the number of values that a kernel draws.

Before a launch that draws random numbers, an `Enqueue` reserves them in the generator and copies the generator's
previous position to scratch memory. From this position, the kernel computes the numbers (see `philox.cuh`).
"""

import numpy as np

from minigluon.backend import Spec

from ...engine import Call, Phase
from ...kernels.philox import state_of
from ..launch import Enqueue, Scratch

__all__ = ["DRAWS", "PER_STREAM", "is_supported", "take"]

DRAWS = Spec((16,), np.dtype("int64"))      # larger than struct Draws in philox.cuh
PER_STREAM = 8                              # 32-bit numbers reserved for each Stream


def is_supported(rng):
    """Returns whether kernels support the generator: NumPy's Philox, with the expected memory layout of its state."""
    return not isinstance(state_of(rng), str)


def take(rng, count, device, wide=False):
    """Returns the Enqueue that reserves `count` numbers (64-bit if `wide`, otherwise 32-bit), writing Draws to
    Scratch(0)."""
    function = _take_wide if wide else _take

    def enqueue(stream, addresses):
        device.memory.send(function(rng.bit_generator, count), addresses[0])
    return Enqueue("taking random numbers", enqueue, [Scratch(0)], replayable=False)


def _take(generator, count):
    """Returns struct Draws. The CPU kernels' own function advances the generator's state."""
    draws = np.zeros(DRAWS.shape, DRAWS.dtype)
    Call(Phase("take_numbers", np.dtype("float32"), state=generator.ctypes.state_address, count=count, place=0))(
        [], [draws])
    return draws


def _take_wide(generator, count):
    """Returns struct Draws for 64-bit numbers, which do not use a remaining half word."""
    with generator.lock:
        state = generator.state
        position, philox = state["buffer_pos"], state["state"]
        draws = np.zeros(DRAWS.shape, DRAWS.dtype)
        words, remaining = draws.view(np.uint64), 4 - position
        words[:4], words[4:6] = philox["counter"], philox["key"]
        words[6], words[7:7 + remaining] = 2 * remaining, state["buffer"][position:]
        state["buffer_pos"] = position + min(count, remaining)
        if count > remaining:
            passed, behind = divmod(count - remaining - 1, 4)        # blocks, and words of the block after them
            ahead = np.random.Philox(counter=_words(_number(words[:4]) + passed), key=philox["key"])
            state["buffer"] = ahead.random_raw(4)
            philox["counter"], state["buffer_pos"] = ahead.state["state"]["counter"], behind + 1
        generator.state = state
    return draws


def _number(words):
    """Returns the counter that four words represent."""
    return sum(int(word) << 64 * k for k, word in enumerate(words))


def _words(number):
    return np.array([number >> 64 * k & 2 ** 64 - 1 for k in range(4)], np.uint64)
