"""The reference backend: buffers are NumPy arrays, and a kernel calls `op.forward`."""

import warnings
from functools import partial

import numpy as np

from ..base import MXNetError
from .registry import install

__all__ = ["ReferenceBackend"]

# log(0) is -inf and 0 / 0 NaN without a word, as in MXNet. A `numpy.errstate` around each kernel would cost more than
# a small kernel itself; a filter costs nothing until NumPy warns.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigluon\.(ops|backend|ndarray)\.")


class ReferenceBackend:
    """Runs every operator, at NumPy's speed. Synchronous: an error surfaces where it is made."""

    name = "numpy"
    device_types = ("cpu",)

    def on(self, ctx):
        return self

    def empty(self, shape, dtype, ctx):
        try:
            return np.empty(shape, dtype)
        except MemoryError:
            raise MXNetError(f"there is no memory for an array of shape {shape} and dtype {np.dtype(dtype)}") from None

    def from_numpy(self, array, ctx):
        return np.array(array, order="C")

    def to_numpy(self, buffer):
        return buffer.copy()

    def synchronize(self, ctx):
        """Nothing to wait for: a kernel returns when its results are there."""

    def details(self):
        return []

    def view(self, memory, offset, shape, dtype):
        return np.ndarray(shape, dtype, memory, offset)

    def stand_in(self, shape, dtype, ctx):
        return np.broadcast_to(np.zeros((), dtype), shape)

    def reference_kernel(self, op, inputs, outputs, train, rng):
        return ReferenceBackend.prepare(self, op, inputs, outputs, train, rng)

    def reference_writer(self, op, inputs, outputs, train, rng):
        return ReferenceBackend.prepare_writer(self, op, inputs, outputs, train, rng)

    def prepare_writer(self, op, inputs, outputs, train, rng):
        how = {**({"train": train} if op.takes_train else {}), **({"rng": rng} if op.random else {})}
        write = op.writer_for(inputs, outputs, **how)
        return None if write is None else (write, op.scratch(inputs, outputs, **how))

    def rewrite(self, graph, specs, count, reports):
        return graph

    def prepare_program(self, lines, aliases, value_count):
        return None

    def remember(self, op, ctx, inputs, kernel, train):
        """Nothing besides what `dispatch.find_kernel` keeps."""

    def prepare_call(self, program, *parts):
        return None

    def prepare(self, op, inputs, outputs, train, rng):
        forward = op.forward_for(*[spec.dtype for spec in inputs])
        if op.takes_train:
            forward = partial(forward, train=train)
        if op.random:
            forward = partial(forward, rng=rng)
        single = op.num_outputs == 1 and not op.mutates

        def kernel(inputs, outputs=None):
            try:
                results = (forward(*inputs),) if single else forward(*inputs)
            except MXNetError:
                raise
            except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
                raise refused(op, inputs, error) from error
            if outputs is None:
                return results
            for buffer, result in zip(outputs, results, strict=False):
                buffer[...] = result
            return outputs
        return kernel


def refused(op, inputs, error):
    """The MXNetError for what NumPy refused although the operator's shape rule let it pass, with all that is known."""
    names = op.argument_names(len(inputs))
    listed = ", ".join(f"{n} {x.shape} {x.dtype}" for n, x in zip(names, inputs, strict=False))
    lines = [f"{op.name}: cannot be computed: {error or type(error).__name__}", f"inputs: {listed or 'none'}"]
    if op.fields:
        lines.append("attributes: " + ", ".join(f"{k}={v!r}" for k, v in op.attributes.items()))
    if isinstance(error, MemoryError):
        lines.append("remedy: the result does not fit into memory; check the sizes among the attributes")
    return MXNetError("\n  ".join(lines))


install(ReferenceBackend())
