"""Dropout."""

from typing import Literal

import numpy as np

from ..fields import Shape
from ..op import Op
from ..registry import register

__all__ = ["Dropout"]


@register("data")
class Dropout(Op):
    """In training, sets each element to 0 with probability p and multiplies the others by 1 / (1 - p).

    data (any shape) | out like data | hidden: mask with 1 / (1 - p) or 0, of length 1 along `axes`

    In predict mode, data is unchanged unless mode='always'.

    p: the probability of dropping an element.
    mode: 'training' drops elements only in train mode, 'always' also in predict mode.
    axes: the axes along which elements are dropped together, with one draw per position in the other axes.

    Source: Srivastava et al., JMLR 15 (2014).

    >>> print(nd.Dropout(nd.ones(4), p=0.5).asnumpy())
    [1. 1. 1. 1.]
    >>> with autograd.record():
    ...     print(set(nd.Dropout(nd.ones(100), p=0.5).asnumpy().tolist()) == {0, 2})
    True
    """

    p: float = 0.5
    mode: Literal["training", "always"] = "training"
    axes: Shape = ()
    cudnn_off: bool | None = False
    num_outputs = 2
    output_names = ("output",)
    keeps = ("outputs",)
    takes_none = True
    in_place = ("data",)

    def infer_shape(self, data):
        if not 0 <= self.p <= 1:
            raise self.shape_clash(f"p={self.p} is not a probability, expected 0 to 1")
        if data is None:
            return [None], [None, None]
        shared = {self.normalize_axis(a, len(data)) for a in self.axes}
        return [data], [data, tuple(1 if i in shared else n for i, n in enumerate(data))]

    def forward(self, data, train, rng):
        shape = self.infer_shape(data.shape)[1][1]
        if not self.draws(train):
            return data.copy(), np.broadcast_to(data.dtype.type(1), shape)
        keep = rng.random(shape, np.float32) >= self.p
        mask = keep * data.dtype.type(1 / (1 - self.p) if self.p < 1 else 0)
        return data * mask, mask

    def draws(self, train):
        """Returns whether anything is dropped."""
        return self.p > 0 and (train or self.mode == "always")

    def gradient(self, F, out_grads, inputs, outputs):
        return None if out_grads[0] is None else F.broadcast_mul(out_grads[0], outputs[1])
