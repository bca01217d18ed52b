"""A graph's layout for running it: steps in order, slots in `values`, and buffers in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from ..backend import backend_for
from ..base import MXNetError
from ..context import Context
from ..dispatch import prepare, prepare_writer
from ..ops.op import Op
from ..ops.optimizer.multi_tensor import InPlaceMultiUpdate
from ..ops.shapes import FullShape, Spec
from ..symbol.graph import Node, Pair, error_location, run_order, topological
from .memory import Buffer, MemoryPlan, assign_offsets
from .retained_values import copied_values
from .simplify import STAND_IN
from .steps import order_with_steps

__all__ = ["Fresh", "Layout", "Step", "Storage", "empty_block", "reshape_to", "write_view"]

Fresh = Sequence[tuple[FullShape, Any, Sequence[tuple[int, FullShape]]]]        # shape, dtype, [(slot, shape)]

MAX_CONSTANT_BYTES = 2 ** 14    # a larger constant is not kept but recreated by each run


class Step(NamedTuple):
    """A node in a plan. inputs, outputs, scratch: slots in `values`."""

    node: Node
    phase: str              # 'forward' or 'backward'
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    scratch: tuple[int, ...]
    kernel: Any             # kernel(inputs, targets) if it writes, else kernel(inputs); None for a view created once
    writes: bool

    @property
    def op(self) -> Op:
        """The node's operator; the node is never a variable."""
        return cast(Op, self.node.op)


class Storage:
    """A piece of memory, and the values that occupy it in turn."""

    def __init__(self, kind: str, spec: Spec, first: int):
        self.kind = kind            # one of the kinds of `Buffer`, or 'input'
        self.size = math.prod(spec.shape) * spec.dtype.itemsize
        self.spec, self.first = spec, first
        self.members: list[tuple[int, Spec, str]] = []      # slot, Spec, name
        self.last = first

    def add(self, slot: int, spec: Spec, name: str, last: int) -> None:
        """Add another value that lives here until step `last`."""
        self.members.append((slot, spec, name))
        self.last = max(self.last, last)

    def as_buffer(self, steps: int, size: int, offset: int | None = None) -> Buffer:
        """Return a Buffer of `size` bytes for this memory, in a plan with `steps` steps."""
        name, *others = [name for _, _, name in self.members]
        return Buffer(name, size, self.first, min(self.last, steps - 1), self.kind, offset, tuple(others))


class Layout:
    """A graph's layout.

    graph: a Symbol whose first `count` outputs are results, the others gradients. variables: the nodes of its inputs;
    they have the first slots in `values`. A `SymbolicLayout` prepares other kernels.
    """

    def __init__(self, graph: Any, count: int, specs: dict[Pair, Spec], variables: Sequence[Node], ctx: Context,
                 train: bool):
        self.graph, self.specs, self.ctx, self.train = graph, specs, ctx, train
        self._writers: dict[Any, Any] = {}              # memo of `_writer`
        # Gradients of the last layers come first, so that values that the forward part saved for them are freed early.
        results, gradients = graph.heads[:count], graph.heads[count:]
        if any(isinstance(node.op, InPlaceMultiUpdate) for node, _ in results):
            order, forward = order_with_steps(results, gradients, variables)
        else:
            forward = run_order(results)
            order = topological([*((node, 0) for node in forward), *reversed(gradients)])
        self.forward_nodes = set(forward)
        self.heads = set(graph.heads)
        self.inputs = len(variables)
        self.slot_of: dict[Pair, int] = {(variable, 0): slot for slot, variable in enumerate(variables)}
        self.storage_of: dict[int, Storage] = {}        # by slot
        self.fixed: dict[int, Any] = {}                 # the arrays of constants and stand-ins, by slot
        self.steps: list[Step] = []
        self.naive = 0
        for node in order:
            with error_location(node):
                self._prepare_fixed(node)
        run = [n for n in order if n.op is not None and (n, 0) not in self.slot_of]
        self.split = sum(node in self.forward_nodes for node in run)    # the first step of the backward part
        self._find_last_uses(run)
        for position, node in enumerate(run):
            with error_location(node):
                self._add_step(position, node)
        self.storages = list(dict.fromkeys(self.storage_of.values()))
        self._dying: dict[int, list[int]] = {}          # step -> slots to free after it
        for slot, storage in self.storage_of.items():
            if storage.kind == "own":
                self._dying.setdefault(storage.last, []).append(slot)

    # -- constant parts ----------------------------------------------------------------------

    def _slot_for(self, pair: Any) -> int:
        return self.slot_of.setdefault(pair, len(self.slot_of))

    def _prepare_fixed(self, node: Node) -> None:
        """Compute constants now; a stand-in is a one-element array that is broadcast."""
        if node.op is None:
            if STAND_IN in node.attrs:
                self.fixed[self._slot_for((node, 0))] = self._stand_in(self.specs[node, 0])
            return
        outputs = [(node, i) for i in range(node.op.num_outputs)]
        size = sum(_bytes(self.specs[pair]) for pair in outputs)
        is_fixed = all(self.slot_of.get(pair) in self.fixed and STAND_IN not in pair[0].attrs for pair in node.inputs)
        is_fixed = is_fixed and self.heads.isdisjoint(outputs)        # each caller receives a new result
        is_fixed = is_fixed and not node.op.random and not node.op.mutates
        if is_fixed and isinstance(size, int) and size <= MAX_CONSTANT_BYTES:      # a symbolic size is not an int
            kernel = prepare(node.op, self.ctx, self.specs_of(node.inputs), self.specs_of(outputs), self.train)
            results = kernel([self.fixed[self.slot_of[pair]] for pair in node.inputs])
            for pair, result in zip(outputs, results, strict=False):
                self.fixed[self._slot_for(pair)] = result

    # -- steps --------------------------------------------------------------------------------------------------

    def _find_last_uses(self, run: list[Node]) -> None:
        self.last_use: dict[Pair, int] = {}
        for position, node in enumerate(run):
            for pair in node.inputs:
                self.last_use[pair] = position
        for pair in self.heads:
            self.last_use[pair] = len(run)

    def _add_step(self, position: int, node: Node) -> None:
        op = cast(Op, node.op)
        inputs = tuple(self.slot_of[pair] for pair in node.inputs)
        outputs = [(node, i) for i in range(op.num_outputs)]
        phase = "forward" if node in self.forward_nodes else "backward"
        if op.is_view and outputs[0] not in self.heads:
            kernel, scratch, writes = self._add_view(position, node), (), False
        else:
            kernel, scratch, writes = self._add_kernel(position, node, outputs)
        slots = tuple(self._slot_for(pair) for pair in outputs)
        self.steps.append(Step(node, phase, inputs, slots, scratch, kernel, writes))

    def _add_view(self, position: int, node: Node) -> Any:
        """Add a reshape: in planned memory it is another view; elsewhere the view is created when the step runs."""
        pair, source = (node, 0), self.storage_of.get(self.slot_of[node.inputs[0]])
        if source is not None and source.kind in ("value", "result", "gradient"):
            self._store(source, pair)
            return None
        self._store(Storage("own", self.specs[pair]._replace(shape=(0,)), position), pair)
        return reshape_to(self.specs[pair].shape)

    def _add_kernel(self, position: int, node: Node, outputs: list[Pair]) -> tuple[Any, tuple[int, ...], bool]:
        """Add the step's kernel, with memory for the values it writes, or a kernel that allocates."""
        op = cast(Op, node.op)
        specs = self.specs_of(node.inputs), self.specs_of(outputs)
        self.naive += sum(map(_bytes, specs[1]))
        writer = self._writer(op, *specs)
        if writer is None and op.is_view:
            writer = write_view, []
        if writer is None:
            for pair, spec in zip(outputs, specs[1], strict=True):
                self._store(Storage("own", spec, position), pair)
            return self._allocating(op, *specs), (), False
        kernel, scratch_specs = writer
        for number, (pair, spec) in enumerate(zip(outputs, specs[1], strict=True)):
            storage = self._in_place(position, node, spec) if number == 0 else None
            if storage is not None and pair in self.heads and (storage.first < self.split <= position):
                storage = None      # results of the backward part do not exist yet during the forward part
            if storage is None:
                storage = Storage("value", spec, position)
            if pair in self.heads:
                storage.kind = "result" if position < self.split else "gradient"
            self._store(storage, pair)
        scratch: list[int] = []
        self.naive += sum(map(_bytes, scratch_specs))
        for number, spec in enumerate(scratch_specs):
            slot = self._slot_for((node, f"scratch{number}"))
            storage = self.storage_of[slot] = Storage("scratch", spec, position)
            storage.add(slot, spec, f"{node.name} scratch", position)
            scratch.append(slot)
        return kernel, tuple(scratch), True

    def _writer(self, op: Op, inputs: list[Spec], outputs: list[Spec]) -> tuple[Any, Any] | None:
        """Call `prepare_writer` once for all identical nodes: a kernel keeps no state between calls."""
        key = op, tuple(inputs), tuple(outputs)
        if key not in self._writers:
            self._writers[key] = prepare_writer(op, self.ctx, inputs, outputs, self.train)
        return self._writers[key]

    def _allocating(self, op: Op, inputs: list[Spec], outputs: list[Spec]) -> Any:
        """Return a kernel that allocates its results, for an operator that has no writer."""
        return prepare(op, self.ctx, inputs, outputs, self.train)

    def _stand_in(self, spec: Spec) -> Any:
        """Return a buffer for a variable of which only the shape and dtype matter."""
        return backend_for(self.ctx).view(None, 0, *spec)

    def _store(self, storage: Storage, pair: Pair) -> None:
        slot = self._slot_for(pair)
        self.storage_of[slot] = storage
        storage.add(slot, self.specs[pair], pair[0].output_name(pair[1]), self.last_use.get(pair, storage.first))

    def _in_place(self, position: int, node: Node, spec: Spec) -> Storage | None:
        """Return the memory of an input that the node may overwrite because nothing reads it later, or None."""
        op = cast(Op, node.op)
        if not op.in_place:
            return None
        names = op.argument_names(len(node.inputs))
        storages = [self.storage_of.get(self.slot_of[pair]) for pair in node.inputs]
        for pair, storage in zip(node.inputs, storages, strict=True):
            others = [n for n, s in zip(names, storages, strict=True) if s is storage]
            if (storage is not None and storage.kind == "value" and storage.last <= position
                    and self.specs[pair] == spec and _bytes(spec) == storage.size
                    and all(n in op.in_place for n in others)):
                return storage
        return None

    def specs_of(self, pairs: Sequence[Pair]) -> list[Spec]:
        """Return the Specs of (node, output) pairs."""
        return [self.specs[pair] for pair in pairs]

    # -- memory -------------------------------------------------------------------------------------------------

    @cached_property
    def memory(self) -> MemoryPlan:
        """Return the values' offsets in the block."""
        steps = len(self.steps)
        buffers = [storage.as_buffer(steps, storage.size) for storage in self.storages]
        for slot, array in self.fixed.items():
            if array.base is None:
                buffers.append(Buffer(f"constant {slot}", array.nbytes, 0, steps - 1, "constant"))
        return MemoryPlan(buffers, assign_offsets(buffers), self.naive, steps)

    def new_values(self, backend: Any) -> list[Any]:
        """Return a list with a slot for each value; the planned memory is allocated and divided among the values."""
        values: list[Any] = [None] * len(self.slot_of)
        for slot, array in self.fixed.items():
            values[slot] = array
        block = empty_block(backend, self.memory.size, self.ctx, lambda: self.memory)
        for storage, buffer in zip(self.storages, self.memory.buffers, strict=False):       # then come constants
            if buffer.offset is not None:
                for slot, spec, _ in storage.members:
                    values[slot] = backend.view(block, buffer.offset, spec.shape, spec.dtype)
        return values

    def copy_values(self, values: list[Any], backend: Any) -> list[Any]:
        """Return a copy of `values` whose planned values have their own memory."""
        return copied_values(self.new_values(backend), values, self)

    def outside(self) -> list[int]:
        """Return the slots whose memory the plan does not own: results, and memory allocated by kernels."""
        return [slot for slot, s in self.storage_of.items() if s.kind in ("own", "result", "gradient")]

    def last_used_at(self, position: int) -> Sequence[int]:
        """Return the slots of kernel-allocated results that no step after this one reads."""
        return self._dying.get(position, ())

    def fresh(self, pairs: Sequence[Pair]) -> list[tuple[FullShape, Any, list[tuple[int, FullShape]]]]:
        """Return [(shape, dtype, [(slot, shape)])] for the results that are allocated before the run, with all members.
        A member with the same shape contains the same tuple object, so that `is` can compare them."""
        storages = [s for s in dict.fromkeys(self.storage_of[self.slot_of[pair]] for pair in pairs)
                    if s.kind in ("result", "gradient")]
        return [(s.spec.shape, s.spec.dtype,
                 [(slot, s.spec.shape if spec.shape == s.spec.shape else spec.shape) for slot, spec, _ in s.members])
                for s in storages]


def empty_block(backend: Any, size: int, ctx: Context, memory: Callable[[], MemoryPlan]) -> Any:
    """Return the memory block for a run. memory: returns the MemoryPlan for the error message if allocation fails."""
    try:
        return backend.empty((size,), np.dtype("uint8"), ctx)
    except MXNetError as error:
        raise memory().no_block(error, size) from None


def reshape_to(shape: FullShape) -> Callable[[Any], Any]:
    """Return the kernel for a view that is created when its step runs."""
    return lambda inputs: (inputs[0].reshape(shape),)


def write_view(inputs: Any, outputs: Any) -> None:
    outputs[0][...] = inputs[0].reshape(outputs[0].shape)


def _bytes(spec: Spec) -> int:
    return math.prod(spec.shape) * spec.dtype.itemsize
