"""The last lines of `minigluon train`: what was learned, a few mistakes, and the next commands."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING, Any

from .pictures import side_by_side
from .train_options import SETTINGS

if TYPE_CHECKING:
    from .training import Training

__all__ = ["summary"]

MOST_PICTURES = 4


def summary(training: Training, probabilities: Any, wrong: Any) -> list[str]:
    """Return the lines.

    probabilities: (N, classes) of the test images. wrong: the indices of the misclassified ones, the most confident
    mistake first.
    """
    images = training.images
    weights = sum(param.data(training.ctx).size for param in training.net.collect_params().values())
    total, classes = len(images.y_test), len(images.names)
    return ["",
            f"Learned: {weights:,} weights, from {len(images.y_train):,} images. With them, the network recognizes "
            f"{total - len(wrong):,} of {total:,} images",
            f"that it has never seen. Guessing would be right for about {round(total / classes):,}.",
            *_pictures(images, probabilities, wrong),
            "", "Next:", *_commands(training.settings)]


def _pictures(images, probabilities, wrong):
    if not len(wrong):
        return []
    shown = wrong[:MOST_PICTURES]
    guesses = probabilities.argmax(1)
    captions = [[f"this is {images.names[images.y_test[i]]}",
                 f"read as {images.names[guesses[i]]}, {probabilities[i, guesses[i]]:.0%} sure"] for i in shown]
    return ["", "Mistakes of which it was most certain:" if len(wrong) > len(shown) else "Its mistakes:", "",
            *side_by_side(images.x_test[shown], captions, shutil.get_terminal_size().columns)]


def _commands(settings):
    """Return a line for each command that one may try next."""
    same = "" if settings.data == SETTINGS["data"] else f" --data {shlex.quote(settings.data)}"
    faster = ((f"minigluon train{same} --net mlp", "the same images, without convolutions") if settings.hybridize
              else (f"minigluon train{same} --hybridize", "the same training as a compiled plan"))
    commands = [faster, ("minigluon ops Convolution", "what an operator computes, with an example"),
                ("minigluon learn start mygluon", "write such a framework yourself, step by step")]
    column = max(len(command) for command, _ in commands)
    return [f"  {command:{column}}    {purpose}" for command, purpose in commands]
