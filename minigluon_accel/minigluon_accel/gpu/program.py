"""A plan's lines on the GPU: enqueued one after the other by the launcher, or all at once as a CUDA graph.

A graph is captured when the same buffers come for the second time, as they do in a training loop: the plan's own memory
stays where it is, parameters and gradients, too, and arrays of the same size get the same memory again. Then a run is
one call of the driver, whatever the number of kernels.
"""

import os
import threading
from collections import OrderedDict

from . import driver, graphs
from .launcher import Enqueued, Program

__all__ = ["Replayed"]

MOST_GRAPHS = 8         # of one plan, for as many sets of buffers
FEWEST = 4              # launches: with fewer, a graph is not worth its capture


class Replayed:
    """`run(values, start)` runs lines from `start` on; returns the number of the first that it leaves to the plan."""

    def __init__(self, device, lines, aliases):
        self.device = device
        self.count = len(lines)
        self._names = [getattr(kernel, "op", None) for kernel, _ in lines]
        known = [getattr(kernel, "kernels", None) for kernel, _ in lines]
        self._ends = _ends([kernels is not None for kernels in known])
        self._program = Program([(kernels or [], places) for kernels, (_, places) in zip(known, lines, strict=True)],
                                aliases)
        flat = [kernel for kernels in known for kernel in kernels or ()]
        self._replayable = (os.environ.get("MINIGLUON_GPU_GRAPHS") != "0" and len(flat) >= FEWEST
                            and self._ends[0] == self.count
                            and all(kernel.replayable for kernel in flat if isinstance(kernel, Enqueued)))
        self._graphs = OrderedDict()        # addresses -> None (seen once), or a graph
        self._lock = threading.Lock()

    def run(self, values, start):
        end = self._ends[start] if start < self.count else start
        if end == start:
            return start
        self.device.activate()
        if self._replayable and start == 0:
            self._replay(values)
        else:
            self._enqueue(values, start, end, self.device.stream_handle)
        return end

    def _enqueue(self, values, start, end, stream):
        status, kernel = self._program.run(values, start, end, stream)
        if status:
            raise driver.failure(self.device, kernel.name, driver.describe(status))

    def _replay(self, values):
        key = self._program.pointers(values)
        with self._lock:
            graph = self._graphs.get(key, self)
            if graph is self:                       # these buffers come for the first time
                self._graphs[key] = None
                while len(self._graphs) > MOST_GRAPHS:
                    self._graphs.popitem(last=False)
            elif graph is None:
                graph = self._graphs[key] = graphs.capture(
                    self.device, lambda stream: self._enqueue(values, 0, self.count, stream))
                self._graphs.move_to_end(key)
        if graph is self:
            self._enqueue(values, 0, self.count, self.device.stream_handle)
        else:
            graph.launch()


def _ends(runnable):
    """For each line where the lines that can be run from it on end: itself, if it cannot."""
    ends, end = [0] * len(runnable), len(runnable)
    for line in reversed(range(len(runnable))):
        if not runnable[line]:
            end = line
        ends[line] = end if runnable[line] else line
    return ends
