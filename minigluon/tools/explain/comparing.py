"""Differences between two explained nets: operators, parameters, kernels, memory and time, as data and as text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from .text import bytes_text, count_text, time_text

__all__ = ["Change", "Section", "compare", "text_of"]


@dataclass
class Change:
    """One difference. sign: '+' only in the second net, '-' only in the first, '~' in both, but changed."""

    sign: str
    what: str
    detail: str = ""


@dataclass
class Section:
    """A part of the comparison: what it is about, its sums in both nets, and the changes."""

    title: str
    before: str
    after: str
    changes: list[Change] = field(default_factory=list)


def compare(before: Any, after: Any) -> list[Section]:
    """Return the Sections of a comparison of two `page_data.Page`s."""
    plans = [Counter(step.title for step in page.steps if step.how != "view") for page in (before, after)]
    graphs = [_graph_with_shapes(page) for page in (before, after)]
    return [
        Section("operators", *(count_text(graph.operators, "operator") for graph in graphs),
                _operators(*([node for node in graph.nodes if node.family != "input"] for graph in graphs))),
        Section("parameters", *map(_parameters_text, (before, after)),
                _parameters(before.parameter_specs, after.parameter_specs)),
        Section("kernels in the plan", *(count_text(sum(plan.values()), "step") for plan in plans), _kernels(*plans)),
        Section("memory of the plan", *(bytes_text(page.memory.peak) for page in (before, after)), [
            Change("~", what, f"{bytes_text(old)} → {bytes_text(new)}") for what, old, new in (
                ("block", before.memory.size, after.memory.size),
                ("values without planning", before.memory.naive, after.memory.naive)) if old != new]),
        Section("peak memory of a call, hybridized", *(bytes_text(page.measured[1].peak) for page in (before, after))),
        Section("time of a call, hybridized", *(time_text(page.measured[1].median) for page in (before, after))),
    ]


def text_of(sections: list[Section]) -> str:
    """Return the sections as lines for a terminal."""
    lines = []
    for section in sections:
        lines.append(f"{section.title}: {section.before} → {section.after}"
                     if section.before != section.after else f"{section.title}: {section.before}")
        lines += [f"  {change.sign} {change.what}" + (f": {change.detail}" if change.detail else "")
                  for change in section.changes]
        if not section.changes and section.title in ("operators", "parameters", "kernels in the plan"):
            lines.append("    no differences")
    return "\n".join(lines)


def _graph_with_shapes(page):
    """Return the graph as traced, after the shapes of its values have been inferred."""
    known = next(step.after for step in page.passes if step.name == "infer")
    return next(graph for graph in page.graphs if graph.id == known)


def _operators(before, after):
    """Return the Changes between two lists of nodes in the order in which they run."""
    changes = []
    keys = [[(node.title, tuple(map(tuple, node.attributes)), tuple(spec for _, spec in node.outputs))
             for node in nodes] for nodes in (before, after)]
    for what, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if what != "equal":
            changes += _replaced(before[i1:i2], after[j1:j2])
    return changes


def _replaced(before, after):
    """Return the Changes of nodes that stand in the same place: those with the same title are compared in detail."""
    changes = []
    titles = [[node.title for node in nodes] for nodes in (before, after)]
    for what, i1, i2, j1, j2 in SequenceMatcher(None, *titles, autojunk=False).get_opcodes():
        if what == "equal":
            changes += [Change("~", _named(new), _detail(old, new)) for old, new in zip(before[i1:i2], after[j1:j2])]
        else:
            changes += [Change("-", _named(node), node.outputs[0][1]) for node in before[i1:i2]]
            changes += [Change("+", _named(node), node.outputs[0][1]) for node in after[j1:j2]]
    return changes


def _named(node):
    return f"{node.title} {node.name}"


def _detail(old, new):
    """Return what differs between two nodes: 'num_hidden 8 → 16, 64×8 float32 → 64×16 float32'."""
    values = [{name: value for name, value, _ in node.attributes} for node in (old, new)]
    pieces = [f"{name} {values[0].get(name, 'none')} → {values[1].get(name, 'none')}"
              for name in dict.fromkeys([*values[0], *values[1]]) if values[0].get(name) != values[1].get(name)]
    pieces += [f"{was} → {now}" for (_, was), (_, now) in zip(old.outputs, new.outputs) if was != now]
    return ", ".join(pieces)


def _parameters_text(page):
    count, size = page.parameters
    return f"{count_text(count, 'parameter')}, {bytes_text(size)}"


def _parameters(before, after):
    """Return the Changes between two {name in the block: spec}."""
    changes = [Change("-", name, spec) for name, spec in before.items() if name not in after]
    changes += [Change("~", name, f"{before[name]} → {spec}") for name, spec in after.items()
                if name in before and before[name] != spec]
    return changes + [Change("+", name, spec) for name, spec in after.items() if name not in before]


def _kernels(before, after):
    """Return the Changes between two Counters of steps."""
    changes = []
    for title in dict.fromkeys([*before, *after]):
        old, new = before[title], after[title]
        if old != new:
            sign = "+" if not old else "-" if not new else "~"
            changes.append(Change(sign, title, f"{old} → {new}" if sign == "~" else
                                  f"{max(old, new)} times" if max(old, new) > 1 else ""))
    return changes
