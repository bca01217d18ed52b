"""The budget pass: makes the plan fit in a given amount of memory, at the lowest cost in time.

    net.hybridize(memory=0.5)           # half of the plan's usual memory
    net.hybridize(memory=2e8)           # 200 MB

Values are recomputed in this order, cheapest first:

1. Values computed by simple passes over arrays: normalization with its statistics, activations, sums, copies. In a
   convolutional net, these are about half of the saved values. Values that free the most memory per byte moved come
   first.
2. All values within segments of the forward part, including products and convolutions, as in `recompute.py`. Early
   segments, whose values live longest, come first.

This pass follows that order only as far as necessary. To determine the exact size, it runs the remaining passes and
lays out the plan.
"""

import math
from bisect import bisect_left

from ..diagnostics import strictness
from .conditions import only_if
from .draft import run_passes
from .layout import Layout
from .recompute import crossing, segments
from .rematerialize import GraphParts, cheap_to_recompute, recompute_nodes

__all__ = ["budget"]

STEPS = 8           # the number of steps for each of the two kinds of values
SMALL = 2 ** 14     # in bytes; keeping a smaller value costs less than running a kernel
# Modules with operators that need more than a few passes over arrays.
COSTLY = {"attention", "convolution", "correlation", "deformable", "linalg", "matrix", "rnn", "windows"}


@only_if("saving")
def budget(draft):
    """Recomputes as little as possible to keep the plan within the program's budget, if there is one.

    `draft.saving`: bytes or, if at most 1, a fraction of the memory used by the plan that keeps everything. Warns if
    even the smallest plan exceeds the budget.
    """
    if isinstance(draft.saving, bool) or not draft.wanted:
        return draft
    parts, candidates, peaks = GraphParts(draft.graph, draft.results), {}, {}

    def peak(step):
        if step not in peaks:
            candidates[step] = _after(parts, step, draft.specs)
            peaks[step] = _peak(draft._replace(graph=candidates[step][0]))
        return peaks[step]

    limit = int(draft.saving * peak(0)) if draft.saving <= 1 else int(draft.saving)
    step = bisect_left(range(2 * STEPS + 1), True, key=lambda step: peak(step) <= limit)
    if step not in candidates:
        step = min(candidates, key=peak)
        strictness.warn(f"hybridize(memory={draft.saving!r}) allows a plan {limit} bytes, but the smallest takes "
                        f"{peak(step)}. That one is used.")
    result, nodes = candidates[step]
    notes = [f"{peak(step)} bytes, of {limit}; {len(nodes)} of {len(parts.forward)} operators are computed again"]
    return draft.after("budget", result, notes)


def _peak(draft):
    """Returns the number of bytes that a draft's plan will take after all remaining passes."""
    final = run_passes(draft._replace(reports=None), checked=False)
    layout = Layout(final.graph, final.results, final.specs, [*final.inputs, *final.heads], final.ctx, final.train)
    return layout.memory.peak


def _after(parts, step, specs):
    """Returns (graph, recomputed nodes) after taking this many steps in that order."""
    if step == 0:
        return parts.graph, []
    saved_pairs = set(parts.saved).union(map(parts.root, parts.graph.heads))
    targets = []
    if step > STEPS:
        segment = segments(parts, specs)
        cut = math.ceil((step - STEPS) / STEPS * max(segment.values(), default=0))      # the last segment stays alive
        inner = crossing(parts, segment)
        targets = [pair for pair in parts.saved if pair not in inner and segment.get(pair[0], cut) < cut]
        saved_pairs = {pair for pair in saved_pairs | inner if pair in inner or segment.get(pair[0], cut) >= cut}
    cheap = sorted(cheap_to_recompute(parts, saved_pairs - set(targets), specs, SMALL, _is_light),
                   key=lambda row: row[1] / row[0])
    total, freed = sum(size for size, _, _ in cheap) * min(step, STEPS) / STEPS, 0
    for size, _, pair in cheap:
        if freed < total:
            freed += size
            targets.append(pair)
    saved_pairs = saved_pairs.difference(targets)
    nodes = parts.needed(targets, saved_pairs)
    return recompute_nodes(parts, nodes, saved_pairs, specs), nodes


def _is_light(node):
    return type(node.op).__module__.rpartition(".")[2] not in COSTLY
