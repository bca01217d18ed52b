"""The library libcudnn.so.9: where it is, its functions' types, its handles, and its errors in words.

It comes from pip's nvidia-cudnn-cu12 or -cu13, or from the system. The functions are those of its older interface, one
call for one layer: it still has them all, and they are few and readable.
"""

import ctypes
import functools
import os
import threading

from minigluon.base import MXNetError

from .. import driver, paths

__all__ = ["WAYS", "UnsupportedError", "available", "call", "check", "handles", "loaded", "version"]

NAME = "libcudnn.so.9"
WAYS = "Forward", "BackwardData", "BackwardFilter"      # of a convolution, as names of functions have them
UNSUPPORTED = range(3000, 4000)     # statuses that say: this library cannot do that, or not with this card

_int, _pointer, _size, _double = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double
_OF_DESCRIPTORS = {"Tensor": [_int, _int, _pointer, _pointer], "Filter": [_int, _int, _int, _pointer],
                   "Convolution": [_int, _pointer, _pointer, _pointer, _int, _int]}
_FOUR = [_pointer] * 4              # descriptors of the two operands, of the windows and of the result; two arrays

_lock = threading.Lock()
_handles = {}                       # device's number -> {stream: Handle}


def available():
    """None where cuDNN can be used, or a text: the reason why not."""
    if driver.emulated():
        return "cuDNN computes on a real GPU only, and this one is emulated"
    if os.environ.get("MINIGLUON_CUDNN") == "0":
        return "MINIGLUON_CUDNN=0 switches it off"
    found = loaded()
    return found if isinstance(found, str) else None


def version():
    """'cuDNN 9.28.0' where it is available."""
    number = loaded().cudnnGetVersion()
    return f"cuDNN {number // 10000}.{number // 100 % 100}.{number % 100}"


@functools.cache
def loaded():
    """The first library that fits the driver, the types of its functions declared, or a text: why there is none."""
    return _found()


def _found():
    reasons = []
    for path in [*paths.libraries("cudnn"), NAME]:
        if not path.endswith(NAME):
            continue
        try:
            found = declared(ctypes.CDLL(path))
        except (OSError, AttributeError) as error:
            reasons += [f"{path} cannot be used: {error}"] if os.sep in path else []
            continue
        built, newest = found.cudnnGetCudartVersion() // 1000, paths.driver_version()
        if newest and built > newest[0]:
            reasons.append(f"{path} is for CUDA {built}, and the driver for CUDA {paths.version_text(newest)}")
            continue
        _load_beside(built)
        return found
    return "; ".join(reasons) or "there is no cuDNN: pip install nvidia-cudnn-cu12, or -cu13 (1 GB), brings it"


def _load_beside(major):
    """Load cuBLAS of the same CUDA first: cuDNN finds it by its name then, wherever pip has put it."""
    for name in ("cublasLt", "cublas"):
        for path in paths.libraries(name):
            if path.endswith(f".so.{major}"):
                ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
                break


def declared(library):
    """The library with the types of its functions. Raises AttributeError where one is missing."""
    for name, (result, arguments) in signatures().items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def signatures():
    """{function: (type of its result, types of its arguments)} of all that are called."""
    found = {
        "cudnnGetVersion": (_size, []), "cudnnGetCudartVersion": (_size, []),
        "cudnnGetErrorString": (ctypes.c_char_p, [_int]), "cudnnGetLastErrorString": (None, [_pointer, _size]),
        "cudnnCreate": (_int, [_pointer]), "cudnnSetStream": (_int, [_pointer, _pointer]),
        "cudnnSetConvolutionMathType": (_int, [_pointer, _int]),
        "cudnnSetConvolutionGroupCount": (_int, [_pointer, _int]),
        "cudnnGetConvolutionNdForwardOutputDim": (_int, [*[_pointer] * 3, _int, _pointer]),
    }
    found["cudnnConvolutionBiasActivationForward"] = _int, [
        _pointer, _pointer, *[_pointer] * 5, _int, _pointer, _size, _pointer, *[_pointer] * 7]
    found["cudnnSetActivationDescriptor"] = _int, [_pointer, _int, _int, _double]
    for made in "Create", "Destroy":
        found[f"cudnn{made}ActivationDescriptor"] = _int, [_pointer]
    for kind, settings in _OF_DESCRIPTORS.items():
        found[f"cudnnCreate{kind}Descriptor"] = _int, [_pointer]
        found[f"cudnnSet{kind}NdDescriptor"] = _int, [_pointer, *settings]
        found[f"cudnnDestroy{kind}Descriptor"] = _int, [_pointer]
    for way in WAYS:
        many = [_int, _pointer, _pointer]           # how many are asked for, how many came, an array of Found
        found[f"cudnnGetConvolution{way}AlgorithmMaxCount"] = _int, [_pointer, _pointer]
        found[f"cudnnGetConvolution{way}Algorithm_v7"] = _int, [_pointer, *_FOUR, *many]
        found[f"cudnnGetConvolution{way}WorkspaceSize"] = _int, [_pointer, *_FOUR, _int, _pointer]
        found[f"cudnnConvolution{way}"] = _int, [_pointer, _pointer, *[_pointer] * 5, _int, _pointer, _size, _pointer,
                                                 _pointer, _pointer]
    return found


# -- calls ------------------------------------------------------------------------------------------------------------

class Handle:
    """The library's handle for work on one stream. One thread at a time may use it, the one that holds `lock`."""

    def __init__(self, device, stream):
        self.value, self.lock = ctypes.c_void_p(), threading.Lock()
        call(device, "its start", "cudnnCreate", ctypes.byref(self.value))
        call(device, "taking a stream", "cudnnSetStream", self.value, stream)


def handles(device):
    """{stream: Handle}, for the device's own stream and the one that graphs are captured on."""
    with _lock:
        if device.number not in _handles:
            device.activate()
            _handles[device.number] = {stream: Handle(device, stream)
                                       for stream in (device.stream_handle, device.capture_stream.handle)}
        return _handles[device.number]


class UnsupportedError(MXNetError):
    """The library cannot do what it was asked for, or not on this card."""


def call(device, what, name, *arguments):
    """Call a function. Raises MXNetError where it fails, `UnsupportedError` where the library says that it cannot."""
    check(device, what, name, getattr(loaded(), name)(*arguments))


def check(device, what, name, status):
    """Raise the error for a function's status that is not 0."""
    if status:
        kind, text = UnsupportedError if status in UNSUPPORTED else MXNetError, _in_words(status)
        raise driver.lost(device, f"cuDNN: {what}", f"{name}: {text}") or kind(
            f"{device}: cuDNN: {what} failed in {name}: {text}. MINIGLUON_CUDNN=0 computes with our own kernels.")


def _in_words(status):
    """'CUDNN_STATUS_BAD_PARAM (…)' with what the library has to say about its last error, if anything."""
    library, more = loaded(), ctypes.create_string_buffer(1024)
    library.cudnnGetLastErrorString(more, len(more))
    text = library.cudnnGetErrorString(status).decode(errors="replace")
    detail = " ".join(more.value.decode(errors="replace").split())
    return f"{text} ({detail})" if detail else text
