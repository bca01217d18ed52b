"""Random numbers for kernels, from the host's generator: it stays the truth, and advances by what a kernel draws.

A launch that draws comes behind an `Enqueue` that takes so many numbers from the generator and copies where it stood to
scratch memory. The kernel computes the numbers from that; see `philox.cuh`.
"""

import ctypes

import numpy as np

from minigluon.backend import Spec

from ...engine import Call, Phase
from ...kernels.dropout import _state
from .. import driver
from ..launch import Enqueue, Scratch

__all__ = ["DRAWS", "PER_STREAM", "download", "known", "take", "upload"]

DRAWS = Spec((16,), np.dtype("int64"))      # struct Draws of philox.cuh, with room to spare
PER_STREAM = 8                              # 32-bit numbers that are taken for each Stream


def known(rng):
    """Is it the generator that kernels know? NumPy's Philox, and its state in memory looks as it is known to."""
    return not isinstance(_state(rng), str)


def take(rng, count, device, wide=False):
    """The Enqueue that takes `count` numbers of 32 bits, or 64 if `wide`, and tells in Scratch(0), DRAWS, which."""
    taken = _take_wide if wide else _take

    def enqueue(stream, addresses):
        upload(device, stream, addresses[0], taken(rng.bit_generator, count))
    return Enqueue("taking random numbers", enqueue, [Scratch(0)], replayable=False)


def _take(generator, count):
    """struct Draws. The generator's state is changed by the function that the CPU's kernels use."""
    draws = np.zeros(DRAWS.shape, DRAWS.dtype)
    Call(Phase("take_numbers", np.dtype("float32"), state=generator.ctypes.state_address, count=count, place=0))(
        [], [draws])
    return draws


def _take_wide(generator, count):
    """The same for numbers of 64 bits, which leave half a word that is left where it is."""
    state = generator.state
    draws, left = np.zeros(DRAWS.shape, DRAWS.dtype), 4 - state["buffer_pos"]
    words = draws.view(np.uint64)
    words[:4], words[4:6] = state["state"]["counter"], state["state"]["key"]
    words[6], words[7:7 + left] = 2 * left, state["buffer"][state["buffer_pos"]:]
    if count > left:
        passed, count = divmod(count - left - 1, 4)
        counter = sum(int(word) << 64 * k for k, word in enumerate(words[:4])) + passed
        state["state"]["counter"] = np.array([counter >> 64 * k & 2 ** 64 - 1 for k in range(4)], np.uint64)
        state["buffer_pos"], count = 4, count + 1
        generator.state = state
    generator.random_raw(count, output=False)
    return draws


def upload(device, stream, address, array):
    """Copy a small array to the device. The driver has read it when this returns."""
    status = driver.api().cuMemcpyHtoDAsync_v2(ctypes.c_uint64(address), array.ctypes.data_as(ctypes.c_void_p),
                                               ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))
    driver.check(status, device, "a copy to the device")


def download(device, stream, address, spec):
    """An array of the device's memory. Waits for all work before."""
    array, api = np.empty(spec.shape, spec.dtype), driver.api()
    if array.size:
        status = api.cuMemcpyDtoHAsync_v2(array.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(address),
                                          ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))
        driver.check(status or api.cuStreamSynchronize(ctypes.c_void_p(stream)), device, "a copy from the device")
    return array
