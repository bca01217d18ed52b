"""Recorded gradients of a plan's call, for `create_graph`: the graph is interpreted once more."""

from typing import Any

from ..base import AutogradError
from ..tape import gradients, state
from ..tape.checks import require_version

__all__ = ["recorded_gradients"]


def recorded_gradients(entry: Any, F: Any, out_grads: Any) -> list[Any]:
    """Repeats the forward pass operator by operator while recording, and returns the tape's gradient.

    entry: the call's PlanEntry. out_grads: the gradients of its results, or None for results without a gradient.
    """
    runner, parents = entry.runner, entry.parents
    if any(step.node.op.random for step in runner.plan.steps):
        raise AutogradError(
            "grad with create_graph=True cannot go through a hybridized block with random operators, which would "
            "draw other numbers the second time. Call hybridize(False) on the block first.")
    for i, version in zip(runner.others, entry.other_versions, strict=True):
        require_version(entry.inputs[i], version, entry.op)
    inputs = [_input(entry, i) for i in range(len(entry.inputs))]
    training, state.training = state.training, entry.training
    try:
        outputs = runner.interpret(inputs)
    finally:
        state.training = training
    heads = [(y, g) for y, g in zip(outputs, out_grads, strict=True) if y.entry is not None and g is not None]
    entries = {parent[0] for parent in parents if parent is not None}
    grads = gradients(F, [y for y, _ in heads], [g for _, g in heads], True, entries, stop=entries)
    # An array that was passed twice has one gradient for both uses, so only the first use passes it on.
    firsts = {parent: i for i, parent in reversed(list(enumerate(parents))) if parent is not None}
    return [grads[parent[0]][parent[1]] if parent in firsts and firsts[parent] == i and parent[0] in grads else None
            for i, parent in enumerate(parents)]


def _input(entry, i):
    """Returns an input as it was recorded, for the second forward pass."""
    x = entry.inputs[i].copy() if i in entry.runner.mutated else entry.inputs[i]._twin()
    x.entry, x.output_index = entry.parents[i] or (None, 0)
    return x
