"""Operators that write to existing memory: the memory of `out=`, or of the inputs that an optimizer's step updates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..backend import Spec
from ..base import MXNetError
from ..context import Context
from ..dispatch import infer, prepare_writer
from ..ops.error_details import refusal
from .ndarray import WRITES, next_write

__all__ = ["count_writes", "find_writer", "guarded"]

Write = Callable[[Sequence[Any], Sequence[Any]], object]


def find_writer(op: Any, ctx: Context, inputs: Sequence[Any], key: tuple[Any, ...],
                takes_scratch: bool = False) -> Any:
    """Returns (write, specs of the outputs, inputs that may also be the output, positions of overwritten inputs).

    The result is cached under `key`; it is () if the operator cannot write to given memory, or needs scratch buffers to
    do so.
    takes_scratch: whether the specs of scratch buffers may follow those of the outputs.
    """
    entry: Any = ()
    if not (op.takes_train or op.random or op.dynamic):
        specs = [Spec(x.shape, x.dtype) for x in inputs]
        outputs = infer(op, specs)
        writer = prepare_writer(op, ctx, specs, outputs, False)
        if writer is not None and (takes_scratch or not writer[1]):
            write, scratch = writer
            names = op.argument_names(len(inputs))
            entry = (guarded(write, op), [*outputs, *scratch], [name in op.in_place for name in names],
                     [names.index(name) for name in op.mutates])
    ctx.kernels[key] = entry
    return entry


def guarded(write: Write, op: Any) -> Write:
    """Returns a writer whose errors are MXNetErrors that name the operator and its inputs."""
    def run(inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        try:
            write(inputs, outputs)
        except MXNetError:
            raise
        except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
            raise refusal(op, inputs, error) from error
    return run


def count_writes(arrays: Iterable[Any]) -> None:
    """Tells the tape that the memory of each array was written to."""
    for x in arrays:
        while x._base is not None:          # `_root` inlined, and read each time because a thread may add a twin
            x = x._base
        x._writes += 1
    WRITES.last = next_write()
