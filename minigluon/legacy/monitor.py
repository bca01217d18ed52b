"""`mx.monitor.Monitor`: statistics of the arrays in an executor, by default one number for each array.

    mon = mx.monitor.Monitor(interval=100, pattern=".*output")
    mod.fit(..., monitor=mon)               # or: mon.install(executor); mon.tic(); forward ...; mon.toc_print()
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any

from .. import autograd
from .. import ndarray as nd
from ..base import ArgumentError
from ..diagnostics.keywords import ChecksKeywords

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["Monitor"]


class Monitor(ChecksKeywords):
    r"""Statistics of outputs, weights and auxiliary states in every `interval`-th batch.

    stat_func: a function that maps an NDArray to an NDArray or a list of NDArrays; by default |x|₂ / √(number of
    elements).
    pattern: a regular expression that must match the start of a name.
    sort: whether to sort by name instead of graph order.
    monitor_all: whether to also monitor the inputs of operators.

    >>> executor = (sym.var("x") * 2).simple_bind(mx.cpu(), x=(2,))
    >>> monitor = mx.monitor.Monitor(interval=1, stat_func=lambda array: array.sum(), pattern=".*output")
    >>> monitor.install(executor)
    >>> monitor.tic()
    >>> outputs = executor.forward(x=nd.array([3, 4]))
    >>> monitor.toc()
    [(1, '_mulscalar0_output', '14.0\t')]
    >>> monitor.toc_print()                 # the same by logging.info: nothing, as there was no batch in between
    """

    step: int
    activated: bool
    queue: list[Any]

    def __init__(self, interval: int, stat_func: Callable[..., Any] | None = None, pattern: str = ".*",
                 sort: bool = False, monitor_all: bool = False) -> None:
        self.interval = interval
        self.stat_func: Callable[[NDArray], Any] = _norm if stat_func is None else stat_func
        self.re_prog: re.Pattern[str] = re.compile(pattern)
        self.sort = sort
        self.monitor_all = monitor_all
        self.activated = False
        self.queue = []                 # (step, name, statistics)
        self.step = 0
        self.exes: list[Any] = []

    def stat_helper(self, name: str, array: NDArray) -> None:
        """Record the statistics of an array; the executor calls this method for each array."""
        if self.activated:
            self._note(name, array)

    def _note(self, name, array):
        if self.re_prog.match(name):
            with autograd.pause():      # statistics must not be recorded on the tape
                self.queue.append((self.step, name, self.stat_func(array)))

    def install(self, exe: Any) -> None:
        """Monitor an executor. Several executors can be monitored at the same time.

        exe: the Executor.
        """
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Start collecting; call it before the forward pass of a batch."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[Any]:
        """Stop collecting; return [(step, name, text)], with a tab after each number, or [] for skipped batches."""
        if not self.activated:
            return []
        for exe in self.exes:
            symbol = exe._symbol
            for names, arrays in ((symbol.list_arguments(), exe.arg_arrays),
                                  (symbol.list_auxiliary_states(), exe.aux_arrays)):
                for name, array in zip(names, arrays, strict=True):
                    self._note(name, array)
        self.activated = False
        queue, self.queue = self.queue, []
        if self.sort:
            queue.sort(key=lambda entry: entry[1])
        return [(step, name, _text(name, statistics)) for step, name, statistics in queue]

    def toc_print(self) -> None:
        """Call `toc` and write its result with `logging.info`."""
        for step, name, text in self.toc():
            logging.info(f"Batch: {step:7d} {name:30s} {text:s}")


def _norm(x):
    return nd.norm(x) / sqrt(x.size)


def _text(name, statistics):
    if isinstance(statistics, nd.NDArray):
        statistics = [statistics]
    if not isinstance(statistics, list) or not all(isinstance(x, nd.NDArray) for x in statistics):
        raise ArgumentError(f"Monitor: stat_func must return an NDArray or a list of them; for {name!r} it returned "
                            f"{type(statistics).__name__}")
    # `str`, because an f-string would format float32 with the digits of float64.
    return "".join(str(x.asscalar() if x.shape == (1,) else x.asnumpy()) + "\t" for x in statistics)
