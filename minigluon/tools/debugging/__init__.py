"""`mx.debug`: each operator is looked at while it runs, so that a mistake is named where it is made.

Without it, nothing is looked at: kernels are prepared without a check, and the tape records as ever. Switching it on or
off drops all kernels and plans; those that are prepared then are watched or not (`watch_kernels`), and graphs
run node by node, so that each operator is seen.

    values.py       NaN and Inf, indices and labels out of range: around each kernel
    gradients.py    where a gradient is lost: around the tape
    origins.py      which operator, in which block, on which line of the program
"""

from __future__ import annotations

import os
from typing import NamedTuple

from ... import tape
from ...backend.watchers import unwatch_kernels, watch_kernels
from ...base import ArgumentError

__all__ = ["debug"]


class _Checks(NamedTuple):
    """What is looked for."""

    nan: bool
    inf: bool
    indices: bool
    gradients: bool


_checks: _Checks | None = None      # None: debug mode is off


class debug:
    """Debug mode: from now on, or inside `with mx.debug():`, each operator is looked at while it runs.

    An error names the operator, its block and the program's line, hybridized or not, forward and backward:

    - NaN or Inf that an operator makes out of finite inputs: NotFiniteError. NaN in the data, too, at its first use.
    - an index or a label that is out of range, which operators clip or pass over: OutOfRangeError, a warning for -1.
    - a gradient that is zero everywhere after `backward`: a warning, once, with the parameter and where that was lost.

    Everything is slower: graphs run node by node, and each array is read once more. Off, it costs nothing.
    MINIGLUON_DEBUG=1 switches it on for a program. It holds for all threads.

    active: False switches it off.
    nan, inf: look for such values.
    indices: look for indices out of range.
    gradients: look for gradients that are zero everywhere.

    >>> with mx.debug():
    ...     try:
    ...         nd.log(nd.array([1, -1]))
    ...     except mx.MXNetError as error:
    ...         print(str(error).split(chr(10))[0])
    log: makes nan out of finite inputs, in 1 of 2 elements, the first at (1,)
    """

    def __init__(self, active: bool = True, *, nan: bool = True, inf: bool = True, indices: bool = True,
                 gradients: bool = True):
        self._before = _checks
        _switch(_Checks(nan, inf, indices, gradients) if active else None)

    def __enter__(self) -> debug:
        return self

    def __exit__(self, *exc_info: object) -> None:
        _switch(self._before)

    @staticmethod
    def is_on() -> bool:
        """Is debug mode on?

        >>> mx.debug.is_on()
        False
        """
        return _checks is not None


def _switch(checks: _Checks | None) -> None:
    from . import gradients, values  # most programs never switch it on
    global _checks
    was_on, _checks = _checks is not None, checks
    if checks is not None:
        values.look_for(checks.nan, checks.inf, checks.indices)
        gradients.look_for(checks.gradients)
    if (checks is not None) == was_on:
        return
    if checks is not None:
        watch_kernels(values.checked, node_by_node=True)
        tape.observing.observer = gradients.Observer()
    else:
        unwatch_kernels(values.checked)
        tape.observing.observer = None


def _from_environment() -> None:
    text = os.environ.get("MINIGLUON_DEBUG", "0")
    if text not in ("0", "1"):
        raise ArgumentError(f"MINIGLUON_DEBUG must be 0 or 1, found {text!r}")
    if text == "1":
        debug()


_from_environment()
