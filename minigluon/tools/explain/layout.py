"""Positions of the nodes of graphs: Graphviz's layered layout, or our own layout for large graphs.

The layout comes from the program `dot` if it is installed, and otherwise from `graphviz-pure` (a package without
dependencies, which is Graphviz ported to Rust). Both take the same input and produce the same output format, for many
graphs in one run. For a graph with many hundreds of edges, both take minutes; `layered.py` takes only a moment, but the
result looks less pleasing.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base import MXNetError
from .layered import lay_out_simply

__all__ = ["Layout", "lay_out", "lay_out_all"]

PROGRAMS = "dot", "graphviz-pure"
LARGEST = 300           # a graph with more edges gets the simple layout
INCH = 72               # Graphviz's unit, in points
# Without these limits, the search for the best order of long gradient chains would take minutes.
LIMITS = "nslimit=2; nslimit1=2; mclimit=0.5"


@dataclass
class Layout:
    """A layout, in pixels. centers: {node: (x, y)}. edges: (from, to, points of cubic Bézier curves, in order)."""

    width: float
    height: float
    centers: dict
    edges: list


def lay_out(sizes: Any, edges: Any, backward: Sequence[Any] = ()) -> None:
    """Return the Layout of a directed graph.

    sizes: {node: (width, height)}. edges: (from, to) pairs. backward: the nodes of the backward part, which is drawn
    upward next to the forward part, so that each gradient is next to its value. Raises
    MXNetError if no layout program is installed.
    """
    return lay_out_all([(sizes, edges, backward, ())])[0]


def lay_out_all(graphs: Any) -> list[None]:
    """Return the Layouts of several graphs, each (sizes, edges, backward, pairs), from one run of the program.

    pairs: nodes to place side by side. The other arguments are those of `lay_out`.
    """
    layouts, pending, texts = [None] * len(graphs), [], []
    for number, (sizes, edges, backward, pairs) in enumerate(graphs):
        if len(edges) > LARGEST:
            layouts[number] = Layout(*lay_out_simply(sizes, edges, set(backward)))
        else:
            names = {node: f"n{position}" for position, node in enumerate(sizes)}
            pending.append((number, {name: node for node, name in names.items()}, set(edges)))
            texts += _lines(sizes, edges, set(backward), pairs, names)
    if pending:
        answers = _run("\n".join(texts)).split("\nstop")
        for (number, nodes, edges), answer in zip(pending, answers):
            layouts[number] = _parse(answer, nodes, edges)
    return layouts


def _lines(sizes, edges, backward, pairs, names):
    """Yield the graph in Graphviz's language. An edge between gradients is reversed, so that `dot` draws it upward."""
    leading = {start for start, end in edges if (start in backward) == (end in backward)}   # not the last node of a
                                                                                            # branch
    yield f"digraph {{ nodesep=0.22; ranksep=0.34; {LIMITS};"
    yield "node [shape=box, fixedsize=true]; edge [arrowhead=none];"
    for node, (width, height) in sizes.items():
        group = f", group={'backward' if node in backward else 'forward'}" if node in leading else ""
        yield f"{names[node]} [width={width / INCH:.4f}, height={height / INCH:.4f}{group}];"
    for start, end in edges:
        if start in backward:
            yield f"{names[end]} -> {names[start]} [weight={8 if end in leading else 1}];"
        else:
            yield f"{names[start]} -> {names[end]} [weight={1 if end in backward else 8}];"
    for left, right in pairs:
        yield f"{{ rank=same; {names[left]}; {names[right]}; }}"
    yield "}"


def _run(text):
    program = _find_program()
    process = subprocess.run([program, "-Tplain"], input=text, capture_output=True, text=True, encoding="utf-8")
    if process.returncode:
        raise MXNetError(f"{program} did not lay out the graph: {process.stderr.strip() or process.returncode}")
    return process.stdout


def _find_program():
    """Return the first of PROGRAMS that exists, next to the running Python or on the PATH."""
    for name in PROGRAMS:
        path = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
        if path:
            return path
    raise MXNetError("graphviz-pure, which lays out the drawings of graphs, is not installed, and neither is "
                     "Graphviz's dot. Install what explain needs with: pip install \"minigluon[explain]\"")


def _parse(answer, nodes, edges):
    """Parse the format 'plain', which consists of lines of words, with lengths in inches and y pointing upward."""
    width = height = 0
    centers, curves = {}, []
    for line in answer.replace("\\\n", "").splitlines():
        words = line.split() or [""]
        if words[0] == "graph":
            width, height = float(words[2]) * INCH, float(words[3]) * INCH
        elif words[0] == "node":
            centers[nodes[words[1]]] = _point(words[2:4], height)
        elif words[0] == "edge":
            start, end, count = nodes[words[1]], nodes[words[2]], int(words[3])
            points = [_point(words[4 + 2 * i:6 + 2 * i], height) for i in range(count)]
            turned = (start, end) not in edges
            curves.append((end, start, points[::-1]) if turned else (start, end, points))
    return Layout(width, height, centers, curves)


def _point(words, height):
    return float(words[0]) * INCH, height - float(words[1]) * INCH
