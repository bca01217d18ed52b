"""The only module in which kernels for operators are obtained.

`find_kernel` checks shapes and types once per operator and specs, asks the device's backend for a kernel, and keeps it
in `ctx.kernels` under a key that `ndarray.invoke` builds. A miss costs microseconds; a hit is one dict lookup.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from .backend import Spec, backend_for
from .backend.forgetting import forget_kernels
from .backend.kernel import Kernel
from .backend.watchers import WatchedKernel, watching
from .base import DTypeError, MXNetError, ShapeError
from .common.device_generators import generator_of
from .context import Context
from .diagnostics.strictness import when_switched
from .ops.error_details import describe, refusal

__all__ = ["check_output", "declined", "find_kernel", "infer", "prepare", "prepare_writer"]

Run = Callable[[Sequence[Any]], Sequence[Any]]
Write = Callable[[Sequence[Any], Sequence[Any]], object]

# Kernels per device. If a program keeps using new shapes or numbers (Adam's learning rate changes with each step), this
# is cleared when full, and kernels are prepared again.
MAX_KERNELS = 4096

_MAX_ELEMENTS = 2 ** 59       # the number of eight-byte elements that can be addressed

# (operator, backend, reason) -> how many times the reference was used because the backend had no kernel
declined: Counter[tuple[str, str, str]] = Counter()

when_switched(forget_kernels)       # shapes and types are only checked when a kernel is prepared


def find_kernel(op: Any, ctx: Context, inputs: Sequence[Any], key: tuple[Any, ...], train: bool) -> Run:
    """Prepare the kernel for `op` on buffers like `inputs`, and store it under `key`."""
    specs = [Spec(x.shape, x.dtype) for x in inputs]
    kernel = _kernel(op, ctx, specs, infer(op, specs), train)
    if len(ctx.kernels) >= MAX_KERNELS:
        ctx.kernels.clear()
    run = ctx.kernels[key] = kernel.run
    if kernel.remember is not None:
        kernel.remember(op, ctx, inputs, train)
    return run


def prepare(op: Any, ctx: Context, inputs: list[Spec], outputs: list[Spec], train: bool) -> Run:
    """Return `run(inputs)` -> results, in new memory, for buffers of these specs."""
    return _kernel(op, ctx, inputs, outputs, train).run


def prepare_writer(op: Any, ctx: Context, inputs: list[Spec], outputs: list[Spec],
                   train: bool) -> tuple[Write, Sequence[Spec]] | None:
    """Return (write, specs of its scratch buffers) for a plan; None if the operator cannot write to given memory."""
    kernel = _kernel(op, ctx, inputs, outputs, train)
    write = kernel.write
    return None if write is None else (write, kernel.scratch)


def _kernel(op: Any, ctx: Context, inputs: list[Spec], outputs: list[Spec], train: bool) -> Kernel:
    """Return the backend's Kernel, or that of its fallback if it declines, and count the reason."""
    backend = backend_for(ctx)
    how = op, inputs, outputs, train, generator_of(op, ctx) if op.random else None
    try:
        kernel = backend.prepare(*how)
    except MXNetError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # only for internal operators such as _conv_data_grad, whose shape rules accept shapes that do not match
        raise refusal(op, inputs, error) from error
    if isinstance(kernel, str):
        declined[op.name, backend.name, kernel] += 1
        kernel = backend.fallback(*how)
    return kernel if watching.watched is None else WatchedKernel(op, ctx, kernel)


def infer(op: Any, specs: Sequence[Spec]) -> list[Spec]:
    """Return the specs of the outputs. Raises ShapeError or DTypeError, which list all inputs and attributes, and
    MXNetError if the attributes require a different number of inputs. """
    op.require_count(len(specs))
    try:
        shapes = op.infer_shape(*[s.shape for s in specs])[1]
        dtypes = op.infer_dtype(*[s.dtype for s in specs])[1]
        outputs = [Spec(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
        for spec in outputs:
            check_output(op, spec)
    except ShapeError as error:
        raise describe(error, op, specs) from None
    except MXNetError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        problem = f"the output's shape cannot be told: {error}"
        raise describe(ShapeError(f"{op.name}: {problem}"), op, specs) from error
    return outputs


def check_output(op: Any, spec: Any) -> None:
    """Raise an error for an output whose shape is not fully known, or is impossible for an array."""
    if spec.shape is None or None in spec.shape:
        if not op.dynamic:
            raise ShapeError(f"{op.name}: the output's shape does not follow from the inputs")
    elif any(n < 0 for n in spec.shape):
        raise ShapeError(f"{op.name}: the output would have shape {spec.shape}, with a negative length")
    elif math.prod(n or 1 for n in spec.shape) > _MAX_ELEMENTS:
        raise ShapeError(f"{op.name}: the output would have shape {spec.shape}, more elements than memory can have")
    if spec.dtype is None:
        raise DTypeError(f"{op.name}: the output's dtype does not follow from the inputs")
