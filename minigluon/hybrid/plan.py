"""The plan: each node's kernel, prepared once and run many times, with its operands' slots; and a run's tape entry.

    values      a list for one run: a slot for each input, intermediate value and result of the graph
    program     [(kernel, getter of its operands from values, getter of its targets)]
    block       the memory that `layout.py` has divided; the intermediate values are views of it

A plan has a forward part and, with gradients, a backward part, which reads the values it needs from the same `values`.
A run takes a `values` list from a pool and returns it afterward. Several threads, or several forward passes before a
backward pass, therefore do not interfere, and a later run reuses the memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ..backend import Spec, backend_for
from ..backend.contract import Backend, Buffer
from ..context import Context
from ..ndarray.ndarray import NDArray
from ..symbol.graph import Node, Pair
from ..symbol.symbol import Symbol
from ..tape import Entry, state
from .call_errors import other_gradient
from .compiled_program import BackendPlanViews
from .layout import Fresh, Layout, Step
from .parameter_constants import Prepackers
from .plan_views import PlanViews
from .program import Program, Values, getter
from .recorded_gradients import recorded_gradients

__all__ = ["CALL", "Plan", "PlanEntry", "buffers_of"]


class Plan(BackendPlanViews, PlanViews):
    """A graph that is ready to run on one device, for inputs of known shapes.

    graph: a Symbol whose first `count` outputs are the results and the others the gradients. specs: the Spec of every
    (node, output). variables: the nodes of its inputs, in the order in which `forward` takes their buffers; the last
    ones, `heads`, are the head gradients, which `backward` takes. prepackers: the Prepackers that compute the last
    variables from others (see `parameter_constants.py`).
    """

    def __init__(self, graph: Symbol, count: int, specs: dict[Pair, Spec], variables: Sequence[Node],
                 heads: Sequence[Node], ctx: Context, train: bool = False, layout: Any = None,
                 prepackers: Prepackers | None = None):
        self.graph, self.ctx, self.train, self.prepackers = graph, ctx, train, prepackers
        self._backend: Backend = backend_for(ctx)
        layout = layout or Layout(graph, count, specs, [*variables, *heads], ctx, train)
        self._inputs = len(variables)
        self._heads = slice(len(variables), len(variables) + len(heads))
        self._forward, self._backward = self._programs(layout)
        self._empty = self._backend.empty
        self._result_pairs, self._gradient_pairs = graph.heads[:count], graph.heads[count:]
        self._results: list[int] = [layout.slot_of[pair] for pair in self._result_pairs]
        self._gradients: list[int] = [layout.slot_of[pair] for pair in self._gradient_pairs]
        self._get_results = getter(self._results)
        self._no_inputs: list[None] = [None] * layout.inputs
        self._outside: list[int] = layout.outside()
        self.take_sizes(layout)

    def _programs(self, layout: Layout) -> tuple[Program, Program]:
        """Return the forward and the backward part. A backend may run them itself (see `backend_programs.py`)."""
        return Program(layout, "forward", {}), Program(layout, "backward", {})

    def take_sizes(self, layout: Any) -> None:
        """Copy everything that depends on the values' sizes from a layout."""
        self._layout: Any = layout      # a Layout, or the SizedLayout of a graph with symbolic dimensions
        self._fresh_results: Fresh = layout.fresh(self._result_pairs)
        self._fresh_gradients: Fresh = layout.fresh(self._gradient_pairs)
        self._specs_of_gradients: list[Spec] = layout.specs_of(self._gradient_pairs)
        pool: deque[Values] = deque()
        self.pool = pool                # its methods are atomic, so threads share it without a lock
        self._take, self._put, self._clear = pool.pop, pool.append, pool.clear
        self.compiled_call: Callable[[list[Buffer]], Sequence[Buffer]] | None = None    # a backend's version of `call`

    @property
    def steps(self) -> list[Step]:
        """The nodes in the order in which they run."""
        return self._layout.steps

    # -- running ------------------------------------------------------------------------------------------------

    def take(self) -> Values:
        """Return a `values` list for one run, from the pool if there is one."""
        try:
            return self._take()
        except IndexError:
            return self._layout.new_values(self._backend)

    def give_back(self, values: Values) -> None:
        """Return a `values` list to the pool, after releasing inputs and results."""
        values[:self._layout.inputs] = self._no_inputs
        for slot in self._outside:
            values[slot] = None
        self._put(values)

    def free(self) -> None:
        """Release the memory kept for the next run."""
        self._clear()

    def call(self, buffers: list[Buffer]) -> Sequence[Buffer]:
        """Run only the forward part on the variables' buffers, and return new buffers with the results."""
        if self.compiled_call is not None:
            return self.compiled_call(buffers)
        values = self.take()
        results = self.forward(values, buffers)
        self.give_back(values)
        return results

    def forward(self, values: Values, buffers: list[Buffer]) -> Sequence[Buffer]:
        """Run the forward part on the variables' buffers, and return new buffers with the results."""
        values[:self._inputs] = buffers
        for shape, dtype, members in self._fresh_results:
            array = self._empty(shape, dtype, self.ctx)
            for slot, its_shape in members:
                values[slot] = array if its_shape is shape else array.reshape(its_shape)
        self._forward(values)
        return self._get_results(values)

    def backward(self, values: Values, head_grads: list[Buffer], targets: Sequence[Buffer | None] | None = None,
                 keep: bool = False) -> list[Buffer]:
        """Run the backward part after `forward` on the same `values`, and return the gradients' buffers.

        targets: a buffer for each gradient, or None. keep=True leaves `values` unchanged for another backward pass;
        otherwise the backward part overwrites values after their last use.
        """
        if keep:
            values = self._layout.copy_values(values, self._backend)
        values[self._heads] = head_grads
        self._allocate(self._fresh_gradients, values, dict(zip(self._gradients, targets or ())))
        self._backward(values)
        return [values[slot] for slot in self._gradients]

    def _allocate(self, fresh: Fresh, values: Values, targets: Mapping[int, Buffer | None]) -> None:
        for shape, dtype, members in fresh:
            array = None
            for slot, _ in members:         # `next` would take longer, and there is usually only one member
                if array is None:
                    array = targets.get(slot)
            if array is None:
                array = self._empty(shape, dtype, self.ctx)
            for slot, its_shape in members:
                values[slot] = array if array.shape == its_shape else array.reshape(its_shape)

    # -- requirements of the backward part -----------------------------------------------------------------------

    @property
    def gradient_count(self) -> int:
        """The number of gradients."""
        return len(self._gradients)

    def inputs_of_backward(self) -> list[int]:
        """Return the indices of the inputs that the backward part reads."""
        return sorted(self._slots_of_backward() & set(range(self._inputs)))

    def results_of_backward(self) -> list[int]:
        """Return the indices of the results that the backward part reads."""
        read = self._slots_of_backward()
        return [number for number, slot in enumerate(self._results) if slot in read]

    def _slots_of_backward(self) -> set[int]:
        read = {slot for step in self.steps if step.phase == "backward" for slot in step.inputs}
        for step in reversed(self.steps):
            if step.op.is_view and not step.writes and not read.isdisjoint(step.outputs):
                read.update(step.inputs)
        # Reading a view means reading its source.
        for storage in set(self._layout.storage_of.values()):
            if len(storage.members) > 1 and any(slot in read for slot, _, _ in storage.members):
                read.update(slot for slot, _, _ in storage.members)
        return read


def buffers_of(arrays: Sequence[Any]) -> list[Buffer]:
    """Return the arrays' buffers, each contiguous."""
    if len(arrays) == 1 and arrays[0].buffer.flags.c_contiguous:
        return [arrays[0].buffer]
    return [x.buffer if x.buffer.flags.c_contiguous else x.tostype("default").copy().buffer for x in arrays]


class PlanEntry(Entry):
    """A CachedOp call. `runner` has the plan; `values` contains what forward saved for the backward part."""

    __slots__ = ("other_versions", "runner", "training", "values")

    def __init__(self, runner: Any, parents: Any, inputs: Any, outputs: Any, values: Values) -> None:
        super().__init__(CALL, parents, inputs, outputs, [(y.shape, y.dtype, y.context) for y in outputs])
        self.inputs = inputs
        self.checked = [inputs[i] for i in runner.needed] + [outputs[i]._twin() for i in runner.needed_results]
        self.versions = [x._writes if x._base is None else x._version for x in self.checked]
        self.other_versions = [inputs[i]._version for i in runner.others]
        self.runner, self.values, self.training = runner, values, state.training

    @property
    def graph(self) -> Any:
        """The block's graph, and the names of its variables in the order of the inputs."""
        return self.runner.symbol, self.runner.inputs

    def free(self) -> None:
        super().free()
        self._release()

    def _release(self) -> None:
        values, self.values = getattr(self, "values", None), None       # unset if Ctrl-C interrupted __init__
        if values is not None:
            self.runner.plan.give_back(values)

    def __del__(self) -> None:
        self._release()         # the results were dropped without a backward pass

    def gradients(self, F: Any, out_grads: Any, retain: bool, walk: Any = None) -> Any:
        """Run the plan's backward part; with create_graph, differentiate the interpreted graph instead."""
        if state.recording:
            return recorded_gradients(self, F, out_grads)
        plan, ctx = self.runner.plan, self.runner.plan.ctx
        indices = self.runner.gradient_indices          # for each input, its gradient's index in the plan
        grads = self._targets(walk, indices)
        out_grads = [F.zeros(spec[0], dtype=spec[1], ctx=spec[2]) if g is None else _required(g, spec)
                     for g, spec in zip(out_grads, self.specs, strict=True)]
        targets: list[Any] = [None] * plan.gradient_count
        for index, array in zip(indices, grads, strict=True):
            if array is not None:
                targets[index] = array.buffer
        try:
            buffers = plan.backward(self.values, buffers_of(out_grads), targets, keep=retain)
        except BaseException:
            if not retain:
                self.free()         # some values are overwritten, so a second attempt would compute with wrong values
            raise
        for number, index in enumerate(indices):
            if index is None or self.parents[number] is None:
                continue
            if grads[number] is not None and buffers[index] is targets[index]:
                grads[number]._count_write()
            else:
                grads[number] = NDArray(buffers[index], ctx)
        return grads

    def _targets(self, walk: Any, indices: Any) -> list[Any]:
        """Return, for each input, the array for its gradient, or None for a new array (see `write_targets.py`)."""
        return [None] * len(indices)


def _required(grad: Any, spec: Any) -> Any:
    """Return the head gradient of a result. It must match the result, because the plan reads its memory directly."""
    if (grad.shape, grad.dtype, grad.context) != spec:
        raise other_gradient(grad, spec)
    return grad


CALL: Any = SimpleNamespace(name="hybridized block", keeps=(), mutates=())       # a PlanEntry's operator
