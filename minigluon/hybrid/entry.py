"""A plan's call on the tape: one entry for all its operators."""

from types import SimpleNamespace

from ..ndarray.ndarray import NDArray
from ..tape import Entry, state
from .call_errors import other_gradient
from .recorded_gradients import recorded_gradients

__all__ = ["CALL", "PlanEntry", "buffers_of"]


def buffers_of(arrays):
    """Return the buffers of the arrays, each contiguous."""
    if len(arrays) == 1 and arrays[0].buffer.flags.c_contiguous:
        return [arrays[0].buffer]
    return [x.buffer if x.buffer.flags.c_contiguous else x.tostype("default").copy().buffer for x in arrays]


class PlanEntry(Entry):
    """A call of a CachedOp. `runner` has the plan; `values` contains what forward saved for the backward part."""

    __slots__ = ("other_versions", "runner", "training", "values")

    def __init__(self, runner, parents, inputs, outputs, values):
        super().__init__(CALL, parents, inputs, outputs, [(y.shape, y.dtype, y.context) for y in outputs])
        self.inputs = inputs
        self.checked = [inputs[i] for i in runner.needed] + [outputs[i]._twin() for i in runner.needed_results]
        self.versions = [x._writes if x._base is None else x._version for x in self.checked]
        self.other_versions = [inputs[i]._version for i in runner.others]
        self.runner, self.values, self.training = runner, values, state.training

    @property
    def graph(self):
        """The block's graph, and the names of its variables in the order of the inputs."""
        return self.runner.symbol, self.runner.inputs

    def free(self):
        super().free()
        self._release()

    def _release(self):
        values, self.values = getattr(self, "values", None), None       # missing if Ctrl-C ended __init__
        if values is not None:
            self.runner.plan.give_back(values)

    def __del__(self):
        self._release()         # the results were dropped without a backward pass

    def gradients(self, F, out_grads, retain, walk):
        """Run the plan's backward part; with create_graph, differentiate the interpreted graph instead."""
        if state.recording:
            return recorded_gradients(self, F, out_grads)
        plan, ctx = self.runner.plan, self.runner.plan.ctx
        indices = self.runner.gradient_indices          # for each input that of its gradient in the plan, or None
        found = self._targets(walk, indices)
        out_grads = [F.zeros(spec[0], dtype=spec[1], ctx=spec[2]) if g is None else _required(g, spec)
                     for g, spec in zip(out_grads, self.specs, strict=True)]
        targets = [None] * plan.gradient_count
        for index, array in zip(indices, found, strict=True):
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
            if found[number] is not None and buffers[index] is targets[index]:
                found[number]._count_write()
            else:
                found[number] = NDArray(buffers[index], ctx)
        return found

    def _targets(self, walk, indices):
        """Return, for each input, the array for its gradient, or None for a new array (see `write_targets.py`)."""
        return [None] * len(indices)


def _required(grad, spec):
    """Return the head gradient of a result. It must match the result, because the plan reads its memory directly."""
    if (grad.shape, grad.dtype, grad.context) != spec:
        raise other_gradient(grad, spec)
    return grad


CALL = SimpleNamespace(name="hybridized block", keeps=(), mutates=())       # the operator of a PlanEntry
