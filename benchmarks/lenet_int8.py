"""LeNet on MNIST, trained in float32 and then quantized to 8-bit integers: the accuracy and speed of both.

    python benchmarks/lenet_int8.py FOLDER [--epochs 1] [--examples 10000] [--calibrate 500] [--modes naive,entropy]

FOLDER contains MNIST's four original *-ubyte.gz files. The quantized operators have only NumPy kernels, so the second
network is slower than the first.
"""

import argparse
import time

from lenet_mnist import lenet, train_epoch, transform

import minigluon as mx
from minigluon import gluon
from minigluon.contrib.quantization import quantize_net


def first_channels(data, label):
    """Return an image with channels first, and its label."""
    image, label = transform(data, label)
    return image.transpose((2, 0, 1)), label


def accuracy(net, batches):
    """Return (share of correct answers, seconds)."""
    started, right, total = time.perf_counter(), 0, 0
    for data, label in batches:
        right += (net(data).argmax(axis=1) == label).sum().asscalar()
        total += len(label)
    return right / total, time.perf_counter() - started


def trained(folder, epochs, seed):
    """Return a LeNet that was trained on MNIST."""
    mx.random.seed(seed)
    batches = gluon.data.DataLoader(gluon.data.vision.MNIST(folder, train=True, transform=transform), 64, shuffle=True)
    net, loss = lenet(mx), gluon.loss.SoftmaxCrossEntropyLoss()
    net.initialize()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(epochs):
        train_epoch(mx, net, batches, loss, trainer, 64)
    return net


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--examples", type=int, default=10000)
    parser.add_argument("--calibrate", type=int, default=500)
    parser.add_argument("--modes", default="none,naive,entropy")
    parser.add_argument("--seed", type=int, default=2)
    args = parser.parse_args()
    net = trained(args.folder, args.epochs, args.seed)
    test, train = (gluon.data.vision.MNIST(args.folder, train=t, transform=first_channels) for t in (False, True))
    batches = list(gluon.data.DataLoader(test.take(args.examples), 100))
    calibration = gluon.data.DataLoader(train.take(args.calibrate), 100)
    whole, seconds = accuracy(net, batches)
    print(f"float32: {100 * whole:.2f} % in {seconds:.1f} s", flush=True)
    for mode in args.modes.split(","):
        data = None if mode == "none" else calibration
        small = quantize_net(net, calib_mode=mode, calib_data=data)
        share, seconds = accuracy(small, batches)
        print(f"int8, calib_mode={mode!r}: {100 * share:.2f} % ({100 * (share - whole):+.2f}) in {seconds:.1f} s",
              flush=True)


if __name__ == "__main__":
    main()
