"""A backend that runs three operators with a learner's C functions, and all others with the reference.

A plugin needs nothing else (see `backend/contract.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .....backend import Kernel, ReferenceBackend, registry

if TYPE_CHECKING:
    from .....backend.numpy.reference import ReferenceKernel
    from .....ops.op import Op

__all__ = ["LearnedBackend", "active", "install"]

FLOAT32 = np.dtype("float32")


class LearnedBackend(ReferenceBackend):
    """The backend. learned: the learner's functions. ran: a Counter of their calls, to check whether they were used."""

    learned: Any
    ran: Any

    def __init__(self, learned: Any, ran: Any):
        self.learned, self.ran = learned, ran

    def prepare(self, op: Op, inputs: Any, outputs: Any, train: bool,
                rng: np.random.Generator) -> ReferenceKernel | Kernel:
        """Return a Kernel with the learner's function, if there is one, otherwise the reference's Kernel."""
        write = None
        if all(spec.dtype == FLOAT32 for spec in inputs):
            write = self._writer(op, [spec.shape for spec in inputs], outputs[0].shape)
        if write is None:
            return self.fallback(op, inputs, outputs, train, rng)

        def run(arrays):
            out = np.empty(*outputs[0])
            write(arrays, [out])
            return (out,)
        return Kernel(run, write)

    def _writer(self, op, shapes, out):
        """Return write(inputs, targets), or None if there is no function for the operator.

        Sizes are computed once, here.
        """
        if op.name == "relu" or (op.name == "Activation" and op.act_type == "relu"):
            return lambda inputs, targets: self._call("relu", inputs[0], targets[0], math.prod(out))
        if op.name in ("broadcast_add", "elemwise_add") and shapes[0] == out:
            sizes = stretched_sizes(out, shapes[1])
            if sizes is not None:
                return lambda inputs, targets: self._call("add_stretched", *inputs, targets[0], *sizes)
        if op.name == "FullyConnected":
            columns, depth = shapes[1]
            rows = math.prod(out) // columns

            def write(inputs, targets):
                self._call("matrix_product", inputs[0], inputs[1], targets[0], rows, columns, depth)
                if not op.no_bias:
                    self._call("add_stretched", targets[0], inputs[2], targets[0], rows, columns, 1)
            return write if columns else None
        return None

    def _call(self, name, *args):
        self.ran["C", name] += 1
        arrays = [np.ascontiguousarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        getattr(self.learned, name)(*arrays)


def stretched_sizes(shape: Sequence[int], other: Any) -> tuple[int, int, int] | None:
    """Return (outer, length, inner) if `other` is stretched to `shape` around one run of axes, otherwise None.

    For (2, 3, 4) and (3, 1), this is (2, 3, 4); for (2, 3, 4) and (1,), it is (1, 1, 24).
    """
    other = (1,) * (len(shape) - len(other)) + tuple(other)
    own = [axis for axis, size in enumerate(other) if size != 1]
    if not own:
        return 1, 1, math.prod(shape)
    first, last = own[0], own[-1] + 1
    if other[first:last] != tuple(shape[first:last]):
        return None
    return math.prod(shape[:first]), math.prod(shape[first:last]), math.prod(shape[last:])


active = None           # the backend with the functions to be checked


def install(learned: Any, ran: Any) -> None:
    """Use these functions for everything that runs from now on."""
    global active
    active = LearnedBackend(learned, ran)
    registry.install(active)            # under the reference's name, so that it replaces the reference
    registry.forget_kernels()           # discards kernels prepared earlier, which are the reference's
