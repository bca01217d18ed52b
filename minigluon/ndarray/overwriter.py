"""Optimizer steps that run repeatedly on the same arrays, so that the arrays are checked only once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backend import backend_for
from ..ops.op import Op
from .ndarray import NDArray
from .writers import count_writes, find_writer

__all__ = ["overwriter"]


def overwriter(op: Op, inputs: Sequence[NDArray]) -> Callable[[], None] | None:
    """Returns a function that repeatedly runs an operator that overwrites its inputs in place.

    Returns None if this is impossible because an input is not contiguous, or an overwritten input shares memory with
    another input. The caller must turn the tape off, and must call this function again after `forget_kernels`.
    """
    ctx, handles = inputs[0].device, [x.buffer for x in inputs]
    key = (op, "overwrite", *[(h.shape, h.dtype) for h in handles])
    writer: Any = ctx.kernels.get(key)
    if writer is None:
        writer = find_writer(op, ctx, handles, key, takes_scratch=True)
    if not writer or not all(h.flags.c_contiguous for h in handles):
        return None
    write, specs, _, mutated = writer
    roots: list[Any] = [x if x._base is None else x._root() for x in inputs]
    own: set[int] = {id(roots[i]) for i in mutated}
    if any(x.device is not ctx for x in inputs) or sum([id(root) in own for root in roots]) != len(mutated):
        return None

    outputs = [backend_for(ctx).empty(shape, dtype, ctx) for shape, dtype in specs]
    targets: list[NDArray] = [inputs[i] for i in mutated]

    def run() -> None:
        write(handles, outputs)
        count_writes(targets)
    return run
