"""Results that are copied to the arrays in `out=`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from .. import tape
from ..base import ArgumentError, MXNetError
from ..ops.op import Op
from .ndarray import NDArray
from .variables import write_while_recording

__all__ = ["SMALL", "copy_to_out", "in_place"]

SMALL = 2 ** 12         # elements: up to this size, copying the result costs less than checking `out`


def in_place(op: Op, inputs: Sequence[NDArray], handles: Sequence[Any], key: tuple[Any, ...], out: Any) -> Any:
    """Return the result of `invoke` if the operator itself writes to `out` or its inputs (see `write_in_place.py`)."""
    return None


def copy_to_out(op: Op, inputs: Sequence[NDArray], results: Sequence[Any], out: Any) -> list[NDArray]:
    """Copy results to the arrays in `out=`; hidden results have their own arrays."""
    targets: list[Any] = list(cast("Sequence[Any]", out)) if isinstance(out, (list, tuple)) else [out]
    if tape.state.recording and "inputs" in op.keeps:
        _require_no_recorded_input(inputs, targets)
    if len(targets) not in (op.num_visible_outputs, op.num_outputs):
        raise ArgumentError(f"{op.name}: out has {len(targets)} arrays, expected {op.num_visible_outputs}, one for "
                            "each result")
    for target, handle in zip(targets, results, strict=False):
        if not isinstance(target, NDArray):
            raise MXNetError(f"{op.name}: out must be an NDArray, found {type(target).__name__}")
        if target.shape != handle.shape:
            raise MXNetError(f"{op.name}: out has shape {target.shape}, but the result has shape {handle.shape}")
        if tape.state.recording:
            target._forbid_write_on_tape()
    for target, handle in zip(targets, results, strict=False):
        target._overwrite(handle)
    return targets + [NDArray(handle, targets[0].device) for handle in results[len(targets):]]


def _require_no_recorded_input(inputs: Sequence[NDArray], targets: Sequence[Any]) -> None:
    """Raise an error if the tape would keep the new value of an input although the gradient needs the old one."""
    if any(tape.is_recorded(x) for x in inputs):
        roots = {x._root() for x in inputs}
        if any(target._root() in roots for target in targets if isinstance(target, NDArray)):
            raise write_while_recording()
