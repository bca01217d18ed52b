"""What the programs share: fixed numbers instead of random ones."""

import zlib

import numpy as np


def draw(seed, *shape, scale=1.0):
    """Normal numbers, the same in every version of NumPy."""
    return (np.random.RandomState(seed).randn(*shape) * scale).astype("float32")


def fixed(mx, scale=0.3):
    """An initializer whose weights follow from the parameter's name."""
    class Fixed(mx.init.Initializer):
        def _init_weight(self, name, data):
            data[:] = draw(zlib.crc32(str(name).encode()), *data.shape, scale=scale)

    return Fixed()


def linear_data(mx, examples=64):
    """Features (examples, 2) and labels (examples,) of a line with noise."""
    features = draw(1, examples, 2)
    labels = features @ np.array([2, -3.4], "float32") + 4.2 + draw(2, examples, scale=0.01)
    return mx.nd.array(features), mx.nd.array(labels)


def shapes_data(mx, examples=32, size=8):
    """Images (examples, 1, size, size) of bars that stand (label 0) or lie (label 1), and their labels."""
    images = draw(3, examples, 1, size, size, scale=0.1)
    labels = np.arange(examples) % 2
    for i, label in enumerate(labels):
        place = i // 2 % size
        if label:
            images[i, 0, place] += 1
        else:
            images[i, 0, :, place] += 1
    return mx.nd.array(images), mx.nd.array(labels)


def batches(batch_size, *arrays):
    """Consecutive batches, the last one perhaps smaller."""
    for begin in range(0, len(arrays[0]), batch_size):
        yield [a[begin:min(begin + batch_size, len(a))] for a in arrays]


def sgd(params, lr, batch_size):
    for param in params:
        param[:] = param - lr * param.grad / batch_size


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def accuracy(net, data, labels):
    return (net(data).argmax(axis=1) == labels.astype("float32")).mean().asscalar()
