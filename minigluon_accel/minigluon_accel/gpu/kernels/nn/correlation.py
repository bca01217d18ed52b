"""Correlation of two images, and its gradients."""

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("nn/correlation.cu")


def _patches(op):
    return [op.kernel_size, op.max_displacement, op.stride1, op.stride2, op.radius, op.pad_size, int(op.is_multiply)]


def _launch(function, spec, arguments):
    return Launch(SOURCE, function, types(spec.dtype), blocks(size(spec)), THREADS, arguments)


@kernel_for("Correlation")
def correlation(op, inputs, outputs):
    out = outputs[0]
    if not size(out):
        return Work()
    return Work(_launch("correlate", out, [Out(0), In(0), In(1), size(out), *inputs[0].shape[1:], *out.shape[2:],
                                           *_patches(op)]))


@kernel_for("_correlation_grad")
def correlation_grad(op, inputs, outputs):
    grad, data, _ = inputs
    if not size(data):
        return Work()
    return Work(*[_launch("correlate_grad", data, [
        Out(second), In(0), In(1 + second), In(2 - second), size(data), *data.shape[1:], *grad.shape[2:],
        *_patches(op), second]) for second in (0, 1)])
