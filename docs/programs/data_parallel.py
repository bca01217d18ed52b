"""Data parallelism on two devices: each has all parameters and half of every batch, and the trainer adds the gradients.

The same training on one device ends with the same parameters, up to the order of additions. The devices here are two
contexts of the CPU; with GPUs, they are mx.gpu(0) and mx.gpu(1), and nothing else changes.
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

BATCH = 60


def train(contexts, images, labels, epochs):
    """Returns the trained network and the mean loss of the last epoch."""
    mx.random.seed(1)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(8, kernel_size=3, activation="relu"), nn.MaxPool2D(), nn.Flatten(), nn.Dense(10))
    net.initialize(mx.init.Xavier(), ctx=contexts)
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.9}, kvstore="device")
    for epoch in range(epochs):
        total = 0.0
        for start in range(0, len(images) - BATCH + 1, BATCH):
            xs = gluon.utils.split_and_load(images[start:start + BATCH], contexts)
            ys = gluon.utils.split_and_load(labels[start:start + BATCH], contexts)
            with autograd.record():
                losses = [loss(net(x), y) for x, y in zip(xs, ys, strict=True)]
            autograd.backward(losses)
            trainer.step(BATCH)         # the sum of both devices' gradients, divided by the batch size
            total += sum(part.sum().asscalar() for part in losses)
        print(f"{len(contexts)} device(s), epoch {epoch + 1}: loss {total / len(images):.4f}")
    return net, total / len(images)


def main(small):
    digits = load_digits()
    images = digits.images.astype("float32")[:, None] / 16
    labels = digits.target.astype("float32")
    epochs = 4 if small else 12
    one, loss_one = train([mx.cpu(0)], images, labels, epochs)
    two, loss_two = train([mx.cpu(0), mx.cpu(1)], images, labels, epochs)
    for name, param in two.collect_params().items():
        first, second = (param.data(ctx).asnumpy() for ctx in param.list_ctx())
        assert (first == second).all(), "the copies on the two devices have drifted apart"
        np.testing.assert_allclose(first, one.collect_params()[name].data().asnumpy(), rtol=1e-2, atol=1e-3)
    scores = two(nd.array(images, ctx=mx.cpu(1))).asnumpy()
    right = (scores.argmax(axis=1) == labels).mean()
    print(f"loss {loss_one:.4f} on one device, {loss_two:.4f} on two; {right:.1%} of the images are read right")
    assert right > (0.9 if small else 0.97)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
