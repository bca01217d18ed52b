"""A convolution, its bias and relu in one cuDNN call, so that sums are never stored before both are applied."""

import ctypes

from minigluon.backend import Spec

from ..alignment import AlignedCopies, split_workspace
from . import descriptors, library

__all__ = ["with_bias_and_relu"]

NAME = "cudnnConvolutionBiasActivationForward"
RELU, KEEPS_NAN = 1, 1              # cudnnActivationMode_t, cudnnNanPropagation_t
REFUSED = range(2000, 4000)         # statuses for unsupported or rejected arguments


def with_bias_and_relu(request, algorithm, size):
    """Returns function(stream, addresses of data, weight, bias, result and workspace), or None if the library refuses.

    request: a convolution in cuDNN's terms (see `convolution`), with a workspace of `size` bytes. No function of the
    library reports whether an algorithm supports this, so the call is tried once on temporary memory.
    """
    device, (data, weight, out) = request.device, request.specs
    count, rank = request.sizes[1], len(request.sizes)
    bias = descriptors.Descriptor(device, "Tensor", descriptors.TYPES[request.dtype], rank,
                                  descriptors.ints([1, count, *[1] * (rank - 2)]),
                                  descriptors.ints([count, *[1] * (rank - 1)]))
    relu = descriptors.Descriptor(device, "Activation", RELU, KEEPS_NAN, 0.0)
    specs = [data, weight, Spec((count,), data.dtype), out]
    aligned, call = AlignedCopies(device, specs), getattr(library.loaded(), NAME)
    one, zero = (ctypes.byref(descriptors.scalar(request.dtype, number)) for number in (1, 0))
    (x, w, windows, y), handles = request.four, request.handles

    def status_of(stream, pointers):
        operands, workspace = split_workspace(pointers, size)
        handle = handles[stream]

        def run(operands):
            a, b, shift, c = operands
            return call(handle.value, one, x, a, w, b, windows, algorithm, workspace, size, zero, y, c, bias, shift,
                        relu, y, c)
        with handle.lock:
            return aligned.run(stream, operands, run)

    def enqueue(stream, pointers):
        library.check(device, "convolution with bias and relu", NAME, status_of(stream, pointers))

    buffers = [device.memory.empty(*spec) for spec in (*specs, *request.memory(size))]
    status = status_of(device.stream_handle, [buffer.pointer for buffer in buffers])
    if status in REFUSED:
        return None
    library.check(device, "convolution with bias and relu", NAME, status)
    return enqueue
