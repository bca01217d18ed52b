"""A stand-in of cuDNN: it takes the calls as the library's C functions do, and looks at every argument.

It keeps what descriptors were told, refuses what cuDNN's documentation does not allow, writes each call down in
`calls`, and computes with the project's plain kernels, on the stream of the handle: so a CUDA graph can capture what it
does. The result and the workspace are filled with NaNs before. Arguments go through the C types that the library has.
"""

import ctypes
from functools import partial
from types import SimpleNamespace

import numpy as np
from minigluon_accel.gpu.compile import prepare
from minigluon_accel.gpu.cudnn import library
from minigluon_accel.gpu.cudnn.descriptors import AlgorithmResult
from minigluon_accel.gpu.kernels.nn import convolution
from minigluon_accel.gpu.launch import In, Out, Scratch

from helpers.c_stand_in import CStandIn, fill, ints, need, run_on
from helpers.gpu_checks import backend
from minigluon.backend import Spec
from minigluon.ops.nn.convolution_kernels import Geometry

__all__ = ["StandIn", "decoded"]

# From cuDNN 9's headers, not from the code under test.
BAD_PARAM, NULL_POINTER, TOO_SMALL, MISMATCH, NOT_SUPPORTED, FAILED = 2000, 2002, 2006, 2008, 3000, 5000
NAMES = {0: "SUCCESS", 2002: "BAD_PARAM_NULL_POINTER", 2000: "BAD_PARAM", 2006: "BAD_PARAM_SIZE_INSUFFICIENT",
         2008: "BAD_PARAM_SHAPE_MISMATCH", 3000: "NOT_SUPPORTED", 5000: "EXECUTION_FAILED"}
TYPES = {0: "float32", 1: "float64", 2: "float16"}
WORKSPACE = {"Forward": (0, 4096, 300), "BackwardData": (64, 0), "BackwardFilter": (0, 1000)}   # of each algorithm
DETERMINISTIC = {"Forward": (1, 1, 1), "BackwardData": (0, 1), "BackwardFilter": (0, 1)}


class StandIn(CStandIn):
    """handles: {handle: its stream}. objects: descriptors by their numbers. ranking: numbers of algorithms."""

    failed = FAILED

    def __init__(self):
        self.objects, self.handles, self.ranking, self.kernels = {}, {}, None, {}
        super().__init__(library.signatures(), ["cudnnGetErrorString"])

    @staticmethod
    def cudnnGetErrorString(status):
        return f"CUDNN_STATUS_{NAMES[status]}".encode()

    def method(self, name):
        """The method of that name, or the one for all ways of a convolution, or for all descriptors."""
        if hasattr(self, name):
            return getattr(self, name)
        for way in library.WAYS:
            if hasattr(self, name.replace(f"Convolution{way}", "Convolution")):
                return partial(getattr(self, name.replace(f"Convolution{way}", "Convolution")), way)
        kind = name.removeprefix("cudnnCreate").removeprefix("cudnnDestroy").removesuffix("Descriptor")
        return partial(getattr(self, name.replace(kind, "")), kind)

    # -- the library, handles, descriptors ----------------------------------------------------------------------------

    def cudnnGetVersion(self):
        return 92800

    def cudnnGetCudartVersion(self):
        return 12090

    def cudnnGetLastErrorString(self, text, size):
        ctypes.memmove(text, self.last.encode() + b"\0", len(self.last) + 1)
        self.last = ""

    def cudnnCreate(self, handle):
        number = 1000 + len(self.handles)
        self.handles[number] = None
        ctypes.c_void_p.from_address(handle).value = number
        self.calls.append("create")

    def cudnnSetStream(self, handle, stream):
        need(handle in self.handles, BAD_PARAM, "no such handle")
        self.handles[handle] = stream
        self.calls.append("stream")

    def cudnnCreateDescriptor(self, kind, place):
        number = 1 + max(self.objects, default=0)
        self.objects[number] = SimpleNamespace(kind=kind, set=False, groups=1, math=0)
        ctypes.c_void_p.from_address(place).value = number

    def cudnnDestroyDescriptor(self, kind, number):
        need(number in self.objects and self.objects[number].kind == kind, BAD_PARAM, "no such descriptor")
        del self.objects[number]

    def cudnnSetTensorNdDescriptor(self, number, dtype, count, sizes, steps):
        need(dtype in TYPES and 4 <= count <= 8, BAD_PARAM, "type or rank of a tensor")
        sizes, steps = ints(sizes, count), ints(steps, count)
        need(min(*sizes, *steps) > 0 and sizes[0] * steps[0] < 2 ** 31, BAD_PARAM, "sizes of a tensor")
        vars(self._object(number, "Tensor")).update(set=True, dtype=TYPES[dtype], sizes=sizes, steps=steps)

    def cudnnSetFilterNdDescriptor(self, number, dtype, form, count, sizes):
        need(dtype in TYPES and form in (0, 1) and 4 <= count <= 8, BAD_PARAM, "type, form or rank of a filter")
        sizes = ints(sizes, count)
        need(min(sizes) > 0, BAD_PARAM, "sizes of a filter")
        vars(self._object(number, "Filter")).update(set=True, dtype=TYPES[dtype], sizes=sizes, last=form == 1)

    def cudnnSetConvolutionNdDescriptor(self, number, count, pad, stride, dilate, mode, summed):
        pad, stride, dilate = (tuple(ints(x, count)) for x in (pad, stride, dilate))
        need(count in (2, 3) and min(pad) >= 0 and min(*stride, *dilate) > 0, BAD_PARAM, "windows")
        need(mode == 1, BAD_PARAM, "filters are turned round")
        vars(self._object(number, "Convolution")).update(set=True, pad=pad, stride=stride, dilate=dilate,
                                                         summed=TYPES[summed])

    def cudnnSetConvolutionGroupCount(self, number, groups):
        need(groups > 0, BAD_PARAM, "groups")
        self._object(number, "Convolution").groups = groups

    def cudnnSetConvolutionMathType(self, number, math):
        need(math in (0, 1, 2, 3), BAD_PARAM, "math type")
        self._object(number, "Convolution").math = math

    def _object(self, number, kind):
        need(number is not None, NULL_POINTER, f"no {kind}")
        found = self.objects.get(number)
        need(found is not None and found.kind == kind, BAD_PARAM, f"not a {kind} descriptor, or a destroyed one")
        return found

    # -- convolutions -------------------------------------------------------------------------------------------------

    def cudnnGetConvolutionNdForwardOutputDim(self, windows, x, w, count, sizes):
        x, w, windows = (self._object(*of) for of in ((x, "Tensor"), (w, "Filter"), (windows, "Convolution")))
        found = result_of(x, w, windows)
        need(count == len(found), BAD_PARAM, "rank of a result")
        for place, size in enumerate(found):
            ctypes.c_int.from_address(sizes + 4 * place).value = size

    def cudnnGetConvolutionAlgorithmMaxCount(self, way, handle, count):
        need(handle in self.handles, BAD_PARAM, "no such handle")
        ctypes.c_int.from_address(count).value = len(WORKSPACE[way])

    def cudnnGetConvolutionAlgorithm_v7(self, way, handle, first, second, windows, result, count, came, founds):
        need(handle in self.handles, BAD_PARAM, "no such handle")
        asked = self._checked(way, first, second, windows, result)
        order = self.ranking or range(len(WORKSPACE[way]))
        need(count >= len(order), BAD_PARAM, "room for algorithms")
        self.calls.append(f"rank {way}")
        for place, number in enumerate(order):
            AlgorithmResult.from_address(founds + place * ctypes.sizeof(AlgorithmResult)).__init__(
                number, 0, 0.5 + place, WORKSPACE[way][number], DETERMINISTIC[way][number], asked[2].math)
        ctypes.c_int.from_address(came).value = len(order)

    def cudnnGetConvolutionWorkspaceSize(self, way, handle, first, second, windows, result, algorithm, size):
        need(handle in self.handles, BAD_PARAM, "no such handle")
        self._checked(way, first, second, windows, result)
        need(algorithm in range(len(WORKSPACE[way])), BAD_PARAM, "no such algorithm")
        ctypes.c_size_t.from_address(size).value = WORKSPACE[way][algorithm]

    def cudnnConvolution(self, way, handle, alpha, first, a, second, b, windows, algorithm, workspace, size, beta,
                         result, c):
        *asked, nbytes = self._checked(way, first, second, windows, result)
        need(None not in (a, b, c), NULL_POINTER, "an operand")
        scalar = ctypes.c_double if asked[0].dtype == "float64" else ctypes.c_float
        need((scalar.from_address(alpha).value, scalar.from_address(beta).value) == (1, 0), BAD_PARAM, "alpha, beta")
        need(size >= WORKSPACE[way][algorithm], TOO_SMALL, "workspace")
        need(workspace or not WORKSPACE[way][algorithm], NULL_POINTER, "workspace")
        need(not (workspace or 0) % 256, 2003, "a misaligned workspace")
        need(not any(pointer % 16 for pointer in (a, b, c)), 2003, "misaligned")
        self.calls.append((way, algorithm, *decoded(*asked[:3])))
        stream = self.handles[handle]
        for pointer, count in ((workspace, size), (c, nbytes)):
            if count:
                fill(stream, pointer, count, 0xFF)
        launches, (one, other) = self._kernels(way, *asked)
        run_on(stream, launches, [(a, b)[one], (a, b)[other], c])

    def cudnnSetActivationDescriptor(self, number, mode, nan, limit):
        need((mode, nan, limit) == (1, 1, 0.0), BAD_PARAM, "activation")
        self._object(number, "Activation").set = True

    def cudnnConvolutionBiasActivationForward(self, handle, alpha, x, a, w, b, windows, algorithm, workspace, size,
                                              factor, z, d, bias, shift, relu, y, c):
        need(self._object(relu, "Activation").set and z == y and d == c, BAD_PARAM, "activation, or what is added")
        bias = self._object(bias, "Tensor")
        *asked, _ = self._checked("Forward", x, w, windows, y)
        need((bias.dtype, bias.sizes[:2]) == (asked[0].dtype, [1, asked[3].sizes[1]]), BAD_PARAM, "bias")
        need(len(bias.sizes) == len(asked[3].sizes) and not shift % 16, BAD_PARAM, "bias")
        self.cudnnConvolution("Forward", handle, alpha, x, a, w, b, windows, algorithm, workspace, size, factor, y, c)
        self.calls[-1] = ("with bias and relu", *self.calls[-1][1:])
        run_on(self.handles[handle], self._kernels("whole", *asked)[0], [a, b, shift, c])

    def _checked(self, way, first, second, windows, result):
        """(x, w, windows, y, bytes of the result), whichever is which for this way."""
        kinds = {"Forward": ("Tensor", "Filter", "Tensor"), "BackwardData": ("Filter", "Tensor", "Tensor"),
                 "BackwardFilter": ("Tensor", "Tensor", "Filter")}[way]
        found = [self._object(*of) for of in zip((first, second, result), kinds, strict=True)]
        windows = self._object(windows, "Convolution")
        need(all(one.set for one in (*found, windows)), BAD_PARAM, "a descriptor that was not set")
        x, w, y = {"Forward": found, "BackwardData": [found[2], found[0], found[1]],
                   "BackwardFilter": [found[0], found[2], found[1]]}[way]
        need(x.dtype == w.dtype == y.dtype, BAD_PARAM, "types differ")
        need(windows.summed == ("float64" if x.dtype == "float64" else "float32"), NOT_SUPPORTED, "type of sums")
        need(result_of(x, w, windows) == y.sizes, MISMATCH, "sizes of the result")
        need(is_last(x) == is_last(y) == w.last or 1 in (x.sizes[1], y.sizes[1]), NOT_SUPPORTED, "layouts differ")
        return x, w, windows, y, int(np.prod(found[2].sizes)) * np.dtype(x.dtype).itemsize

    def _kernels(self, way, x, w, windows, y):
        """The project's plain kernels for what the descriptors say, and which operands are their inputs."""
        key = way, *decoded(x, w, windows)
        if key not in self.kernels:
            device, last = backend().device, w.last
            geometry = Geometry(tuple(w.sizes[2:]), windows.stride, windows.dilate, windows.pad, windows.groups, last)
            data, weight, out = (Spec(geometry.shape(s.sizes[0], s.sizes[1], s.sizes[2:]), np.dtype(x.dtype))
                                 for s in (x, w, y))
            places = {In: 0, Out: 3 if way == "whole" else 2, Scratch: 4}
            work, order = {
                "whole": lambda: (convolution.forward(geometry, data, weight, out, device, In(2), True, way="plain"),
                                  (0, 1, 2)),
                "Forward": lambda: (convolution.forward(geometry, data, weight, out, device, way="plain"), (0, 1)),
                "BackwardData": lambda: (convolution.backward(geometry, out, weight, data, device, way="plain"),
                                         (1, 0)),
                "BackwardFilter": lambda: (convolution.weight_gradient(geometry, out, data, weight, device,
                                                                       way="plain"), (1, 0))}[way]()
            self.kernels[key] = [prepare(device, one, places) for one in work.launches], order
        return self.kernels[key]


def result_of(x, w, windows):
    """Sizes of a convolution's result, as cuDNN's documentation has them."""
    need(len(x.sizes) == len(w.sizes) == len(windows.pad) + 2, BAD_PARAM, "ranks differ")
    need(x.sizes[1] == w.sizes[1] * windows.groups and w.sizes[0] % windows.groups == 0, MISMATCH, "channels")
    space = [1 + (n + 2 * p - ((k - 1) * d + 1)) // s for n, k, p, s, d in
             zip(x.sizes[2:], w.sizes[2:], windows.pad, windows.stride, windows.dilate, strict=True)]
    return [x.sizes[0], w.sizes[0], *space]


def decoded(x, w, windows):
    """What a call is about, as numbers."""
    return (x.dtype, tuple(x.sizes), tuple(x.steps), tuple(w.sizes), w.last, windows.pad, windows.stride,
            windows.dilate, windows.groups, windows.math)


def is_last(tensor):
    """Are a tensor's channels its last axis in memory? It must have no gaps."""
    order = sorted(range(len(tensor.sizes)), key=lambda axis: (-tensor.steps[axis], axis))
    step = 1
    for axis in reversed(order):
        need(tensor.steps[axis] == step or tensor.sizes[axis] == 1, NOT_SUPPORTED, "gaps in a tensor")
        step *= tensor.sizes[axis]
    return tensor.steps[1] == 1 and tensor.sizes[1] > 1
