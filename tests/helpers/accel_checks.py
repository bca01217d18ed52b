"""One operator on given arrays, by the plugin and by the reference: what the tests of the plugin compare.

A kernel runs for each instruction set that is built and present, on one, two and three threads, into fresh memory, over
the memory of an input, on buffers with holes and at odd addresses, and as a line of a program.
"""

import contextlib
import math

import numpy as np
import pytest

from helpers.rows import garbage
from minigluon.backend import ReferenceBackend, Spec
from minigluon.backend.forgetting import forget_kernels
from minigluon.base import MXNetError
from minigluon.dispatch import infer
from minigluon.ops.math.broadcast import Broadcast
from minigluon.ops.quantized.weights import integers_of

accel = pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
BACKEND, engine = accel.BACKEND, accel.engine

ISAS = [name for name, (built, has) in engine.isas().items() if built and has]

# Units in the last place, for each square root of the number of terms in a sum. The operators named here compute in
# another way than the reference, at a price that is known.
ULPS = 8
FENCE = 4096            # bytes on either side of what a kernel may write
SUMS = {"sum", "nansum", "mean", "norm", "_square_sum", "_sum_like"}     # compared with the sum in higher precision
DEPTH = 64              # additions that a number goes through in a block, and until its vectors are one number
MORE_ULPS = dict.fromkeys(                      # Winograd's way: see kernels/nn/convolution_winograd.py
    ["Convolution", "_conv", "_conv_data_grad", "_conv_weight_grad", "Deconvolution", "_conv_relu", "_conv_pool"], 64)
MORE_ULPS["erfinv"] = 40                        # the reference's own error near 1 in float64; the kernel's is 3


@contextlib.contextmanager
def configured(isa=None, threads=None):
    """Kernels of another instruction set, or with another number of threads, in the block."""
    before = engine.isa(), engine.threads()
    try:
        engine.set_isa(isa or before[0])
        engine.set_threads(threads or before[1])
        forget_kernels()
        yield
    finally:
        engine.set_isa(before[0])
        engine.set_threads(before[1])
        forget_kernels()


class Twin:
    """An operator's kernel and its reference. declined: why there is no kernel, or None."""

    def __init__(self, op, arrays, train=False):
        self.op, self.arrays, self.train = op, arrays, train
        self.names = op.argument_names(len(arrays))
        self.inputs = [Spec(a.shape, a.dtype) for a in arrays]
        self.outputs = None
        self.declined = "dynamic" if op.dynamic else "random" if op.random else None
        if self.declined is None:
            self.outputs = infer(op, self.inputs)
            found = self._prepare()
            self.declined = found if isinstance(found, str) else None

    def _prepare(self):
        found = BACKEND.prepare(self.op, self.inputs, self.outputs, self.train, None)
        return found if isinstance(found, str) else (found.write, found.scratch)

    def wanted(self):
        """(outputs, {input: new value}) of the reference, or the error that it raises."""
        kernel = ReferenceBackend().prepare(self.op, self.inputs, self.outputs, self.train, None)
        try:
            with np.errstate(all="ignore"):
                results = list(kernel.run([a.copy() for a in self.arrays]))
        except MXNetError as error:
            return error
        mutated = zip(self.op.mutates, results[len(self.outputs):], strict=False)
        return ([np.asarray(r) for r in results[:len(self.outputs)]],
                {name: np.asarray(value) for name, value in mutated if value is not None})

    def run(self, call, scratch, inputs=None, alias=None):
        """(outputs, inputs afterwards) of a kernel; `alias` names the input whose memory the first output takes."""
        inputs = [a.copy() for a in self.arrays] if inputs is None else inputs
        with fenced([*self.outputs, *scratch]) as memory:
            outputs = memory[:len(self.outputs)]
            if alias is not None:
                outputs[0] = inputs[alias].reshape(self.outputs[0].shape)
            call(inputs, outputs + memory[len(outputs):])
        return outputs, inputs

    def check(self):
        """Compare with the reference in all the ways named above. False where there is no kernel."""
        if self.declined is not None:
            return False
        wanted = self.wanted()
        for isa in ISAS:
            with configured(isa, 1):
                found = self._prepare()
                if isinstance(found, str):
                    continue
                call, scratch = found
                if isinstance(wanted, MXNetError):
                    with pytest.raises(MXNetError):
                        self.imperative()
                    continue
                results = self.run(call, scratch)
                self.compare(results, wanted, f"{self.op!r} on {self.inputs}, {isa}")
                self.check_ways(call, scratch, results)
        return True

    def check_ways(self, call, scratch, results):
        """Every other way to run the kernel gives the same bits."""
        for threads in 2, 3:
            with configured(threads=threads):
                same(self.run(call, scratch), results, f"{self.op!r}: {threads} threads")
        for how in with_holes, at_odd_address, backwards:
            same(self.run(call, scratch, [how(a) for a in self.arrays]), results, f"{self.op!r}: inputs {how.__name__}")
        same((self.imperative(), results[1]), results, f"{self.op!r}: imperative")
        same(self.in_a_program(call, scratch), results, f"{self.op!r}: in a program")
        out = self.outputs[0] if self.outputs else None
        for index, (name, array) in enumerate(zip(self.names, self.arrays, strict=True)):
            if (out is not None and name in self.op.in_place and name not in self.op.mutates
                    and (array.size, array.dtype) == (math.prod(out.shape), out.dtype)):
                outputs, inputs = self.run(call, scratch, alias=index)
                inputs[index] = self.arrays[index]
                same((outputs, inputs), results, f"{self.op!r}: over the memory of {name}")

    def imperative(self):
        """Outputs as imperative execution gets them; mutated inputs are checked by the other ways."""
        kernel = BACKEND.prepare(self.op, self.inputs, self.outputs, self.train, None)
        return kernel.run([a.copy() for a in self.arrays])[:len(self.outputs)]

    def in_a_program(self, call, scratch):
        """As a plan runs it; of an input that matters by its shape alone, there is one element only."""
        inputs = [a.copy() for a in self.arrays]
        outputs = [garbage(spec) for spec in self.outputs]
        values = [np.broadcast_to(np.zeros((), a.dtype), a.shape) if name in self.op.shape_only else a
                  for name, a in zip(self.names, inputs, strict=True)]
        values += outputs + [garbage(spec) for spec in scratch]
        program = engine.Program([(call, list(range(len(values))))], {}, len(values))
        if program.run(values, 0) == 0:                 # refused: the plan runs this line
            call(inputs, values[len(inputs):])
        return outputs, inputs

    def compare(self, results, wanted, message):
        (outputs, inputs), (wanted_outputs, mutated) = results, wanted
        if self.op.name == "_batch_norm_grad":          # an infinite gamma times what cancels: by rounding 0 or not
            outputs, wanted_outputs = [[np.where(np.isfinite(y), y, y.dtype.type(np.nan)) if y.dtype.kind == "f" else y
                                        for y in arrays] for arrays in (outputs, wanted_outputs)]
        if self.op.name == "_contrib_cached_attention":     # the reference weighs what is later with 0: 0 · inf is NaN
            outputs = [np.where(np.isnan(expected), expected, y) if y.dtype.kind == "f" else y
                       for y, expected in zip(outputs, wanted_outputs, strict=True)]
        for found, expected in zip(outputs, wanted_outputs, strict=True):
            self.close(found, expected, message)
        for name, found, before in zip(self.names, inputs, self.arrays, strict=True):
            if name in mutated:
                self.close(found, mutated[name], f"{message}: input {name}")
            else:
                np.testing.assert_array_equal(found, before, f"{message}: input {name} was changed")

    def close(self, found, wanted, message):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), message
        if found.dtype.kind != "f":
            np.testing.assert_array_equal(found, wanted, message)
            return
        if self.op.name in SUMS and wanted.size:
            self.close_sum(found, wanted, message)
            return
        if self.op.name == "_contrib_weight_only_fully_connected":
            self.close_rounded(found, wanted, message)
            return
        found, tolerance = found.astype("float64"), self.tolerance(wanted)
        np.testing.assert_allclose(found, wanted, tolerance, tolerance * self.scale(wanted), err_msg=message)
        if type(self.op).elementwise is True or isinstance(self.op, Broadcast):
            zero = (found == 0) & (wanted == 0)
            np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(wanted[zero]), f"{message}: sign of zero")

    def close_sum(self, found, wanted, message):
        """A sum is off by no more than ε · Σ |x| for each addition that one of its numbers goes through.

        A kernel has a number of them that grows with the logarithm of the length. NumPy, which adds rows one after the
        other, may be off by more, so that the sum is computed in higher precision. ε · |sum| would be too little where
        it cancels.
        """
        data, *like = [a.astype(np.longdouble) for a in self.arrays]
        with np.errstate(all="ignore"):
            exact, size = self.op.forward(data, *like), self.op.forward(np.abs(data), *like)
        additions = DEPTH + math.log2(max(data.size // wanted.size, 1))
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(found[~finite], wanted[~finite], message)
        error = np.abs(found[finite] - exact[finite])
        bound = additions * max(np.finfo(x.dtype).eps for x in (wanted, self.arrays[0])) * size[finite]
        assert (error <= bound).all(), f"{message}: off by {error.max()}, not at most {bound[error.argmax()]}"

    def close_rounded(self, found, wanted, message):
        """The kernels for float32 round each group of data to 16 bits: half a step of the largest magnitude / 32767."""
        data, weight, scale = (a.astype("float64") if a.dtype.kind == "f" else a for a in self.arrays[:3])
        depth, size, info = data.shape[-1], self.op.group_size, np.finfo(wanted.dtype)
        q, x = np.abs(integers_of(weight, self.op.bits, depth).astype("float64")), np.abs(data.reshape(-1, depth))
        bound, overflows = np.zeros(1), np.zeros(1, bool)
        with np.errstate(all="ignore"):
            for group in range(scale.shape[1]):
                part, factor = slice(group * size, (group + 1) * size), np.abs(scale[:, group])
                step = x[:, part].max(axis=1, keepdims=True) / 65534 if wanted.dtype == np.float32 else 0
                total = x[:, part] @ q[:, part].T
                bound = bound + (step * 1.001 + 16 * info.eps * x[:, part]) @ q[:, part].T * factor
                overflows = overflows | (total * max(1, factor.max()) > info.max / 4)
            found, wanted = found.reshape(bound.shape).astype("float64"), wanted.reshape(bound.shape).astype("float64")
            error, bound = np.abs(found - wanted), bound + 8 * info.eps * np.abs(wanted) + info.tiny
            hostile = ~np.isfinite(x).all(axis=1)[:, None] | ~np.isfinite(scale).all(axis=1)
            right = np.where(hostile, np.isfinite(found) == np.isfinite(wanted), overflows | (error <= bound))
        assert right.all(), f"{message}: off by {error[~right].max()}, not at most {bound[~right].min()}"

    def tolerance(self, wanted):
        terms = max(1, sum(a.size for a in self.arrays) // max(wanted.size, 1))
        if "norm" in self.op.name.lower():      # it sums each channel; the result is as large as the data
            sizes = [a.size for a in self.arrays if a.size]
            terms = max(terms, max(sizes, default=1) // min(sizes, default=1))
        if "attention" in self.op.name:         # it sums over all keys
            terms = max(terms, *[n for a in self.arrays for n in a.shape])
        return MORE_ULPS.get(self.op.name, ULPS) * math.sqrt(terms) * np.finfo(wanted.dtype).eps

    def scale(self, wanted):
        """The largest finite number that takes part: what cancels in a sum has its size."""
        if type(self.op).elementwise is True or isinstance(self.op, Broadcast):
            arrays = [wanted]
        else:
            arrays = [wanted, *[a for a in self.arrays if a.dtype.kind == "f"]]
        return max(np.max(np.abs(a), initial=0, where=np.isfinite(a)) for a in arrays)


def same(found, wanted, message):
    """Bit for bit, NaN for NaN."""
    for ours, theirs in zip(found, wanted, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b, message, strict=True)
            if a.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]), message)


@contextlib.contextmanager
def fenced(specs):
    """`with fenced(specs) as arrays:` garbage for each, and an error if something was written beside one of them."""
    def size(spec):
        return math.prod(spec.shape) * spec.dtype.itemsize
    fences = [np.full(FENCE + size(spec) + FENCE, 0x5a, np.uint8) for spec in specs]
    arrays = [fence[FENCE:FENCE + size(spec)].view(spec.dtype).reshape(spec.shape)
              for fence, spec in zip(fences, specs, strict=True)]
    for array, spec in zip(arrays, specs, strict=True):
        array[...] = garbage(spec)
    yield arrays
    for fence, spec in zip(fences, specs, strict=True):
        beside = np.concatenate([fence[:FENCE], fence[FENCE + size(spec):]])
        assert (beside == 0x5a).all(), f"a kernel wrote beside the memory of {spec}"


def with_holes(array):
    """The same elements, with others between them along the last axis."""
    if array.ndim == 0:
        return array.copy()
    wide = np.repeat(array, 2, -1)
    wide[..., 1::2] = 7
    return wide[..., ::2]


def backwards(array):
    """The same elements with negative strides, and axes in the other order."""
    return np.array(array[(slice(None, None, -1),) * array.ndim].T, order="C").T[(slice(None, None, -1),) * array.ndim]


def at_odd_address(array):
    """The same elements, at an address that is no multiple of their size."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    odd = memory[1:].view(array.dtype).reshape(array.shape)
    odd[...] = array
    return odd
