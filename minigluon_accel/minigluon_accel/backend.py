"""The backend: NumPy's memory, and for each operator a compiled kernel or the reason why the reference runs it."""

import math
from functools import cached_property, partial

import numpy as np

from minigluon import tape
from minigluon.backend import Kernel, ReferenceBackend
from minigluon.backend.kernel import store_mutated
from minigluon.backend.numpy import ReferenceKernel, refusal
from minigluon.common import gpu_queries
from minigluon.ndarray import NDArray

from . import engine, kernels, passes, settings

__all__ = ["BACKEND", "AccelBackend"]

_KEPT_FROM = 2 ** 16        # the size of an array in bytes, as in memory.c


class AccelBackend(ReferenceBackend):
    """The CPU backend. It shares buffers with the reference, so arrays created by either backend work with both."""

    name = "accel"
    contract = 1
    supports_symbolic_dims = True
    passes_before_gradients = passes.BEFORE_GRADIENTS
    passes_before_fusion = passes.BEFORE_FUSION

    def details(self):
        return list(settings.describe())

    def empty(self, shape, dtype, ctx):
        return self._new(engine.empty, shape, np.dtype(dtype))

    def zeros(self, shape, dtype, ctx):
        dtype = np.dtype(dtype)
        plain = dtype.isnative and not dtype.hasobject
        return self._new(engine.zeros, shape, dtype) if plain else super().zeros(shape, dtype, ctx)

    def views(self, block, values, places, offsets, shapes):
        engine.views(block, values, places, offsets, shapes)

    def from_numpy(self, array, ctx):
        array = np.asarray(array)
        if array.dtype.hasobject or not array.dtype.isnative:
            return super().from_numpy(array, ctx)
        buffer = self.empty(array.shape, array.dtype, ctx)
        buffer[...] = array
        return buffer

    def prepare(self, op, inputs, outputs, train, rng):
        call = self._find(op, inputs, outputs, train, rng)
        if isinstance(call, str):
            return call
        return CompiledKernel(call, len(op.mutates))

    def fallback(self, op, inputs, outputs, train, rng):
        kernel = super().fallback(op, inputs, outputs, train, rng)
        if not _has_large((*inputs, *outputs)):
            return kernel
        return PooledMemoryKernel(op, inputs, outputs, train, rng)

    def prepare_program(self, lines, aliases, value_count):
        return engine.Program(lines, aliases, value_count)

    def _find(self, op, inputs, outputs, train, rng):
        """Returns the fully configured Call for an operator, or a string that says why there is none."""
        call = kernels.find(op, inputs, outputs, train, rng)
        if isinstance(call, str):
            return call
        names = op.argument_names(len(inputs))
        call.mutated = tuple([names.index(name) for name in op.mutates]) if call.writes_inputs else ()
        call.shape_only = tuple([names.index(name) for name in op.shape_only if name in names])
        call.outputs = tuple(outputs)
        call.fallback = Fallback(lambda: (op, inputs, outputs, train, rng))
        call.refused = partial(refusal, op)
        return call


class Fallback:
    """`fallback(inputs, targets)`: runs the reference on values that a Call refuses. The reference's kernel is prepared
    on first use."""

    def __init__(self, how):
        self.how = how

    def __call__(self, inputs, targets):
        op, _, outputs, _, _ = how = self.how()
        # Contiguous, like the arrays that a kernel receives, because the last bits of a sum depend on the layout.
        results = ReferenceKernel(*how).run([np.array(x, order="C") for x in inputs])
        for target, result in zip(targets, results[:len(outputs)], strict=False):
            target[...] = result
        store_mutated(op, inputs, results[len(outputs):])


class CompiledKernel(Kernel):
    """A Call as a kernel. run: an engine.Kernel, created on first access; plans do not need it. write: the Call."""

    def __init__(self, call, mutated):
        self.write, self.scratch, self.mutated = call, call.scratch, mutated

    @cached_property
    def run(self):
        return engine.Kernel(self.write, self.mutated)

    @property
    def numbers(self):
        return self.write.numbers

    def write_like(self, numbers, scratch, how):
        call = self.write.like(numbers, scratch)
        call.fallback = Fallback(how)
        return call

    def remember(self, op, ctx, inputs, train):
        """Lets the engine look up and run a kernel without Python if it has one result and changes no input."""
        if op.num_outputs == 1 and not op.mutates:
            site = ctx.kernels.get(op)
            if site is None:
                site = ctx.kernels[op] = engine.Site(NDArray, tape.state, op.takes_train)
            site.remember(inputs, train, self.run)


class PooledMemoryKernel(ReferenceKernel):
    """The reference for large arrays, with memory from the engine, because the system supplies memory page by page."""

    @cached_property
    def run(self):
        return engine.in_kept_memory(super().run)


def _has_large(specs):
    """Returns whether any of the arrays has an unknown size, or is so large that its memory is kept for reuse."""
    return any(s.shape is None or None in s.shape or math.prod(s.shape) * s.dtype.itemsize >= _KEPT_FROM for s in specs)


settings.set_up()
BACKEND = AccelBackend()
gpu_queries.cache_emptiers.append(lambda ctx: engine.release_memory())
