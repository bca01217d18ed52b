"""Operators whose gradient is not their derivative or that exist only for their gradient, a parabola, and allclose.

Bengio, Léonard, Courville 2013, Estimating or propagating gradients through stochastic neurons for conditional
computation, arXiv:1308.3432, on straight-through estimators.
"""

import numpy as np

from ..op import Op
from ..registry import REGISTRY, register
from . import elementwise  # noqa: F401 - registers the steps

__all__ = []


class StraightThrough(Op):
    """A step function that passes the gradient unchanged. `step`: the operator that computes the forward pass."""

    keeps = ()
    step = None

    def infer_dtype(self, data):
        return REGISTRY[self.step]().infer_dtype(data)

    def forward(self, data):
        return REGISTRY[self.step]().forward(data)

    def gradient(self, F, out_grads, inputs, outputs):
        return out_grads[0]


@register("data")
class _contrib_round_ste(StraightThrough):
    """round(data), with halves rounded away from zero and a gradient of 1, for training quantized networks.

    data (any shape) | out like data

    Source: Bengio, Léonard, Courville 2013, arXiv:1308.3432.

    >>> x = nd.array([1.4, 1.6])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.contrib.round_ste(x)
    >>> y.backward()
    >>> y.asnumpy(), x.grad.asnumpy()
    (array([1., 2.], dtype=float32), array([1., 1.], dtype=float32))
    """

    step = "round"


@register("data")
class _contrib_sign_ste(StraightThrough):
    """sign(data) with a gradient of 1, for training binary networks.

    data (any shape) | out like data

    Source: Bengio, Léonard, Courville 2013, arXiv:1308.3432.

    >>> nd.contrib.sign_ste(nd.array([-0.5, 0, 2])).asnumpy()
    array([-1.,  0.,  1.], dtype=float32)
    """

    step = "sign"


@register("data")
class _contrib_gradientmultiplier(Op):
    """data unchanged, but its gradient is multiplied by `scalar`. A negative number reverses the gradient.

    data (any shape) | out like data

    scalar: the factor.
    is_int: no effect.

    Source: Ganin, Lempitsky 2015, Unsupervised domain adaptation by backpropagation, arXiv:1409.7495.

    >>> x = nd.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.contrib.gradientmultiplier(x, scalar=-0.5)
    >>> y.backward()
    >>> y.asnumpy(), x.grad.asnumpy()
    (array([1., 2.], dtype=float32), array([-0.5, -0.5], dtype=float32))
    """

    scalar: float = 1.0
    is_int: bool = True
    keeps = ()

    def forward(self, data):
        return data.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return out_grads[0] * self.scalar


@register("data")
class _contrib_quadratic(Op):
    """a · data² + b · data + c, elementwise.

    data (any shape) | out like data

    a, b, c: the coefficients.

    >>> nd.contrib.quadratic(nd.array([0, 1, 2]), a=1, b=2, c=3).asnumpy()
    array([ 3.,  6., 11.], dtype=float32)
    """

    a: float = 0.0
    b: float = 0.0
    c: float = 0.0
    keeps = ("inputs",)

    def infer_dtype(self, data):
        self.require_float("data", data)
        return [data], [data]

    def forward(self, data):
        return self.a * data * data + self.b * data + self.c

    def gradient(self, F, out_grads, inputs, outputs):
        return out_grads[0] * (inputs[0] * (2 * self.a) + self.b)


@register("a", "b")
class _contrib_allclose(Op):
    """1 if |a - b| <= atol + rtol · |b| for all elements, else 0; as uint8. No gradient.

    a, b (any common shape) | out ()

    rtol, atol: the relative and the absolute tolerance.
    equal_nan: if True, treat NaN as close to NaN. Equal infinities are close.

    >>> nd.contrib.allclose(nd.array([1, 2]), nd.array([1, 2.000001])).asnumpy()
    array(1, dtype=uint8)
    """

    rtol: float = 1e-5
    atol: float = 1e-8
    equal_nan: bool = True
    gradient = None

    def infer_shape(self, a, b):
        shape = self.require("b", b, a)
        return [shape, shape], [()]

    def infer_dtype(self, a, b):
        return super().infer_dtype(a, b)[0], [np.dtype("uint8")]

    def forward(self, a, b):
        return np.array(np.allclose(a, b, self.rtol, self.atol, self.equal_nan), np.uint8)
