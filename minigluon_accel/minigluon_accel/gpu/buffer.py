"""Buffer: device memory with those parts of the `numpy.ndarray` interface that NDArray needs from its `buffer`."""

import math

import numpy as np

from minigluon.base import MXNetError

from . import copies, launcher
from .strides import strided

__all__ = ["Buffer"]

CUDA = 2        # DLPack's id for CUDA device memory


class Buffer(launcher.Buffer):
    """An array on a device. Basic slices are views; kernels write elements in stream order."""

    # -- views ------------------------------------------------------------------------------------------------------

    @property
    def flags(self):
        """The buffer itself, which has the attribute `c_contiguous`."""
        return self

    @property
    def base(self):
        """Always None; present because NumPy arrays have it."""
        return None

    def reshape(self, *shape):
        """Returns the same memory with a different shape, or a copy if the elements are not contiguous."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if -1 in shape:
            product = -math.prod(shape)
            shape = [self.size // product if n == -1 else n for n in shape]
        source = self if self.c_contiguous else self.copy()
        return Buffer(source.pointer, tuple(shape), self.dtype, source.owner, self.device)

    def part(self, offset, shape, dtype):
        """Returns a buffer that is part of this memory and starts at byte `offset`."""
        return Buffer(self.pointer + offset, tuple(shape), np.dtype(dtype), self.owner, self.device)

    def __getitem__(self, key):
        """Returns a view selected by integers, slices, None and Ellipsis."""
        key = key if isinstance(key, tuple) else (key,)
        if not any(item is ... for item in key):
            key = (*key, ...)           # otherwise NumPy would read an element
        whole = strided(self)
        part = whole[key]
        offset = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0] if part.size else 0
        return Buffer(self.pointer + offset, part.shape, self.dtype, self.owner, self.device,
                      None if part.flags.c_contiguous else part.strides)

    # -- other libraries --------------------------------------------------------------------------------------------

    def __dlpack_device__(self):
        """Returns (DLPack device type: CUDA, device id)."""
        return CUDA, self.device.number

    def __dlpack__(self, **options):
        """Raises MXNetError, because the other library would have to use this device's stream."""
        raise MXNetError(f"an array on {self.device} cannot be shared through DLPack. Copy it: x.asnumpy(), or "
                         "x.as_in_context(mx.cpu()), whose memory can be shared.")

    # -- elements ---------------------------------------------------------------------------------------------------

    def copy(self):
        """Returns a new contiguous buffer with the same elements."""
        new = self.device.memory.empty(self.shape, self.dtype)
        copies.assign(new, self)
        return new

    def numpy(self):
        """Returns a new NumPy array with the elements. Waits for all previous work."""
        return self.device.memory.download(self if self.c_contiguous else self.copy())

    def __setitem__(self, key, value):
        """Writes a number, a NumPy array or a buffer on this device, converted and broadcast.

        If the key contains index arrays, writes to the elements that NumPy's advanced indexing selects.
        """
        items = key if isinstance(key, tuple) else (key,)
        if any(isinstance(item, (np.ndarray, list)) for item in items):
            copies.assign_elements(self, key, value)
        else:
            copies.assign(self if key is ... else self[key], value)
