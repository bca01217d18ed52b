"""The library libcudnn.so.9: its location, function types and handles, and descriptions of its errors.

It comes from pip's nvidia-cudnn-cu12 or -cu13, or from the system. We use its older interface, which has one call per
layer: it is still complete, and its functions are few and readable.
"""

import ctypes
import functools
import os
import threading

from minigluon.base import MXNetError

from .. import driver, paths

__all__ = ["WAYS", "UnsupportedError", "available", "call", "check", "handles", "loaded", "version"]

NAME = "libcudnn.so.9"
WAYS = "Forward", "BackwardData", "BackwardFilter"      # the three computations of a convolution, as in function names
UNSUPPORTED = range(3000, 4000)     # statuses for requests that this library, or this GPU, does not support

_int, _pointer, _size, _double = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double
_OF_DESCRIPTORS = {"Tensor": [_int, _int, _pointer, _pointer], "Filter": [_int, _int, _int, _pointer],
                   "Convolution": [_int, _pointer, _pointer, _pointer, _int, _int]}
_FOUR = [_pointer] * 4              # descriptors of the two operands, the windows and the result; two arrays

_lock = threading.Lock()
_handles = {}                       # device id -> {stream: Handle}


def available():
    """Returns None if cuDNN can be used, or a string that says why not."""
    if driver.emulated():
        return "cuDNN needs a real GPU, and this one is emulated"
    if os.environ.get("MINIGLUON_CUDNN") == "0":
        return "MINIGLUON_CUDNN=0 switches it off"
    library = loaded()
    return library if isinstance(library, str) else None


def version():
    """Returns a string such as 'cuDNN 9.28.0' if it is available."""
    number = loaded().cudnnGetVersion()
    return f"cuDNN {number // 10000}.{number // 100 % 100}.{number % 100}"


@functools.cache
def loaded():
    """Returns the first library that fits the driver, with its function types declared, or a string with the reason."""
    return _load()


def _load():
    reasons = []
    for path in [*paths.libraries("cudnn"), NAME]:
        if not path.endswith(NAME):
            continue
        try:
            library = declared(ctypes.CDLL(path))
        except (OSError, AttributeError) as error:
            reasons += [f"{path} cannot be used: {error}"] if os.sep in path else []
            continue
        built, newest = library.cudnnGetCudartVersion() // 1000, paths.driver_version()
        if newest and built > newest[0]:
            reasons.append(f"{path} is for CUDA {built}, and the driver for CUDA {paths.version_text(newest)}")
            continue
        _load_beside(built)
        return library
    return "; ".join(reasons) or "there is no cuDNN: pip install nvidia-cudnn-cu12, or -cu13 (1 GB), brings it"


def _load_beside(major):
    """Loads cuBLAS for the same CUDA version first; cuDNN then finds it by name, wherever pip has installed it."""
    for name in ("cublasLt", "cublas"):
        for path in paths.libraries(name):
            if path.endswith(f".so.{major}"):
                ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
                break


def declared(library):
    """Returns the library with its function types declared. Raises AttributeError if a function is missing."""
    for name, (result, arguments) in signatures().items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def signatures():
    """Returns {function: (result type, argument types)} for all functions that are called."""
    by_name = {
        "cudnnGetVersion": (_size, []), "cudnnGetCudartVersion": (_size, []),
        "cudnnGetErrorString": (ctypes.c_char_p, [_int]), "cudnnGetLastErrorString": (None, [_pointer, _size]),
        "cudnnCreate": (_int, [_pointer]), "cudnnSetStream": (_int, [_pointer, _pointer]),
        "cudnnSetConvolutionMathType": (_int, [_pointer, _int]),
        "cudnnSetConvolutionGroupCount": (_int, [_pointer, _int]),
        "cudnnGetConvolutionNdForwardOutputDim": (_int, [*[_pointer] * 3, _int, _pointer]),
    }
    by_name["cudnnConvolutionBiasActivationForward"] = _int, [
        _pointer, _pointer, *[_pointer] * 5, _int, _pointer, _size, _pointer, *[_pointer] * 7]
    by_name["cudnnSetActivationDescriptor"] = _int, [_pointer, _int, _int, _double]
    for verb in "Create", "Destroy":
        by_name[f"cudnn{verb}ActivationDescriptor"] = _int, [_pointer]
    for kind, settings in _OF_DESCRIPTORS.items():
        by_name[f"cudnnCreate{kind}Descriptor"] = _int, [_pointer]
        by_name[f"cudnnSet{kind}NdDescriptor"] = _int, [_pointer, *settings]
        by_name[f"cudnnDestroy{kind}Descriptor"] = _int, [_pointer]
    for way in WAYS:
        many = [_int, _pointer, _pointer]  # number requested, number returned, an array of AlgorithmResult
        by_name[f"cudnnGetConvolution{way}AlgorithmMaxCount"] = _int, [_pointer, _pointer]
        by_name[f"cudnnGetConvolution{way}Algorithm_v7"] = _int, [_pointer, *_FOUR, *many]
        by_name[f"cudnnGetConvolution{way}WorkspaceSize"] = _int, [_pointer, *_FOUR, _int, _pointer]
        by_name[f"cudnnConvolution{way}"] = _int, [_pointer, _pointer, *[_pointer] * 5, _int, _pointer, _size, _pointer,
                                                   _pointer, _pointer]
    return by_name


# -- calls ------------------------------------------------------------------------------------------------------------

class Handle:
    """The library's handle for work on one stream. Only the thread that holds `lock` may use it."""

    def __init__(self, device, stream):
        self.value, self.lock = ctypes.c_void_p(), threading.Lock()
        call(device, "its start", "cudnnCreate", ctypes.byref(self.value))
        call(device, "taking a stream", "cudnnSetStream", self.value, stream)


def handles(device):
    """Returns {stream: Handle}, for the device's own stream and the graph capture stream."""
    with _lock:
        if device.number not in _handles:
            device.activate()
            _handles[device.number] = {stream: Handle(device, stream)
                                       for stream in (device.stream_handle, device.capture_stream.handle)}
        return _handles[device.number]


class UnsupportedError(MXNetError):
    """The error raised if the library or this GPU does not support a request."""


def call(device, what, name, *arguments):
    """Calls a function. Raises `UnsupportedError` for an unsupported request, MXNetError for other failures."""
    check(device, what, name, getattr(loaded(), name)(*arguments))


def check(device, what, name, status):
    """Raises an error for a nonzero status returned by a function."""
    if status:
        kind, text = UnsupportedError if status in UNSUPPORTED else MXNetError, _in_words(status)
        raise driver.lost(device, f"cuDNN: {what}", f"{name}: {text}") or kind(
            f"{device}: cuDNN: {what} failed in {name}: {text}. MINIGLUON_CUDNN=0 computes with our own kernels.")


def _in_words(status):
    """Returns 'CUDNN_STATUS_BAD_PARAM (…)', with the library's message about its last error, if any."""
    library, more = loaded(), ctypes.create_string_buffer(1024)
    library.cudnnGetLastErrorString(more, len(more))
    text = library.cudnnGetErrorString(status).decode(errors="replace")
    detail = " ".join(more.value.decode(errors="replace").split())
    return f"{text} ({detail})" if detail else text
