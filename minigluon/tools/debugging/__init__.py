"""`mx.debug`: checks around each operator that report a mistake where it is made.

While debug mode is off, nothing is checked: kernels and the tape work as usual. Switching it on or off discards all
kernels and plans; new ones are prepared with or without checks (`watch_kernels`). With checks, graphs run node by node,
so that each operator is checked.

    values.py       around each kernel: NaN and Inf, indices and labels out of range
    gradients.py    around the tape: the place where a gradient is lost
    origins.py      the operator, its block, and the program's line
"""

from __future__ import annotations

import os
from typing import NamedTuple

from ... import tape
from ...backend.watchers import unwatch_kernels, watch_kernels
from ...base import ArgumentError

__all__ = ["debug"]


class _Checks(NamedTuple):
    """The checks that are switched on."""

    nan: bool
    inf: bool
    indices: bool
    gradients: bool


_checks: _Checks | None = None      # None: debug mode is off


class debug:
    """Debug mode: from now on, or inside `with mx.debug():`, each operator is checked while it runs.

    Errors name the operator, its block and the program's line, hybridized or not, forward and backward:

    - NaN or Inf that an operator produces from finite inputs: NotFiniteError; also NaN in the data, at its first use.
    - an index or label out of range, which operators otherwise clip or ignore: OutOfRangeError, or a warning for -1.
    - a gradient that is zero everywhere after `backward`: one warning, naming the parameter and where the gradient was
      lost.

    Everything is slower: graphs run node by node, and each array is read once more. Debug mode costs nothing when it is
    off. MINIGLUON_DEBUG=1 switches it on for an entire program. It applies to all threads.

    active: False switches it off.
    nan, inf: True checks for such values.
    indices: True checks for indices out of range.
    gradients: True checks for gradients that are zero everywhere.

    >>> with mx.debug():
    ...     try:
    ...         nd.log(nd.array([1, -1]))
    ...     except mx.MXNetError as error:
    ...         print(str(error).split(chr(10))[0])
    log: produces nan from finite inputs, in 1 of 2 elements, the first at (1,)
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
        """Return whether debug mode is on.

        >>> mx.debug.is_on()
        False
        """
        return _checks is not None


def _switch(checks: _Checks | None) -> None:
    from . import gradients, values  # imported here because most programs never switch it on
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
