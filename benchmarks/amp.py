"""LeNet on MNIST in float32, float16 and bfloat16: accuracy on the test set, and the time of a step beside float32's.

    python benchmarks/amp.py ../shared/data/mnist --epochs 2
    python benchmarks/amp.py ../shared/data/fashion-mnist --imperative

The folder has the four files of MNIST or Fashion-MNIST. Each kind of number trains from the same weights on the same
batches. Times are taken in turns: a ratio is the median over the rounds of a step's time divided by that of the step
in float32 of the same round. bfloat16 needs the package ml_dtypes.

    float32             everything
    amp                 contrib.amp: weights in float32, products in the other type
    cast                net.cast(...): weights and all that is computed; steps on float32 copies (multi_precision)
"""

import argparse
import contextlib
import os
import statistics
import time
import warnings

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.contrib import amp
from minigluon.contrib.amp import casting
from minigluon.gluon import nn

KINDS = ["float32", "amp float16", "amp bfloat16", "cast float16", "cast bfloat16"]


def lenet():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(50, 5, activation="relu"),
            nn.MaxPool2D(2, 2), nn.Flatten(), nn.Dense(500, activation="relu"), nn.Dense(10))
    return net


class Training:
    """A net of one kind, with its trainer."""

    def __init__(self, kind, batch, hybridized, seed):
        how, _, dtype = kind.rpartition(" ")
        self.dtype = dtype if how == "cast" else "float32"
        self.amp = dtype if how == "amp" else None
        mx.random.seed(seed)
        self.net, self.loss, self.batch = lenet(), gluon.loss.SoftmaxCrossEntropyLoss(), batch
        self.net.initialize(mx.init.Xavier())
        self.net(nd.zeros((1, 1, 28, 28)))              # the weights are drawn before anything is converted
        if how == "cast":
            self.net.cast(self.dtype)
        if hybridized:
            self.net.hybridize()
            self.loss.hybridize()
        self.trainer = gluon.Trainer(self.net.collect_params(), "sgd", {
            "learning_rate": 0.05, "momentum": 0.9, "multi_precision": how == "cast"})
        with self.converting():
            if self.amp:
                amp.init_trainer(self.trainer)

    @contextlib.contextmanager
    def converting(self):
        """amp for this net alone."""
        if self.amp:
            amp.init(self.amp)
        try:
            yield
        finally:
            casting.switch_off()

    def step(self, x, y):
        with self.converting():
            with autograd.record():
                loss = self.loss(self.net(x.astype(self.dtype)), y)
                if self.amp:
                    with amp.scale_loss(loss, self.trainer) as scaled:
                        autograd.backward(scaled)
            if not self.amp:
                loss.backward()
            self.trainer.step(self.batch)
            nd.waitall()

    def accuracy(self, x, y):
        right = 0
        with self.converting():
            for start in range(0, len(y), 1000):
                out = self.net(x[start:start + 1000].astype(self.dtype))
                right += (out.astype("float32").asnumpy().argmax(1) == y[start:start + 1000].asnumpy()).sum()
        return right / len(y)


def arrays(folder, train):
    kind = gluon.data.vision.FashionMNIST if "fashion" in os.path.basename(folder) else gluon.data.vision.MNIST
    images, labels = kind(folder, train=train)[:]
    return nd.array(images, dtype="float32").transpose((0, 3, 1, 2)) / 255, nd.array(labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="with the files of MNIST or Fashion-MNIST")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--images", type=int, default=60000, help="of the training set, the first ones")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=40, help="of the times")
    parser.add_argument("--seed", type=int, default=1, help="of the first weights")
    parser.add_argument("--imperative", action="store_true", help="do not hybridize")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    x, y = arrays(args.folder, True)
    x, y = x[:args.images], y[:args.images]
    batches = [(x[i:i + args.batch], y[i:i + args.batch]) for i in range(0, len(y) - args.batch + 1, args.batch)]
    kinds = list(dict.fromkeys(["float32", *args.kinds]))
    trainings = {kind: Training(kind, args.batch, not args.imperative, args.seed) for kind in kinds}
    times = {kind: [] for kind in kinds}
    for number in range(args.epochs * len(batches)):
        for kind, training in trainings.items():
            start = time.perf_counter()
            training.step(*batches[number % len(batches)])
            if 5 <= number < 5 + args.rounds:
                times[kind].append(time.perf_counter() - start)
    test = arrays(args.folder, False)
    print(f"{'imperative' if args.imperative else 'hybridized'}, batch {args.batch}, {args.epochs * len(batches)} "
          f"steps; load {os.getloadavg()[0]:.1f}")
    for kind, training in trainings.items():
        ratio = statistics.median(a / b for a, b in zip(times[kind], times["float32"], strict=True))
        print(f"{kind:14} accuracy {100 * training.accuracy(*test):6.2f} %   step "
              f"{1000 * statistics.median(times[kind]):7.2f} ms   {ratio:5.2f} x float32")


if __name__ == "__main__":
    main()
