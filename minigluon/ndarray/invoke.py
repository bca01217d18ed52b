"""Imperative calls: `invoke` runs an operator on arrays immediately and has the tape record it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import tape
from ..backend.kernel import store_mutated
from ..context import Context
from ..dispatch import find_kernel
from ..ops.op import Op
from . import write_into
from .input_errors import not_arrays, on_one_device
from .ndarray import NDArray

__all__ = ["invoke"]

_state = tape.state


def invoke(op: Op, inputs: Sequence[NDArray], out: NDArray | Sequence[NDArray] | None = None,
           hidden: bool = False) -> Any:
    """Run `op` on arrays immediately, and record it inside `autograd.record()`.

    inputs: NDArrays on one device. out: an NDArray, or a list of them, to write the results to.
    hidden: True also returns the outputs that programs do not see, such as the mask of Dropout.
    Returns an NDArray, or a list if the operator has several such outputs.
    Raises ShapeError, DTypeError, ContextError; CallError for an input that is not an NDArray, and MXNetError if the
    operator's attributes require other inputs.
    """
    try:
        ctx = inputs[0].device
        site = ctx.kernels.get(op)          # a backend's shortcut to its kernels (see `Kernel.remember`)
        if site is not None and (out is None or inputs[0].buffer.size <= write_into.SMALL):
            output = site(inputs) if out is None or _state.recording else site.into(inputs, out)
            if output is not None:
                if output is out:
                    return out
                if out is not None:
                    return _finish(op, inputs, (output.buffer,), out, ctx, hidden)
                if _state.recording:
                    tape.record_op(op, inputs, (output,))
                return output
        handles: list[Any] = []
        key: Any = [op, op.takes_train and _state.training]
        for x in inputs:
            if x.device is not ctx:
                return invoke(op, on_one_device(op, inputs), out, hidden)
            handle = x.buffer
            handles.append(handle)
            key += handle.shape, handle.dtype
        key = tuple(key)
        kernel = ctx.kernels.get(key)
        if kernel is None:
            op.require_count(len(inputs))       # before a name is generated for each input
        only_makes = out is None and not op.mutates
        if not only_makes and not _state.recording:
            outputs = write_into.in_place(op, inputs, handles, key, out)
            if outputs is not None:
                return outputs
        results = (kernel or find_kernel(op, ctx, handles, key, _state.training))(handles)
        if only_makes and op.num_outputs == 1:
            output = NDArray(results[0], ctx)
            if _state.recording:
                tape.record_op(op, inputs, (output,))
            return output
        return _finish(op, inputs, results, out, ctx, hidden)
    except (AttributeError, IndexError):
        error = not_arrays(op, inputs)
        if error is None:
            raise
        raise error from None


def _finish(op: Op, inputs: Sequence[NDArray], results: Sequence[Any], out: Any, ctx: Context, hidden: bool) -> Any:
    """Handle the rest of `invoke`: several outputs, `out=`, and operators that overwrite inputs."""
    if op.mutates:
        for position in store_mutated(op, [x.buffer for x in inputs], results[op.num_outputs:]):
            inputs[position]._count_write()
        results = results[:op.num_outputs]
    if out is None:
        outputs = [NDArray(handle, ctx) for handle in results]
    else:
        outputs = write_into.copy_to_out(op, inputs, results, out)
    if _state.recording:
        tape.record_op(op, inputs, outputs)
    returned = op.num_outputs if hidden else op.num_visible_outputs
    return outputs[0] if returned == 1 else outputs[:returned]
