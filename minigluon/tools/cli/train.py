"""`minigluon train`: a Gluon training program, from data to plots.

If mpirun starts several processes, each processes its part of every batch, and only the first writes files and prints.
"""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

import numpy as np

from ... import context, gluon, initializer, kvstore
from ... import ndarray as nd
from ...base import ContextError, MXNetError
from ...common import generators as rng
from ...gluon import nn
from ...gluon.contrib.estimator import Estimator, LearningRateFinder, TensorBoardHandler
from ...gluon.resume import Checkpoints
from ...kvstore.job import launched
from ...serialization.atomic_write import together
from .data import load
from .extras import make_folder, require
from .train_options import OUT, chosen

if TYPE_CHECKING:
    from ...gluon.nn.containers import HybridSequential

__all__ = ["train"]

NAMES = {"lenet": "LeNet", "mlp": "a perceptron"}
FIND_STEPS = 100        # the number of batches of the range test


def train(args: Namespace) -> None:
    """Train, evaluate, and write parameters and plots. args: see `minigluon train --help`.

    Raises KeyboardInterrupt after Ctrl-C, with a message that says where training would resume.
    """
    require("tqdm", "matplotlib")           # check before the work, not after it
    board = TensorBoardHandler(args.tensorboard) if args.tensorboard else None
    checkpoints = Checkpoints(args.out)
    try:
        _train(args, checkpoints, board)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_where_it_goes_on(args.out, checkpoints.path)) from None
    finally:
        if board is not None:
            board.close()


def _train(args, checkpoints, board):
    checkpoint = checkpoints.newest() if args.resume else None
    settings = chosen(args, checkpoint)
    ctx = context.parse(settings.ctx)
    if args.emulate:
        _emulate(ctx)
    _try_device(ctx)
    store = kvstore.create("dist_sync" if launched() else "local")
    images = load(settings.data)
    make_folder(args.out)
    if settings.lr == "find":
        settings.lr = _find_rate(images, ctx, settings, store, args.out)
    from .training import Training
    training = Training(_initialized(images, ctx, settings), images, ctx, settings, store, checkpoints,
                        board if store.rank == 0 else None)
    _print(store, _title(images, ctx, settings, store))
    if checkpoint is not None:
        training.take_up(checkpoint)
        _print(store, f"resuming after {_place(checkpoint.path)}, from {checkpoint.path}")
    elif args.resume:
        _print(store, f"{args.out} has no checkpoint: training starts from the beginning")
    elif checkpoints.names():
        _print(store, f"{args.out} has a checkpoint of an earlier run, after {_place(checkpoints.names()[-1])}: "
                      "--resume would continue it. The first checkpoint of this run replaces it")
    training.run()
    if store.rank == 0:
        _write(args.out, settings, training)


def _initialized(images, ctx, settings):
    """Return the net, initialized with the seed."""
    rng.seed(settings.seed)
    np.random.seed(settings.seed % 2**32)
    net = make_net(settings.net, len(images.names))
    net.initialize(initializer.Xavier(magnitude=2.24), ctx=ctx)
    if settings.hybridize:
        net.hybridize()
    return net


def _find_rate(images, ctx, settings, store, folder):
    """Return the learning rate at which the loss falls fastest, measured on a net that is then discarded."""
    if store.num_workers > 1:
        raise MXNetError(f"--lr find works in one process, and there are {store.num_workers}. Find the rate in one "
                         "process, then pass it to all of them.")
    from .training import batches_of
    net = _initialized(images, ctx, settings)
    estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), context=ctx,
                          trainer=gluon.Trainer(net.collect_params(), "sgd",
                                                {"learning_rate": 0.1, "momentum": settings.momentum}))
    finder = LearningRateFinder(start=1e-4, steps=FIND_STEPS)
    rate = float(f"{finder.run(estimator, batches_of(images, settings)):.2g}")
    path = os.path.join(folder, "learning-rate.png")
    finder.plot(path)
    print(f"the loss falls fastest at learning rate {rate:g}: {path}", flush=True)
    return rate


def _title(images, ctx, settings, store):
    processes = f", in {store.num_workers} processes" if store.num_workers > 1 else ""
    rate = f"learning rate {settings.lr:g}{' (falling)' if settings.decay else ''}"
    return (f"{NAMES[settings.net]} on {images.title}: {len(images.x_train):,} images for training, "
            f"{len(images.x_test):,} for testing; batches of {settings.batch_size}, sgd with {rate}"
            f"{f' and momentum {settings.momentum:g}' if settings.momentum else ''}, "
            f"{ctx}{', hybridized' if settings.hybridize else ''}{processes}")


def _place(path):
    """Return a string such as 'epoch 2 and 17 batches' for the name of a checkpoint."""
    epoch, batch = (int("".join(filter(str.isdigit, part))) for part in os.path.basename(path).split("-"))
    return f"epoch {epoch}" + (f" and {batch} batches" if batch else "")


def _where_it_goes_on(folder, path):
    """Return the message shown after Ctrl-C. path: the last checkpoint, or None."""
    if path is None:
        return "before the first checkpoint: the same command starts from the beginning"
    out = "" if folder == OUT else f" --out {folder}"
    return f"saved after {_place(path)}: minigluon train --resume{out} continues from there"


def _print(store, text):
    """Print only in the first of several processes."""
    if store.rank == 0:
        print(text, flush=True)


def _emulate(ctx):
    """Select the emulated GPU. The backend reads the variable when a device is first used, which happens later."""
    if ctx.device_type != "gpu":
        raise MXNetError(f"--emulate runs a GPU's kernels on the CPU, but the device is {ctx}: add --ctx gpu")
    os.environ["MINIGLUON_GPU"] = "emulate"


def _try_device(ctx):
    """Raise ContextError if the device cannot be used. The message says what is missing and which option makes it
    unnecessary.
    """
    try:
        nd.zeros((1,), ctx=ctx)
    except ContextError as error:
        remedy, separator, following = str(error).partition("Set MINIGLUON_GPU=emulate")
        if not separator:
            raise
        raise ContextError(f"{remedy}Add --emulate, or set MINIGLUON_GPU=emulate,{following}") from error


def make_net(kind: str, classes: int) -> HybridSequential:
    """Return LeNet (LeCun, Bottou, Bengio, Haffner 1998) with ReLUs, or a perceptron with two hidden layers."""
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


def _write(folder, settings, training):
    from .plots import learning_curve, mistakes
    from .summary import summary
    from .training import predict
    images, history = training.images, training.history
    paths = [os.path.join(folder, name) for name in (f"{settings.net}.params", "learning-curve.png", "mistakes.png")]
    title = f"{NAMES[settings.net]} on {images.title}"
    probabilities = predict(training.net, images.x_test, training.ctx)
    with together():
        training.net.save_parameters(paths[0])
        learning_curve(paths[1], title, history)
        wrong = mistakes(paths[2], title, images, probabilities)
    print(f"test accuracy {history.test_accuracy[-1]:.2%}: {len(wrong)} of {len(images.y_test):,} images wrong")
    for label, path in zip(("parameters", "learning curve", "mistakes"), paths, strict=True):
        print(f"  {label:15} {path}")
    print("\n".join(summary(training, probabilities, wrong)))
