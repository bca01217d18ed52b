"""The passes that turn a traced graph into a plan, in order."""

from ..ops import REGISTRY
from ..symbol.graph import Node
from ..symbol.symbol import Symbol
from .budget import budget
from .differentiate import differentiate
from .draft import Draft, run_passes
from .fuse import fuse
from .parameter_constants import parameter_constants
from .plan import Plan
from .pooling_argmax import pooling_argmax
from .recompute import recompute
from .resolve_sources import resolve_sources
from .simplify import simplify, simplify_gradients
from .slice_pushdown import slice_pushdown
from .specs import infer
from .steps import add_steps
from .unroll import unroll

__all__ = ["PASSES", "compile_graph", "own_outputs"]


def before_gradients(draft):
    """Schedule the backend's own passes over the traced graph next."""
    return draft._replace(rest=[*draft.backend.passes_before_gradients, *draft.rest])


def before_fusion(draft):
    """Schedule the backend's own passes over the graph with its gradients next."""
    return draft._replace(rest=[*draft.backend.passes_before_fusion, *draft.rest])


def own_outputs(draft):
    """Ensure that each result has its own memory: copy outputs that are also inputs, constants, or other outputs."""
    seen, outputs, specs = set(), [], draft.specs
    for pair in draft.graph.heads:
        if pair in seen or pair[0].op is None or not pair[0].inputs:
            copy = Node(REGISTRY["identity"](), f"{pair[0].name}_copy{len(outputs)}", [pair])
            specs[copy, 0] = specs[pair]
            pair = copy, 0
        seen.add(pair)
        outputs.append(pair)
    return draft._replace(graph=Symbol(outputs))


PASSES = [
    unroll,                 # unrolls loops of known length
    resolve_sources,        # arrays that a program creates get the shapes that their users need
    infer,                  # finds the shape and dtype of everything
    simplify,               # removes unneeded and repeated work
    slice_pushdown,         # rows that are never read are not computed
    before_gradients,
    differentiate,          # adds the gradients, if they are needed; then these four apply:
    pooling_argmax,         # max pooling keeps the indices of the largest elements, not its input
    simplify_gradients,
    recompute,              # requested by hybridize(recompute=True)
    budget,                 # requested by hybridize(memory=...)
    before_fusion,
    add_steps,              # the optimizer's steps, for `gluon.TrainStep`
    fuse,                   # chains of elementwise operators become one node
    own_outputs,            # each result gets its own memory
    parameter_constants,    # values that depend only on parameters are computed once
]


def compile_graph(symbol, input_specs, variables, ctx, train=False, grad_names=(), reports=None, recomputed=False,
                  steps=None, packing=None, passes=PASSES):
    """Return a Plan for the outputs of `symbol`, and for the gradients of the variables in `grad_names`, if any.

    input_specs: {variable name: Spec}. variables: names of the inputs in the plan's order. reports: a list to extend
    with Reports. recomputed: `Draft.saving`. steps: a `Steps` of these variables, for a whole training step in the
    forward part (see `add_steps`). packing: (n, prepackers), where all variables but the first n are parameters, from
    which `plan.prepackers` prepare further inputs (see `parameter_constants.py`). passes: those to run.

    Returns (plan, indices): for each name in `grad_names`, the index of its gradient in the plan, or None if no path
    leads to it. The plan is None if one of `steps` has no gradient or if a shape depends on values. Raises MXNetError.
    """
    draft = run_passes(Draft(symbol, {}, input_specs, variables, ctx, train, grad_names, recomputed, steps,
                             *(packing or ()), reports=reports, rest=passes))
    if draft.graph is None:
        return None, draft.indices
    plan = Plan(draft.graph, draft.results, draft.specs, draft.inputs, draft.heads, ctx, train,
                prepackers=draft.prepackers)
    return plan, draft.indices or []
