"""Fully connected layers on integers."""

import numpy as np

from ..nn.matrix import FullyConnected
from ..registry import register
from .broadcast import product_range
from .ranges import FLOAT32, INT8, INT32, STEPS, Quantized, both_ends, magnitude

__all__ = ["LayerOfIntegers", "bias_of"]


class LayerOfIntegers(Quantized):
    """Base class of layers with a weight and a bias: their inputs, types, and the range of their sums.

    no_bias: if True, omit bias, min_bias and max_bias.
    """

    no_bias: bool = False

    def list_arguments(self):
        names = self.arguments
        return tuple(n for n in names if "bias" not in n) if self.no_bias else names

    def with_ranges(self, layer, shapes):
        """Returns the shapes of inputs and outputs, given the float32 operator whose shape rule is used."""
        count = 2 if self.no_bias else 3
        inputs, (out,) = layer.infer_shape(*shapes[:count])
        ranges = self.require_ranges(self.list_arguments()[count:], shapes[count:])
        return [*inputs, *ranges], [out, (1,), (1,)]

    def infer_dtype(self, data, weight, *others):
        count = 0 if self.no_bias else 1
        names = self.list_arguments()[2:]
        inputs = [self.require_bytes("data", data), self.require_bytes("weight", weight, (INT8,)),
                  *[self.require_bytes("bias", dtype, (INT8,)) for dtype in others[:count]]]
        return [*inputs, *self.require_reals(names[count:], others[count:])], [INT32, FLOAT32, FLOAT32]

    def forward(self, data, weight, *others):
        count = 0 if self.no_bias else 1
        ranges = [magnitude(*others[i:i + 2]) for i in range(count, len(others), 2)]
        bias = [] if self.no_bias else [bias_of(others[0], data.dtype, *ranges)]
        # Exact: all sums are integers below 2⁵³. They wrap around at 2³¹, as 32-bit integers do.
        sums = self.layer().forward(data.astype(np.float64), weight.astype(np.float64), *bias)
        m = product_range(data.dtype, ranges[0], weight.dtype, ranges[1])
        return sums.astype(np.int64).astype(np.int32), *both_ends(-m, m)


def bias_of(bias, dtype, data, weight, magnitude_of_bias):
    """Returns a bias in units of the products, rounded toward zero. data, weight: their magnitudes."""
    with np.errstate(all="ignore"):
        factor = (STEPS[dtype] / data) * (STEPS[INT8] / weight) / (STEPS[INT8] / magnitude_of_bias)
        return np.trunc(np.nan_to_num(bias.astype(np.float32) * factor)).astype(np.float64)


@register("data", "weight", "bias", "min_data", "max_data", "min_weight", "max_weight", "min_bias", "max_bias",
          name="_contrib_quantized_fully_connected")
class quantized_fully_connected(LayerOfIntegers):
    """data · weightᵀ + bias in int32.

    data (N, *rest) if flatten else (*lead, K), int8 or uint8 | weight (num_hidden, K), int8 | bias (num_hidden,), int8
    min_data, max_data, min_weight, max_weight, min_bias, max_bias (1,): the ranges; no_bias omits bias and its range
    out  (N, num_hidden) or (*lead, num_hidden), int32; the range (1,), (1,)

    num_hidden: the number of outputs per row.
    flatten: if True, flatten all axes of data except the first into one; if False, transform only the last axis.

    >>> data, weight = nd.contrib.quantize_v2(nd.array([[1, 2]])), nd.contrib.quantize_v2(nd.array([[1, 1]]))
    >>> nd.contrib.quantized_fully_connected(data[0], weight[0], *data[1:], *weight[1:], num_hidden=1,
    ...                                      no_bias=True)[0].asnumpy()
    array([[24257]], dtype=int32)
    """

    num_hidden: int
    no_bias: bool = False
    flatten: bool = True

    def layer(self):
        """Returns the float32 operator."""
        return FullyConnected(num_hidden=self.num_hidden, no_bias=self.no_bias, flatten=self.flatten)

    def infer_shape(self, *shapes):
        return self.with_ranges(self.layer(), shapes)
