"""LeNet on MNIST in float32, float16 and bfloat16: test accuracy, and the time of a step compared with float32.

    python benchmarks/amp.py ../shared/data/mnist --epochs 2
    python benchmarks/amp.py ../shared/data/fashion-mnist --imperative
    python benchmarks/amp.py ../shared/data/mnist --images 40000 --seeds 20 --kinds nudged "amp float16"

The folder has the four files of MNIST or Fashion-MNIST. Each kind trains from the same weights on the same batches. One
run says little about accuracy: two runs whose initial weights differ in the last digit diverge within a few hundred
steps. So --seeds trains many pairs, each with its own order of batches, and prints the mean difference from float32
with its standard error; `nudged` shows the effect of such a last digit. Times are measured in turns: a ratio is the
median over the rounds of a step's time divided by that of the float32 step in the same round. bfloat16 needs the
package ml_dtypes.

    float32             everything
    nudged              float32 from initial weights that are larger by a millionth
    amp                 contrib.amp: weights in float32, products in the other type
    cast                net.cast(...): weights and all computations; steps on float32 copies (multi_precision)
"""

import argparse
import contextlib
import os
import statistics
import time
import warnings

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.contrib import amp
from minigluon.contrib.amp import casting
from minigluon.gluon import nn

KINDS = ["float32", "nudged", "amp float16", "amp bfloat16", "cast float16", "cast bfloat16"]


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
        self.net(nd.zeros((1, 1, 28, 28)))              # the weights are initialized before anything is converted
        if kind == "nudged":
            for parameter in self.net.collect_params().values():
                parameter.set_data(parameter.data() * (1 + 1e-6))
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
        """Use amp only for this net."""
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


def train(x, y, args, seed):
    """Return {kind: Training} and {kind: times of some steps}, after `args.epochs` on batches in the seed's order."""
    starts = np.random.RandomState(seed).permutation(range(0, len(y) - args.batch + 1, args.batch))
    trainings = {kind: Training(kind, args.batch, not args.imperative, seed) for kind in args.kinds}
    times = {kind: [] for kind in args.kinds}
    for number in range(args.epochs * len(starts)):
        at = starts[number % len(starts)]
        for kind, training in trainings.items():
            start = time.perf_counter()
            training.step(x[at:at + args.batch], y[at:at + args.batch])
            if 5 <= number < 5 + args.rounds:
                times[kind].append(time.perf_counter() - start)
    return trainings, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="with the files of MNIST or Fashion-MNIST")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--images", type=int, default=60000, help="the number of training images, from the start")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=40, help="rounds of timing")
    parser.add_argument("--seeds", type=int, default=1, help="the number of runs, each from its own weights")
    parser.add_argument("--imperative", action="store_true", help="do not hybridize")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    args = parser.parse_args()
    args.kinds = list(dict.fromkeys(["float32", *args.kinds]))
    warnings.simplefilter("ignore")
    x, y = arrays(args.folder, True)
    x, y = x[:args.images], y[:args.images]
    test = arrays(args.folder, False)
    accuracies, ratios, times = ({kind: [] for kind in args.kinds} for _ in range(3))
    for seed in range(args.seeds):
        trainings, found = train(x, y, args, seed)
        for kind, training in trainings.items():
            accuracies[kind].append(100 * training.accuracy(*test))
            times[kind] += found[kind]
            ratios[kind] += [a / b for a, b in zip(found[kind], found["float32"], strict=True)]
    print(f"{'imperative' if args.imperative else 'hybridized'}, batch {args.batch}, {args.epochs} epochs of "
          f"{len(y) // args.batch} steps, {args.seeds} seeds; load {os.getloadavg()[0]:.1f}")
    for kind in args.kinds:
        print(f"{kind:14} accuracy {statistics.mean(accuracies[kind]):6.2f} %{beside(accuracies, kind)}   step "
              f"{1000 * statistics.median(times[kind]):7.2f} ms   {statistics.median(ratios[kind]):5.2f} x float32")


def beside(accuracies, kind):
    """Return the mean difference from float32 over the seeds, its standard error, and how often it was higher."""
    differences = [a - b for a, b in zip(accuracies[kind], accuracies["float32"], strict=True)]
    if len(differences) < 2:
        return ""
    error = statistics.stdev(differences) / len(differences) ** 0.5
    return (f"   {statistics.mean(differences):+5.2f} ± {error:4.2f}, "
            f"higher in {sum(d > 0 for d in differences):2} of {len(differences)}")


if __name__ == "__main__":
    main()
