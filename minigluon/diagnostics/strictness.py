"""Errors for usage that MXNet accepts, replaced by a warning and MXNet's behavior when MXNet programs run.

Such errors help people, because what looks like a mistake usually is one, and the error explains it. But a program
written for MXNet has already run there, and must behave the same here. Therefore each of these errors is raised by
`refuse`, which is *lenient* under the name `mxnet` (see `minigluon.as_mxnet`) and with MINIGLUON_LENIENT=1: in these
cases `refuse` warns once per program line, and its caller does what MXNet does. docs/differences.md lists the cases.
"""

import os
import sys
import warnings
from collections.abc import Callable

from ..base import ArgumentError, MXNetError
from .source_lines import OWN, program_frame

__all__ = ["LenientWarning", "be_lenient", "be_strict", "is_lenient", "refuse", "warn", "when_switched"]


class LenientWarning(UserWarning):
    """The category of warnings about usage that raises an error in strict mode.

    >>> issubclass(mx.strictness.LenientWarning, UserWarning)
    True
    """


def _from_environment():
    text = os.environ.get("MINIGLUON_LENIENT", "0")
    if text not in ("0", "1"):
        raise ArgumentError(f"MINIGLUON_LENIENT must be 0 or 1, found {text!r}")
    return text == "1"


_BETWEEN = frozenset((*OWN, "numpy", *sys.stdlib_module_names))
_lenient = _from_environment()
_forgetful: list[Callable[[], None]] = []
_warned: set[tuple[str, int, str]] = set()       # (file, line, error class) of the warnings issued so far


def is_lenient() -> bool:
    """Return whether these errors are only warnings, so that the program continues as in MXNet.

    >>> mx.strictness.is_lenient()
    False
    """
    return _lenient


def be_lenient() -> None:
    """Issue warnings and continue as MXNet does, from now on.

    >>> mx.strictness.be_lenient()
    >>> mx.strictness.is_lenient()
    True
    >>> mx.strictness.be_strict()
    """
    _switch(True)


def be_strict() -> None:
    """Raise errors from now on, which is the default. A later switch to lenient mode warns again.

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
    """Call `function()` whenever the mode changes, to discard the results of checks made in the other mode.

    >>> mx.strictness.when_switched(lambda: None)       # called by be_lenient() and be_strict()
    """
    _forgetful.append(function)


def refuse(error: MXNetError) -> None:
    """Raise `error`; in lenient mode, warn once per program line that leads here, and return.

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


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the program's line, strict or not, about a deprecated name or about a likely mistake that MXNet accepts.

    Python's filters decide how often a line is shown; by default, once.

    message: the text.
    category: the class of the warning.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     mx.strictness.warn("this is likely a mistake")
    """
    frame = _frame()
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno,
                           frame.f_globals.get("__name__") or "<string>", registry)     # None would drop the warning


def _frame():
    """Return the program's innermost frame, to which a warning refers.

    Frames of NumPy and the standard library (such as the import system, `contextlib` and thread pools) between the
    program and this package are skipped unless there is no program frame.
    """
    outside = frame = program_frame(2)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame = frame.f_back
    return frame or outside or sys._getframe()
