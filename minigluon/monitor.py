"""`mx.monitor`: statistics of the arrays inside a graph, while it trains."""

import logging
import math
import re

from . import ndarray as nd
from .base import MXNetError
from .ndarray import NDArray

__all__ = ["Monitor"]


class Monitor:
    """Looks at outputs, parameters and inputs whose names match a pattern, in every `interval`-th batch.

    stat_func: a function from NDArray to NDArray; by default the root of the mean square. pattern: a regular
    expression. sort: by name, and not in the order of computation. monitor_all: look at the inputs of operators, too.

    >>> monitor = mx.monitor.Monitor(100, pattern=".*weight")
    >>> module.fit(..., monitor=monitor)        # or: monitor.install(executor), then tic() and toc_print() around it
    """

    def __init__(self, interval, stat_func=None, pattern=".*", sort=False, monitor_all=False):
        self.stat_func = _root_mean_square if stat_func is None else stat_func
        self.interval, self.sort, self.monitor_all = interval, sort, monitor_all
        self.re_prog = re.compile(pattern)
        self.activated, self.step = False, 0
        self.queue, self.exes = [], []

    def install(self, exe):
        """Look at an executor from now on."""
        exe.set_monitor_callback(self._see, self.monitor_all)
        self.exes.append(exe)

    def tic(self):
        """Before a batch: begin to collect, if it is time."""
        if self.step % self.interval == 0:
            self.queue, self.activated = [], True
        self.step += 1

    def toc(self):
        """After a batch: [(batch, name, statistics as text)], and nothing where it was not time."""
        if not self.activated:
            return []
        self.activated = True
        for executor in self.exes:
            for name, array in zip(executor._symbol.list_arguments(), executor.arg_arrays, strict=True):
                self._see(name, array)
            for name, array in zip(executor._symbol.list_auxiliary_states(), executor.aux_arrays, strict=True):
                self._see(name, array)
        self.activated = False
        queue, self.queue = self.queue, []
        if self.sort:
            queue.sort(key=lambda item: item[1])
        return [(step, name, _text(name, statistics)) for step, name, statistics in queue]

    def toc_print(self):
        """After a batch: a line of the log for each array."""
        for step, name, text in self.toc():
            logging.info("Batch: %7d %30s %s", step, name, text)

    def _see(self, name, array):
        name = name.decode() if isinstance(name, bytes) else name
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))


def _root_mean_square(x):
    return nd.norm(x) / math.sqrt(x.size)


def _text(name, statistics):
    """The numbers, each with a tabulator after it. Raises MXNetError for anything but arrays."""
    text = ""
    for value in statistics if isinstance(statistics, list) else [statistics]:
        if not isinstance(value, NDArray):
            raise MXNetError(f"Monitor: stat_func returned a {type(value).__name__} for {name!r}, expected an NDArray "
                             "or a list of them")
        text += f"{value.asscalar() if value.shape in ((), (1,)) else value}\t"
    return text
