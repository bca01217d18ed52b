"""Image resizing, by interpolation and by averaging windows."""

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


@kernel_for("_contrib_BilinearResize2D")
def bilinear_resize(op, inputs, outputs):
    return _resizing("bilinear_resize", inputs, inputs[0], outputs[0], **_scales(op, inputs[0], outputs[0]))


@kernel_for("_BilinearResize2D_grad")
def bilinear_resize_grad(op, inputs, outputs):
    return _resizing("bilinear_resize_grad", inputs, inputs[1], inputs[0],
                     **_scales(op.operator, inputs[1], inputs[0]))


def _scales(op, old, new):
    scale_y, scale_x = (op.scale(n, m) for n, m in zip(old.shape[2:], new.shape[2:], strict=True))
    return {"aligned": int(op.align_corners), "scale_y": scale_y, "scale_x": scale_x}


@kernel_for("_contrib_AdaptiveAvgPooling2D")
def adaptive_pooling(op, inputs, outputs):
    return _resizing("adaptive_pool", inputs, inputs[0], outputs[0])


@kernel_for("_AdaptiveAvgPooling2D_grad")
def adaptive_pooling_grad(op, inputs, outputs):
    return _resizing("adaptive_pool_grad", inputs, inputs[1], inputs[0])


def _resizing(kernel, inputs, old, new, **more):
    """Returns the Call from a Spec of the old size to a Spec of the new size; each part is a plane."""
    images, channels, h, w = old.shape
    work = size(old) and size(old) + size(new)
    return reals(old) or Call(Phase(
        kernel, old.dtype, min(parts(2 * work), images * channels), planes=images * channels, h=h, w=w,
        new_h=new.shape[2], new_w=new.shape[3], out=len(inputs), **more))
