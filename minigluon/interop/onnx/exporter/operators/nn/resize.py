"""UpSampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...table import translates

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = []


@translates("UpSampling")
def upsampling(g, op, *data):
    """Writes Resize for nearest, and a depthwise transposed convolution for bilinear."""
    if op.sample_type == "bilinear":
        how = op.window
        return g.ConvTranspose(*data, kernel_shape=list(how["kernel"]), strides=list(how["stride"]),
                               pads=list(how["pad"]) * 2, group=op.num_filter)
    height, width = (n * op.scale for n in data[0].shape[2:])
    large = [nearest(g, x, height // x.shape[2], width // x.shape[3]) for x in data]
    if op.multi_input_mode == "concat":
        return g.concat(large, 1)
    total = large[0]
    for x in large[1:]:
        total = total + x
    return total


def nearest(g: Builder, x: Value, down: Any, across: Any) -> Any:
    """Repeats each element along height and width."""
    if (down, across) == (1, 1):
        return x
    scales = g.constant(np.array([1, 1, down, across], np.float32))
    return g.Resize(x, None, scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor",
                    shape=(*x.shape[:2], x.shape[2] * down, x.shape[3] * across))
