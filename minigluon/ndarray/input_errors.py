"""The errors for inputs that are missing, are not arrays, or are on several devices, and for unsupported operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import CallError, ContextError, MXNetError
from ..diagnostics.strictness import refuse
from ..frontend.binding import Arithmetic
from ..ops.op import Op
from ..providers import ask
from .ndarray import NDArray

__all__ = ["array_error", "not_arrays", "on_one_device", "with_other"]


def not_arrays(op: Op, inputs: Sequence[Any]) -> MXNetError | None:
    """Return the error for inputs that are missing or are not arrays; None if all of them are arrays."""
    return None if inputs and all(isinstance(x, NDArray) for x in inputs) else array_error(op, inputs)


def array_error(op: Op, inputs: Sequence[Any]) -> MXNetError:
    """Return the error for inputs, some of which are missing or are not arrays."""
    try:
        op.require_count(len(inputs), [k for k, x in enumerate(inputs) if x is None])
    except MXNetError as error:
        return error
    name, x = next(((name, x) for name, x in zip(op.argument_names(len(inputs)), inputs, strict=True)
                    if not isinstance(x, NDArray)), ("an input", None))
    return CallError(f"{op.name}: {name} must be an NDArray, found {type(x).__name__} {x!r}. "
                     "Convert it with nd.array(...).")


def on_one_device(op: Op, inputs: Sequence[NDArray]) -> list[NDArray]:
    """Raise ContextError.

    In lenient mode, if all devices are CPUs, copy the inputs to the device of the first input instead.

    This matches MXNet, where CPUs share memory but GPUs do not. Arrays that the operator overwrites are not copied.
    """
    ctx, names = inputs[0].device, op.argument_names(len(inputs))
    listed = ", ".join(f"{n} {x.shape} on {x.device}" for n, x in zip(names, inputs, strict=True))
    clash = ContextError(f"{op.name}: inputs are on different devices: {listed}. Move one with .as_in_context({ctx}).")
    if any(not x.device.device_type.startswith("cpu") or x.device is not ctx and name in op.mutates
           for x, name in zip(inputs, names, strict=True)):
        raise clash
    refuse(clash)
    return [x.as_in_context(ctx) for x in inputs]


def with_other(row: Arithmetic, x: NDArray, other: Any, out: Any = None) -> Any:
    """Compute x ∘ other for an array of another storage type.

    For any other operand, return what `_other_operand` returns.
    """
    if isinstance(other, NDArray):
        return ask("nd.sparse").run_any(row.array, (x, other), out)
    return _other_operand(row.name, other)


def _other_operand(name: str, other: Any) -> Any:
    """Return NotImplemented for an operand that is neither an array nor a number, so that Python tries its methods.

    Raises an error for NumPy arrays, for which Python would call ufuncs, and for objects that are passed by mistake.
    name: the function of the operator, such as "add".
    """
    operand: Any = other
    if isinstance(other, np.ndarray):
        raise CallError(f"{name}: an NDArray and a numpy.ndarray, here of shape {operand.shape}, do not mix. Convert "
                        "one of them: nd.array(a), or x.asnumpy(), which leaves the tape.")
    if isinstance(other, (list, tuple, str, type(None))) and name not in ("equal", "not_equal"):
        remedy = "Is a `return` missing where it comes from?" if other is None else "Convert it with nd.array(...)."
        raise TypeError(f"{name}: expected NDArrays or numbers, found {type(operand).__name__}. {remedy}")
    return NotImplemented
