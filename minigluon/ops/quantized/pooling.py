"""Pooling of quantized arrays."""

import numpy as np

from ...base import OpAttributeError
from ..nn.pooling import Pooling, Windows
from ..registry import register
from .ranges import FLOAT32, Quantized, nearest

__all__ = []


@register("data", "min_data", "max_data", name="_contrib_quantized_pooling")
class quantized_pooling(Quantized, Windows):
    """The largest element (max) or the rounded mean (avg) of each window, with the range unchanged.

    data (N, C, *space), int8 or uint8 | min_data, max_data (1,) | out (N, C, *windows); the range (1,), (1,)

    The windows are those of `Pooling`. pool_type='sum' and 'lp' raise OpAttributeError.

    >>> values, low, high = nd.contrib.quantize_v2(nd.array([[[1, 2, -4, 0]]]))
    >>> nd.contrib.quantized_pooling(values, low, high, kernel=2, stride=2)[0].asnumpy()
    array([[[64,  0]]], dtype=int8)
    """

    def infer_shape(self, data, *ranges):
        if self.pool_type not in ("max", "avg"):
            raise OpAttributeError(f"{self.name}: pool_type={self.pool_type!r} is not computed on integers, only 'max' "
                                   "and 'avg'. Leave this layer in float32 with excluded_sym_names.")
        return [data, *self.require_ranges(self.arguments[1:], ranges)], [self.pooled_shape(data), (1,), (1,)]

    def infer_dtype(self, data, *ranges):
        data = self.require_bytes("data", data)
        return [data, *self.require_reals(self.arguments[1:], ranges)], [data, FLOAT32, FLOAT32]

    def forward(self, data, min_data, max_data):
        pooled = Pooling(**self.attributes).forward(data.astype(np.float32))
        return nearest(pooled, data.dtype), min_data.copy(), max_data.copy()
