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
SETTINGS = {"data": "mnist-part", "net": "lenet", "epochs": None, "batch_size": 64, "lr": None, "momentum": None,
            "decay": None, "ctx": "cpu", "hybridize": False, "seed": 0, "workers": 0}

# The settings that depend on the data. On all of MNIST, LeNet sometimes does not learn with a learning rate of 0.5: see
# benchmarks/README.md.
RECIPES = {"mnist-part": {"epochs": 6, "lr": 0.05, "momentum": 0.9, "decay": True},
           "digits": {"epochs": 20, "lr": 0.2, "momentum": 0, "decay": False}}
RECIPE = {"epochs": 5, "lr": 0.1, "momentum": 0, "decay": False}        # for other data


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    train = commands.add_parser(
        "train", help="train a network on images of digits",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Train a network on images, evaluate it, and write its parameters and two plots: the learning "
                    "curve and\nmisclassified test images. Each epoch writes a checkpoint, and so does Ctrl-C.",
        epilog="examples:\n"
               "  minigluon train                           LeNet on a fifth of MNIST, no download\n"
               "  minigluon train --data mnist              LeNet on MNIST, downloaded if necessary\n"
               "  minigluon train --data FOLDER --net mlp   MNIST's four idx files in FOLDER or FOLDER/mnist\n"
               "  minigluon train --resume                  continue after Ctrl-C; the final weights are the same\n"
               "  minigluon train --resume --epochs 40      train longer\n"
               "  minigluon train --lr find                 try learning rates first, and plot their losses\n")
    add = train.add_argument
    add("--data", metavar="DATA",
        help="mnist-part (a fifth of MNIST, in this package), digits (smaller, from scikit-learn), mnist, "
             "fashion-mnist (both in ~/.mxnet/datasets), or a folder with idx files, gzipped or not (default: "
             f"{SETTINGS['data']})")
    add("--net", choices=["lenet", "mlp"], help=f"the network (default: {SETTINGS['net']})")
    add("--epochs", type=positive(int), metavar="N", help=f"passes over the training data ({_defaults('epochs')})")
    add("--batch-size", type=positive(int), metavar="N",
        help=f"images per step (default: {SETTINGS['batch_size']})")
    add("--lr", type=_rate, metavar="RATE",
        help=f"learning rate of stochastic gradient descent ({_defaults('lr')}), or find: the rate at which the loss "
             "falls fastest in a range test, whose plot is learning-rate.png")
    add("--momentum", type=_momentum, metavar="M",
        help=f"the part of the previous step that the next one repeats, 0 to 1 ({_defaults('momentum')})")
    add("--decay", action=argparse.BooleanOptionalAction,
        help="reduce the learning rate after each of N epochs by 1/N of its initial value (default: only for "
             "mnist-part)")
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
        return _completed({**SETTINGS, **options})
    before = vars(_completed({**SETTINGS, **checkpoint.state["settings"]}))     # earlier versions wrote fewer settings
    for name, value in options.items():
        if name != "epochs" and value != before[name] and not (name == "lr" and value == "find"):
            option = f"--{name.replace('_', '-')}"
            raise MXNetError(f"--resume: {checkpoint.path!r} was trained with {option} {before[name]}, not {value}. "
                             f"Leave out {option}, or leave out --resume to start from the beginning.")
    return SimpleNamespace(**{**before, "epochs": options.get("epochs", before["epochs"])})


def _completed(settings):
    """Return the settings with the data's own defaults in place of None."""
    recipe = RECIPES.get(settings["data"], RECIPE)
    return SimpleNamespace(**{name: recipe.get(name) if value is None else value for name, value in settings.items()})


def positive(kind: type[Any]) -> Callable[..., Any]:
    """Return a parser for positive numbers."""
    def parse(text):
        value = kind(text)
        if value <= 0:
            raise argparse.ArgumentTypeError(f"must be positive, found {text}")
        return value
    parse.__name__ = kind.__name__          # argparse shows this name if the text is not a number
    return parse


def _defaults(name):
    """Return the default of a setting that depends on the data, as text."""
    return "; ".join([*(f"{data}: {recipe[name]}" for data, recipe in RECIPES.items()), f"other data: {RECIPE[name]}"])


def _momentum(text):
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 0 and less than 1, found {text}")
    return value


_momentum.__name__ = "float"        # argparse shows this name if the text is not a number


def _rate(text):
    try:
        return text if text == "find" else positive(float)(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number or 'find', found {text!r}") from None
