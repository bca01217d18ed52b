"""Concatenation of quantized arrays."""

import numpy as np

from ..array.joining import Concat
from ..registry import register
from .ranges import BYTES, FLOAT32, INT8, STEPS, UINT8, Quantized, both_ends, magnitude, nearest

__all__ = []


@register("*data", name="_contrib_quantized_concat")
class quantized_concat(Quantized):
    """Arrays joined along axis `dim`, converted to the widest of their ranges.

    data: num_args arrays of int8 or uint8, which agree in all axes but `dim`, then min and max (1,) of each
    out like `concat`, int8 if an input is int8; the range (1,), (1,): the smallest minimum, the largest maximum

    num_args: the number of arrays, without the ranges.
    dim: the axis.

    >>> a, b = nd.contrib.quantize_v2(nd.array([[1]])), nd.contrib.quantize_v2(nd.array([[2]]))
    >>> values, low, high = nd.contrib.quantized_concat(a[0], b[0], *a[1:], *b[1:], num_args=2)
    >>> values.asnumpy().tolist(), float(high.asscalar())
    ([[64, 127]], 2.0)
    """

    num_args: int
    dim: int = 1
    inputs_per_arg = 3          # for `frontend.binding`, which counts arrays: each array comes with its range

    @property
    def num_inputs(self):
        return 3 * self.num_args

    def argument_names(self, count):
        arrays = range(max(self.num_args, 0))
        return [f"arg{i}" for i in arrays] + [f"arg{i}_{end}" for i in arrays for end in ("min", "max")]

    def infer_shape(self, *shapes):
        n = self.num_args
        arrays, (out,) = Concat(num_args=n, dim=self.dim).infer_shape(*shapes[:n])
        ranges = self.require_ranges(self.argument_names(len(shapes))[n:], shapes[n:])
        return [*arrays, *ranges], [out, (1,), (1,)]

    def infer_dtype(self, *dtypes):
        n, names = self.num_args, self.argument_names(len(dtypes))
        arrays = [self.require_bytes(name, dtype, BYTES) for name, dtype in zip(names, dtypes[:n], strict=False)]
        out = INT8 if INT8 in arrays else None if None in arrays else UINT8
        return [*arrays, *self.require_reals(names[n:], dtypes[n:])], [out, FLOAT32, FLOAT32]

    def forward(self, *inputs):
        n = self.num_args
        arrays, lows, highs = inputs[:n], inputs[n::2], inputs[n + 1::2]
        dtype = INT8 if any(x.dtype == INT8 for x in arrays) else UINT8
        low, high = min(x[0] for x in lows), max(x[0] for x in highs)
        m = np.maximum(np.abs(low), np.abs(high))
        parts = [converted(x, magnitude(*ends), dtype, m) for x, *ends in zip(arrays, lows, highs, strict=True)]
        return np.concatenate(parts, self.dim), *both_ends(low, high)


def converted(x, old, dtype, new):
    """Converts integers of magnitude `old` to integers of a type with magnitude `new`."""
    if x.dtype == dtype and old == new:
        return x
    with np.errstate(all="ignore"):
        return nearest(x.astype(np.float32) * ((STEPS[dtype] / new) / (STEPS[x.dtype] / old)), dtype)
