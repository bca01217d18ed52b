"""Execution of a plan's lines on the GPU: the launcher enqueues them in order, or all at once as a CUDA graph.

A graph is captured when the same buffers are used for the second time, as happens in a training loop: the plan's own
memory keeps its address, as do parameters and gradients, and arrays of the same size receive the same memory again.
Then a run is a single driver call, whatever the number of kernels, or a few calls if random numbers are drawn in
between.
"""

import os
import threading
from collections import OrderedDict

from . import driver, graphs
from .launcher import EnqueueCall, Program

__all__ = ["GraphProgram"]

MAX_GRAPHS = 8          # the maximum number of graphs per plan, each for one set of buffers
MIN_LAUNCHES = 4        # with fewer launches, capturing a graph does not pay off


class GraphProgram:
    """`run(values, start)` runs lines from `start` on; returns the index of the first line left to the plan."""

    def __init__(self, device, lines, aliases):
        self.device = device
        self.count = len(lines)
        groups = [getattr(kernel, "kernels", None) for kernel, _ in lines]
        self._ends = _ends([kernels is not None for kernels in groups])
        self._program = Program([(kernels or [], slots) for kernels, (_, slots) in zip(groups, lines, strict=True)],
                                aliases)
        self._pieces = _pieces(self._program.kernels)
        self._whole = (self._ends[:1] == [self.count] and any(replayable for _, _, replayable in self._pieces)
                       and os.environ.get("MINIGLUON_GPU_GRAPHS") != "0")
        self._graphs = OrderedDict()        # addresses -> None (seen once), or a graph for each piece that has one
        self._lock = threading.Lock()

    def run(self, values, start):
        end = self._ends[start] if start < self.count else start
        if end == start:
            return start
        self.device.activate()
        captured = self._graphs_for(values) if self._whole and start == 0 else None
        if captured is None:
            self._enqueue(values, *self._program.kernels_of(start, end))
            return end
        for (first, last, _), graph in zip(self._pieces, captured, strict=True):
            if graph is None:
                self._enqueue(values, first, last)
            else:
                graph.launch()
        return end

    def caller(self, plan):
        """Returns None: the plan makes the call in Python, which is cheap compared with the launches."""
        return None

    def _enqueue(self, values, first, last, stream=None):
        """Puts kernels on a stream one by one, by default on the device's own stream."""
        status, kernel = self._program.run(values, first, last, stream or self.device.stream_handle)
        if status:
            raise driver.failure(self.device, kernel.name, driver.describe(status))

    def _graphs_for(self, values):
        """Returns a graph or None for each piece, captured for these buffers; None the first time they are used."""
        key = self._program.pointers(values)
        with self._lock:
            captured = self._graphs.get(key, self)
            if captured is self:
                self._graphs[key] = captured = None
                while len(self._graphs) > MAX_GRAPHS:
                    self._graphs.popitem(last=False)
            elif captured is None:
                captured = self._graphs[key] = [self._captured(values, *piece) for piece in self._pieces]
                self._graphs.move_to_end(key)
        return captured

    def _captured(self, values, first, last, replayable):
        if not replayable:
            return None
        return graphs.capture(self.device, lambda stream: self._enqueue(values, first, last, stream))


def _pieces(kernels):
    """Returns [(first, one past the last, replayable)]: pieces for a graph, and pieces that each run enqueues anew.

    Random numbers are in pieces that are enqueued anew: on each run, the host's generator determines where they begin.
    """
    pieces, start = [], 0
    for number, kernel in enumerate(kernels):
        if isinstance(kernel, EnqueueCall) and not kernel.replayable:
            pieces += [(start, number, _is_worth_a_graph(kernels[start:number])), (number, number + 1, False)]
            start = number + 1
    pieces.append((start, len(kernels), _is_worth_a_graph(kernels[start:])))
    return [piece for piece in pieces if piece[0] < piece[1]]


def _is_worth_a_graph(kernels):
    """Returns whether a graph pays off: for many launches, or for two if one of them is a library call made from
    Python."""
    return len(kernels) >= MIN_LAUNCHES or len(kernels) > 1 and any(isinstance(one, EnqueueCall) for one in kernels)


def _ends(runnable):
    """Returns, for each line, the end of the sequence of runnable lines that starts there, or the line itself if it
    cannot run."""
    ends, end = [0] * len(runnable), len(runnable)
    for line in reversed(range(len(runnable))):
        if not runnable[line]:
            end = line
        ends[line] = end if runnable[line] else line
    return ends
