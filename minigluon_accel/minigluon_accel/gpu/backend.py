"""The backend: for each operator, launches of kernels on a device, or the reason why the reference runs it."""

import numpy as np

from minigluon.backend import Kernel
from minigluon.backend.numpy import ReferenceKernel
from minigluon.common import gpu_queries
from minigluon.diagnostics import strictness

from . import driver, kernels, nccl
from .buffer import Buffer
from .compile import Runner, prepare
from .launch import In, Out, Scratch, Work
from .libraries import name_libraries
from .memory import Memory
from .passes.fuse_attention import fuse_attention
from .passes.fuse_elementwise import fuse_elementwise
from .passes.fuse_relu import fuse_relu
from .program import GraphProgram

__all__ = ["BACKEND", "GpuBackend", "GpuDeviceBackend"]


class _DeviceInfo:
    """The common base class of the front backend and the device backends."""

    name = "gpu"
    contract = 1
    device_types = ("gpu",)
    supports_symbolic_dims = False

    def details(self):
        """Yields lines for `minigluon info`. Never raises an error, because the lines say what is missing."""
        from . import status
        return list(status.describe())


class GpuBackend(_DeviceInfo):
    """The front backend, which `mx.gpu()` uses.

    `on(ctx)` returns the backend of one device; nothing is loaded before that.
    """

    def __init__(self):
        self._on = {}

    def on(self, ctx):
        backend = self._on.get(ctx)
        return self._on.setdefault(ctx, GpuDeviceBackend(ctx)) if backend is None else backend


class GpuDeviceBackend(_DeviceInfo):
    """The backend of one device: its memory, kernels and programs."""

    collectives = nccl          # see minigluon.kvstore.cards

    passes_before_gradients = [
        fuse_attention,         # attention's products, mask and softmax become one operator
    ]
    passes_before_fusion = [
        fuse_relu,              # a layer or a normalization also applies the relu that follows it
        fuse_elementwise,       # chains of elementwise operators, including chains with several shapes
        name_libraries,         # changes nothing: reports which library computes what
    ]

    def __init__(self, ctx):
        self.device = _device(ctx.device_id)

    def on(self, ctx):
        return self

    # -- memory -----------------------------------------------------------------------------------------------------

    def empty(self, shape, dtype, ctx):
        return self.device.memory.empty(tuple(shape), np.dtype(dtype))

    def zeros(self, shape, dtype, ctx):
        return self.full(shape, 0, dtype, ctx)

    def full(self, shape, value, dtype, ctx):
        """Fills the array on the device, because copying from the host over the slow bus would take longer."""
        if np.ndim(value):
            return self.from_numpy(np.full(shape, value, dtype), ctx)
        number = np.full((), value, dtype)[()]
        buffer = self.empty(shape, dtype, ctx)
        if not self.device.memory.fill(buffer, number):
            buffer[...] = number
        return buffer

    def from_numpy(self, array, ctx):
        array = np.asarray(array)
        buffer = self.empty(array.shape, array.dtype.newbyteorder("="), ctx)
        self.device.memory.upload(array.astype(buffer.dtype, copy=False), buffer)
        return buffer

    def to_numpy(self, buffer):
        return buffer.numpy()

    def synchronize(self, ctx):
        self.device.synchronize()

    def view(self, memory, offset, shape, dtype):
        if memory is None:
            return Buffer(0, tuple(shape), np.dtype(dtype), None, self.device)
        return memory.part(offset, shape, dtype)

    def offset(self, part, whole):
        return part.pointer - whole.pointer

    # -- kernels ----------------------------------------------------------------------------------------------------

    def prepare(self, op, inputs, outputs, train, rng):
        work = kernels.find(op, inputs, outputs, train, rng, self.device)
        if isinstance(work, str):
            return work
        if not isinstance(work, Work):
            return Kernel(work)             # a function of buffers that allocates its results
        launches = Launches(self.device, op, inputs, outputs, work)
        return Kernel(launches, launches, work.scratch)

    def fallback(self, op, inputs, outputs, train, rng):
        """Returns a function that runs the reference on copies in CPU memory. Warns once per operator."""
        reference = ReferenceKernel(op, inputs, outputs, train, rng).run
        _warn(op.name)

        def run(buffers):
            results = reference([_on_host(x) for x in buffers])
            return [None if r is None else self.from_numpy(r, None) for r in results]
        return Kernel(run)

    # -- plans ------------------------------------------------------------------------------------------------------

    def prepare_program(self, lines, aliases, value_count):
        return GraphProgram(self.device, lines, aliases)


class Launches:
    """An operator's launches for buffers of known Specs. `launches(inputs)` allocates its results and returns them;
    `launches(inputs, targets)` fills the outputs, which are followed by scratch buffers.

    Mutated inputs are overwritten.
    """

    runs_in_programs = True

    def __init__(self, device, op, inputs, outputs, work):
        self.op, self.device = op, device
        self._outputs, self._scratch = outputs, work.scratch
        self._unchanged = [None] * len(op.mutates)
        places = {In: 0, Out: len(inputs), Scratch: len(inputs) + len(outputs)}
        self.kernels = [prepare(device, launch, places) for launch in work.launches]
        self._run = Runner(device, self.kernels, len(inputs) + len(outputs) + len(work.scratch)).run
        names = op.argument_names(len(inputs))
        self._mutated = [names.index(name) for name in op.mutates]

    def __call__(self, inputs, targets=None):
        empty = self.device.memory.empty
        if targets is None:
            targets = [empty(shape, dtype) for shape, dtype in self._outputs]
            targets += [empty(shape, dtype) for shape, dtype in self._scratch]
        operands = [x if isinstance(x, Buffer) and x.c_contiguous else self._whole(x) for x in inputs]
        self._run([*operands, *targets])
        for position in self._mutated:
            if operands[position] is not inputs[position]:
                inputs[position][...] = operands[position]
        return [*targets[:len(self._outputs)], *self._unchanged]

    def _whole(self, x):
        """Returns a contiguous operand. A NumPy placeholder, of which only the shape matters, is returned unchanged."""
        return x.copy() if isinstance(x, Buffer) else x


def _on_host(x):
    """Converts an operand for the reference. A placeholder has no elements to copy, and none are needed."""
    if not isinstance(x, Buffer):
        return x
    return x.numpy() if x.pointer or not x.size else np.zeros(x.shape, x.dtype)


_warned = set()


def _warn(name):
    if name not in _warned:
        _warned.add(name)
        strictness.warn(f"gpu: {name} has no kernel for these inputs and runs on the CPU, with copies there and back. "
                        "`minigluon.dispatch.declined` counts such operators and gives the reasons.")


def _device(number):
    return driver.open_device(number, Memory)


def _release(ctx):
    if ctx.device_type == "gpu" and driver.is_open(ctx.device_id):
        _device(ctx.device_id).memory.release()


def _memory_info(number):
    return _device(number).memory.info()


BACKEND = GpuBackend()
gpu_queries.cache_emptiers.append(_release)
gpu_queries.gpu_counters.append(driver.count)
gpu_queries.gpu_memory_readers.append(_memory_info)
gpu_queries.device_waiters.append(driver.wait_for_all)
