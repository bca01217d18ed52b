"""Runners that execute a CachedOp call with a plan and one entry on the tape; see also `node_by_node.py`."""

from ..ndarray.ndarray import NDArray
from ..tape.constants import Constant, with_constants
from .constant_results import ConstantResults
from .entry import PlanEntry, buffers_of
from .node_by_node import NodeByNode

__all__ = ["PlannedRunner"]


class PlannedRunner(ConstantResults, NodeByNode):
    """A runner that executes a plan and records the call on the tape.

    It does not refer to its CachedOp: in a cycle, the plan's memory would live until the garbage collector runs.
    """

    def __init__(self, op, graph, plan, wanted, indices):
        self.symbol, self.inputs = op.symbol, op.inputs
        self.plan, self.tracked = plan, _tracked(graph, wanted)
        self.has_constants = len(self.tracked) < len(graph.heads)
        index_of = dict(zip(wanted, indices, strict=True))
        self.call, self.ctx, self.prepackers = plan.compiled_call or plan.call, plan.ctx, plan.prepackers
        self.gradient_indices = [index_of.get(name) for name in op.inputs]      # of the inputs' gradients in the plan
        # Normalizations overwrite statistics only in training.
        writes = any(step.op.mutates and (plan.train or not step.op.takes_train) for step in plan.steps)
        self.mutated = [i for i, name in enumerate(op.inputs) if writes and name in op.mutated]
        self.needed = [i for i in plan.inputs_of_backward() if i not in self.mutated]
        # Inputs read only by the second forward pass of `create_graph`.
        self.others = [i for i in range(len(op.inputs)) if i not in self.needed and i not in self.mutated]
        self.needed_results = plan.results_of_backward()
        self.unused = [i for i, name in enumerate(op.inputs) if name not in op.used]

    def run(self, data, params):
        ctx = self.ctx
        buffers = buffers_of(data) + params.buffers
        if self.prepackers is not None:
            buffers += params.kept.of(self.prepackers)
        results = self.call(buffers)
        if self.mutated:
            self._count_writes(data, params)
        return [NDArray(buffer, ctx) for buffer in results]

    def record(self, data, params, parents):
        plan = self.plan
        values = plan.take()
        results = plan.forward(values, buffers_of(data) + params.buffers)
        if self.mutated:
            self._count_writes(data, params)
        outputs = [NDArray(buffer, plan.ctx) for buffer in results]
        inputs = [*data, *params.arrays]
        behind = with_constants(parents, inputs) if Constant.made else parents
        for i in self.unused:
            behind[i] = None
        entry = PlanEntry(self, behind, inputs, outputs, values)
        for index in self.tracked:
            y = outputs[index]
            y.entry, y.output_index = entry, index
        if self.has_constants:
            self._remember(data, params, parents, outputs)
        return outputs

    def _count_writes(self, data, params):
        inputs = [*data, *params.arrays]
        for i in self.mutated:
            inputs[i]._count_write()


def _tracked(graph, wanted):
    """Return the indices of the outputs that the tape tracks, because they depend on a value that needs a gradient."""
    leads = set()
    for node in graph.nodes():
        if node.op is None:
            leads.update([node] if node.name in wanted else ())
        elif node.op.differentiable and any(parent in leads for parent, _ in node.inputs):
            leads.add(node)
    return [number for number, (node, _) in enumerate(graph.heads) if node in leads]
