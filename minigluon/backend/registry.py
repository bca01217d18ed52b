"""The contract of a backend, and which one serves which device."""

import contextlib
import os
from importlib.metadata import entry_points
from typing import Protocol

from ..base import ContextError, MXNetError, nearest
from ..context import Context, gpu, gpu_counters, gpu_memory_readers
from ..ops.shapes import Spec

__all__ = ["Backend", "Spec", "available", "backend_for", "use_backend"]


class Backend(Protocol):
    """What a plugin implements. `minigluon.backends` is its entry-point group; the value is a `Backend` instance."""

    name: str
    device_types: tuple         # ("cpu",), ("gpu",)

    def on(self, ctx):
        """The backend as it serves this device: itself where all its devices are alike."""

    def empty(self, shape, dtype, ctx):
        """An uninitialized buffer."""

    def from_numpy(self, array, ctx):
        """A new buffer with the array's elements."""

    def to_numpy(self, buffer):
        """A new NumPy array with the buffer's elements."""

    def synchronize(self, ctx):
        """Wait until all work given to the device is done."""

    def details(self):
        """Lines for `minigluon info`: version, threads, whatever tells how it runs here."""

    def prepare(self, op, inputs, outputs, train, rng):
        """A kernel for this operator on buffers of these specs, or a text: the reason to decline."""

    def remember(self, op, ctx, inputs, kernel, train):
        """Called once for each kernel that imperative execution has prepared for these buffers.

        A backend may put a function `site(inputs)` into `ctx.kernels[op]`, for `nd.invoke` to ask first: it returns the
        result as an NDArray, or None for inputs that it does not know.
        """

    def view(self, memory, offset, shape, dtype):
        """A buffer on a part of another one of bytes, from byte `offset` on."""

    def stand_in(self, shape, dtype, ctx):
        """A buffer of which only shape and dtype matter; it need not have memory."""

    def reference_kernel(self, op, inputs, outputs, train, rng):
        """What runs where `prepare` declines: the reference, on this backend's buffers."""

    def reference_writer(self, op, inputs, outputs, train, rng):
        """The same for `prepare_writer`."""

    def prepare_writer(self, op, inputs, outputs, train, rng):
        """(write, specs of scratch buffers) for a plan, see `Op.writer_for`; None when the operator cannot write into
        given memory, or a text: the reason to decline."""

    def rewrite(self, graph, specs, count, reports):
        """A pass of the backend's own over a plan's graph, before elementwise operators are fused.

        graph: a Symbol; its first `count` outputs are results, the others gradients. specs: {(node, output): Spec}, to
        which those of new nodes are added. reports: a list for a `hybrid.report.Report`, or None.
        """

    def prepare_program(self, lines, aliases, value_count):
        """A program of lines of a plan, [(kernel, places of its operands)], or None: the plan runs them itself.

        `program.run(values, start)` runs lines from number `start` on, and returns the number of the first one that it
        leaves to the plan, or len(lines). aliases: {place: place}, values that are others in another shape.
        value_count: of `values`.
        """

    def prepare_call(self, program, pool, new_values, input_count, fresh, results, outside, finish):
        """`call(buffers)` -> [results] for a plan's forward part, as `Plan.call` does it, or None: the plan does it."""


_installed = {}         # name -> backend
_discovered = False
_chosen = os.environ.get("MINIGLUON_BACKEND") or None
_times_forgotten = 0


def install(backend):
    """Add a backend by its name. Later ones are preferred for the device types they serve."""
    _installed[backend.name] = backend


def discover():
    """Install the backends that other distributions announce; the first use of a device does it, once.

    Raises MXNetError, naming the distribution, when one cannot be loaded.
    """
    global _discovered
    if _discovered or _chosen == "numpy":
        return
    for entry in entry_points(group="minigluon.backends"):
        try:
            install(entry.load())
        except MXNetError:
            raise
        except Exception as error:
            raise MXNetError(f"backend {entry.name!r} of the distribution {entry.dist.name} cannot be loaded: "
                             f"{type(error).__name__}: {error}. Reinstall it, or set MINIGLUON_BACKEND=numpy to run "
                             "without it.") from error
    _discovered = True


def available():
    """The installed backends by name, the reference first."""
    discover()
    return dict(_installed)


def backend_for(ctx):
    """The backend that serves a device.

    Raises ContextError when there is none, or MXNetError when MINIGLUON_BACKEND names an unknown one.
    """
    discover()
    device = "cpu" if ctx.device_type.startswith("cpu") else ctx.device_type
    if _chosen is not None:
        if _chosen not in _installed:
            raise MXNetError(f"MINIGLUON_BACKEND is {_chosen!r}, but the installed backends are "
                             f"{', '.join(_installed)}." + nearest(_chosen, _installed))
        if device in _installed[_chosen].device_types:
            return _installed[_chosen].on(ctx)
    for backend in reversed(_installed.values()):
        if device in backend.device_types:
            return backend.on(ctx)
    raise ContextError(
        f"{ctx} is not available: no installed backend serves {device!r} (installed: {', '.join(_installed)}). "
        "Install one with: pip install ./minigluon_accel && python -m minigluon_accel.gpu.install, or use "
        "mx.cpu(). `minigluon info` says what is missing.")


@contextlib.contextmanager
def use_backend(name):
    """`with use_backend("numpy"):` run on that backend inside the block. Arrays made outside stay usable."""
    global _chosen
    if name not in available():
        raise MXNetError(f"no backend {name!r}; installed: {', '.join(_installed)}." + nearest(name, _installed))
    before, _chosen = _chosen, name
    forget_kernels()
    try:
        yield _installed[name]
    finally:
        _chosen = before
        forget_kernels()


def forget_kernels():
    """Drop all prepared kernels, after the choice of backend changed."""
    global _times_forgotten
    _times_forgotten += 1
    for ctx in list(Context._interned.values()):       # other threads may use new devices meanwhile
        ctx.kernels.clear()


def times_forgotten():
    """How often `forget_kernels` was called. Who keeps a kernel elsewhere asks whether it is still the right one."""
    return _times_forgotten


def _count_after_discovery():
    """The first of `context.gpu_counters`: backends add theirs behind it while it runs, and are asked next."""
    discover()
    return 0


def _discover_before_reading(number):
    """The first of `context.gpu_memory_readers`: raises ContextError where no backend serves the GPU."""
    backend_for(gpu(number))


gpu_counters.append(_count_after_discovery)
gpu_memory_readers.append(_discover_before_reading)
