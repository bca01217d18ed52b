"""What a backend makes of an operator: a function that runs it on buffers of known shapes and types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ops.shapes import Spec

__all__ = ["Buffer", "Kernel"]

Buffer = Any        # whatever `empty` returns: it has shape, dtype, nbytes, reshape, and assignment of parts


class Kernel:
    """An operator, prepared for buffers of known Specs: shapes and types are looked at once, before this is made.

    run(inputs) -> the outputs in new memory, then the new values of what the operator mutates (None: unchanged).
    write(inputs, targets), where the operator can write into memory that is given: targets are the outputs, then
    buffers of the Specs in `scratch`; what the operator mutates is overwritten. None where it cannot.

    numbers: where its Specs have SymbolicDims for numbers (`ops/symbolic_dimensions.py`), all numbers that `write`
    depends on; None where there is no such form. write_like(numbers, scratch, how) is then a `write` with other ones.
    how() returns the arguments of `prepare` that these are for.
    """

    write: Callable[[Sequence[Buffer], Sequence[Buffer]], object] | None
    scratch: Sequence[Spec]
    numbers: Sequence[Any] | None = None

    # remember(op, ctx, inputs, train), if a backend has it, is called once when imperative execution has prepared this
    # kernel for these buffers. It may put a `site` into `ctx.kernels[op]`, for `nd.invoke` to ask first: `site(inputs)`
    # returns the result as an NDArray, or None for inputs that it does not know. `site.into(inputs, out)` does the
    # same, but returns `out` where it has written the result there.
    remember: Callable[[Any, Any, Sequence[Buffer], bool], None] | None = None

    def __init__(self, run: Callable[[Sequence[Buffer]], Sequence[Buffer | None]],
                 write: Callable[[Sequence[Buffer], Sequence[Buffer]], object] | None = None,
                 scratch: Sequence[Spec] = ()):
        self.run, self.write, self.scratch = run, write, scratch
