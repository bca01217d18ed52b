"""The contract of a backend, on one page. [Chapter 12](../../docs/12-the-plan-executor.md) implements it step by step.

A backend has memory (`empty`, `zeros`, `full`, `view`, `offset`, `from_numpy`, `to_numpy`, `synchronize`), makes
kernels of operators (`prepare`, `fallback`), and may add passes of its own to those over a hybridized
graph (`passes_before_gradients`, `passes_before_fusion`, `prepare_program`).
`ReferenceBackend` has all of them, so that a backend whose buffers are NumPy arrays derives from it and writes
`prepare`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..ops.shapes import Spec
from .kernel import Buffer, Kernel

__all__ = ["CONTRACT", "Backend", "Buffer", "Kernel", "Program", "Spec"]

# The number of this contract. It grows when a backend that was written for the one before may no longer work: when a
# method or an argument is added that minigluon relies on, removed, or changes its meaning.
CONTRACT = 1

class Program(Protocol):
    """The lines of one part of a plan, as a backend runs them."""

    def run(self, values: list[Buffer], start: int) -> int:
        """Run lines from number `start` on; the number of the first that is left to the plan, or of all lines."""
        ...

    def like(self, kernels: list[Any]) -> "Program":
        """The same lines with other kernels, for other sizes of the same graph.

        Only where the backend `supports_symbolic_dims`.
        """
        ...

    def sizes(self, affine_plan: Any) -> Any:
        """`sizes.at(lengths)` -> a plan's runs at that size, from a `hybrid.symbolic.size_formulas.AffinePlan`, or
        None.

        None: plans are made one by one, with `like`. What `at` returns is None where `affine_plan.products` says that
        the form does not hold, or where it cannot serve that size; otherwise it has `lengths`, `layout()`,
        `shape(first, ndim)`, `take`, `give_back`, `forward`, `backward`, `copied` and is called, as in
        `size_formulas.SizedPlan`. Asked of the program of a plan's forward part.
        """
        ...

    def caller(self, plan: Any) -> Callable[[list[Buffer]], list[Buffer]] | None:
        """`call(buffers)` -> [results]: the forward part in one call, as in `Plan.call`; None: the plan makes it.

        Asked of the program of a plan's forward part.
        """
        ...


class Backend(Protocol):
    """What a plugin implements. `minigluon.backends` is its entry-point group; the value is a `Backend` instance."""

    name: str
    device_types: tuple[str, ...]       # ("cpu",), ("gpu",)
    contract: int                       # the CONTRACT that it was written for, as a literal; checked when it is found
    supports_symbolic_dims: bool        # may Specs have SymbolicDims for numbers? Otherwise each shape has plans

    # Passes of the backend's own, functions that take and return a `minigluon.hybrid.Draft`. The first ones see the
    # graph as it was traced and simplified, so what they put there has to say its own gradient. The others see it with
    # its gradients: `draft.results` tells how many outputs are results. Where `draft.infers`, what depends on
    # `draft.parameters` alone may be a `hybrid.parameter_constants.Preparation`.
    passes_before_gradients: Sequence[Callable[[Any], Any]]
    passes_before_fusion: Sequence[Callable[[Any], Any]]

    def on(self, ctx: Any) -> "Backend":
        """The backend as it serves this device: itself where all its devices are alike."""
        ...

    def details(self) -> list[str]:
        """Lines for `minigluon info`: version, threads, whatever tells how it runs here."""
        ...

    # -- memory -----------------------------------------------------------------------------------------------------

    def empty(self, shape: tuple[int, ...], dtype: Any, ctx: Any) -> Buffer:
        """An uninitialized buffer. Raises MXNetError where there is no memory for it."""
        ...

    def zeros(self, shape: tuple[int, ...], dtype: Any, ctx: Any) -> Buffer:
        """A buffer of zeros. The same error as `empty`. On a CPU its memory becomes real where it is written to."""
        ...

    def full(self, shape: tuple[int, ...], value: Any, dtype: Any, ctx: Any) -> Buffer:
        """A buffer with one value everywhere, or those of an array that broadcasts, converted as by `numpy.full`.

        The same error as `empty`; OverflowError for an integer that dtype cannot hold.
        """
        ...

    def view(self, memory: Buffer | None, offset: int, shape: tuple[int, ...], dtype: Any) -> Buffer:
        """A buffer on a part of another one of bytes, from byte `offset` on.

        memory=None: a stand-in, of which only shape and dtype matter; it need not have memory.
        """
        ...

    def views(self, block: Buffer, values: list[Buffer], places: Sequence[tuple[int, int, int, Any]],
              offsets: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> None:
        """`view` for many: of each place (slot in values, number of its offset, number of its shape, dtype).

        Only where the backend `supports_symbolic_dims`.
        """
        ...

    def offset(self, part: Buffer, whole: Buffer) -> int:
        """The byte of `whole` at which `part`, a view of it, begins."""
        ...

    def from_numpy(self, array: Any, ctx: Any) -> Buffer:
        """A new buffer with the array's elements."""
        ...

    def to_numpy(self, buffer: Buffer) -> Any:
        """A new NumPy array with the buffer's elements."""
        ...

    def synchronize(self, ctx: Any) -> None:
        """Wait until all work given to the device is done."""
        ...

    # -- operators --------------------------------------------------------------------------------------------------

    def prepare(self, op: Any, inputs: list[Spec], outputs: list[Spec], train: bool, rng: Any) -> Kernel | str:
        """The Kernel for this operator on buffers of these Specs, or a text: the reason to decline.

        rng: a numpy.random.Generator for an operator that draws, else None.
        """
        ...

    def fallback(self, op: Any, inputs: list[Spec], outputs: list[Spec], train: bool, rng: Any) -> Kernel:
        """What runs where `prepare` declines: the reference, on this backend's buffers."""
        ...

    # -- plans ------------------------------------------------------------------------------------------------------

    def prepare_program(self, lines: list[Any], aliases: dict[int, int], value_count: int) -> Program | None:
        """A Program for lines of a plan, [(a kernel's `write`, slots of its operands)]; None: the plan runs them.

        aliases: {slot: slot}, values that are others in another shape. value_count: how many slots there are.
        """
        ...
