"""Quantized arrays with a different shape: the integers are moved, and the range stays the same."""

from ..array.shape import Flatten
from ..registry import register
from .ranges import FLOAT32, Quantized

__all__ = []


@register("data", "min_data", "max_data", name="_contrib_quantized_flatten")
class quantized_flatten(Quantized):
    """Joins all axes except the first into one.

    data (N, *rest), int8 or uint8 | min_data, max_data (1,) | out (N, product of rest); the range (1,), (1,)

    >>> values, low, high = nd.contrib.quantize_v2(nd.ones((2, 3, 4)))
    >>> nd.contrib.quantized_flatten(values, low, high)[0].shape
    (2, 12)
    """

    def infer_shape(self, data, *ranges):
        (data,), (out,) = Flatten().infer_shape(data)
        return [data, *self.require_ranges(self.arguments[1:], ranges)], [out, (1,), (1,)]

    def infer_dtype(self, data, *ranges):
        data = self.require_bytes("data", data)
        return [data, *self.require_reals(self.arguments[1:], ranges)], [data, FLOAT32, FLOAT32]

    def forward(self, data, min_data, max_data):
        return Flatten().forward(data), min_data.copy(), max_data.copy()
