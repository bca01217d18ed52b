"""The plots that `minigluon train` writes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from ...serialization.atomic_write import replacing

__all__ = ["learning_curve", "mistakes"]

BLUE, ORANGE, GREY = "#1f6fb4", "#e07b1a", "#8a8a8a"
ROWS, COLUMNS = 4, 6


def learning_curve(path: str, title: str, history: Any) -> None:
    """Write a PNG of the loss over batches and the accuracies over epochs."""
    figure = _figure(10, 4)
    figure.suptitle(title)
    left, right = figure.subplots(1, 2)
    per_epoch = history.epoch_ends[0]
    at = (np.arange(len(history.losses)) + 1) / per_epoch
    means = [np.mean(part) for part in np.split(np.array(history.losses), history.epoch_ends[:-1])]
    epochs = np.arange(1, len(means) + 1)
    left.plot(at, history.losses, color=BLUE, alpha=0.25, linewidth=0.8, label="each batch")
    left.plot(epochs - 0.5, means, color=BLUE, marker="o", markersize=3, label="mean of an epoch")
    left.set_yscale("log")
    left.set_ylabel("cross-entropy")
    right.plot(epochs, history.train_accuracy, color=BLUE, marker="o", markersize=3, label="training, during the epoch")
    right.plot(epochs, history.test_accuracy, color=ORANGE, marker="o", markersize=3,
               label=f"test: {history.test_accuracy[-1]:.2%} at the end")
    right.set_ylabel("accuracy")
    right.yaxis.set_major_formatter(PercentFormatter(1))
    for axes in (left, right):
        axes.set_xlabel("epoch")
        axes.set_xlim(0, len(epochs) + 0.3)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
    _save(figure, path)


def mistakes(path: str, title: str, images: Any, probabilities: Any) -> Any:
    """Write a PNG of misclassified test images, most confident mistakes first. Returns the indices of all of them."""
    guesses = probabilities.argmax(1)
    wrong = np.flatnonzero(guesses != images.y_test)
    wrong = wrong[np.argsort(-probabilities[wrong, guesses[wrong]], kind="stable")]
    figure = _figure(9, 7.2)
    figure.suptitle(f"{title}: {len(wrong)} of {len(guesses):,} test images wrong"
                    + (f", the {ROWS * COLUMNS} most confident" if len(wrong) > ROWS * COLUMNS else ""))
    for i, axes in enumerate(figure.subplots(ROWS, COLUMNS).flat):
        axes.axis("off")
        if i < len(wrong):
            n = wrong[i]
            axes.imshow(images.x_test[n].transpose(1, 2, 0), cmap="gray_r")
            axes.set_title(f"{images.names[images.y_test[n]]}, mistaken for {images.names[guesses[n]]}\n"
                           f"({probabilities[n, guesses[n]]:.0%} sure)", fontsize=8, color=GREY)
    _save(figure, path)
    return wrong


def _save(figure, path):
    with replacing(path) as file:
        figure.savefig(file, format="png")


def _figure(width, height):
    """Return a figure that can be drawn without a display and does not change pyplot's state."""
    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure
