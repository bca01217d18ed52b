"""Small arrays of the device for the host: what an Enqueue looks at while launches wait their turn."""

import ctypes

import numpy as np

from .. import driver

__all__ = ["download"]


def download(device, stream, address, spec):
    """An array of the device's memory. Waits for all work before."""
    array, api = np.empty(spec.shape, spec.dtype), driver.api()
    if array.size:
        status = api.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(address),
                                          ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))
        driver.check(status or api.cuStreamSynchronize(ctypes.c_void_p(stream)), device, "a copy from the device")
    return array
