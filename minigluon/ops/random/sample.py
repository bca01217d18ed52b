"""Draws of class indices: multinomial with its REINFORCE gradient, and draws without repetition from Zipf's law."""

import math

import numpy as np

from ..fields import DType, Shape
from ..op import Op
from ..registry import register

__all__ = ["_sample_multinomial", "_sample_unique_zipfian"]


@register("data", aliases=["sample_multinomial"])
class _sample_multinomial(Op):
    """Class indices drawn with the probabilities along data's last axis.

    data (*lead, k) | out (*lead, *shape), or (1,) for a single draw from a vector

    shape: the shape of the draws from one vector; () for one draw.
    get_prob: if True, also return log data[out] in data's dtype; its gradient weights each drawn class with reward / p.
    dtype: the type of the class indices.

    >>> nd.sample_multinomial(nd.array([[0, 1, 0], [0, 0, 1]]), shape=2).asnumpy()
    array([[1, 1],
           [2, 2]], dtype=int32)
    """

    shape: Shape = ()
    get_prob: bool = False
    dtype: DType = "int32"
    keeps = ("inputs", "outputs")

    @property
    def num_outputs(self):
        return 2 if self.get_prob else 1

    @property
    def differentiable(self):
        return self.get_prob

    def infer_shape(self, data):
        if data is not None and data[-1] == 0:
            raise self.shape_clash(f"data {data} has no classes in its last axis to draw from", "data")
        out = None if data is None else (*data[:-1], *self.shape) or (1,)
        return [data], [out] * self.num_outputs

    def infer_dtype(self, data):
        if self.get_prob:               # the logarithm is a float, so integers are converted
            self.require_float("data", data)
        return [data], [np.dtype(self.dtype), data][:self.num_outputs]

    def forward(self, data, *, rng):
        k = data.shape[-1]
        rows = data.reshape(math.prod(data.shape[:-1]), k)
        out_shape = (*data.shape[:-1], *self.shape) or (1,)
        drawn = _inverse_cdf(rows, rng, math.prod(self.shape)).reshape(out_shape)
        if not self.get_prob:
            return drawn.astype(self.dtype)
        p = np.take_along_axis(rows, drawn.reshape(len(rows), math.prod(self.shape)), axis=1)
        return drawn.astype(self.dtype), np.log(p).reshape(out_shape)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._sample_multinomial_grad(out_grads[1], inputs[0], outputs[0])


def _inverse_cdf(rows, rng, count):
    """Returns (n, count) class indices for (n, k) probabilities, with one search in the distribution functions of all
    rows.

    The distribution function of row r is shifted by r, so that their concatenation is increasing.
    """
    n, k = rows.shape
    cdf = np.add.accumulate(rows, axis=1, dtype="float64")
    cdf /= cdf[:, -1:]
    shift = np.arange(n, dtype="float64")[:, None]
    positions = np.searchsorted((cdf + shift).ravel(), (rng.random((n, count)) + shift).ravel(), side="right")
    return np.clip(positions.reshape(n, count) - k * np.arange(n)[:, None], 0, k - 1)


@register("grad", "data", "drawn")
class _sample_multinomial_grad(Op):
    """grad / data at the drawn classes, summed over the draws; zero elsewhere."""

    gradient = None

    def infer_shape(self, grad, data, drawn):
        drawn = self.require("drawn", drawn, grad)
        if data is not None and drawn is not None:
            rows = data[:-1]
            self.require("drawn", drawn[:len(rows)], rows)
            if data[-1] == 0:
                raise self.shape_clash(f"data {data} has no classes in its last axis", "data")
        return [drawn, data, drawn], [data]

    def infer_dtype(self, grad, data, drawn):
        data = self.require_dtype("grad", grad, data)
        return [data, data, drawn], [data]

    def forward(self, grad, data, drawn):
        rows = data.reshape(math.prod(data.shape[:-1]), data.shape[-1])
        out = np.zeros_like(rows)
        draws = drawn.size // max(len(rows), 1)
        where = (np.arange(len(rows))[:, None], drawn.reshape(len(rows), draws).astype("int64"))
        np.add.at(out, where, grad.reshape(len(rows), draws) / rows[where])
        return out.reshape(data.shape)


@register()
class _sample_unique_zipfian(Op):
    """Rows of distinct integers in [0, range_max), drawn log-uniformly: P(k) ∝ log((k + 2) / (k + 1)).

    outputs: the integers (rows, draws), and the number of draws that each row needed, (rows,), both int64

    range_max: the upper bound, exclusive.
    shape: (rows, draws).
    """

    range_max: int
    shape: Shape | None = None
    gradient = None
    num_outputs = 2

    def infer_shape(self):
        shape = self.shape or (1,)
        if min(shape) < 1:
            raise self.shape_clash(f"shape={shape} must have positive lengths")
        if self.range_max >= 2 ** 53:
            raise self.shape_clash(f"range_max={self.range_max} must be below 2**53")
        if shape[-1] > self.range_max:
            raise self.shape_clash(f"cannot draw {shape[-1]} different numbers below {self.range_max}")
        return [], [shape, shape[:-1] or (1,)]

    def infer_dtype(self):
        return [], [np.dtype("int64")] * 2

    def forward(self, *, rng):
        shape = self.shape or (1,)
        out, tries = np.empty(shape, "int64").reshape(-1, shape[-1]), []
        for row in out:
            row[:], count = _unique_zipfian(rng, self.range_max, len(row))
            tries.append(count)
        return out.reshape(shape), np.array(tries, "int64").reshape(shape[:-1] or (1,))


def _unique_zipfian(rng, range_max, count):
    """Returns `count` distinct integers in the order drawn, and the number of draws needed."""
    drawn = np.empty(0, "int64")
    while True:
        more = np.exp(rng.random(2 * count) * np.log(range_max + 1)).astype("int64") - 1
        drawn = np.concatenate([drawn, np.clip(more, 0, range_max - 1)])
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if len(first) >= count:
            return drawn[first[:count]], first[count - 1] + 1
