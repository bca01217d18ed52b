"""Where this package refuses what MXNet does: an error by default, MXNet's way with a warning for MXNet's programs.

Refusing is for readers: what looks like a mistake is one, mostly, and an error says which. A program written for MXNet
has been run, though, and must go on as it went there. So each such refusal goes through `refuse`, and it is *lenient*
under the name `mxnet` (see `minigluon.as_mxnet`) and with MINIGLUON_LENIENT=1: then `refuse` warns, once for each line
of the program, and its caller goes on as MXNet does. docs/differences.md lists the rows.
"""

import os
import sys
import warnings
from collections.abc import Callable

from ..base import ArgumentError, MXNetError
from .source_lines import program_frame

__all__ = ["LenientWarning", "be_lenient", "be_strict", "is_lenient", "refuse", "warn", "when_switched"]


class LenientWarning(UserWarning):
    """A strict run would have ended here.

    >>> issubclass(mx.strictness.LenientWarning, UserWarning)
    True
    """


def _from_environment():
    text = os.environ.get("MINIGLUON_LENIENT", "0")
    if text not in ("0", "1"):
        raise ArgumentError(f"MINIGLUON_LENIENT must be 0 or 1, found {text!r}")
    return text == "1"


_lenient = _from_environment()
_forgetful: list[Callable[[], None]] = []
_warned: set[tuple[str, int, str]] = set()       # (file, line, kind of error) that a warning has named


def is_lenient() -> bool:
    """Does the program run as in MXNet where this package would refuse?

    >>> mx.strictness.is_lenient()
    False
    """
    return _lenient


def be_lenient() -> None:
    """Warn and go on as MXNet does, from now on.

    >>> mx.strictness.be_lenient()
    >>> mx.strictness.is_lenient()
    True
    >>> mx.strictness.be_strict()
    """
    _switch(True)


def be_strict() -> None:
    """Raise errors, from now on; the default. A lenient run after it warns anew.

    >>> mx.strictness.be_strict()
    >>> mx.strictness.is_lenient()
    False
    """
    _switch(False)
    _warned.clear()


def _switch(lenient):
    global _lenient
    _lenient = lenient
    for forget in _forgetful:
        forget()


def when_switched(function: Callable[[], None]) -> None:
    """Call `function()` at each switch, to forget what passed the checks of the other mode.

    >>> mx.strictness.when_switched(lambda: None)       # called by be_lenient() and be_strict()
    """
    _forgetful.append(function)


def refuse(error: MXNetError) -> None:
    """Raise `error`; in a lenient run, warn once for each line of the program that comes here, and return.

    >>> try:
    ...     mx.strictness.refuse(mx.base.ArgumentError("this has no meaning"))
    ... except mx.base.ArgumentError as error:
    ...     print(error)
    this has no meaning
    """
    if not _lenient:
        raise error
    frame = _frame()
    file, line = frame.f_code.co_filename, frame.f_lineno
    key = (file, line, type(error).__name__)
    if key not in _warned:
        _warned.add(key)
        warnings.warn_explicit(f"a strict run would end here with {type(error).__name__}: {error}", LenientWarning,
                               file, line)


def warn(message: str) -> None:
    """Warn, strict or not, of what MXNet lets pass and is likely a mistake: a UserWarning at the program's line.

    Python's filters say how often a line is shown; by default, once.

    message: the text.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     mx.strictness.warn("this is likely a mistake")
    """
    frame = _frame()
    shown = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, UserWarning, frame.f_code.co_filename, frame.f_lineno,
                           frame.f_globals.get("__name__"), shown)


def _frame():
    """The program's innermost frame, the one that a warning is about."""
    return program_frame(2) or sys._getframe()
