"""cuDNN descriptors of arrays, filters and windows.

The constants are from cudnn_ops.h, cudnn_cnn.h and cudnn_graph.h of cuDNN 9, and are part of its interface.
"""

import ctypes
import math
import weakref

from . import library

__all__ = ["DETERMINISTIC", "TYPES", "AlgorithmResult", "Descriptor", "filters", "fits", "images", "ints", "scalar",
           "sizes", "windows"]

TYPES = {"float32": 0, "float64": 1, "float16": 2}      # cudnnDataType_t
ROWS, CHANNELS_LAST = 0, 1                              # cudnnTensorFormat_t
CROSS_CORRELATION = 1                                   # cudnnConvolutionMode_t: filters are not flipped
DETERMINISTIC = 1                                       # cudnnDeterminism_t
# cudnnMathType_t. The default allows float32 to be rounded to TF32 on GPUs that support it.
DEFAULT_MATH, TENSOR_CORES, WITHOUT_TENSOR_CORES = 0, 1, 3
MIN_SPACE = 2                                           # spatial axes: 1-D rows become images of height 1


class AlgorithmResult(ctypes.Structure):
    """The library's assessment of an algorithm: cudnnConvolutionFwdAlgoPerf_t, or the type for either gradient."""

    _fields_ = [("algorithm", ctypes.c_int), ("status", ctypes.c_int), ("time", ctypes.c_float),
                ("memory", ctypes.c_size_t), ("determinism", ctypes.c_int), ("math", ctypes.c_int),
                ("reserved", ctypes.c_int * 3)]


class Descriptor:
    """A cuDNN descriptor. It is destroyed with the last reference.

    kind: "Tensor", "Filter", "Convolution" or "Activation". settings: the arguments of the function that sets it.
    """

    def __init__(self, device, kind, *settings):
        what, handle = f"a descriptor ({kind.lower()})", ctypes.c_void_p()
        library.call(device, what, f"cudnnCreate{kind}Descriptor", ctypes.byref(handle))
        self._as_parameter_ = handle                    # ctypes passes this in place of the object
        destroy = getattr(library.loaded(), f"cudnnDestroy{kind}Descriptor")
        weakref.finalize(self, destroy, handle).atexit = False      # at exit, the process frees everything anyway
        dimensions = "" if kind == "Activation" else "Nd"
        library.call(device, what, f"cudnnSet{kind}{dimensions}Descriptor", self, *settings)


def images(device, spec, last):
    """Returns the descriptor of an array (N, C, *space), or (N, *space, C) if last is set."""
    lengths = sizes(spec, last)
    steps = [1] * len(lengths)
    order = [0, *range(2, len(lengths)), 1] if last else range(len(lengths))
    for axis, behind in zip(reversed(order[:-1]), reversed(order[1:]), strict=True):
        steps[axis] = steps[behind] * lengths[behind]
    return Descriptor(device, "Tensor", TYPES[spec.dtype.name], len(lengths), ints(lengths), ints(steps))


def filters(device, spec, last):
    """Returns the descriptor of a weight (filters, C per group, *kernel); if last is set, C per group comes last."""
    lengths = sizes(spec, last)
    return Descriptor(device, "Filter", TYPES[spec.dtype.name], CHANNELS_LAST if last else ROWS, len(lengths),
                      ints(lengths))


def windows(device, geometry, dtype, math_type):
    """Returns the descriptor of the window geometry. float16 is summed in float32."""
    pad, stride, dilate = ([*(more,) * (MIN_SPACE - len(numbers)), *numbers] for numbers, more in
                           ((geometry.pad, 0), (geometry.stride, 1), (geometry.dilate, 1)))
    summed = TYPES["float64" if dtype == "float64" else "float32"]
    descriptor = Descriptor(device, "Convolution", len(pad), ints(pad), ints(stride), ints(dilate), CROSS_CORRELATION,
                            summed)
    library.call(device, "setting groups", "cudnnSetConvolutionGroupCount", descriptor, geometry.groups)
    library.call(device, "setting tensor cores", "cudnnSetConvolutionMathType", descriptor, math_type)
    return descriptor


def sizes(spec, last):
    """Returns [N, C, *space]: cuDNN's order, whatever the layout. A single spatial axis is preceded by an axis of
    length 1.
    """
    shape = spec.shape
    space = list(shape[1:-1] if last else shape[2:])
    return [shape[0], shape[-1 if last else 1], *[1] * (MIN_SPACE - len(space)), *space]


def ints(numbers):
    """Returns a C array of int."""
    return (ctypes.c_int * len(numbers))(*numbers)


def scalar(dtype, number):
    """Returns a factor such as alpha: float64 for float64 arrays, otherwise float32."""
    return (ctypes.c_double if dtype == "float64" else ctypes.c_float)(number)


def fits(*specs):
    """Returns whether all sizes of these arrays fit in a C int."""
    return all(0 < math.prod(spec.shape) < 2 ** 31 for spec in specs)
