"""Max pooling that saves the argmax of each window, and its gradient."""

from ...launch import In, Out, Work, size
from ..registry import kernel_for
from .pooling import Windows

__all__ = []


@kernel_for("_max_pooling_argmax")
def max_pooling_argmax(op, inputs, outputs):
    if not size(outputs[0]):
        return Work()
    windows = Windows(op, inputs[0], outputs[0])
    return windows.work(windows.launch("largest_and_tap", outputs[0], [In(0), Out(0), Out(1)]))


@kernel_for("_max_pooling_argmax_grad")
def max_pooling_argmax_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    windows = Windows(op, out, grad)
    return windows.work(windows.launch("to_taps", out, [In(0), In(1), Out(0)]))
