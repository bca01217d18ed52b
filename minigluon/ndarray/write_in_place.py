"""Results written to existing memory: the memory of `out=`, or of the inputs that an optimizer's step updates.

An operator that supports this neither allocates nor copies anything. Otherwise `imperative.copy_to_out` copies its
results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..backend import backend_for
from ..common.fast_paths import fast
from ..ops.op import Op
from . import imperative
from .ndarray import NDArray
from .writers import count_writes, find_writer


@fast(imperative, "in_place")
def in_place(op: Op, inputs: Sequence[NDArray], handles: Sequence[Any], key: tuple[Any, ...], out: Any) -> Any:
    if out is None:
        if op.differentiable:
            return None
        outputs = _overwrite(op, inputs, handles, key)
        return outputs[0] if outputs is not None and len(outputs) == 1 else outputs
    if handles[0].size <= imperative.SMALL or not _write(op, inputs, handles, key, out):
        return None
    several = isinstance(out, (list, tuple))
    return cast("Sequence[Any]", out)[0] if several and op.num_visible_outputs == 1 else cast(Any, out)


def _writer(op: Op, inputs: Sequence[NDArray], handles: Sequence[Any], key: tuple[Any, ...]) -> Any:
    """Returns the cached result of `find_writer`, or () if an input is not contiguous."""
    ctx = inputs[0].device
    writer: Any = ctx.kernels.get((key, "out"))
    if writer is None:
        writer = find_writer(op, ctx, handles, (key, "out"))
    return writer if writer and all(h.flags.c_contiguous for h in handles) else ()


def _write(op: Op, inputs: Sequence[NDArray], handles: Sequence[Any], key: tuple[Any, ...], out: Any) -> bool:
    """Writes the results to `out`. Returns False if the operator does not support this or the arrays do not match."""
    writer = _writer(op, inputs, handles, key)
    if not writer:
        return False
    write, specs, may_be_output, mutated = writer
    targets = cast("Sequence[Any]", out if isinstance(out, (list, tuple)) else (out,))
    if len(targets) != len(specs):
        return False
    for target, (shape, dtype) in zip(targets, specs, strict=True):
        if target.__class__ is not NDArray or target.device is not inputs[0].device:
            return False
        buffer = target.buffer
        if buffer.shape != shape or buffer.dtype != dtype or not buffer.flags.c_contiguous:
            return False
        for x, allowed in zip(inputs, may_be_output, strict=True):
            if not allowed if x is target else x._root() is target._root():
                return False
    write(handles, [target.buffer for target in targets])
    count_writes([*targets, *[inputs[i] for i in mutated]])
    return True


def _overwrite(op: Op, inputs: Sequence[NDArray], handles: Sequence[Any],
               key: tuple[Any, ...]) -> list[NDArray] | None:
    """Overwrites the inputs themselves instead of copies.

    Returns the operator's outputs, or None if this is unsupported.
    """
    writer = _writer(op, inputs, handles, key)
    if not writer:
        return None
    write, specs, _, mutated = writer
    positions = cast("list[int]", mutated)
    roots = [id(x._root()) for x in inputs]
    if any(roots.count(roots[i]) > 1 for i in positions):
        return None
    ctx = inputs[0].device
    outputs: list[Any] = [backend_for(ctx).empty(shape, dtype, ctx) for shape, dtype in specs]
    write(handles, outputs)
    count_writes([inputs[i] for i in positions])
    return inputs[0]._to_own_class([NDArray(output, ctx) for output in outputs])
