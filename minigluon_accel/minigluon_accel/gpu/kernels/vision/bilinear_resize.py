"""BilinearResize2D and AdaptiveAvgPooling2D, and their adjoints."""

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("vision/bilinear_resize.cu")


def _work(function, out, old, new, *more):
    """Returns one launch with one thread for each element of the result. old, new: the shapes before and after."""
    if not size(out):
        return Work()
    return Work(Launch(SOURCE, function, types(out.dtype), blocks(size(out)), THREADS, [
        Out(0), In(0), size(out), *old[2:], *new[2:], *more]))


def _scales(op, old, new):
    return [*[float(op.scale(a, b)) for a, b in zip(old[2:], new[2:], strict=True)], int(op.align_corners)]


@kernel_for("_contrib_BilinearResize2D")
def resize(op, inputs, outputs):
    old, new = inputs[0].shape, outputs[0].shape
    return _work("resize", outputs[0], old, new, *_scales(op, old, new))


@kernel_for("_BilinearResize2D_grad")
def resize_grad(op, inputs, outputs):
    old, new = outputs[0].shape, inputs[0].shape
    return _work("resize_grad", outputs[0], old, new, *_scales(op.operator, old, new))


@kernel_for("_contrib_AdaptiveAvgPooling2D")
def average(op, inputs, outputs):
    return _work("average", outputs[0], inputs[0].shape, outputs[0].shape)


@kernel_for("_AdaptiveAvgPooling2D_grad")
def average_grad(op, inputs, outputs):
    return _work("average_grad", outputs[0], outputs[0].shape, inputs[0].shape)
