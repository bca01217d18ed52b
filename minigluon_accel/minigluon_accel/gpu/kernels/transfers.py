"""Small arrays between the host and the device, for what an Enqueue does on the host while launches wait their turn."""

import ctypes

import numpy as np

from .. import driver

__all__ = ["download", "upload"]


def upload(device, stream, address, array):
    """Copy a small array to the device. The driver has read it when this returns."""
    status = driver.api().cuMemcpyHtoDAsync_v2(ctypes.c_uint64(address), ctypes.c_void_p(array.ctypes.data),
                                               ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))
    driver.check(status, device, "a copy to the device")


def download(device, stream, address, spec):
    """An array of the device's memory. Waits for all work before."""
    array, api = np.empty(spec.shape, spec.dtype), driver.api()
    if array.size:
        status = api.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(address),
                                          ctypes.c_size_t(array.nbytes), ctypes.c_void_p(stream))
        driver.check(status or api.cuStreamSynchronize(ctypes.c_void_p(stream)), device, "a copy from the device")
    return array
