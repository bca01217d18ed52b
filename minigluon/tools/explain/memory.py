"""The memory of a plan as plain data: its buffers and, for comparison, every value with separate memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .graphs import bytes_of, family_of

__all__ = ["Buffer", "Memory", "memory_of"]


@dataclass
class Buffer:
    """Like `hybrid.memory.Buffer`, with the family and the id (`node`) of the operator that writes it first."""

    name: str
    kind: str
    size: int
    first: int
    last: int
    offset: int | None
    then: list
    family: str
    node: str | None


@dataclass
class Memory:
    """The memory of a plan. buffers: the plan's buffers. values: all values, each with separate memory, as if there
    were no plan.

    size: the bytes of the plan's block. naive: the bytes of all values. peak: the maximum number of bytes in use,
    including results. None of these includes gradients, for which the parameters have memory anyway. split: the first
    step of the backward part.
    """

    buffers: list
    values: list
    size: int
    naive: int
    peak: int
    steps: list             # names
    split: int

    @property
    def tightest(self):
        """The most bytes of the block that one step uses. A block cannot be smaller, but it can be larger: buffers that
        live for several steps may leave gaps."""
        return max((sum(b.size for b in self.buffers if b.offset is not None and b.first <= step <= b.last)
                    for step in range(len(self.steps))), default=0)


def memory_of(plan: Any, specs: Any, look: Any, ids: Any) -> Memory:
    """Return the Memory of a Plan. specs: {(node, output): Spec}. look: see `graphs`. ids: {node: id in last graph}."""
    nodes = {n.output_name(i): n for n in plan.graph.nodes() if n.op is not None for i in range(n.op.num_outputs)}
    nodes |= {_scratch(n): n for n in plan.graph.nodes() if n.op is not None}
    buffers = []
    for b in plan.memory.buffers:
        node = nodes.get(b.name)
        buffers.append(Buffer(look.short(b.name), b.kind, b.size, b.first, b.last, b.offset,
                              [look.short(name) for name in b.shared_by],
                              "other" if node is None else family_of(node.op), ids.get(node)))
    backward = [number for number, step in enumerate(plan.steps) if step.phase == "backward"]
    values = _values(plan, specs, look, ids)
    return Memory(buffers, values, plan.memory.size, sum(v.size for v in values), plan.memory.peak,
                  [look.short(step.node.name) for step in plan.steps], backward[0] if backward else len(plan.steps))


def _scratch(node):
    """Return the name of a node's scratch memory."""
    return f"{node.name} scratch"


def _values(plan, specs, look, ids):
    """Return a Buffer for each value and each piece of scratch memory, at consecutive addresses."""
    lives = _lives(plan)
    gradients = set(plan.graph.heads[look.count:])
    scratch = {}
    for b in plan.memory.buffers:
        if b.kind == "scratch":
            scratch.setdefault(b.first, []).append(b.size)
    values, offset = [], 0
    for position, step in enumerate(plan.steps):
        if step.kernel is None or (step.node.op.is_view and not step.writes):
            continue
        pairs = [(step.node, i) for i in range(step.node.op.num_outputs)]
        pieces = [(step.node.output_name(pair[1]), "value", bytes_of(specs[pair]), lives.get(pair, position))
                  for pair in pairs if pair not in gradients]
        pieces += [(_scratch(step.node), "scratch", size, position) for size in scratch.get(position, ())]
        for name, kind, size, last in pieces:
            values.append(Buffer(look.short(name), kind, size, position, last, offset, [], family_of(step.node.op),
                                 ids.get(step.node)))
            offset += size
    return values


def _lives(plan):
    """Return {(node, output): the last step that reads it}; for results, the last step of the plan."""
    end = len(plan.steps) - 1
    lives = dict.fromkeys(plan.graph.heads, end)
    for position in reversed(range(len(plan.steps))):
        step = plan.steps[position]
        # Reading a view means reading its source.
        until = max(position, lives.get((step.node, 0), position)) if step.kernel is None else position
        for pair in step.node.inputs:
            lives[pair] = max(lives.get(pair, until), until)
    return lives
