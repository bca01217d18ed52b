"""Ctrl-C as a flag that a loop checks when it can stop."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import Any

__all__ = ["Interrupts"]

PATIENCE = 3        # after this many presses, Ctrl-C no longer waits for the loop


class Interrupts:
    """Context manager in which Ctrl-C sets `asked` instead of raising KeyboardInterrupt.

    The third press raises it immediately, in case the loop never checks; within `shielded`, while a file is written, it
    does not. This has no effect outside the main thread or if the program has its own handler.

    notice: the line written to the terminal at the first press. heard: if False, the context manager has no effect.

    >>> from minigluon.gluon.resume import Interrupts
    >>> with Interrupts() as interrupts:
    ...     for batch in range(3):
    ...         if interrupts.asked:            # by Ctrl-C
    ...             break                       # and here is the place to save
    >>> batch, interrupts.asked
    (2, False)
    """

    asked: bool

    def __init__(self, notice: Any = None, heard: bool = True):
        self.asked = False
        self._heard, self._notice, self._presses, self._shields = heard, notice, 0, 0
        self._before = None

    def __enter__(self) -> Interrupts:
        heard = self._heard and threading.current_thread() is threading.main_thread()
        if heard and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *exc_info: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def ignore(self) -> None:
        """Ignore Ctrl-C from now on, even after the `with` block, for a process that is about to exit."""
        if self._before is not None:
            self._before = signal.SIG_IGN

    def _press(self, number, frame):
        self.asked = True
        self._presses += 1
        if self._presses == 1 and self._notice:
            with contextlib.suppress(OSError):
                os.write(2, f"\n{self._notice}\n".encode())       # print itself may have been interrupted
        if self._presses >= PATIENCE and not self._shields:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def shielded(self):
        """Context manager in which no press raises an error. Afterward, the limit applies again."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
            self._presses = min(self._presses, PATIENCE - 1)
