"""Source lines of the program that created the nodes of graphs. `told_lines.py` shows these lines in messages."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["OWN", "SourceLine", "current_line", "fixed_line", "program_frame", "tracing"]

OWN = ("minigluon", "minigluon_accel")

SourceLine = tuple[str, int]    # file and line


class _State(threading.local):
    """Per-thread state: the frame that started a trace, and the source line assigned to nodes instead of their own."""

    caller: FrameType | None = None
    place: SourceLine | None = None
    fixed = False


_state = _State()


def program_frame(depth: int = 1) -> FrameType | None:
    """Return the innermost frame that belongs to the program, not to this package, or None."""
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OWN:
        frame = frame.f_back
    return frame


def current_line() -> SourceLine | None:
    """Return the program's current line, or None. In a trace, this is a line of `hybrid_forward`, not the call."""
    if _state.fixed:
        return _state.place
    frame = program_frame()
    if frame is None or frame is _state.caller:
        return None
    return frame.f_code.co_filename, frame.f_lineno


@contextlib.contextmanager
def tracing() -> Iterator[None]:
    """Assign no source line to nodes that a library's layers create inside the `with` block."""
    before, _state.caller = _state.caller, program_frame(2)
    try:
        yield
    finally:
        _state.caller = before


@contextlib.contextmanager
def fixed_line(place: SourceLine | None) -> Iterator[None]:
    """Assign this source line to all nodes created inside the `with` block."""
    before, _state.place, _state.fixed = (_state.place, _state.fixed), place, True
    try:
        yield
    finally:
        _state.place, _state.fixed = before
