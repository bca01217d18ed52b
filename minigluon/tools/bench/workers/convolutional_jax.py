"""The nets of `convolutional_gluon` in JAX, with the same parameters in the same order.

Each function returns the net, a batch and its labels.
"""

from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

from .layers_jax import batch_norm, conv, conv_transpose, dense, max_pool, mean_pool

__all__ = ["NETS", "photographs"]


def normal(p, x, channels, kernel, stride=1, groups=1, active=jax.nn.relu, bias=False):
    """Apply convolution, BatchNorm and activation. The height and width of the images are divided by stride."""
    x = batch_norm(p, conv(p, x, channels, kernel, stride, groups=groups, bias=bias))
    return active(x) if active else x


def random(*shape):
    return np.random.default_rng(0).random(shape, "float32")


def photographs(sizes, batch):
    image, batch = sizes["photo_image"], sizes[batch]
    return random(batch, image, image, 3), np.arange(batch)


def resnet50(sizes):
    def net(p, x):
        x = max_pool(normal(p, x, 64, 7, 2), 3, 2, 1)
        for channels, blocks, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for stride in (first, *[1] * (blocks - 1)):
                y = normal(p, normal(p, x, channels, 1), channels, 3, stride)
                y = normal(p, y, 4 * channels, 1, active=None)
                x = jax.nn.relu(y + (x if x.shape == y.shape else normal(p, x, 4 * channels, 1, stride, active=None)))
        return dense(p, mean_pool(x), 1000)
    return net, *photographs(sizes, "resnet50_batch")


def mobilenetv2(sizes):
    relu6 = partial(normal, active=jax.nn.relu6)

    def net(p, x):
        x = relu6(p, x, 32, 3, 2)
        for expansion, channels, blocks, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                   (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for stride in (first, *[1] * (blocks - 1)):
                wide = x.shape[-1] * expansion
                y = relu6(p, x, wide, 1) if expansion > 1 else x
                y = normal(p, relu6(p, y, wide, 3, stride, wide), channels, 1, active=None)
                x = x + y if x.shape == y.shape else y
        return dense(p, mean_pool(relu6(p, x, 1280, 1)), 1000)
    return net, *photographs(sizes, "mobilenetv2_batch")


def unet(sizes):
    image, batch = sizes["unet_image"], sizes["unet_batch"]
    twice = lambda p, x, channels: normal(p, normal(p, x, channels, 3), channels, 3)

    def net(p, x):
        skipped = []
        for channels in (16, 32, 64, 128):
            skipped.append(twice(p, x, channels))
            x = max_pool(skipped[-1], 2, 2)
        x = twice(p, x, 256)
        for channels in (128, 64, 32, 16):
            x = twice(p, jnp.concatenate([skipped.pop(), conv_transpose(p, x, channels)], -1), channels)
        return conv(p, x, 2, 1, bias=True)
    return net, random(batch, image, image, 1), np.random.default_rng(0).integers(0, 2, (batch, image, image))


def labelled(sizes, shape, classes):
    batch = sizes["tiny_batch"]
    return random(batch, *shape), np.arange(batch) % classes


def ds_cnn(sizes):
    def net(p, x):
        x = jax.nn.relu(batch_norm(p, conv(p, x, 64, (10, 4), (2, 2), (5, 1), bias=True)))
        for _ in range(4):
            x = normal(p, normal(p, x, 64, 3, groups=64, bias=True), 64, 1, bias=True)
        return dense(p, mean_pool(x), 12)
    return net, *labelled(sizes, (49, 10, 1), 12)


def mobilenet(sizes):
    def net(p, x):
        x = normal(p, x, 8, 3, 2, bias=True)
        for channels, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2),
                                 (256, 1)):
            before = x.shape[-1]
            x = normal(p, normal(p, x, before, 3, stride, before, bias=True), channels, 1, bias=True)
        return dense(p, mean_pool(x), 2)
    return net, *labelled(sizes, (96, 96, 3), 2)


def resnet8(sizes):
    def block(p, x, channels, stride):
        y = normal(p, normal(p, x, channels, 3, stride, bias=True), channels, 3, active=None, bias=True)
        return jax.nn.relu(y + (conv(p, x, channels, 1, stride, bias=True) if stride > 1 else x))

    def net(p, x):
        x = block(p, normal(p, x, 16, 3, bias=True), 16, 1)
        return dense(p, mean_pool(block(p, block(p, x, 32, 2), 64, 2)), 10)
    return net, *labelled(sizes, (32, 32, 3), 10)


def autoencoder(sizes):
    def net(p, x):
        for units in (128, 128, 128, 128, 8, 128, 128, 128, 128):
            x = jax.nn.relu(batch_norm(p, dense(p, x, units)))
        return dense(p, x, 640)
    x, _ = labelled(sizes, (640,), 2)
    return net, x, x


# net -> its constructor, and the name of its batch size
NETS = {"mobilenetv2": (mobilenetv2, "mobilenetv2_batch"), "resnet50": (resnet50, "resnet50_batch"),
        "unet": (unet, "unet_batch"), "ds-cnn": (ds_cnn, "tiny_batch"), "mobilenet0.25": (mobilenet, "tiny_batch"),
        "resnet8": (resnet8, "tiny_batch"), "autoencoder": (autoencoder, "tiny_batch")}
