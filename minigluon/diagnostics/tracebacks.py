"""Short tracebacks for users: the lines of the program, without this package's frames between and below them.

A mistake in a program is detected many calls deep: between `net(x)` and the operator that raises the error, there are a
dozen functions of this package, none of which contains the mistake. Therefore, when Python shows an uncaught error,
those frames are omitted, and a line says how many there were. MINIGLUON_TRACEBACK=full shows all.

Only the display changes. The exception keeps all frames and its chain: `pdb`, `logging`, `traceback.print_exc()` and
`except` work as usual. Nothing runs until an error is shown. docs/design-notes.md discusses the alternatives.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import traceback
import types
from typing import Any

from ..base import ArgumentError, MXNetError
from .source_lines import OWN as _OWN

__all__ = ["formatted", "show_program_error", "shown"]      # `install` is called by the import of the package

_LIBRARIES = frozenset(("numpy", *sys.stdlib_module_names))


def shown(error: Any) -> Any:
    """Return the frames of an error that are shown to the user, outermost first: [traceback.FrameSummary].

    >>> try:
    ...     nd.ones((2, 3)) + nd.ones((4,))
    ... except mx.MXNetError as error:
    ...     print(len(mx.tracebacks.shown(error)))
    1
    """
    return traceback.extract_tb(_short(error) if _is_shortened(error) else error.__traceback__)


def formatted(error: Any) -> str:
    """Return the text of an error as Python would show it, with its causes but without the frames of this package.

    >>> try:
    ...     nd.ones((2, 3)) + nd.ones((4,))
    ... except mx.MXNetError as error:
    ...     print("minigluon/" in mx.tracebacks.formatted(error))
    False
    """
    with _shortened(error) as hidden:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        return text + (_note(hidden) if hidden else "")


def show_program_error(error: BaseException) -> bool:
    """Show an error in a program that this package runs, as Python would, starting at the program's first line.

    Returns False and shows nothing if no program line led to the error.

    error: the uncaught error.

    >>> mx.tracebacks.show_program_error(mx.MXNetError("raised by nobody"))
    False
    """
    trace = error.__traceback__
    while trace is not None and (_root(trace.tb_frame) in _OWN or _root(trace.tb_frame) in _LIBRARIES):
        trace = trace.tb_next
    if trace is None and not isinstance(error, SyntaxError):        # a SyntaxError itself names the program's line
        return False
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)
    return True


def install() -> None:
    """Make Python, threads, unittest, pytest and IPython show short tracebacks from now on.

    Importing the package calls this function.
    """
    if os.environ.get("MINIGLUON_TRACEBACK", "short") not in ("short", "full"):
        raise ArgumentError(f"MINIGLUON_TRACEBACK must be short or full, found {os.environ['MINIGLUON_TRACEBACK']!r}")
    sys.excepthook = _hook(sys.excepthook)
    threading.excepthook = _hook_of_threads(threading.excepthook)
    if "unittest" in sys.modules:
        result = sys.modules["unittest"].TestResult
        result.addError = _hook_of_tests(result.addError)
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if shell is not None:
            shell.set_custom_exc((MXNetError,), _show_in_ipython)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _OWN:
            vars(module)["__tracebackhide__"] = _hidden_from_pytest


# -- selection of frames ----------------------------------------------------------------------------------------------


def _root(frame):
    """Return the first part of the name of the module that a frame belongs to."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _is_shortened(error):
    """Return whether an error is the program's mistake: raised on purpose, or by code outside the package.

    Any other error is the package's own mistake, so its frames are needed to find it.
    """
    if os.environ.get("MINIGLUON_TRACEBACK") == "full":
        return False
    if isinstance(error, MXNetError) or getattr(error.__cause__, "of_program", False):
        return True
    roots = [_root(frame) for frame, _ in traceback.walk_tb(error.__traceback__)]
    raised_in = next((root for root in reversed(roots) if root not in _LIBRARIES), None)
    return raised_in not in _OWN


def _short(error):
    """Return the traceback without the frames of this package and the libraries it called, or all of it if nothing is
    left.
    """
    traces, inside = [], False
    trace = error.__traceback__
    while trace is not None:
        root = _root(trace.tb_frame)
        inside = root in _OWN or inside and root in _LIBRARIES
        if not inside:
            traces.append(trace)
        trace = trace.tb_next
    for part in reversed(traces):
        trace = types.TracebackType(trace, part.tb_frame, part.tb_lasti, part.tb_lineno)
    return trace or error.__traceback__


def _chain(error):
    """Return the error, and the errors that are shown before it."""
    errors = []
    while error is not None and error not in errors:
        errors.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return errors


@contextlib.contextmanager
def _shortened(error):
    """Shorten the tracebacks of the error and its causes inside the `with` block. Yields the number of hidden frames.
    """
    full = [(link, link.__traceback__) for link in _chain(error)] if _is_shortened(error) else []
    for link, _ in full:
        link.__traceback__ = _short(link)
    try:
        yield sum(_depth(trace) - _depth(link.__traceback__) for link, trace in full)
    finally:
        for link, trace in full:
            link.__traceback__ = trace


def _depth(trace):
    return len(list(traceback.walk_tb(trace)))


def _note(hidden):
    return f"({hidden} frame{'s' if hidden > 1 else ''} of minigluon hidden: MINIGLUON_TRACEBACK=full shows them)\n"


def _tell(hidden):
    """Print the note above a traceback, so that the error is still the last line of output."""
    if hidden and sys.stderr is not None:
        sys.stderr.write(_note(hidden))


# -- places that show errors ------------------------------------------------------------------------------------------


def _hook(previous):
    """Return a `sys.excepthook` that calls `previous` with the short traceback."""
    @functools.wraps(previous)
    def hook(kind, error, trace):
        if error is None or error.__traceback__ is not trace:       # not the error's own traceback
            previous(kind, error, trace)
            return
        with _shortened(error) as hidden:
            _tell(hidden)
            previous(kind, error, error.__traceback__)
    return hook


def _hook_of_threads(previous):
    """Return a `threading.excepthook` that calls `previous` with the short traceback."""
    @functools.wraps(previous)
    def hook(args):
        kind, error, _, thread = args
        if error is None:
            previous(args)
            return
        with _shortened(error) as hidden:
            _tell(hidden)
            previous(threading.ExceptHookArgs((kind, error, error.__traceback__, thread)))
    return hook


def _hook_of_tests(previous):
    """Return a replacement for `unittest.TestResult.addError`, which formats an error immediately."""
    @functools.wraps(previous)
    def add_error(self, test, exc_info):
        kind, error, _ = exc_info
        with _shortened(error):
            previous(self, test, (kind, error, error.__traceback__))
    return add_error


def _show_in_ipython(shell, kind, error, trace, tb_offset=None):
    """Show an error in IPython and Jupyter, for `set_custom_exc`."""
    with _shortened(error) as hidden:
        _tell(hidden)
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)


def _hidden_from_pytest(excinfo):
    """Return whether pytest hides a frame.

    For each frame, outermost first, pytest calls the `__tracebackhide__` of the frame's module.

    The call for an outer frame therefore also marks the modules imported since.
    """
    if excinfo is None or not _is_shortened(excinfo.value):
        return False
    for frame, _ in traceback.walk_tb(excinfo.value.__traceback__):
        if _root(frame) in _OWN:
            frame.f_globals.setdefault("__tracebackhide__", _hidden_from_pytest)
    return True
