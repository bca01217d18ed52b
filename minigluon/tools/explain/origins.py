"""The origins of the nodes of a traced graph: the block calls that created them, and their source lines.

Python calls a profile function whenever a call returns. `compose` creates all nodes of a trace; when it returns,
`hybrid_forward` is still on the stack, and the stack frames give the blocks and the lines. Therefore the engine need
not record anything, and tracing without `explain` is not slower.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...gluon import block, hybrid_block
from ...gluon.tracing import trace
from ...symbol.symbol import compose

if TYPE_CHECKING:
    from ...gluon.block import Block
    from ...gluon.tracing import Trace

__all__ = ["Call", "Origins", "trace_with_origins"]

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_CALLING = {block.__file__, hybrid_block.__file__}      # the files between a block and its child
_STEP = re.compile(r"(?P<loop>.+)_step(?P<step>\d+)_(?P<name>.+)")


@dataclass(frozen=True)
class Call:
    """A block call inside another, such as the third call to `.cell`. kind: the class; what: 'call', 'step', ..."""

    place: str
    kind: str
    number: int = 0
    what: str = ""


@dataclass
class Origins:
    """The origins of all nodes. paths: {name of a node: its Calls, without the net's own}.

    lines: {name: [(file, line)]}: the program's lines, with the innermost first, then the line in minigluon's layer.
    readers: {name of a variable: the names of nodes that read it}. prefix: the net's prefix, omitted from variables'
    names.
    """

    paths: dict = field(default_factory=dict)
    lines: dict = field(default_factory=dict)
    readers: dict = field(default_factory=dict)
    prefix: str = ""

    def path(self, name: str) -> Any:
        """Return the Calls that a node belongs to, even if a pass created it (and named it after the program's nodes).

        A loop step is a call, and so are the sums of a variable's gradients.
        """
        if name in self.paths:
            return self.paths[name]
        base, backward, _ = name.partition("_backward_")
        step = _STEP.fullmatch(base)
        if step and step["loop"] in self.paths:
            loop = Call(step["loop"].rpartition("_")[2], "loop")
            return (*self.paths[step["loop"]], loop, Call(loop.place, "loop", int(step["step"]), "step"))
        if backward and base in self.readers:
            paths = [self.path(reader) for reader in self.readers[base]]
            return (*_common(paths), Call(base.removeprefix(self.prefix), "sum of gradients"))
        if backward:
            return self.path(base)
        return self.path(name.removesuffix("_again")) if name.endswith("_again") else ()

    def source(self, name: str) -> Any:
        """Return [(file, line)] for a node or, if a pass created it, for the original node."""
        base = name.partition("_backward_")[0].removesuffix("_again")
        step = _STEP.fullmatch(base)
        return self.lines.get(base) or self.lines.get(step["loop"] if step else base, [])


def _common(paths):
    """Return the common prefix of all paths."""
    prefix = []
    for calls in zip(*paths):
        if len(set(calls)) > 1:
            break
        prefix.append(calls[0])
    return prefix


def trace_with_origins(net: Block, inputs: Any) -> tuple[Trace, Origins]:
    """Return (Trace, Origins) of a HybridBlock."""
    watcher = _Watcher(net)
    before = sys.getprofile()
    sys.setprofile(watcher)
    try:
        traced = trace(net, inputs)
    finally:
        sys.setprofile(None)
        if hasattr(before, "enable"):           # cProfile's profiler, which `setprofile` does not accept
            before.enable()
        else:
            sys.setprofile(before)
    readers = {}
    for node in traced.outputs.nodes():
        for parent, _ in node.inputs:
            if parent.op is None:
                readers.setdefault(parent.name, []).append(node.name)
    return traced, Origins(watcher.paths, watcher.lines, readers, net.prefix)


class _Watcher:
    """A profile function that observes each node that `compose` returns."""

    def __init__(self, net):
        self.paths, self.lines = {}, {}
        self._places = {id(child): place for child, place in _places(net, "")}
        self._calls = {}            # frame -> Call; it keeps the frames alive, so that no two of them have the same id
        self._counts = Counter()

    def __call__(self, frame, event, result):
        if event == "return" and frame.f_code is compose.__code__ and result is not None and result.heads:
            name = result.heads[0][0].name
            self.paths[name], self.lines[name] = self._origin(frame.f_back)

    def _origin(self, frame):
        frames, lines, layer = [], [], None
        while frame is not None and frame.f_code is not trace.__code__:
            own = frame.f_locals.get("self")
            inside = os.path.abspath(frame.f_code.co_filename).startswith(PACKAGE + os.sep)
            called = id(own) in self._places and frame.f_code.co_filename not in _CALLING
            if called:
                frames.append((frame, own))
            line = os.path.abspath(frame.f_code.co_filename), frame.f_lineno
            if not inside:
                lines.append(line)
            elif called and layer is None and not lines:
                layer = line
            frame = frame.f_back
        path, last = [], None
        for frame, own in reversed(frames):
            same_call = last is not None and last[1] is own and not _is_step(last[0], frame)
            if not same_call and last is not None:
                path.append(self._call(frame, own, tuple(path), last))
            last = last if same_call else (frame, own)
        return tuple(path), lines + [layer] * (layer is not None)

    def _call(self, frame, own, path, last):
        if frame not in self._calls:
            key = path, id(own), frame.f_code.co_name
            what = "step" if last[0].f_code.co_name == "unroll" and _is_step(last[0], frame) else "call"
            self._calls[frame] = Call(self._places[id(own)], type(own).__name__, self._counts[key], what)
            self._counts[key] += 1
        return self._calls[frame]


def _is_step(outer, inner):
    """Return whether a cell's `unroll` calls it as a step.

    Other methods of the same block are part of the same call.
    """
    return outer.f_code.co_name == "unroll" and inner.f_code.co_name in ("forward", "hybrid_forward")


def _places(block, place):
    """Yield (block, the path to it from the net, such as '.features[5].body')."""
    yield block, place
    for key, child in block._children.items():
        yield from _places(child, place + (f"[{key}]" if key.isdigit() else f".{key}"))
