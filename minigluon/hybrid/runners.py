"""Runners for CachedOp calls: the choice of a runner for a new Signature, and plans with one tape entry per call."""

from ..backend import Spec
from ..backend.watchers import watching
from ..context import current_context
from ..ndarray.ndarray import NDArray
from ..tape import state
from ..tape.constants import Constant, with_constants
from . import compiler
from .call_errors import on_several_devices
from .constant_results import ConstantResults
from .flags import saving
from .node_by_node import NodeByNode, runs_imperatively
from .plan import PlanEntry, buffers_of
from .registered_passes import passes_for
from .specs import has_control_flow
from .unroll import unrolled

__all__ = ["PlannedRunner", "compile_runner", "make_runner", "planned_runner"]


class PlannedRunner(ConstantResults, NodeByNode):
    """A runner that executes a plan and records the call on the tape. It does not refer to its CachedOp, because in a
    reference cycle the plan's memory would live until the garbage collector runs."""

    def __init__(self, op, graph, plan, grad_names, indices):
        self.symbol, self.inputs = op.symbol, op.inputs
        self.plan, self.tracked = plan, _tracked(graph, grad_names)
        self.has_constants = len(self.tracked) < len(graph.heads)
        index_of = dict(zip(grad_names, indices, strict=True))
        self.call, self.ctx, self.prepackers = plan.compiled_call or plan.call, plan.ctx, plan.prepackers
        self.gradient_indices = [index_of.get(name) for name in op.inputs]      # the indices of the inputs' gradients
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
            buffers += params.constants.of(self.prepackers)
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


def _tracked(graph, grad_names):
    """Return the indices of the outputs that the tape tracks, because they depend on a value that needs a gradient."""
    leads = set()
    for node in graph.nodes():
        if node.op is None:
            leads.update([node] if node.name in grad_names else ())
        elif node.op.differentiable and any(parent in leads for parent, _ in node.inputs):
            leads.add(node)
    return [number for number, (node, _) in enumerate(graph.heads) if node in leads]


def make_runner(op, signature, data, params):
    """Return a CachedOp's runner for the Signature of these arrays. Raises ContextError and inference errors."""
    arrays = [*data, *params.arrays]
    ctx = arrays[0].context if arrays else current_context()
    if any(x.context is not ctx for x in arrays):
        raise on_several_devices(op, arrays, ctx)
    grad_names = [name for name, needs in zip(op.inputs, signature.needs_grad) if needs and name in op.used]
    if grad_names and len(op.symbol.heads) > 1 and runs_imperatively(op.symbol) and not op.flags.get("static_alloc"):
        return NodeByNode(op.symbol, op.inputs)
    sparse = any(x.stype != "default" for x in arrays) or grad_names and any(
        getattr(node.op, "sparse_grad", False) for node in op.symbol.nodes())
    if watching.node_by_node or sparse:
        return NodeByNode(op.symbol, op.inputs)         # plans use dense memory and hide their values
    buffers = [*[x.buffer for x in data], *params.buffers]
    input_specs = {name: Spec(buffer.shape, buffer.dtype) for name, buffer in zip(op.inputs, buffers, strict=True)
                   if name in op.used}
    return planned_runner(op, signature, input_specs, ctx, grad_names, (len(data), op.prepackers), params.plans)


def planned_runner(op, signature, input_specs, ctx, grad_names, packing, plans):
    """Return the runner of a plan for this Signature only; `lengths.py` lets signatures share a plan in `plans`."""
    return compile_runner(op, input_specs, ctx, grad_names, packing)


def compile_runner(op, input_specs, ctx, grad_names, packing=None, reports=None):
    """Return the runner of a plan. input_specs: {variable name: Spec}. For the other arguments, see `compile_graph`."""
    graph = op.symbol
    if has_control_flow(graph):
        graph = unrolled(graph, input_specs)
        if has_control_flow(graph):
            return NodeByNode(op.symbol, op.inputs)
    passes = passes_for(op.flags) if "passes" in op.flags else compiler.PASSES
    plan, indices = compiler.compile_graph(graph, input_specs, op.inputs, ctx, state.training, grad_names, reports,
                                           recomputed=op.flags and saving(op.flags), packing=packing, passes=passes)
    return NodeByNode(op.symbol, op.inputs) if plan is None else PlannedRunner(op, graph, plan, grad_names, indices)
