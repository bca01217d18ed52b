"""Prepared operators, which run on buffers of known shapes and types, and the storage of overwritten inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ops.shapes import Spec

__all__ = ["Buffer", "Kernel", "store_mutated"]

Buffer = Any        # whatever `empty` returns; it has shape, dtype, nbytes, reshape, and slice assignment


class Kernel:
    """An operator prepared for buffers of known Specs, so that shapes and types are examined only once, in advance.

    run(inputs) -> the outputs in new memory, then the new values of mutated inputs (None: unchanged).
    write(inputs, targets), or None if the operator cannot write to given memory: targets are the outputs, then buffers
    for the Specs in `scratch`; mutated inputs are overwritten.

    numbers: if its Specs contain SymbolicDims (`ops/symbolic_dimensions.py`), all numbers that `write` depends on; None
    if they cannot be determined. write_like(numbers, scratch, how) is then a `write` with different numbers. how()
    returns the arguments of `prepare` for these numbers.
    """

    write: Callable[[Sequence[Buffer], Sequence[Buffer]], object] | None
    scratch: Sequence[Spec]
    numbers: Sequence[Any] | None = None

    # remember(op, ctx, inputs, train), if a backend defines it, is called once after imperative execution has prepared
    # this kernel for these buffers. It may store a `site` in `ctx.kernels[op]`, which `nd.invoke` tries first:
    # `site(inputs)` returns the result as an NDArray, or None for inputs that it does not support. `site.into(inputs,
    # out)` does the same, but returns `out` if it has written the result there.
    remember: Callable[[Any, Any, Sequence[Buffer], bool], None] | None = None

    def __init__(self, run: Callable[[Sequence[Buffer]], Sequence[Buffer | None]],
                 write: Callable[[Sequence[Buffer], Sequence[Buffer]], object] | None = None,
                 scratch: Sequence[Spec] = ()):
        self.run, self.write, self.scratch = run, write, scratch


def store_mutated(op: Any, inputs: Sequence[Any], values: Sequence[Any]) -> list[int]:
    """Stores the new values of the inputs that an operator overwrites. Returns the positions of the written inputs.

    inputs: the operator's buffers. values: one per name in `op.mutates`, as a Kernel's `run` returns them after
    the outputs; None leaves that input unchanged.
    """
    names = op.argument_names(len(inputs))
    stored: list[int] = []
    for name, value in zip(op.mutates, values, strict=True):
        if value is not None:
            position = names.index(name)
            inputs[position][...] = value
            stored.append(position)
    return stored
