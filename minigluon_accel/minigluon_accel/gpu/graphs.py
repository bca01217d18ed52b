"""CUDA graphs: work that is recorded from a stream once and then launched repeatedly, each time by one driver call.

PyCUDA lacks them, so the driver's functions are called directly. A graph stores the addresses of buffers and the
kernels' other arguments at capture time, so it works only with those buffers.
"""

import ctypes
import sys
import threading

from minigluon.base import MXNetError

from . import driver

__all__ = ["Graph", "capture"]

THIS_THREAD = 1         # the capture mode in which other threads' driver calls do not interfere
SWITCH_OFF = "MINIGLUON_GPU_GRAPHS=0 runs without graphs."


def capture(device, run):
    """Returns a Graph of the work that `run(stream)` puts on a stream. Nothing is executed yet.

    `run` must not allocate, copy to or from the host, or wait. Its exceptions propagate. The stream is used only for
    this purpose, so that other threads' work on the device's own stream does not become part of the graph.
    """
    device.activate()
    graph = _recorded(device, run)
    try:
        executable = ctypes.c_void_p()
        # The flags form a 64-bit number, which ctypes would pass as an int.
        status = _function("cuGraphInstantiateWithFlags")(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
        driver.check(status, device, "making a CUDA graph ready to launch")
    finally:
        _function("cuGraphDestroy")(graph)
    return Graph(device, executable)


class Graph:
    """Work that any thread can launch repeatedly, but only one thread at a time, as the driver requires."""

    def __init__(self, device, executable):
        self._device, self._executable = device, executable
        self._launch, self._destroy = _function("cuGraphLaunch"), _function("cuGraphExecDestroy")
        self._stream = ctypes.c_void_p(device.stream_handle)
        self._lock = threading.Lock()

    def launch(self):
        """Puts the work on the stream. Raises MXNetError with the driver's reason."""
        self._device.activate()
        with self._lock:
            status = self._launch(self._executable, self._stream)
        if status:
            raise driver.failure(self._device, "the launch of a CUDA graph", driver.describe(status))

    def __del__(self):
        # At process exit, the driver frees everything itself, possibly earlier; a forked child has no graphs.
        if not (sys.is_finalizing() or self._device.over):
            self._destroy(self._executable)


def _recorded(device, run):
    """Returns the driver's graph of the work that `run(stream)` puts on the stream."""
    stream, graph = ctypes.c_void_p(device.capture_stream.handle), ctypes.c_void_p()
    with device.capture_lock:
        status = _function("cuStreamBeginCapture_v2")(stream, THIS_THREAD)
        driver.check(status, device, "beginning to capture a CUDA graph")
        try:
            run(stream.value)
        except BaseException:
            # The stream must leave capture mode. An error from this call is ignored, because it would hide the actual
            # reason.
            if _function("cuStreamEndCapture")(stream, ctypes.byref(graph)) == 0 and graph:
                _function("cuGraphDestroy")(graph)
            raise
        status = _function("cuStreamEndCapture")(stream, ctypes.byref(graph))
    if status:
        raise MXNetError(f"{device}: the work cannot be captured as a CUDA graph: {driver.describe(status)}. "
                         f"{SWITCH_OFF}")
    return graph


def _function(name):
    """Returns a function of the driver. Raises MXNetError if the driver is too old to provide it."""
    try:
        return getattr(driver.api(), name)
    except AttributeError as error:
        raise MXNetError(f"gpu: the driver has no {name}: CUDA graphs need one for CUDA 12.0 or newer. "
                         f"{SWITCH_OFF}") from error
