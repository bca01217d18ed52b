"""One operator on given arrays, on the GPU and by the reference: what the tests of the GPU backend compare.

The GPU is the real one where a driver finds one, and the emulated one elsewhere. A kernel runs on whole buffers, on
buffers with gaps, over the memory of an input where a plan may do that, and as a line of a program, launched three
times: one by one, while it is captured, and as a graph.
"""

import contextlib
import gc
import math

from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module

# isort: split
import numpy as np
import pytest
from minigluon_accel.gpu import BACKEND, kernels
from minigluon_accel.gpu.buffer import Buffer
from minigluon_accel.gpu.pool import Pool

import minigluon as mx
from helpers.accel_checks import Twin as CpuTwin
from helpers.accel_checks import same, with_holes
from helpers.rows import bound, garbage
from minigluon.base import MXNetError

__all__ = ["GPU", "Twin", "agree", "bound", "own_kernels"]

GPU = mx.gpu()

# As in accel_checks: units in the last place for each square root of the number of terms in a sum. What a GPU's own
# functions are off by, exp and its like, is two of them.
ULPS = 8


def backend():
    """The backend of the first device."""
    return BACKEND.on(GPU)


@contextlib.contextmanager
def own_kernels():
    """This project's kernels alone: on a card, NVIDIA's libraries compute in their place where they are installed."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MINIGLUON_CUBLAS", "MINIGLUON_CUBLASLT", "MINIGLUON_CUDNN"):
            patch.setenv(name, "0")
        yield


def to_gpu(array):
    return backend().from_numpy(array, GPU)


def gappy(array):
    """The same elements on the GPU, as a view with others between them."""
    if array.ndim == 0:
        return to_gpu(array)
    whole = to_gpu(with_holes(array).base if array.size else np.repeat(array, 2, -1))
    return whole[..., ::2]


@pytest.fixture(name="pooled")
def _pooled(monkeypatch):
    """Memory that is kept, as on a card: it is freed later, and results come to the same addresses, as graphs want."""
    device = backend().device
    pool = Pool(device.memory._allocate, device.memory._free, device)
    monkeypatch.setattr(device.memory, "_pool", pool)
    yield
    mx.nd.waitall()
    gc.collect()
    pool.release()


class Twin(CpuTwin):
    """An operator's kernel on the GPU and its reference. declined: why there is no kernel, or None."""

    def _prepare(self):
        found = backend().prepare(self.op, self.inputs, self.outputs, self.train, None)
        return found if isinstance(found, str) else (found.run, found.scratch if found.write else None)

    def check(self):
        """Compare with the reference in all the ways named above. False where there is no kernel."""
        if self.declined is not None:
            return False
        wanted = self.wanted()
        call, scratch = self._prepare()
        message = f"{self.op!r} on {self.inputs}"
        if isinstance(wanted, MXNetError):
            with pytest.raises(MXNetError):
                [b.numpy() for b in call([to_gpu(a) for a in self.arrays])]
            return True
        results = self.run(call, scratch, [to_gpu(a) for a in self.arrays])
        self.compare(results, wanted, message)
        self.compare(self.run(call, None, [gappy(a) for a in self.arrays]), wanted, f"{message}: inputs with gaps")
        if scratch is not None:
            self.check_program(call, scratch, results, message)
            self.check_in_place(call, scratch, results, message)
        return True

    def run(self, call, scratch, inputs, alias=None):
        """(outputs, inputs afterwards) as NumPy arrays."""
        if scratch is None:
            outputs = call(inputs)[:len(self.outputs)]
        else:
            outputs = [to_gpu(garbage(spec)) for spec in self.outputs]
            if alias is not None:
                outputs[0] = inputs[alias].reshape(self.outputs[0].shape)
            call(inputs, outputs + [to_gpu(garbage(spec)) for spec in scratch])
        return [b.numpy() for b in outputs], [b.numpy() for b in inputs]

    def check_program(self, call, scratch, results, message):
        """As a plan runs it: inputs that matter by their shape alone have no memory."""
        if self.op.mutates:
            return                      # a second run would begin with other values
        values = [Buffer(0, a.shape, a.dtype, None, backend().device) if name in self.op.shape_only else to_gpu(a)
                  for name, a in zip(self.names, self.arrays, strict=True)]
        outputs = [to_gpu(garbage(spec)) for spec in self.outputs]
        values += outputs + [to_gpu(garbage(spec)) for spec in scratch]
        program = backend().prepare_program([(call, list(range(len(values))))] * 4, {}, len(values))
        for how in "one by one", "captured", "as a graph":
            assert program.run(values, 0) == 4
            same(([b.numpy() for b in outputs],), results[:1], f"{message}: in a program, {how}")

    def check_in_place(self, call, scratch, results, message):
        out = self.outputs[0] if self.outputs else None
        for index, (name, array) in enumerate(zip(self.names, self.arrays, strict=True)):
            if (out is not None and name in self.op.in_place and name not in self.op.mutates
                    and (array.size, array.dtype) == (math.prod(out.shape), out.dtype)):
                outputs, inputs = self.run(call, scratch, [to_gpu(a) for a in self.arrays], alias=index)
                inputs[index] = self.arrays[index]
                same((outputs, inputs), results, f"{message}: over the memory of {name}")

    def tolerance(self, wanted):
        terms = max(1, sum(a.size for a in self.arrays) // max(wanted.size, 1))
        return ULPS * math.sqrt(terms) * np.finfo(wanted.dtype).eps


def agree(name, *arrays, train=False, **attrs):
    """Check the operator that nd.name(*arrays, **attrs) runs. Fails where it has no kernel; returns its Twin."""
    twin = Twin(bound(name, arrays, attrs), list(arrays), train)
    assert twin.declined is None, f"{name} on {twin.inputs}: declined: {twin.declined}"
    assert twin.check()
    return twin


def prepared():
    """Names of the operators that have kernels on the GPU."""
    return sorted(kernels.prepared_operators())
