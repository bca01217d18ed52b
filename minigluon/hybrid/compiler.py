"""From a traced graph to a plan, pass by pass."""

import gc
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..backend import backend_for
from ..ops import REGISTRY
from ..ops.lengths import has_length
from ..symbol.graph import Node, substitute
from ..symbol.infer import settle
from ..symbol.symbol import Group, Symbol
from .budget import fit
from .differentiate import differentiate
from .fuse import fuse
from .layout import Layout
from .narrow import narrow
from .plan import Plan
from .prepared import set_apart
from .recompute import recompute
from .report import Report
from .simplify import simplify
from .specs import infer_specs, is_static
from .steps import add_steps
from .unroll import unroll
from .winners import remember_winners

__all__ = ["collector_paused", "compile_graph", "run_passes"]


@contextmanager
def collector_paused():
    """Without Python's search for cycles: all that a pass makes lives on, and would be searched many times.

    Afterwards it counts as old. As new, it would all be searched at once.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():       # else `unfreeze` would undo what the program has frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@collector_paused()
def compile_graph(symbol, known, variables, ctx, train=False, wanted=(), reports=None, recomputed=False,
                  steps=None, kept=None):
    """A Plan for the outputs of `symbol`, and for the gradients of the variables in `wanted` if there are any.

    known: {variable name: Spec}. variables: names of the inputs in the order in which the plan takes them. reports: a
    list to which each pass adds its Report. recomputed: True saves memory, see `recompute.py`; a number is a budget,
    see `budget.py`. steps: a `Steps` of the wanted variables; the plan then makes a whole training step in its forward
    part. The gradients that arrive at the outputs are ones, and further inputs follow the variables: see `add_steps`.
    kept: (n, known), where all variables but the first n are parameters; `plan.makers` then prepare further inputs of
    them, see `set_apart`. There is no plan, but None, if one of the wanted has no gradient, or if the shape of a result
    or a gradient depends on values.

    Returns (plan, indices): for each name in `wanted` the number of its gradient among those of the plan, None when no
    path leads to it. Raises ShapeError, DTypeError, MXNetError.
    """
    made = run_passes(symbol, known, variables, ctx, train, wanted, reports, recomputed, steps, kept)
    if made.graph is None:
        return None, made.indices
    plan = Plan(made.graph, made.count, made.specs, made.inputs, made.heads, ctx, train, makers=made.makers)
    return plan, made.indices


class Passed(NamedTuple):
    """What all passes have made of a graph, as `Plan` takes it; no graph where there is no plan."""

    graph: Any
    count: int
    specs: dict
    inputs: list
    heads: list
    indices: list
    makers: Any = None


def run_passes(symbol, known, variables, ctx, train, wanted, reports=None, recomputed=False, steps=None, kept=None):
    """`compile_graph` up to the plan. The numbers in `known` may be Lengths."""
    symbol = settle(unroll(symbol, known, reports), {name: spec.shape for name, spec in known.items()})
    by_name = {node.name: node for node in symbol.nodes() if node.op is None}
    inputs = [by_name.get(name) or Node(None, name) for name in variables]
    specs = infer_specs(symbol, known)
    if not is_static(specs):
        return Passed(None, 0, specs, [], [], [None] * len(wanted))
    _report(reports, "infer", symbol, symbol, specs, [f"{len(specs)} shapes and dtypes from {len(known)} known ones"])
    graph = simplify(symbol, specs, train, differentiated=not wanted, reports=reports)
    graph = narrow(graph, known, specs, reports)
    backend = backend_for(ctx)
    graph = backend.combine(graph, specs, wanted, reports)
    heads, indices = [], [None] * len(wanted)
    count = len(graph)
    if wanted:
        index_of = {name: index for index, name in enumerate(variables)}
        nodes = [inputs[index_of[name]] for name in wanted]
        graph, heads, indices, specs = _with_gradients(graph, nodes, known, specs, reports, steps is not None)
        if not is_static(specs) or (steps is not None and None in indices):
            return Passed(None, 0, specs, [], [], indices)
        graph = remember_winners(graph, specs, reports)
        graph = simplify(graph, specs, train, reports=reports)
    infers = not (wanted or train)
    stay = inputs[kept[0]:] if infers and kept is not None else ()

    def finish(graph, reports):
        graph, ins, results = backend.rewrite(graph, specs, count, reports, infers, stay), inputs, count
        if steps is not None:
            graph, more = add_steps(graph, count, dict(zip(variables, inputs, strict=True)), steps, specs, reports)
            ins, results = [*inputs, *more], len(graph)
        graph, makers = _own_outputs(fuse(graph, specs, results, reports), specs), None
        if infers and kept is not None:
            graph, more, makers = set_apart(graph, specs, ins[kept[0]:], ctx, kept[1])
            ins = [*ins, *more]
        return Passed(graph, results, specs, ins, heads, indices, makers)

    def peak(passed):
        return Layout(passed.graph, passed.count, specs, [*passed.inputs, *heads], ctx, train).memory.peak
    if wanted and recomputed is True:
        graph = recompute(graph, count, specs, reports)
    elif wanted and recomputed:
        graph = fit(graph, count, specs, recomputed, lambda graph: peak(finish(graph, None)), reports)
    return finish(graph, reports)


def _with_gradients(graph, wanted, known, specs, reports, ones=False):
    """The graph with its gradients as further outputs, the heads, the indices of the gradients, and all specs.

    ones: constants of ones take the place of the heads, and the list of heads is empty.
    """
    gradients, heads = differentiate(graph, wanted)
    found = [g for g in gradients if g is not None]
    joint = Group([graph, *found])
    indices = [None if g is None else sum(h is not None for h in gradients[:i]) for i, g in enumerate(gradients)]
    head_specs = {head.name: specs[pair] for head, pair in zip(heads, graph.heads, strict=True)}
    if ones:
        made = {head: (_ones(head.name, head_specs[head.name], pair), 0)
                for head, pair in zip(heads, graph.heads, strict=True)}
        joint, heads, head_specs = Symbol(substitute(joint.heads, made)), [], {}
    specs = infer_specs(joint, {**known, **head_specs}, before=specs)
    names = [v.name for v, index in zip(wanted, indices, strict=True) if index is not None]
    _report(reports, "differentiate", graph, joint, specs, [f"{len(names)} gradients, of {', '.join(names)}"])
    return joint, heads, indices, specs


def _ones(name, spec, pair):
    if has_length(spec.shape) or 0 in spec.shape:       # 0 as an attribute would be a length that the graph is to tell
        return Node(REGISTRY["ones_like"](), name, [pair])
    return Node(REGISTRY["_ones"](shape=spec.shape, dtype=spec.dtype.name), name)


def _own_outputs(graph, specs):
    """Every output gets memory of its own: what is an input, a constant or another output as well is copied."""
    seen, outputs = set(), []
    for pair in graph.heads:
        if pair in seen or pair[0].op is None or not pair[0].inputs:
            copy = Node(REGISTRY["identity"](), f"{pair[0].name}_copy{len(outputs)}", [pair])
            specs[copy, 0] = specs[pair]
            pair = copy, 0
        seen.add(pair)
        outputs.append(pair)
    return Symbol(outputs)


def _report(reports, name, before, after, specs, notes=()):
    if reports is not None:
        reports.append(Report(name, before, after, list(notes), specs))
