"""Initializers for the weights of certain layers, based on the weights' sizes or on the layer's function."""

from __future__ import annotations

import math

import numpy as np

from .. import random
from ..base import ArgumentError, ShapeError
from .initializer import Initializer, register

__all__ = ["Bilinear", "LSTMBias", "MSRAPrelu", "Orthogonal", "Xavier"]


@register
class Orthogonal(Initializer):
    """Initializer: scale times a matrix (shape[0], rest) whose rows or columns, whichever are fewer, are orthonormal.

    scale: the norm of each of these rows or columns.
    rand_type: 'uniform' or 'normal', the distribution of the matrix before orthogonalization.

    Source: Saxe, McClelland and Ganguli 2014, Exact Solutions to the Nonlinear Dynamics of Learning in Deep Linear
        Neural Networks.

    >>> array = nd.zeros((2, 5))
    >>> init.Orthogonal(scale=2)(init.InitDesc("weight"), array)
    >>> nd.dot(array, array.T).asnumpy().round(3) + 0           # adding 0 turns -0 to 0
    array([[4., 0.],
           [0., 4.]], dtype=float32)
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise ArgumentError(f"Orthogonal: rand_type is {rand_type!r}, expected 'uniform' or 'normal'")
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name, arr):
        shape = (arr.shape[0], math.prod(arr.shape[1:]))
        drawn = random.uniform(-1, 1, shape) if self.rand_type == "uniform" else random.normal(0, 1, shape)
        u, _, v = np.linalg.svd(drawn.asnumpy(), full_matrices=False)
        arr[:] = (self.scale * (u if u.shape == shape else v)).reshape(arr.shape)


@register
class Xavier(Initializer):
    """Initializer that keeps the scales of activations and gradients similar across layers: c = √(magnitude / factor).

    rnd_type: 'uniform' draws from [-c, c), 'gaussian' with standard deviation c.
    factor_type: the factor is the number of inputs per unit ('in'), the number of outputs ('out'), or their mean
    ('avg').
    magnitude: 3 keeps the variance of a layer without activation, 6 with relu.

    Source: Glorot and Bengio 2010, Understanding the Difficulty of Training Deep Feedforward Neural Networks.

    >>> array = nd.zeros((100, 200))
    >>> init.Xavier()(init.InitDesc("weight"), array)                          # √(3 / 150) is 0.141
    >>> round(float(abs(array.asnumpy()).max()), 2)
    0.14
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        if rnd_type not in ("uniform", "gaussian"):
            raise ArgumentError(f"Xavier: rnd_type is {rnd_type!r}, expected 'uniform' or 'gaussian'")
        if factor_type not in ("avg", "in", "out"):
            raise ArgumentError(f"Xavier: factor_type is {factor_type!r}, expected 'avg', 'in' or 'out'")
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)
        if self.magnitude < 0:
            raise ArgumentError(f"Xavier: magnitude is {magnitude!r}, which has no square root")

    def _init_weight(self, name, arr):
        if len(arr.shape) < 2:
            raise ShapeError(f"{type(self).__name__} needs at least 2 dimensions, but {name} has shape {arr.shape}. "
                             "Use another initializer for it, for example init='zeros'.")
        taps = math.prod(arr.shape[2:])
        fan_in, fan_out = arr.shape[1] * taps, arr.shape[0] * taps
        factor = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}[self.factor_type]
        scale = math.sqrt(self.magnitude / factor)
        if self.rnd_type == "uniform":
            random.uniform(-scale, scale, out=arr)
        else:
            random.normal(0, scale, out=arr)


@register
class MSRAPrelu(Xavier):
    """Initializer for layers followed by a PReLU with this slope: normal with variance 2 / ((1 + slope²) · factor).

    factor_type: the factor is the number of inputs per unit ('in'), the number of outputs ('out'), or their mean
    ('avg').
    slope: the slope of the PReLU.

    Source: He et al. 2015, Delving Deep into Rectifiers.

    >>> array = nd.zeros((100, 200))
    >>> init.MSRAPrelu(slope=0)(init.InitDesc("weight"), array)                # √(2 / 150) is 0.115
    >>> round(float(array.asnumpy().std()), 2)
    0.12
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope ** 2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """The kernel with which a Deconvolution upsamples an image by bilinear interpolation. Weight (*, *, h, w).

    >>> array = nd.zeros((1, 1, 4, 4))
    >>> init.Bilinear()(init.InitDesc("weight"), array)
    >>> array.asnumpy()[0, 0, 1]
    array([0.1875, 0.5625, 0.5625, 0.1875], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name, arr):
        self._init_bilinear(name, arr)


@register
class LSTMBias(Initializer):
    """A bias (4 · hidden,) of zeros, except that the second of the four gates, the forget gate, has `forget_bias`.

    forget_bias: 1 is recommended.

    Source: Jozefowicz, Zaremba and Sutskever 2015, An Empirical Exploration of Recurrent Network Architectures.

    >>> cell = gluon.rnn.LSTMCell(2, input_size=1, i2h_bias_initializer=init.LSTMBias())
    >>> cell.initialize()
    >>> cell.i2h_bias.data().asnumpy().tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name, arr):
        hidden = arr.shape[0] // 4
        values = np.zeros(arr.shape, "float32")
        values[hidden:2 * hidden] = self.forget_bias
        arr[:] = values

    def _init_bias(self, name, arr):
        self._init_weight(name, arr)
