"""Activations of quantized arrays."""

from typing import Literal

import numpy as np

from ...base import OpAttributeError
from ..registry import register
from .ranges import FLOAT32, Quantized

__all__ = []


@register("data", "min_data", "max_data", name="_contrib_quantized_act")
class quantized_act(Quantized):
    """max(data, 0), with the range unchanged.

    data (any shape), int8 or uint8 | min_data, max_data (1,) | out like data; the range (1,), (1,)

    act_type: relu. Other activations raise OpAttributeError, as in MXNet; leave such layers in float32.

    >>> values, low, high = nd.contrib.quantize_v2(nd.array([-1, 1]))
    >>> nd.contrib.quantized_act(values, low, high, act_type="relu")[0].asnumpy()
    array([  0, 127], dtype=int8)
    """

    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]

    def infer_shape(self, data, *ranges):
        if self.act_type != "relu":
            raise OpAttributeError(f"{self.name}: act_type={self.act_type!r} is not computed on integers, only 'relu'. "
                                   "Leave this layer in float32 with excluded_sym_names.")
        return [data, *self.require_ranges(self.arguments[1:], ranges)], [data, (1,), (1,)]

    def infer_dtype(self, data, *ranges):
        data = self.require_bytes("data", data)
        return [data, *self.require_reals(self.arguments[1:], ranges)], [data, FLOAT32, FLOAT32]

    def forward(self, data, min_data, max_data):
        return np.maximum(data, data.dtype.type(0)), min_data.copy(), max_data.copy()
