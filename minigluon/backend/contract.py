"""A backend's contract, on one page. [Chapter 12](../../docs/12-the-plan-executor.md) implements it step by step.

A backend manages memory (`empty`, `zeros`, `full`, `view`, `offset`, `from_numpy`, `to_numpy`, `synchronize`), prepares
kernels for operators (`prepare`, `fallback`), and may add its own passes over a hybridized graph
(`passes_before_gradients`, `passes_before_fusion`, `prepare_program`). `ReferenceBackend` implements all of them, so a
backend whose buffers are NumPy arrays can derive from it and define only `prepare`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..ops.shapes import Spec
from .kernel import Buffer, Kernel

__all__ = ["CONTRACT", "Backend", "Buffer", "Kernel", "Program", "Spec"]

# The version of this contract. It is increased when a method or an argument that minigluon relies on is added or
# removed, or changes its meaning, so that backends for the previous version may no longer work.
CONTRACT = 1

class Program(Protocol):
    """The lines of one part of a plan, run by a backend."""

    def run(self, values: list[Buffer], start: int) -> int:
        """Runs the lines from index `start`; returns the index of the first line left to the plan, or the line count.
        """
        ...

    def like(self, kernels: list[Any]) -> "Program":
        """Returns the same lines with other kernels, for different sizes of the graph. Called only if the backend
        `supports_symbolic_dims`. """
        ...

    def sizes(self, affine_plan: Any) -> Any:
        """Returns an object whose `at(lengths)` runs a plan at those sizes, created from a
        `hybrid.symbolic.size_formulas.AffinePlan`, or None.

        If the result is None, plans are created one by one with `like`. `at` returns None if `affine_plan.products`
        indicates that the plan is not valid, or if it does not support those sizes; otherwise a callable object with
        `lengths`, `layout()`, `shape(first, ndim)`, `take`, `give_back`, `forward`, `backward` and `copied`, like
        `size_formulas.SizedPlan`. Called on the program of the forward part of a plan.
        """
        ...

    def caller(self, plan: Any) -> Callable[[list[Buffer]], list[Buffer]] | None:
        """Returns `call(buffers)` -> [results], which runs the forward part in one call, like `Plan.call`, or None.

        Called on the program of the forward part of a plan.
        """
        ...


class Backend(Protocol):
    """The interface of a plugin. Its entry-point group is `minigluon.backends`; the value is a `Backend` instance."""

    name: str
    device_types: tuple[str, ...]       # ("cpu",), ("gpu",)
    contract: int                       # the CONTRACT that it implements, as a literal, checked on discovery
    supports_symbolic_dims: bool        # whether Specs may have SymbolicDims; if not, each shape has its own plan

    # The backend's own passes: functions that take and return a `minigluon.hybrid.Draft`. `passes_before_gradients` run
    # on the traced and simplified graph, so the operators that they insert need gradients. The others run on the graph
    # with its gradients: `draft.results` is the number of outputs that are results. If `draft.infers`, nodes that
    # depend only on `draft.parameters` may become a `hybrid.parameter_constants.PrepackOp`.
    passes_before_gradients: Sequence[Callable[[Any], Any]]
    passes_before_fusion: Sequence[Callable[[Any], Any]]

    def on(self, ctx: Any) -> "Backend":
        """Returns the backend for this device: the backend itself, if all its devices are alike."""
        ...

    def details(self) -> list[str]:
        """Returns lines of text for `minigluon info`: version, threads, and other details about this installation."""
        ...

    # -- memory -----------------------------------------------------------------------------------------------------

    def empty(self, shape: tuple[int, ...], dtype: Any, ctx: Any) -> Buffer:
        """Returns an uninitialized buffer. Raises MXNetError if there is not enough memory."""
        ...

    def zeros(self, shape: tuple[int, ...], dtype: Any, ctx: Any) -> Buffer:
        """Returns a buffer of zeros. Raises like `empty`. On a CPU, pages are allocated when they are written."""
        ...

    def full(self, shape: tuple[int, ...], value: Any, dtype: Any, ctx: Any) -> Buffer:
        """Returns a buffer filled with a number or a broadcast array, converted as by `numpy.full`.

        Raises the errors of `empty`, and OverflowError for an integer that dtype cannot hold.
        """
        ...

    def view(self, memory: Buffer | None, offset: int, shape: tuple[int, ...], dtype: Any) -> Buffer:
        """Returns part of a byte buffer as a buffer of its own, starting at byte `offset`.

        memory=None returns a stand-in that needs no memory; only its shape and dtype are used.
        """
        ...

    def views(self, block: Buffer, values: list[Buffer], places: Sequence[tuple[int, int, int, Any]],
              offsets: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> None:
        """Calls `view` for many buffers: (slot in values, index of its offset, index of its shape, dtype).

        Called only if the backend `supports_symbolic_dims`.
        """
        ...

    def offset(self, part: Buffer, whole: Buffer) -> int:
        """Returns the byte offset at which `part`, a view of `whole`, begins."""
        ...

    def from_numpy(self, array: Any, ctx: Any) -> Buffer:
        """Returns a new buffer with the array's elements."""
        ...

    def to_numpy(self, buffer: Buffer) -> Any:
        """Returns a new NumPy array with the buffer's elements."""
        ...

    def synchronize(self, ctx: Any) -> None:
        """Waits until all work queued on the device is done."""
        ...

    # -- operators --------------------------------------------------------------------------------------------------

    def prepare(self, op: Any, inputs: list[Spec], outputs: list[Spec], train: bool, rng: Any) -> Kernel | str:
        """Returns the Kernel for this operator on buffers of these Specs, or a string with the reason for declining.

        rng: a numpy.random.Generator for an operator that draws random numbers, else None.
        """
        ...

    def fallback(self, op: Any, inputs: list[Spec], outputs: list[Spec], train: bool, rng: Any) -> Kernel:
        """Returns the kernel to run if `prepare` declines: the reference kernel, applied to this backend's buffers."""
        ...

    # -- plans ------------------------------------------------------------------------------------------------------

    def prepare_program(self, lines: list[Any], aliases: dict[int, int], value_count: int) -> Program | None:
        """Returns a Program for a plan's lines, [(a kernel's `write`, slots of operands)], or None.

        aliases: {slot: slot} for values that are other values in a different shape. value_count: the number of slots.
        """
        ...
