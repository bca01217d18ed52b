"""float16 and bfloat16: NumPy computes in float32, between two conversions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ops.math.statistics import PositionOp
from ...ops.op import Op
from ...ops.shapes import Spec
from ..wide import is_narrow, widened
from .table import Writer, forward_for, writer_for

__all__ = ["converts", "narrow_forward", "narrow_writer"]

_FLOAT32 = np.dtype("float32")


def converts(op):
    """Returns whether the operator is computed in float32: False if it returns its input or counts in its type."""
    return not op.is_view and not isinstance(op, PositionOp)


def narrow_forward(op: Op, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Callable[..., Any]:
    """Returns a function of narrow arrays that calls `forward` on float32 arrays."""
    forward = forward_for(op, *[widened(spec).dtype for spec in inputs])
    read = [is_narrow(spec.dtype) for spec in inputs]
    names = op.argument_names(len(inputs))
    dtypes = [spec.dtype for spec in (*outputs, *[inputs[names.index(name)] for name in op.mutates])]
    single = op.num_outputs == 1 and not op.mutates

    def run(*arrays, **how):
        wide = [x.astype(_FLOAT32) if narrow else x for x, narrow in zip(arrays, read, strict=True)]
        results = forward(*wide, **how)
        with np.errstate(over="ignore"):            # values too large for float16 become infinite
            if single:
                return np.asarray(results, dtypes[0])
            return tuple([x if x is None else np.asarray(x, dtype) for x, dtype in zip(results, dtypes, strict=True)])
    return run


def narrow_writer(op: Op, inputs: Sequence[Spec], outputs: Sequence[Spec], train: bool, rng: Any) -> Writer | None:
    """Returns a Writer for narrow arrays, built from the Writer for float32; None if the operator has no Writer.

    Its scratch buffers are the wide arrays, followed by those of the original Writer.
    """
    writer = writer_for(op, list(map(widened, inputs)), list(map(widened, outputs)), train, rng)
    if writer is None:
        return None
    names, count = op.argument_names(len(inputs)), len(outputs)
    read = [k for k, spec in enumerate(inputs) if is_narrow(spec.dtype) and names[k] not in op.shape_only]
    results = [k for k, spec in enumerate(outputs) if is_narrow(spec.dtype)]
    outputs_read = [k for k in read if names[k] in op.mutates]
    first_result, first_inner = count + len(read), count + len(read) + len(results)

    def run(inputs, targets):
        wide_inputs, wide_targets = list(inputs), [*targets[:count], *targets[first_inner:]]
        for k, buffer in zip(read, targets[count:first_result], strict=True):
            buffer[...] = inputs[k]
            wide_inputs[k] = buffer
        for k, buffer in zip(results, targets[first_result:first_inner], strict=True):
            wide_targets[k] = buffer
        writer.run(wide_inputs, wide_targets)
        with np.errstate(over="ignore"):
            for k in results:
                targets[k][...] = wide_targets[k]
            for k in outputs_read:
                inputs[k][...] = wide_inputs[k]
    return Writer(run, [*[widened(inputs[k]) for k in read], *[widened(outputs[k]) for k in results], *writer.scratch])
