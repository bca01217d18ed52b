"""The reference backend: buffers are NumPy arrays, and a kernel calls `op.forward`."""

import warnings
from functools import partial

import numpy as np

from .registry import install

__all__ = ["ReferenceBackend"]

# log(0) is -inf and 0 / 0 NaN without a word, as in MXNet. A `numpy.errstate` around each kernel would cost more than
# a small kernel itself; a filter costs nothing until NumPy warns.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigluon\.(ops|backend)\.")


class ReferenceBackend:
    """Runs every operator, at NumPy's speed. Synchronous: an error surfaces where it is made."""

    name = "numpy"
    device_types = ("cpu",)

    def empty(self, shape, dtype, ctx):
        return np.empty(shape, dtype)

    def from_numpy(self, array, ctx):
        return np.array(array, order="C")

    def to_numpy(self, buffer):
        return buffer.copy()

    def synchronize(self, ctx):
        pass

    def prepare(self, op, inputs, outputs, train, rng):
        forward = op.forward_for(*[spec.dtype for spec in inputs])
        if op.modal:
            forward = partial(forward, train=train)
        if op.random:
            forward = partial(forward, rng=rng)
        single = op.num_outputs == 1 and not op.mutates

        def kernel(inputs, outputs=None):
            if outputs is None:
                return (forward(*inputs),) if single else forward(*inputs)
            results = (forward(*inputs),) if single else forward(*inputs)
            for buffer, result in zip(outputs, results, strict=False):
                buffer[...] = result
            return outputs
        return kernel


install(ReferenceBackend())
