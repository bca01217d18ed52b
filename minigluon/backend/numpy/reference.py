"""The reference backend: buffers are NumPy arrays; a kernel calls `op.forward`, or the writer in its table."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import MXNetError
from ...common.dtypes import is_narrow
from ...ops.error_details import refusal
from ..kernel import Kernel
from ..registry import install
from .table import forward_for, writer_for
from .transfers import NumpyTransfers, no_memory
from .wide import converts, narrow_forward, narrow_writer

if TYPE_CHECKING:
    from ...common.types import DType
    from ...context import Context
    from ...ops.op import Op
    from ...ops.shapes import Spec

__all__ = ["ReferenceBackend", "ReferenceKernel"]

# As in MXNet, log(0) is -inf and 0 / 0 is NaN without a warning. A `numpy.errstate` around each kernel would cost more
# than a small kernel; a filter costs nothing until NumPy warns.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigluon\.(ops|backend|ndarray)\.")

_FAILURES = ArithmeticError, LookupError, MemoryError, TypeError, ValueError        # the errors that NumPy raises


class ReferenceBackend(NumpyTransfers):
    """Runs every operator at NumPy's speed. Being synchronous, it raises errors in the call that causes them."""

    name = "numpy"
    device_types: tuple[str, ...] = ("cpu",)
    supports_symbolic_dims = True
    passes_before_gradients = ()
    passes_before_fusion = ()

    def __init_subclass__(cls) -> None:
        """Resets `supports_symbolic_dims`: a derived backend must itself declare whether its functions accept them."""
        cls.supports_symbolic_dims = cls.__dict__.get("supports_symbolic_dims", False)

    def on(self, ctx: Context) -> ReferenceBackend:
        return self

    def details(self) -> list[Any]:
        return []

    def empty(self, shape: Sequence[int], dtype: DType, ctx: Context) -> np.ndarray[Any, Any]:
        return self._new(np.empty, shape, dtype)

    def _new(self, make, shape, dtype):
        try:
            return make(shape, dtype)
        except MemoryError:
            raise no_memory(shape, np.dtype(dtype)) from None

    def view(self, memory: np.ndarray[Any, Any] | None, offset: int, shape: Sequence[int],
             dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        if memory is None:
            return np.broadcast_to(np.zeros((), dtype), shape)
        return np.ndarray(shape, dtype, memory, offset)

    def views(self, block: Any, values: Any, places: Any, offsets: Any, shapes: Any) -> None:
        for slot, offset, shape, dtype in places:
            values[slot] = self.view(block, offsets[offset], shapes[shape], dtype)

    def offset(self, part: Any, whole: Any) -> Any:
        return part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]

    def prepare(self, op: Op, inputs: Sequence[Spec], outputs: Sequence[Spec], train: bool,
                rng: np.random.Generator) -> ReferenceKernel:
        return ReferenceKernel(op, inputs, outputs, train, rng)

    fallback = prepare

    def prepare_program(self, lines, aliases, value_count):
        return None


class ReferenceKernel(Kernel):
    """A kernel that creates `run` or `write` on first access: imperative execution uses `run`; a plan uses `write`."""

    op: Op
    rng: Generator | None
    specs: tuple[Sequence[Spec], Sequence[Spec]]
    train: bool

    def __init__(self, op: Op, inputs: Sequence[Spec], outputs: Sequence[Spec], train: bool = False,
                 rng: np.random.Generator | None = None):
        self.op, self.specs, self.train, self.rng = op, (inputs, outputs), train, rng
        self.is_narrow = any(is_narrow(spec.dtype) for spec in (*inputs, *(outputs or ()))) and converts(op)

    @cached_property
    def run(self):
        op, how = self.op, {}
        if op.takes_train:
            how["train"] = self.train
        if op.random:
            how["rng"] = self.rng
        inputs, outputs = self.specs
        forward = narrow_forward(op, inputs, outputs) if self.is_narrow else forward_for(op, *[x.dtype for x in inputs])
        forward = partial(forward, **how) if how else forward
        if any(spec.shape == () for spec in self.specs[1] or ()):
            forward = _as_arrays(forward)
        single = op.num_outputs == 1 and not op.mutates

        def run(inputs):
            try:
                return (forward(*inputs),) if single else forward(*inputs)
            except MXNetError:
                raise
            except _FAILURES as error:
                raise refusal(op, inputs, error) from error
        return run

    @cached_property
    def _writer(self):
        try:
            return (narrow_writer if self.is_narrow else writer_for)(self.op, *self.specs, self.train, self.rng)
        except MXNetError:
            raise
        except _FAILURES as error:
            raise refusal(self.op, self.specs[0], error) from error

    @property
    def write(self):
        return self._writer and self._writer.run

    @property
    def scratch(self):
        return self._writer.scratch if self._writer else ()


def _as_arrays(forward):
    """Returns a version of `forward` that returns 0-d arrays where NumPy returns scalars."""
    def run(*inputs, **how):
        results = forward(*inputs, **how)
        return tuple(map(np.asarray, results)) if isinstance(results, (list, tuple)) else np.asarray(results)
    return run


install(ReferenceBackend())
