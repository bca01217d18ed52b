"""Convolution and its gradients with cuDNN; the algorithm is chosen once, when the operator is prepared.

    plans = planned("Forward", ...)     Plans, or a string that says why our own kernels are needed
    plans[0].enqueue(stream, [x, w, y, workspace])

With the library's own ranking (a heuristic that runs nothing), there is one Plan. With timing, there is one Plan for
each permitted algorithm: cudnn_tune="limited_workspace" or "fastest", or MXNET_CUDNN_AUTOTUNE_DEFAULT=1 or 2 for layers
that do not specify it (default 1, as in MXNet). `convolution_library` times them along with our own kernels. Only
algorithms that produce the same bits on every run are permitted. Enqueueing neither allocates nor waits, so a CUDA
graph can capture it: the workspace is an operand.
"""

import ctypes
import functools
import os
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec

from ..alignment import AlignedCopies, room, split_workspace
from . import descriptors, library
from .convolution_relu import with_bias_and_relu

__all__ = ["Plan", "Tuning", "planned"]

MEBIBYTE = 2 ** 20
MAX_PLANS = 1024        # the maximum number of cached plans
DEFAULT_TUNE = {"0": "off", "1": "limited_workspace", "2": "fastest"}

# cudnnConvolutionFwdAlgo_t, cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionBwdFilterAlgo_t
ALGORITHMS = {
    "Forward": ("implicit GEMM", "implicit GEMM, indices computed before", "GEMM", "direct", "FFT", "FFT in tiles",
                "Winograd", "Winograd in steps"),
    "BackwardData": ("algorithm 0", "algorithm 1", "FFT", "FFT in tiles", "Winograd", "Winograd in steps"),
    "BackwardFilter": ("algorithm 0", "algorithm 1", "FFT", "algorithm 3", "Winograd", "Winograd in steps",
                       "FFT in tiles"),
}


class Tuning(NamedTuple):
    """The cuDNN settings in an operator's attributes.

    off: whether cuDNN is disabled. measures: whether timing decides instead of the library's ranking. limit: the
    largest workspace in bytes, or None if unlimited.
    """

    off: bool
    measures: bool
    limit: int | None

    @classmethod
    def of(cls, op):
        tune = op.cudnn_tune or DEFAULT_TUNE.get(os.environ.get("MXNET_CUDNN_AUTOTUNE_DEFAULT", "1"), "off")
        return cls(op.cudnn_off, tune != "off", None if tune == "fastest" else op.workspace * MEBIBYTE)


class Plan(NamedTuple):
    """name: its description. enqueue: function(stream, addresses of both operands, the result, and memory for the
    workspace). workspace: the bytes of memory that it needs, or 0. whole: whether the call also applies relu and adds
    the bias, which is then a third operand."""

    name: str
    enqueue: object
    workspace: int
    whole: bool = False


def planned(way, geometry, data, weight, out, device, tuning, whole=False):
    """Returns the Plans for a convolution of these Specs or one of its gradients, or a string that says why there is
    none.

    way: one of `library.WAYS`. data, weight, out: Specs of the convolution, whichever of the three is computed.
    Operands are (data, weight), (weight, out), (data, out), in the order of `library.WAYS`. whole: whether to include
    bias and relu if cuDNN supports this.
    """
    reason = "cudnn_off=True" if tuning.off else library.available()
    if reason:
        return reason
    if data.dtype.name not in descriptors.TYPES:
        return f"cuDNN has no convolutions of {data.dtype}"
    if not descriptors.fits(data, weight, out):
        return "cuDNN is not used for arrays that are empty or have 2^31 elements"
    return _planned(way, geometry, data, weight, out, device, tuning, _math_type(data.dtype.name), whole)


@functools.lru_cache(MAX_PLANS)         # a network has many identical layers, each of which is prepared more than once
def _planned(way, geometry, data, weight, out, device, tuning, math_type, whole):
    try:
        request = _ConvolutionRequest(way, geometry, data, weight, out, device, math_type)
        return request.misplaced() or request.plans(tuning, whole)
    except library.UnsupportedError as error:
        return str(error)


def _math_type(dtype):
    """Returns the math type: tensor cores for float16, and for float32 with MINIGLUON_TF32=1, as in matrix products."""
    if dtype == "float16":
        return descriptors.TENSOR_CORES
    tf32 = dtype == "float32" and os.environ.get("MINIGLUON_TF32") == "1"
    return descriptors.DEFAULT_MATH if tf32 else descriptors.WITHOUT_TENSOR_CORES


class _ConvolutionRequest:
    """A convolution in cuDNN's terms."""

    def __init__(self, way, geometry, data, weight, out, device, math_type):
        self.arguments = way, geometry, data, weight, out, device, math_type
        self.way, self.device, self.dtype, self.handles = way, device, data.dtype.name, library.handles(device)
        self.what = {"Forward": "convolution", "BackwardData": "convolution's gradient of data",
                     "BackwardFilter": "convolution's gradient of weight"}[way]
        self.specs = {"Forward": (data, weight, out), "BackwardData": (weight, out, data),
                      "BackwardFilter": (data, out, weight)}[way]
        x, w, y = (descriptors.images(device, data, geometry.last), descriptors.filters(device, weight, geometry.last),
                   descriptors.images(device, out, geometry.last))
        self.math = math_type
        self.windows = descriptors.windows(device, geometry, self.dtype, self.math)
        self.data, self.weight, self.sizes = x, w, descriptors.sizes(out, geometry.last)
        first, second, result = {"Forward": (x, w, y), "BackwardData": (w, y, x), "BackwardFilter": (x, y, w)}[way]
        self.four = first, second, self.windows, result

    def misplaced(self):
        """Returns None, or the reason if cuDNN would place the windows differently from the operator."""
        sizes = descriptors.ints(self.sizes)
        library.call(self.device, self.what, "cudnnGetConvolutionNdForwardOutputDim", self.windows, self.data,
                     self.weight, len(sizes), sizes)
        actual = list(sizes)
        return None if actual == self.sizes else f"cuDNN would give a result of {actual}, and {self.sizes} is asked for"

    def plans(self, tuning, whole):
        """Returns the Plans of all permitted algorithms or only of the first, or a string that says why there are none.
        """
        plans = []
        for each in self._ranked():
            if each.status or each.determinism != descriptors.DETERMINISTIC:
                continue
            if self.math == descriptors.WITHOUT_TENSOR_CORES and each.math == descriptors.TENSOR_CORES:
                continue
            # The math type is part of a descriptor.
            request = _ConvolutionRequest(*self.arguments) if plans else self
            size = request._workspace(each)
            if size is not None and (tuning.limit is None or size <= tuning.limit):
                plans.append(request._plan(each, size, whole))
                if not tuning.measures:
                    break
        return tuple(plans) or ("cuDNN has no algorithm for it that gives the same bits each time"
                                + (f" within {tuning.limit // MEBIBYTE} MiB of workspace" if tuning.limit else ""))

    @staticmethod
    def memory(size):
        """Returns the Specs of memory for a workspace of `size` bytes: a list with one Spec, or an empty list."""
        return [Spec((room(size),), np.dtype("uint8"))] if size else []

    def _ranked(self):
        """Returns AlgorithmResults in the order of the library's own estimates, fastest first."""
        return self._list(f"cudnnGetConvolution{self.way}Algorithm_v7")

    def _list(self, name):
        handle, count, came = self.handles[self.device.stream_handle], ctypes.c_int(), ctypes.c_int()
        with handle.lock:
            library.call(self.device, self.what, f"cudnnGetConvolution{self.way}AlgorithmMaxCount", handle.value,
                         ctypes.byref(count))
            array = (descriptors.AlgorithmResult * count.value)()
            library.call(self.device, self.what, name, handle.value, *self.four, len(array), ctypes.byref(came), array)
        return array[:came.value]

    def _workspace(self, candidate):
        """Returns the number of bytes that an algorithm needs, or None if it turns out to be unsupported."""
        if self.math != descriptors.WITHOUT_TENSOR_CORES:
            library.call(self.device, self.what, "cudnnSetConvolutionMathType", self.windows, candidate.math)
        handle, size = self.handles[self.device.stream_handle], ctypes.c_size_t()
        with handle.lock:
            try:
                library.call(self.device, self.what, f"cudnnGetConvolution{self.way}WorkspaceSize", handle.value,
                             *self.four, candidate.algorithm, ctypes.byref(size))
            except library.UnsupportedError:
                return None
        return size.value

    def _plan(self, candidate, size, whole):
        names, algorithm = ALGORITHMS[self.way], candidate.algorithm
        text = f"cuDNN: {names[algorithm] if algorithm < len(names) else f'algorithm {algorithm}'}"
        text += f", {-(-size // MEBIBYTE)} MiB" if size else ""
        enqueue = with_bias_and_relu(self, algorithm, size) if whole else None
        if enqueue is not None:
            return Plan(f"{text}, with bias and relu", enqueue, room(size), whole=True)
        return Plan(text, self._enqueue(algorithm, size), room(size))

    def _enqueue(self, algorithm, size):
        device, what, name = self.device, self.what, f"cudnnConvolution{self.way}"
        run, handles = getattr(library.loaded(), name), self.handles
        first, second, windows, result = self.four
        one, zero = (descriptors.scalar(self.dtype, number) for number in (1, 0))
        alpha, beta = ctypes.byref(one), ctypes.byref(zero)
        aligned = AlignedCopies(device, self.specs)

        def enqueue(stream, pointers):
            operands, workspace = split_workspace(pointers, size)
            handle = handles[stream]

            def call(operands):
                a, b, c = operands
                return run(handle.value, alpha, first, a, second, b, windows, algorithm, workspace, size, beta, result,
                           c)
            with handle.lock:
                status = aligned.run(stream, operands, call)
            if status:
                library.check(device, what, name, status)
        return enqueue
