"""Images (H, W, C) or (N, H, W, C): conversion to tensors, normalization, cropping, flipping."""

import numpy as np

from ...table import translates
from ..array.axes import flipped
from ..array.slicing import cut

__all__ = []


@translates("_image_to_tensor")
def to_tensor(g, op, x):
    order = [*range(x.rank - 3), x.rank - 1, x.rank - 3, x.rank - 2]
    return g.transpose(g.cast(x, np.float32) / 255.0, order)


@translates("_image_normalize")
def normalize(g, op, x):
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float32)
    mean, std = (g.constant(np.array(v[:x.shape[-3]], dtype).reshape(-1, 1, 1)) for v in op.per_channel())
    return (g.cast(x, dtype) - mean) / std


@translates("_image_crop")
def crop(g, op, x):
    axes = [x.rank - 3, x.rank - 2]
    return cut(g, x, [op.y, op.x], [op.y + op.height, op.x + op.width], axes)


@translates("_image_flip_left_right", "_image_flip_top_bottom")
def flip(g, op, x):
    return flipped(g, x, x.rank + op.axis)
