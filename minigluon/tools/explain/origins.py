"""Where the nodes of a traced graph come from: which calls of blocks made them, at which lines of source.

Python tells a profile function of each call that returns. Those of `compose`, which makes all nodes of a trace, are
looked at while `hybrid_forward` still stands on the stack: its frames know the blocks and the lines. So the engine
keeps no record of this, and a trace that nobody explains is as fast as before.
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
_CALLING = {block.__file__, hybrid_block.__file__}      # the way from a block to its child
_STEP = re.compile(r"(?P<loop>.+)_step(?P<step>\d+)_(?P<name>.+)")


@dataclass(frozen=True)
class Call:
    """A call of a block inside of another's: `.cell` for the third time. kind: the class; what: '' or 'step'."""

    place: str
    kind: str
    number: int = 0
    what: str = ""


@dataclass
class Origins:
    """paths: {name of a node: its Calls, the net's own left out}. lines: {name: [(file, line)]}, the
    program's own, the innermost first, then that of minigluon's layer.

    readers: {name of a variable: the names of nodes that read it}. prefix: the net's, left out of variables' names.
    """

    paths: dict = field(default_factory=dict)
    lines: dict = field(default_factory=dict)
    readers: dict = field(default_factory=dict)
    prefix: str = ""

    def path(self, name: str) -> Any:
        """The Calls that a node belongs to, also one that a pass has made: passes name theirs after the program's.

        A step of a loop is a call, and so are the sums of a variable's gradients.
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
        """[(file, line)] of a node, those of the program's node for one that a pass has made."""
        base = name.partition("_backward_")[0].removesuffix("_again")
        step = _STEP.fullmatch(base)
        return self.lines.get(base) or self.lines.get(step["loop"] if step else base, [])


def _common(paths):
    """What all paths begin with."""
    found = []
    for calls in zip(*paths):
        if len(set(calls)) > 1:
            break
        found.append(calls[0])
    return found


def trace_with_origins(net: Block, inputs: Any) -> tuple[Trace, Origins]:
    """(Trace, Origins) of a HybridBlock."""
    watcher = _Watcher(net)
    before = sys.getprofile()
    sys.setprofile(watcher)
    try:
        traced = trace(net, inputs)
    finally:
        sys.setprofile(None)
        if hasattr(before, "enable"):           # cProfile's, which `setprofile` does not take back
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
    """A profile function: sees each node that `compose` returns."""

    def __init__(self, net):
        self.paths, self.lines = {}, {}
        self._places = {id(child): place for child, place in _places(net, "")}
        self._calls = {}            # frame -> Call; it keeps the frames, so that no two have one id
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
            again = last is not None and last[1] is own and not _is_step(last[0], frame)
            if not again and last is not None:
                path.append(self._call(frame, own, tuple(path), last))
            last = last if again else (frame, own)
        return tuple(path), lines + [layer] * (layer is not None)

    def _call(self, frame, own, path, last):
        if frame not in self._calls:
            key = path, id(own), frame.f_code.co_name
            what = "step" if last[0].f_code.co_name == "unroll" and _is_step(last[0], frame) else "call"
            self._calls[frame] = Call(self._places[id(own)], type(own).__name__, self._counts[key], what)
            self._counts[key] += 1
        return self._calls[frame]


def _is_step(outer, inner):
    """Does a cell's `unroll` call a step? Other methods of the same block are part of one call."""
    return outer.f_code.co_name == "unroll" and inner.f_code.co_name in ("forward", "hybrid_forward")


def _places(block, place):
    """(block, how a program comes from the net to it: '.features[5].body')."""
    yield block, place
    for key, child in block._children.items():
        yield from _places(child, place + (f"[{key}]" if key.isdigit() else f".{key}"))
