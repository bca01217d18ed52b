"""A perceptron learns to read digits, in the style of pre-Gluon programs: a symbol, an iterator and Module.fit.

It is saved after every second epoch, and a second module resumes from the checkpoint, with its momentum.
"""

import logging
import os
import sys
import tempfile

import numpy as np
from sklearn.datasets import load_digits

import minigluon as mx

HELD_OUT = 297      # of 1,797 images


def iterators(batch_size):
    """Returns training and test images, 8 x 8 pixels with values from 0 to 1."""
    digits = load_digits()
    images, labels = digits.data.astype("float32") / 16, digits.target.astype("float32")
    order = np.random.RandomState(0).permutation(len(images))
    train, test = order[:-HELD_OUT], order[-HELD_OUT:]
    return (mx.io.NDArrayIter(images[train], labels[train], batch_size, shuffle=True),
            mx.io.NDArrayIter(images[test], labels[test], batch_size))


def perceptron():
    net = mx.sym.var("data")
    for number, size in enumerate((64, 32)):
        net = mx.sym.FullyConnected(net, num_hidden=size, name=f"fc{number}")
        net = mx.sym.Activation(net, act_type="relu", name=f"relu{number}")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(net, num_hidden=10, name="scores"), name="softmax")


def main(small):
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    mx.random.seed(1)
    train, test = iterators(batch_size=50)
    epochs = 4 if small else 12
    settings = {"optimizer": "sgd", "optimizer_params": {"learning_rate": 0.1, "momentum": 0.9},
                "batch_end_callback": mx.callback.Speedometer(50, frequent=20)}
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "digits")
        first = mx.mod.Module(perceptron())
        first.fit(train, eval_data=test, num_epoch=epochs, initializer=mx.init.Xavier(), **settings,
                  epoch_end_callback=mx.callback.module_checkpoint(first, prefix, 2, save_optimizer_states=True))
        second = mx.mod.Module.load(prefix, epochs, load_optimizer_states=True)
        second.fit(train, begin_epoch=epochs, num_epoch=2 * epochs, **settings)
    (_, before), = first.score(test, "acc")
    (_, after), = second.score(test, "acc")
    print(f"of {HELD_OUT} images, right: {before:.1%} after {epochs} epochs, {after:.1%} after {2 * epochs}")
    assert after >= (0.9 if small else 0.94)
    assert second.predict(test).shape == (HELD_OUT, 10)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
