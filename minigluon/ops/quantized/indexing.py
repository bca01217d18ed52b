"""Rows of a quantized table."""

from ..array.indexing import Embedding
from ..fields import DType
from ..registry import register
from .ranges import FLOAT32, INT8, Quantized

__all__ = []


@register("data", "weight", "min_weight", "max_weight", name="_contrib_quantized_embedding")
class quantized_embedding(Quantized):
    """For each element i of data, row i of weight, with the range of weight.

    data (any shape) | weight (input_dim, output_dim), int8 | min_weight, max_weight (1,)
    out (*data's shape, output_dim), int8; the range (1,), (1,)

    input_dim: the number of rows in weight.
    output_dim: the length of a row.
    dtype, sparse_grad: no effect; `Embedding` has them.

    >>> weight, low, high = nd.contrib.quantize_v2(nd.array([[0, 1], [2, 4]]))
    >>> nd.contrib.quantized_embedding(nd.array([1]), weight, low, high, input_dim=2, output_dim=2)[0].asnumpy()
    array([[ 64, 127]], dtype=int8)
    """

    input_dim: int
    output_dim: int
    dtype: DType = "float32"
    sparse_grad: bool = False

    def layer(self):
        """Returns the float32 operator."""
        return Embedding(input_dim=self.input_dim, output_dim=self.output_dim)

    def index_ranges(self, data, weight, *ranges):
        return self.layer().index_ranges(data, weight)

    def infer_shape(self, data, weight, *ranges):
        inputs, (out,) = self.layer().infer_shape(data, weight)
        return [*inputs, *self.require_ranges(self.arguments[2:], ranges)], [out, (1,), (1,)]

    def infer_dtype(self, data, weight, *ranges):
        weight = self.require_bytes("weight", weight, (INT8,))
        return [data, weight, *self.require_reals(self.arguments[2:], ranges)], [INT8, FLOAT32, FLOAT32]

    def forward(self, data, weight, min_weight, max_weight):
        return self.layer().forward(data, weight), min_weight.copy(), max_weight.copy()
