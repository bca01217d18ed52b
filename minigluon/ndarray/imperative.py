"""Imperative calls: `invoke` runs an operator on arrays, copies the results to `out=`, and records it on the tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from .. import tape
from ..backend.kernel import store_mutated
from ..base import ArgumentError, MXNetError
from ..context import Context
from ..dispatch import find_kernel
from ..ops.op import Op
from .input_errors import not_arrays, on_one_device
from .ndarray import NDArray
from .variables import write_while_recording

__all__ = ["SMALL", "copy_to_out", "in_place", "invoke"]

_state = tape.state


def invoke(op: Op, inputs: Sequence[NDArray], out: NDArray | Sequence[NDArray] | None = None,
           hidden: bool = False, cls: type[NDArray] = NDArray) -> Any:
    """Run `op` on arrays immediately, and record it inside `autograd.record()`.

    inputs: NDArrays on one device. out: an NDArray, or a list of them, to write the results to.
    hidden: whether to also return hidden outputs, such as the mask of Dropout. cls: the class of the results.
    Returns an NDArray, or a list of NDArrays if the operator has several such outputs.
    Raises ShapeError, DTypeError, ContextError; CallError for inputs of other types, MXNetError for a wrong number.
    """
    try:
        ctx = inputs[0].device
        site = ctx.kernels.get(op)          # a backend's shortcut to its kernels (see `Kernel.remember`)
        if site is not None and (out is None or inputs[0].buffer.size <= SMALL):
            output = site(inputs) if out is None or _state.recording else site.into(inputs, out)
            if output is not None:
                if output is out:
                    return out
                if out is not None:
                    return _finish(op, inputs, (output.buffer,), out, ctx, hidden, cls)
                if _state.recording:
                    tape.record_op(op, inputs, (output,))
                return output
        if len(inputs) == 1:                    # one to three inputs written out: saves a tenth of a small call's time
            handles: Any = (a := inputs[0].buffer),
            key: Any = (op, op.takes_train and _state.training, a.shape, a.dtype)
        elif len(inputs) == 2 and inputs[1].device is ctx:
            a, b = handles = inputs[0].buffer, inputs[1].buffer
            key = (op, op.takes_train and _state.training, a.shape, a.dtype, b.shape, b.dtype)
        elif len(inputs) == 3 and inputs[1].device is ctx is inputs[2].device:
            a, b, c = handles = inputs[0].buffer, inputs[1].buffer, inputs[2].buffer
            key = (op, op.takes_train and _state.training, a.shape, a.dtype, b.shape, b.dtype, c.shape, c.dtype)
        else:
            handles, key = [], [op, op.takes_train and _state.training]
            for x in inputs:
                if x.device is not ctx:
                    return invoke(op, on_one_device(op, inputs), out, hidden, cls)
                handles.append(handle := x.buffer)
                key += handle.shape, handle.dtype
            key = tuple(key)
        kernel = ctx.kernels.get(key)
        if kernel is None:
            op.require_count(len(inputs))       # checked before a name is generated for each input
        if (out is not None or op.mutates) and not _state.recording:
            outputs = in_place(op, inputs, handles, key, out)
            if outputs is not None:
                return outputs
        results = (kernel or find_kernel(op, ctx, handles, key, _state.training))(handles)
        if op.num_outputs == 1 and out is None and not op.mutates:
            output = cls(results[0], ctx)
            if _state.recording:
                tape.record_op(op, inputs, (output,))
            return output
        return _finish(op, inputs, results, out, ctx, hidden, cls)
    except (AttributeError, IndexError):
        error = not_arrays(op, inputs)
        if error is None:
            raise
        raise error from None


def _finish(op: Op, inputs: Sequence[NDArray], results: Any, out: Any, ctx: Context, hidden: bool, cls: Any = NDArray):
    """Handle the less common cases of `invoke`: several outputs, `out=`, and operators that overwrite inputs."""
    if op.mutates:
        for position in store_mutated(op, [x.buffer for x in inputs], results[op.num_outputs:]):
            inputs[position]._count_write()
        results = results[:op.num_outputs]
    outputs = [cls(handle, ctx) for handle in results] if out is None else copy_to_out(op, inputs, results, out)
    if _state.recording:
        tape.record_op(op, inputs, outputs)
    returned = op.num_outputs if hidden else op.num_visible_outputs
    return outputs[0] if returned == 1 else outputs[:returned]


SMALL = 2 ** 12         # up to this many elements, copying the result costs less than checking `out`


def in_place(op: Op, inputs: Sequence[NDArray], handles: Sequence[Any], key: tuple[Any, ...], out: Any) -> Any:
    """Return the result of `invoke` if the operator itself writes to `out` or its inputs (see `write_in_place.py`)."""
    return None


def copy_to_out(op: Op, inputs: Sequence[NDArray], results: Sequence[Any], out: Any) -> list[NDArray]:
    """Copy results to the arrays in `out=`; hidden results get separate arrays."""
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
