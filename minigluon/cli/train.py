"""`minigluon train`: a Gluon training program, from data to plots.

Started by mpirun in several processes, each takes its part of every batch, and the first one writes and prints.
"""

import math
import os
import time

import numpy as np

from .. import autograd, context, gluon, initializer, kvstore, nd, rng
from ..base import MXNetError
from ..formats.whole_files import together
from ..gluon import nn
from ..kvstore.job import launched
from .data import load
from .extras import make_folder, require

__all__ = ["train"]

NAMES = {"lenet": "LeNet", "mlp": "a perceptron"}


def train(args):
    """Train, evaluate, and write parameters and plots. args: see `minigluon train --help`."""
    require("tqdm", "matplotlib")           # before the work, not after it
    ctx = context.parse(args.ctx)
    if args.emulate:
        _emulate(ctx)
    nd.zeros((1,), ctx=ctx)                 # says what is missing if the device cannot be used
    store = kvstore.create("dist_sync" if launched() else "local")
    images = load(args.data)
    small = args.data == "digits"
    epochs = args.epochs or (20 if small else 5)
    # On MNIST, some runs of LeNet never learn with 0.5: see benchmarks/README.md.
    rate = args.lr or (0.2 if small else 0.1)
    make_folder(args.out)
    rng.seed(args.seed)
    np.random.seed(args.seed % 2**32)

    net = make_net(args.net, len(images.names))
    net.initialize(initializer.Xavier(magnitude=2.24), ctx=ctx)
    if args.hybridize:
        net.hybridize()
    title = f"{NAMES[args.net]} on {images.title}"
    processes = f", in {store.num_workers} processes" if store.num_workers > 1 else ""
    _print(store, f"{title}: {len(images.x_train):,} images to train, {len(images.x_test):,} to test; "
          f"batches of {args.batch_size}, sgd with learning rate {rate:g}, {ctx}"
          f"{', hybridized' if args.hybridize else ''}{processes}")
    history = fit(net, images, ctx, epochs, args.batch_size, rate, args.workers, store)
    if store.rank == 0:
        _write(args, net, images, history, ctx)


def _print(store, text):
    """Only the first of several processes prints."""
    if store.rank == 0:
        print(text, flush=True)


def _emulate(ctx):
    """Ask the GPU's backend for the emulated GPU. It looks when a device is used first, which is after this."""
    if ctx.device_type != "gpu":
        raise MXNetError(f"--emulate runs a GPU's kernels on the CPU, and the device is {ctx}: add --ctx gpu")
    os.environ["MINIGLUON_GPU"] = "emulate"


def make_net(kind, classes):
    """LeNet (LeCun, Bottou, Bengio, Haffner 1998) with rectifiers, or a perceptron with two hidden layers."""
    net = nn.HybridSequential()
    with net.name_scope():
        if kind == "lenet":
            net.add(nn.Conv2D(channels=20, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
                    nn.Conv2D(channels=50, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
                    nn.Flatten(), nn.Dense(128, activation="relu"))
        else:
            net.add(nn.Flatten(), nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"))
        net.add(nn.Dense(classes))
    return net


class History:
    """What training saw: the loss of each batch, and after each epoch the accuracies."""

    def __init__(self):
        self.losses = []            # of batches
        self.epoch_ends = []        # number of batches seen
        self.train_accuracy = []
        self.test_accuracy = []


def fit(net, images, ctx, epochs, batch_size, rate, workers=0, store=None):
    """Stochastic gradient descent on the cross-entropy. Returns the History.

    store: of several processes, which see the same batches, since their seeds are equal, and take a part of each.
    """
    store = kvstore.create("local") if store is None else store
    from tqdm import tqdm
    batches = gluon.data.DataLoader(gluon.data.ArrayDataset(images.x_train, images.y_train), batch_size, shuffle=True,
                                    num_workers=workers)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate},
                            kvstore=store if store.num_workers > 1 else "device")
    history = History()
    for epoch in range(epochs):
        start = time.perf_counter()
        total, right, seen = 0.0, 0, 0
        # disable=None: no bar where the output is no terminal.
        with tqdm(total=len(images.y_train), desc=f"epoch {epoch + 1}/{epochs}", unit=" samples", leave=False,
                  disable=True if store.rank else None, dynamic_ncols=True) as bar:
            for x, y in batches:
                loss, correct = _step(net, loss_fn, trainer, x.as_in_context(ctx), y.as_in_context(ctx), store)
                history.losses.append(loss / len(y))
                total, right, seen = total + loss, right + correct, seen + len(y)
                bar.set_postfix_str(f"loss {total / seen:.4f}, accuracy {right / seen:.2%}", refresh=False)
                bar.update(len(y))
        seconds = time.perf_counter() - start
        total, right = _over_processes(store, [total, right])
        history.losses[-len(batches):] = _over_processes(store, history.losses[-len(batches):])
        _require_finite(total, epoch + 1, rate)
        if store.rank > 0:
            continue
        probabilities = predict(net, images.x_test, ctx)
        history.epoch_ends.append(len(history.losses))
        history.train_accuracy.append(right / seen)
        history.test_accuracy.append(float((probabilities.argmax(1) == images.y_test).mean()))
        recent = history.losses[-max(1, len(batches) // 4):]
        if epoch == 0 and sum(recent) / len(recent) > 0.9 * math.log(len(images.names)):
            print(f"the loss is still that of guessing: if it does not fall soon, try --lr {rate / 5:g} or another "
                  "--seed")
        print(f"epoch {epoch + 1}/{epochs}: loss {total / seen:.4f}, accuracy {right / seen:.2%}, "
              f"test accuracy {history.test_accuracy[-1]:.2%}, {seconds:.1f} s, {seen / seconds:,.0f} samples/s",
              flush=True)
    return history


def _over_processes(store, numbers):
    """The sums of numbers over all processes."""
    if store.num_workers == 1:
        return numbers
    sums = nd.array(numbers, dtype="float64")
    store.pushpull(0, sums)
    return sums.asnumpy().tolist()


def _step(net, loss_fn, trainer, x, y, store):
    """One step of gradient descent. Returns the summed loss and how many images were classified right."""
    size = len(y)
    if store.num_workers > 1:
        begin, end = (size * rank // store.num_workers for rank in (store.rank, store.rank + 1))
        x, y = x[begin:end], y[begin:end]
    with autograd.record():
        output = net(x)
        loss = loss_fn(output, y)
    loss.backward()
    trainer.step(size)
    right = output.asnumpy().argmax(1) == y.asnumpy()
    return float(loss.asnumpy().sum()), int(right.sum())


def predict(net, x, ctx, batch_size=256):
    """Probabilities (N, classes) of images (N, C, H, W)."""
    parts = [nd.softmax(net(nd.array(x[i:i + batch_size], ctx=ctx))).asnumpy() for i in range(0, len(x), batch_size)]
    return np.concatenate(parts)


def _require_finite(loss, epoch, rate):
    if not np.isfinite(loss):
        raise MXNetError(f"the loss is {loss} after epoch {epoch}: training diverged. Try a learning rate below "
                         f"{rate:g}, for example --lr {rate / 5:g}")


def _write(args, net, images, history, ctx):
    from .plots import learning_curve, mistakes
    paths = [os.path.join(args.out, name) for name in (f"{args.net}.params", "learning-curve.png", "mistakes.png")]
    title = f"{NAMES[args.net]} on {images.title}"
    probabilities = predict(net, images.x_test, ctx)
    with together():
        net.save_parameters(paths[0])
        learning_curve(paths[1], title, history)
        wrong = mistakes(paths[2], title, images, probabilities)
    print(f"test accuracy {history.test_accuracy[-1]:.2%}: {wrong} of {len(images.y_test):,} images wrong")
    for what, path in zip(("parameters", "learning curve", "mistakes"), paths, strict=True):
        print(f"  {what:15} {path}")
