"""BatchNorm of a training step and its gradient by cuDNN.

    plan = forward(...)             data, gamma, beta -> out, mean, 1 / √(variance + eps)
    plan = backward(...)            grad, data, gamma, mean, 1 / √(...) -> gradients of data, gamma, beta

No function of the library tells whether it can do one: so each is tried once when it is prepared, on memory that is
thrown away. It never moves the moving averages itself: it would divide their variance by the count less one.
"""

import ctypes
import functools

import numpy as np

from minigluon.backend import Spec

from ..aligned import Aligned
from . import descriptors, library
from .convolution import MAX_PLANS, Plan

__all__ = ["backward", "forward"]

BY_CHANNEL = 1          # cudnnBatchNormMode_t: CUDNN_BATCHNORM_SPATIAL
ANY_EPS = 1e-5          # not read where the statistics are given, but it must be a number that is allowed


def forward(data, sides, eps, device):
    """The Plan of the training step for a Spec of data with `sides` (before, channels, after); or a text: why not."""
    return _reason(data) or _planned("ForwardTraining", data.dtype.name, sides, eps, device)


def backward(data, sides, device):
    """The Plan of the gradient, where the statistics were the batch's; or a text: why not."""
    return _reason(data) or _planned("Backward", data.dtype.name, sides, ANY_EPS, device)


def _reason(data):
    reason = library.available()
    if reason:
        return reason
    if data.dtype.name not in descriptors.TYPES:
        return f"cuDNN has no BatchNorm of {data.dtype}"
    return None if descriptors.fits(data) else "cuDNN is not asked for arrays that are empty or of 2^31 elements"


@functools.lru_cache(MAX_PLANS)
def _planned(way, dtype, sides, eps, device):
    try:
        asked = _Asked(way, dtype, sides, eps, device)
        asked.try_it()
    except library.Unsupported as error:
        return str(error)
    return Plan("cuDNN", asked.enqueue, 0)


class _Asked:
    """One of the two in cuDNN's terms."""

    def __init__(self, way, dtype, sides, eps, device):
        self.device, self.name, self.eps = device, f"cudnnBatchNormalization{way}", eps
        self.handles = library.handles(device)
        wide = "float64" if dtype == "float64" else "float32"
        self.data = descriptors.channels(device, dtype, sides)
        self.vector = descriptors.channels(device, wide, (1, sides[1], 1))
        self.factors = [ctypes.byref(descriptors.scalar(dtype, number)) for number in (1, 0)]
        self.way = way
        array, one = Spec(sides, np.dtype(dtype)), Spec((sides[1],), np.dtype(wide))
        self.specs = {"ForwardTraining": [array, *[one] * 2, array, *[one] * 2],
                      "Backward": [array] * 2 + [one] * 3 + [array, *[one] * 2]}[way]
        self.aligned = Aligned(device, self.specs, results=3, apart=True)

    def enqueue(self, stream, pointers):
        handle, call = self.handles[stream], self._forward if self.way == "ForwardTraining" else self._backward
        with handle.lock:
            status = self.aligned.run(stream, pointers, functools.partial(call, handle.value))
        library.check(self.device, "BatchNorm", self.name, status)

    def try_it(self):
        """Raises `library.Unsupported` where it cannot be done."""
        buffers = [self.device.memory.empty(*spec) for spec in self.specs]
        self.enqueue(self.device.stream_handle, [buffer.pointer for buffer in buffers])

    def _forward(self, handle, addresses):
        x, gamma, beta, y, mean, inverse = addresses
        return library.loaded().cudnnBatchNormalizationForwardTraining(
            handle, BY_CHANNEL, *self.factors, self.data, x, self.data, y, self.vector, gamma, beta, 1.0, None, None,
            self.eps, mean, inverse)

    def _backward(self, handle, addresses):
        dy, x, gamma, mean, inverse, dx, gamma_grad, beta_grad = addresses
        return library.loaded().cudnnBatchNormalizationBackward(
            handle, BY_CHANNEL, *self.factors, *self.factors, self.data, x, self.data, dy, self.data, dx, self.vector,
            gamma, gamma_grad, beta_grad, self.eps, mean, inverse)
