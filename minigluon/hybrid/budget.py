"""The budget pass: a plan for a given amount of memory, in as little additional time as that takes.

    net.hybridize(memory=0.5)           # half of what the plan would need
    net.hybridize(memory=2e8)           # 200 MB

What may be computed again has an order, the cheapest first:

1. Values that take only passes over arrays: normalization with its statistics, activations, sums, copies. They are
   about half of what a net of convolutions keeps. Those that free the most for what they read and write go first.
2. All values within segments of the forward part, by products and convolutions, too, as in `recompute.py`; the early
   segments go first, whose values wait the longest.

This pass goes along that order as far as it must. It lays the plans out to know their sizes: no estimate.
"""

import math
import warnings
from bisect import bisect_left

from ..base import ArgumentError, numeric_types
from .again import Parts, cheap_to_make, compute_again
from .recompute import crossing, segments
from .report import Report

__all__ = ["fit", "saving"]

STEPS = 8           # in each of the two kinds
SMALL = 2 ** 14     # bytes: to keep fewer costs less than a kernel
# The modules of operators that do more than a few passes over arrays.
COSTLY = {"attention", "convolution", "correlation", "deformable", "linalg", "matrix", "rnn", "windows"}


def saving(flags):
    """What the flags of `hybridize` ask for: False, True for `recompute`, or the budget. Raises ArgumentError."""
    memory = flags.get("memory")
    if memory is None:
        return bool(flags.get("recompute"))
    if isinstance(memory, bool) or not isinstance(memory, numeric_types) or not memory > 0:
        raise ArgumentError(f"hybridize: memory is {memory!r}, expected a number of bytes, or a share between 0 and 1 "
                            "of what the plan needs that keeps everything")
    if flags.get("recompute"):
        raise ArgumentError("hybridize: memory says how much is computed again, and recompute=True to do as much of it "
                            "as there is. Give one of the two.")
    return float(memory)


def fit(graph, count, specs, budget, peak_of, reports=None):
    """The graph with the least that is computed again whose plan is within the budget.

    graph: its outputs after the first `count` are gradients. budget: bytes, or up to 1 a share of what the plan needs
    that keeps everything. peak_of: a function that tells what the plan of a graph needs. Warns where even the smallest
    plan is larger.
    """
    parts, made, peaks = Parts(graph, count), {}, {}

    def peak(step):
        if step not in peaks:
            made[step] = _after(parts, step, specs)
            peaks[step] = peak_of(made[step][0])
        return peaks[step]

    limit = int(budget * peak(0)) if budget <= 1 else int(budget)
    step = bisect_left(range(2 * STEPS + 1), True, key=lambda step: peak(step) <= limit)
    if step not in made:
        step = min(made, key=peak)
        warnings.warn(f"hybridize(memory={budget!r}) allows a plan {limit} bytes, but the smallest takes {peak(step)}. "
                      "That one is used.", stacklevel=2)
    result, nodes = made[step]
    if reports is not None:
        notes = [f"{peak(step)} bytes, of {limit}; {len(nodes)} of {len(parts.forward)} operators are computed again"]
        reports.append(Report("budget", graph, result, notes, specs))
    return result


def _after(parts, step, specs):
    """(graph, nodes that are computed again) after so many steps along the order."""
    if step == 0:
        return parts.graph, []
    kept = set(parts.saved).union(map(parts.root, parts.graph.heads))
    wanted = []
    if step > STEPS:
        segment = segments(parts, specs)
        cut = math.ceil((step - STEPS) / STEPS * max(segment.values(), default=0))      # the last segment still lives
        inner = crossing(parts, segment)
        wanted = [pair for pair in parts.saved if pair not in inner and segment.get(pair[0], cut) < cut]
        kept = {pair for pair in kept | inner if pair in inner or segment.get(pair[0], cut) >= cut}
    cheap = sorted(cheap_to_make(parts, kept - set(wanted), specs, SMALL, _is_light), key=lambda row: row[1] / row[0])
    total, freed = sum(size for size, _, _ in cheap) * min(step, STEPS) / STEPS, 0
    for size, _, pair in cheap:
        if freed < total:
            freed += size
            wanted.append(pair)
    kept = kept.difference(wanted)
    nodes = parts.needed(wanted, kept)
    return compute_again(parts, nodes, kept, specs), nodes


def _is_light(node):
    return type(node.op).__module__.rpartition(".")[2] not in COSTLY
