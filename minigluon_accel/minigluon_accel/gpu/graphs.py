"""CUDA graphs: work that was put on a stream once, launched again by one call of the driver.

PyCUDA does not have them, so the driver's functions are called directly. A graph holds the addresses of buffers and the
kernels' other arguments as they were when it was captured: it fits those buffers alone.
"""

import ctypes
import sys
import threading

from minigluon.base import MXNetError

from . import driver

__all__ = ["Graph", "capture"]

THIS_THREAD = 1         # how strict the capture is: what other threads ask of the driver does not disturb it
SWITCH_OFF = "MINIGLUON_GPU_GRAPHS=0 runs without graphs."


def capture(device, run):
    """A Graph of the work that `run(stream)` puts on a stream; nothing of it runs yet.

    `run` must not allocate, copy to or from the host, or wait. What it raises goes through. The stream is one for this
    purpose alone, so that what other threads put on the device's own stream meanwhile does not become part of it.
    """
    device.activate()
    graph = _recorded(device, run)
    try:
        executable = ctypes.c_void_p()
        # A 64-bit number, which ctypes would pass as an int.
        status = _function("cuGraphInstantiateWithFlags")(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
        driver.check(status, device, "making a CUDA graph ready to launch")
    finally:
        _function("cuGraphDestroy")(graph)
    return Graph(device, executable)


class Graph:
    """Work that can be launched any number of times, by any thread: the driver wants one at a time."""

    def __init__(self, device, executable):
        self._device, self._executable = device, executable
        self._launch, self._destroy = _function("cuGraphLaunch"), _function("cuGraphExecDestroy")
        self._stream = ctypes.c_void_p(device.stream_handle)
        self._lock = threading.Lock()

    def launch(self):
        """Put the work on the stream. Raises MXNetError with the driver's reason."""
        self._device.activate()
        with self._lock:
            status = self._launch(self._executable, self._stream)
        if status:
            raise driver.failure(self._device, "the launch of a CUDA graph", driver.describe(status))

    def __del__(self):
        # At the end of the process the driver frees everything itself, and may be gone before; a child has no graphs.
        if not (sys.is_finalizing() or self._device.over):
            self._destroy(self._executable)


def _recorded(device, run):
    """The driver's graph of what `run(stream)` puts on the stream."""
    stream, graph = ctypes.c_void_p(device.capture_stream.handle), ctypes.c_void_p()
    with device.capture_lock:
        status = _function("cuStreamBeginCapture_v2")(stream, THIS_THREAD)
        driver.check(status, device, "beginning to capture a CUDA graph")
        try:
            run(stream.value)
        except BaseException:
            # The stream must not stay in this state; the capture's own error would only hide the reason.
            if _function("cuStreamEndCapture")(stream, ctypes.byref(graph)) == 0 and graph:
                _function("cuGraphDestroy")(graph)
            raise
        status = _function("cuStreamEndCapture")(stream, ctypes.byref(graph))
    if status:
        raise MXNetError(f"{device}: the work cannot be captured as a CUDA graph: {driver.describe(status)}. "
                         f"{SWITCH_OFF}")
    return graph


def _function(name):
    """A function of the driver. Raises MXNetError where it is too old to have it."""
    try:
        return getattr(driver.api(), name)
    except AttributeError as error:
        raise MXNetError(f"gpu: the driver has no {name}: CUDA graphs need one for CUDA 12.0 or newer. "
                         f"{SWITCH_OFF}") from error
