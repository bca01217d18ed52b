"""Exports for other programs: the graph for Graphviz, the symbol for Netron, a run for Perfetto."""

from __future__ import annotations

import json
from typing import Any

from ...base import MXNetError, nearest
from .sources import file_name

__all__ = ["ENDINGS", "export", "require_formats"]

# format -> suffix that replaces '.html' in the page's path
ENDINGS = {"dot": ".dot", "json": "-symbol.json", "trace": "-trace.json"}


def require_formats(formats: Any) -> None:
    """Raise MXNetError for an unknown format."""
    for name in formats:
        if name not in ENDINGS:
            raise MXNetError(f"explain: export is {name!r}, expected some of {', '.join(map(repr, ENDINGS))}."
                             + nearest(str(name), ENDINGS))


def export(page: Any, format: Any) -> Any:
    """Return the text of a `gather.Page` in one of the formats of ENDINGS.

    dot: the graph that runs, in Graphviz's language, with a box around each block call. json: the traced graph as a
    symbol file. trace: one run of the plan in the Trace Event Format, with the shortest time of each step.
    """
    return {"dot": _as_dot, "json": lambda page: page.symbol, "trace": _as_trace}[format](page)


# -- Graphviz -------------------------------------------------------------------------------------------------------

_COLORS = {"product": "#fef3c7", "elementwise": "#dbeafe", "reduction": "#dcfce7", "norm": "#ede9fe", "loss": "#ffe4e6",
           "move": "#e8edf3", "random": "#fce7f3", "fused": "#cffafe", "input": "#ffffff", "other": "#f1ede6"}


def _as_dot(page):
    graph = page.graphs[-1]
    lines = [f"digraph {_quoted(page.title)} {{", "  node [shape=box, style=\"rounded,filled\", fontname=monospace];"]
    tree = {}
    for node in graph.nodes:
        inside = tree
        for call in (node.phase, *node.calls) if node.calls else ():
            inside = inside.setdefault(call, {})
        inside[node.id] = node
    lines += _clusters(tree, "  ", "cluster")
    lines += [f"  {start} -> {end};" for start, end in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _clusters(tree, indent, name):
    """Yield the lines of nodes, and of block calls with their contents.

    The forward and backward parts do not have a box.
    """
    for number, (key, inside) in enumerate(tree.items()):
        if not isinstance(inside, dict):
            label = _quoted("\n".join(filter(None, (inside.title, inside.name, inside.outputs[0][1], *inside.marks))))
            yield f"{indent}{inside.id} [label={label}, fillcolor=\"{_COLORS[inside.family]}\"];"
        elif isinstance(key, str):
            yield from _clusters(inside, indent, f"{name}_{number}")
        else:
            label = f"{key.kind} {key.place.removeprefix('.')}" + (f", {key.what} {key.number}" if key.number else "")
            yield f"{indent}subgraph {name}_{number} {{"
            yield f"{indent}  label={_quoted(label)};"
            yield from _clusters(inside, indent + "  ", f"{name}_{number}")
            yield f"{indent}}}"


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# -- Perfetto -------------------------------------------------------------------------------------------------------

def _as_trace(page):
    """Return the steps in sequence, with the block calls they belong to above them, and the live bytes at each step."""
    nodes = {node.id: node for node in page.graphs[-1].nodes}
    events = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": f"{page.title}: {page.machine}"}}]
    opened, now, live = [], 0.0, _live(page)
    for step in page.steps:
        node = nodes.get(step.node)
        around = [(step.phase, "")] + [(call.kind, call) for call in (node.calls if node else ())]
        same = sum(1 for _ in _common(around, [key for key, _ in opened]))
        events += [_slice(key[0], "block", begin, now - begin, {"block": getattr(key[1], "place", "")})
                   for key, begin in reversed(opened[same:])]
        opened[same:] = [(key, now) for key in around[same:]]
        duration = (step.seconds or 0.0) * 1e6
        if step.seconds is not None:
            args = {"name": step.name, "result": step.result, "where": step.how,
                    "lines": [f"{file_name(file)}:{line}" for file, line in (node.lines if node else ())]}
            events.append(_slice(step.title, step.family, now, duration, args))
        events.append({"ph": "C", "name": "memory of values", "pid": 0, "ts": round(now, 3),
                       "args": {"bytes": live[step.number]}})
        now += duration
    events += [_slice(key[0], "block", begin, now - begin, {"block": getattr(key[1], "place", "")})
               for key, begin in reversed(opened)]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})


def _common(left, right):
    for one, other in zip(left, right):
        if one != other:
            return
        yield one


def _slice(name, category, begin, duration, args):
    return {"ph": "X", "name": name, "cat": category, "pid": 0, "tid": 0, "ts": round(begin, 3),
            "dur": round(duration, 3), "args": args}


def _live(page):
    """Return the bytes of the live values at each step. Gradients do not count, because parameters have memory for
    them.
    """
    live = [0] * len(page.steps)
    for buffer in page.memory.buffers:
        if buffer.kind != "gradient":
            for step in range(buffer.first, buffer.last + 1):
                live[step] += buffer.size
    return live
