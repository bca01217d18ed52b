"""Layers as JAX functions. The first argument of each layer, and of a net made of layers, supplies its parameters.

Images are (batch, height, width, channels), the fastest layout for XLA on CPUs; parameters are in the same order as
those of the nets in PyTorch, with convolution kernels as (height, width, in, out).
"""

import math

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

__all__ = ["Parameters", "attend", "batch_norm", "conv", "conv_transpose", "dense", "embed", "flatten", "layer_norm",
           "make_parameters", "max_pool", "mean_pool"]


class Parameters:
    """A net's parameters, which its layers take one by one.

    trained, moving: the trainable parameters, and the statistics of BatchNorm, in order; by default, they are
    initialized. In training, `moved` contains the new statistics after the net has run.
    """

    def __init__(self, trained=None, moving=None, training=False):
        self.making, self.training, self.moved = trained is None, training, []
        self.trained, self.moving = (iter(trained), iter(moving)) if trained is not None else ([], [])
        self.random = np.random.default_rng(0)

    def __call__(self, *shape, fill=None, inputs=None):
        """Return the next parameter, filled with a number or drawn according to He's rule for this number of inputs."""
        if not self.making:
            return next(self.trained)
        value = np.full(shape, fill, "float32") if fill is not None else (
            self.random.normal(0, math.sqrt(2 / inputs), shape).astype("float32"))
        self.trained.append(value)
        return value

    def statistics(self, channels):
        """Return the running mean and variance."""
        if not self.making:
            return next(self.moving), next(self.moving)
        self.moving += [np.zeros(channels, "float32"), np.ones(channels, "float32")]
        return self.moving[-2:]


def make_parameters(net, *inputs):
    """Return (trained, moving) for a net, without running it."""
    parameters = Parameters()
    jax.eval_shape(lambda *inputs: net(parameters, *inputs), *inputs)
    return jax.device_put(parameters.trained), jax.device_put(parameters.moving)


def dense(p, x, units, bias=True):
    inputs = x.shape[-1]
    x = x @ p(units, inputs, inputs=inputs).T
    return x + p(units, fill=0) if bias else x


def conv(p, x, channels, kernel, stride=1, padding=None, groups=1, bias=False):
    """Convolve. kernel, stride, padding: one number, or one number each for height and width. padding=None means half
    the kernel.
    """
    (high, wide), (down, right) = pair(kernel), pair(stride)
    above, left = (high // 2, wide // 2) if padding is None else pair(padding)
    inputs = x.shape[-1] // groups
    x = lax.conv_general_dilated(x, p(high, wide, inputs, channels, inputs=inputs * high * wide), (down, right),
                                 ((above, above), (left, left)), dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                 feature_group_count=groups)
    return x + p(channels, fill=0) if bias else x


def conv_transpose(p, x, channels):
    """Double the height and width of images with a matrix that turns each pixel into four."""
    batch, high, wide, inputs = x.shape
    x = jnp.einsum("bhwi,ioyx->bhywxo", x, p(inputs, channels, 2, 2, inputs=inputs))
    return x.reshape(batch, 2 * high, 2 * wide, channels) + p(channels, fill=0)


def pair(number):
    return number if isinstance(number, tuple) else (number, number)


def batch_norm(p, x):
    gamma, beta = p(x.shape[-1], fill=1), p(x.shape[-1], fill=0)
    mean, var = p.statistics(x.shape[-1])
    if p.training:
        axes = tuple(range(x.ndim - 1))
        now = x.mean(axes), x.var(axes)
        p.moved += [0.9 * old + 0.1 * new for old, new in zip((mean, var), now)]
        mean, var = now
    return (x - mean) * (gamma * lax.rsqrt(var + 1e-5)) + beta


def layer_norm(p, units):
    """Return a function, because the sum that a layer normalizes may use parameters that come after its own."""
    gamma, beta = p(units, fill=1), p(units, fill=0)

    def norm(x):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gamma + beta
    return norm


def max_pool(x, kernel, stride, padding=0):
    edges = (0, 0), (padding, padding), (padding, padding), (0, 0)
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, kernel, kernel, 1), (1, stride, stride, 1), edges)


def mean_pool(x):
    return x.mean((1, 2))


def flatten(x):
    """Flatten images with the channels first, as in the other libraries."""
    return x.transpose(0, 3, 1, 2).reshape(len(x), -1)


def embed(p, x, words, units):
    """Return (the word vectors, the table)."""
    table = p(words, units, inputs=units)
    return jnp.take(table, x, axis=0), table


def attend(queries, keys, values):
    """Compute the scaled dot-product attention of (batch, length, heads, size)."""
    return jax.nn.dot_product_attention(queries, keys, values)
