"""The options of `minigluon train`, combined from the command line, a checkpoint, and the defaults."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ...base import MXNetError

__all__ = ["OUT", "add_parser", "chosen", "positive"]

OUT = "minigluon-out"

# The settings that determine the results. If an option is not given, its value comes from the checkpoint or from here.
SETTINGS = {"data": "digits", "net": "lenet", "epochs": None, "batch_size": 64, "lr": None, "ctx": "cpu",
            "hybridize": False, "seed": 0, "workers": 0}


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    train = commands.add_parser(
        "train", help="train a network on images of digits",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Train a network on images, evaluate it, and write its parameters and two plots: the learning "
                    "curve and\nmisclassified test images. Each epoch writes a checkpoint, and so does Ctrl-C.",
        epilog="examples:\n"
               "  minigluon train                           LeNet on scikit-learn's digits, no download\n"
               "  minigluon train --data mnist              LeNet on MNIST, downloaded if necessary\n"
               "  minigluon train --data FOLDER --net mlp   MNIST's four idx files in FOLDER or FOLDER/mnist\n"
               "  minigluon train --resume                  continue after Ctrl-C; the final weights are the same\n"
               "  minigluon train --resume --epochs 40      train longer\n"
               "  minigluon train --lr find                 try learning rates first, and plot their losses\n")
    add = train.add_argument
    add("--data", metavar="DATA",
        help="digits (from scikit-learn), mnist, fashion-mnist (both in ~/.mxnet/datasets), or a folder with idx "
             f"files, gzipped or not (default: {SETTINGS['data']})")
    add("--net", choices=["lenet", "mlp"], help=f"the network (default: {SETTINGS['net']})")
    add("--epochs", type=positive(int), metavar="N", help="passes over the training data (default: 5; digits: 20)")
    add("--batch-size", type=positive(int), metavar="N",
        help=f"images per step (default: {SETTINGS['batch_size']})")
    add("--lr", type=_rate, metavar="RATE",
        help="learning rate of stochastic gradient descent (default: 0.1; digits: 0.2), or find: the rate at which the "
             "loss falls fastest in a range test, whose plot is learning-rate.png")
    add("--ctx", help=f"the device: cpu, gpu, gpu(1) (default: {SETTINGS['ctx']})")
    add("--emulate", action="store_true",
        help="with --ctx gpu: run the GPU's kernels on the CPU, slowly, as MINIGLUON_GPU=emulate does")
    add("--hybridize", action="store_true", default=None,
        help="compile the network with net.hybridize(): the same results, faster")
    add("--seed", type=int, metavar="N", help=f"seed of all random numbers (default: {SETTINGS['seed']})")
    add("--workers", type=int, metavar="N", help="processes that load batches (default: 0, load in this process)")
    add("--out", default=OUT, metavar="FOLDER",
        help="folder for results and checkpoints (default: %(default)s)")
    add("--resume", action="store_true",
        help="continue from the last checkpoint in --out, if there is one, with its options; only --epochs may differ")
    add("--tensorboard", metavar="FOLDER", help="write loss and accuracies for `tensorboard --logdir FOLDER`")
    return train


def chosen(args: Namespace, checkpoint: Any = None) -> SimpleNamespace:
    """Return a run's settings from the options, the checkpoint and the defaults. Raises MXNetError if options and
    checkpoint differ."""
    options = {name: getattr(args, name) for name in SETTINGS if getattr(args, name) is not None}
    if checkpoint is None:
        return SimpleNamespace(**{**SETTINGS, **options})
    before = checkpoint.state["settings"]
    for name, value in options.items():
        if name != "epochs" and value != before[name] and not (name == "lr" and value == "find"):
            option = f"--{name.replace('_', '-')}"
            raise MXNetError(f"--resume: {checkpoint.path!r} was trained with {option} {before[name]}, not {value}. "
                             f"Leave out {option}, or leave out --resume to start from the beginning.")
    return SimpleNamespace(**{**before, "epochs": options.get("epochs", before["epochs"])})


def positive(kind: type[Any]) -> Callable[..., Any]:
    """Return a parser for positive numbers."""
    def parse(text):
        value = kind(text)
        if value <= 0:
            raise argparse.ArgumentTypeError(f"must be positive, found {text}")
        return value
    parse.__name__ = kind.__name__          # argparse shows this name if the text is not a number
    return parse


def _rate(text):
    try:
        return text if text == "find" else positive(float)(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number or 'find', found {text!r}") from None
