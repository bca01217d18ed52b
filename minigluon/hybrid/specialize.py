"""Runners for calls with a new Signature: a compiled plan, or a node-by-node run of the graph."""

from ..backend import Spec
from ..backend.watchers import watching
from ..context import current_context
from ..tape import state
from . import compiler
from .call_errors import on_several_devices
from .flags import saving
from .node_by_node import NodeByNode, runs_imperatively
from .registered_passes import passes_for
from .runners import PlannedRunner
from .specs import has_control_flow
from .unroll import unrolled

__all__ = ["compile_runner", "make_runner", "planned_runner"]


def make_runner(op, signature, data, params):
    """Return a CachedOp's runner for the Signature of these arrays. Raises ContextError and the errors of inference."""
    arrays = [*data, *params.arrays]
    ctx = arrays[0].context if arrays else current_context()
    if any(x.context is not ctx for x in arrays):
        raise on_several_devices(op, arrays, ctx)
    wanted = [name for name, is_wanted in zip(op.inputs, signature.wanted) if is_wanted and name in op.used]
    if wanted and len(op.symbol.heads) > 1 and runs_imperatively(op.symbol) and not op.flags.get("static_alloc"):
        return NodeByNode(op.symbol, op.inputs)
    if watching.node_by_node or any(x.stype != "default" for x in arrays) or wanted and _has_sparse_gradient(op.symbol):
        return NodeByNode(op.symbol, op.inputs)         # plans use dense memory and hide their values
    buffers = [*[x.buffer for x in data], *params.buffers]
    known = {name: Spec(buffer.shape, buffer.dtype) for name, buffer in zip(op.inputs, buffers, strict=True)
             if name in op.used}
    return planned_runner(op, signature, known, ctx, wanted, (len(data), op.prepackers), params.plans)


def planned_runner(op, signature, known, ctx, wanted, kept, plans):
    """Return the runner of a plan for this Signature only; `lengths.py` lets several of `plans` share one."""
    return compile_runner(op, known, ctx, wanted, kept)


def compile_runner(op, known, ctx, wanted, kept=None, reports=None):
    """Return a plan's runner for inputs of these Specs. known: {name: Spec}. For the others, see `compile_graph`."""
    graph = op.symbol
    if has_control_flow(graph):
        graph = unrolled(graph, known)
        if has_control_flow(graph):
            return NodeByNode(op.symbol, op.inputs)
    passes = passes_for(op.flags) if "passes" in op.flags else compiler.PASSES
    plan, indices = compiler.compile_graph(graph, known, op.inputs, ctx, state.training, wanted, reports,
                                           recomputed=op.flags and saving(op.flags), kept=kept, passes=passes)
    return NodeByNode(op.symbol, op.inputs) if plan is None else PlannedRunner(op, graph, plan, wanted, indices)


def _has_sparse_gradient(symbol):
    """Return whether there is an `Embedding(sparse_grad=True)`."""
    return any(getattr(node.op, "sparse_grad", False) for node in symbol.nodes() if node.op is not None)
