"""Reductions over axes: a table of name, NumPy function, gradient."""

import numpy as np

from .fields import Shape
from .op import Op
from .registry import define

__all__ = ["Reduce"]


class Reduce(Op):
    """`compute(data, axis, keepdims)` over `axis` (None: all), or over all other axes with exclude=True.

    data (any shape) | out: data's shape without the reduced axes, (1,) when nothing is left; their length becomes 1
    with keepdims=True
    """

    axis: Shape | None = None
    keepdims: bool = False
    exclude: bool = False

    def axes(self, ndim):
        """The reduced axes, non-negative and sorted."""
        named = {self.normalize_axis(a, ndim) for a in self.axis or range(ndim)}
        if self.axis and self.exclude:
            named = set(range(ndim)) - named
        return tuple(sorted(named))

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        axes = self.axes(len(data))
        if self.keepdims:
            return [data], [tuple(1 if i in axes else n for i, n in enumerate(data))]
        return [data], [tuple(n for i, n in enumerate(data) if i not in axes) or (1,)]

    def forward(self, data):
        out = self.compute(data, self.axes(data.ndim), self.keepdims)
        return np.asarray(out, data.dtype).reshape(out.shape or (1,))

    def gradient(self, F, out_grads, inputs, outputs):
        return self.derivative(F, self, out_grads[0], inputs[0], outputs[0])


def _spread(F, op, small, like):
    """`small`, a reduced array, stretched back to the shape of `like`."""
    return F._spread_like(small, like, axis=op.axis, keepdims=op.keepdims, exclude=op.exclude)


class _Spread(Reduce):
    """The adjoint of `sum`."""

    def infer_shape(self, data, like):
        return [data, like], [like]

    def forward(self, data, like):
        axes = self.axes(like.ndim)
        shape = tuple(1 if i in axes else n for i, n in enumerate(like.shape))
        return np.broadcast_to(data.reshape(shape), like.shape).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        g = F.sum(out_grads[0], axis=self.axis, keepdims=self.keepdims, exclude=self.exclude)
        return [g, None]


define("_spread_like", ["data", "like"], _Spread, "Stretch a reduced array back over the axes that were reduced.",
       keeps=())


def reduction(name, compute, derivative, doc, aliases=(), keeps=("inputs",)):
    """Enter a reduction in the table."""
    define(name, ["data"], Reduce, doc, aliases, compute=compute, derivative=derivative, keeps=tuple(keeps))


reduction("sum", lambda x, axis, keepdims: np.sum(x, axis, x.dtype, keepdims=keepdims),
          lambda F, op, g, x, y: _spread(F, op, g, x), "Sum over axes.", ["sum_axis"],
          keeps=("shapes",))
reduction("mean", lambda x, axis, keepdims: _mean(x, axis, keepdims),
          lambda F, op, g, x, y: _spread(F, op, g, x) * F._mean_weight(x, y), "Mean over axes.",
          keeps=("shapes", "outputs"))
reduction("max", lambda x, axis, keepdims: np.max(x, axis, keepdims=keepdims),
          lambda F, op, g, x, y: _spread(F, op, g, x) * F.broadcast_equal(x, _spread(F, op, y, x)),
          "Largest element over axes. The gradient goes to every element that equals it.", ["max_axis"],
          keeps=("inputs", "outputs"))
reduction("min", lambda x, axis, keepdims: np.min(x, axis, keepdims=keepdims),
          lambda F, op, g, x, y: _spread(F, op, g, x) * F.broadcast_equal(x, _spread(F, op, y, x)),
          "Smallest element over axes. The gradient goes to every element that equals it.", ["min_axis"],
          keeps=("inputs", "outputs"))


def _mean(x, axis, keepdims):
    if x.dtype.kind != "f":
        return np.trunc(np.mean(x, axis, keepdims=keepdims))
    # float16 is summed in float32, as NumPy does
    return np.mean(x, axis, keepdims=keepdims)


class _MeanWeight(Op):
    """out.size / data.size, a scalar array of shape (1,)."""

    def infer_shape(self, data, reduced):
        return [data, reduced], [(1,)]

    def forward(self, data, reduced):
        return np.full((1,), reduced.size / max(data.size, 1), data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [None, None]


define("_mean_weight", ["data", "reduced"], _MeanWeight, _MeanWeight.__doc__, keeps=())
