"""Fourier transforms of real numbers, and the count sketch."""

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("linalg/fourier.cu")


def _work(function, spec, threads, arguments):
    if not threads:
        return Work()
    return Work(Launch(SOURCE, function, types(spec.dtype), blocks(threads), THREADS, arguments))


@kernel_for("_contrib_fft")
def fft(op, inputs, outputs):
    data = inputs[0]
    return _work("fft", data, size(data), [Out(0), In(0), size(data), data.shape[-1]])


@kernel_for("_contrib_ifft")
def ifft(op, inputs, outputs):
    out = outputs[0]
    return _work("ifft", out, size(out), [Out(0), In(0), size(out), out.shape[-1]])


@kernel_for("_contrib_count_sketch")
def count_sketch(op, inputs, outputs):
    out = outputs[0]
    return _work("sketch", out, size(out), [Out(0), In(0), In(1), In(2), size(out), inputs[0].shape[1], op.out_dim])


@kernel_for("_count_sketch_grad")
def count_sketch_grad(op, inputs, outputs):
    out = outputs[0]
    return _work("sketch_grad", out, size(out), [Out(0), In(0), In(2), In(3), size(out), out.shape[1], op.out_dim])
