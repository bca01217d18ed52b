"""LearningRateFinder: measures the loss for increasing learning rates, and finds the rate at which it falls fastest."""

from __future__ import annotations

import math
import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from .....base import ArgumentError, MXNetError
from .....common import generators as rng
from .....common.optional_packages import require
from .....serialization.atomic_write import replacing
from ....resume import Checkpoint
from ..processes import store_of
from .events import BatchBegin, BatchEnd, EpochEnd, TrainBegin

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["LearningRateFinder"]

WINDOW = 5              # the number of batches on either side in the moving average of the loss
DIVERGED = 4            # the test ends at this multiple of the smallest loss


class LearningRateFinder(TrainBegin, BatchBegin, BatchEnd, EpochEnd):
    """A learning-rate range test that trains batches with geometrically increasing rates from `start` to `end`.

    The test ends early if the loss reaches 4 times its minimum. Afterward the parameters, the optimizer with its
    states, and the random generators are restored. Source: Smith, Cyclical Learning Rates for Training Neural Networks,
    2017.

    start, end: the smallest and the largest rate. steps: the number of batches.

    >>> from minigluon.gluon.contrib.estimator import Estimator, LearningRateFinder
    >>> net = nn.Dense(1, in_units=1, use_bias=False)
    >>> net.initialize(init.Zero())
    >>> estimator = Estimator(net, gluon.loss.L2Loss(), trainer=gluon.Trainer(net.collect_params(), "sgd"))
    >>> loader = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((8, 1)), nd.ones((8, 1))), batch_size=4)
    >>> finder = LearningRateFinder(start=1e-3, end=10, steps=40)
    >>> rate = finder.run(estimator, loader)
    >>> 0.03 < rate < 1, net.weight.data().asnumpy().item()     # the loss is (w - 1)²/2: a rate of 2 would diverge
    (True, 0.0)
    """

    end: Any
    start: Any
    steps: Any
    losses: list[Any]
    rates: list[Any]

    def __init__(self, start: Any = 1e-6, end: Any = 10.0, steps: Any = 100) -> None:
        if not 0 < start < end or steps < 10:
            raise ArgumentError(f"LearningRateFinder: start is {start}, end is {end} and steps is {steps}; expected "
                                "0 < start < end and at least 10 steps")
        self.start, self.end, self.steps = start, end, steps
        self.rates, self.losses = [], []        # one value per batch, not smoothed
        self._folder = self._random = None

    def run(self, estimator: Estimator, train_data: Any) -> Any:
        """Runs the test with batches of a DataLoader. Returns `suggestion`."""
        level = estimator.logger.level
        estimator.logger.setLevel("WARNING")
        try:
            estimator.fit(train_data, batches=self.steps, event_handlers=[self])
        finally:
            estimator.logger.setLevel(level)
        return self.suggestion

    @property
    def smoothed(self) -> Any:
        """The losses, averaged over neighbors on both sides with weights that decrease with the distance."""
        losses, kernel = np.array(self.losses), WINDOW + 1 - np.abs(np.arange(-WINDOW, WINDOW + 1.0))
        sums, weights = (np.convolve(x, kernel)[WINDOW:-WINDOW] for x in (losses, np.ones_like(losses)))
        return (sums / weights).tolist()

    @property
    def suggestion(self) -> Any:
        """The rate at which the smoothed loss falls fastest. Raises MXNetError if the loss does not fall."""
        means = np.array(self.smoothed)
        means = means[:int(np.nanargmin(means)) + 1] if len(means) and np.isfinite(means[0]) else means[:0]
        if len(means) < 3:
            raise MXNetError(f"LearningRateFinder: the loss does not fall with any rate from {self.start:g} on. Start "
                             "with a smaller one, or look for the mistake elsewhere.")
        return float(self.rates[int(np.argmin(np.gradient(means)))])

    def plot(self, path: Any) -> None:
        """Plots the loss against the rate as a PNG file. Raises MXNetError if matplotlib is not installed."""
        require("matplotlib", user="LearningRateFinder.plot")
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        figure = Figure(figsize=(7, 4), dpi=120, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        axes.plot(self.rates, self.losses, color="#1f6fb4", alpha=0.25, linewidth=0.8, label="each batch")
        axes.plot(self.rates, self.smoothed, color="#1f6fb4", label="mean of neighbours")
        axes.axvline(self.suggestion, color="#e07b1a", label=f"falls fastest: {self.suggestion:.2g}")
        axes.set(xscale="log", xlabel="learning rate", ylabel="loss")
        finite = [loss for loss in self.smoothed if math.isfinite(loss)]
        fall = finite[0] - min(finite)
        axes.set_ylim(min(finite) - fall / 2, finite[0] + fall)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        with replacing(path) as file:
            figure.savefig(file, format="png")

    # -- the test ---------------------------------------------------------------------------------------------------

    def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Discards an earlier test's results."""
        self.rates, self.losses = [], []
        self._random = rng.state()

    def batch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Saves the training state before the first batch, and sets the next rate."""
        if self._folder is None:
            estimator.batch_processor.evaluate_batch(estimator, kwargs["batch"])    # initializes deferred parameters
            self._folder = tempfile.TemporaryDirectory()
            Checkpoint.write(self._file, estimator.net, estimator.trainer, {})
        optimizer = estimator.trainer.optimizer
        optimizer.lr_scheduler = None
        self.rates.append(self.start * (self.end / self.start) ** (len(self.rates) / (self.steps - 1)))
        optimizer.set_learning_rate(self.rates[-1])

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> Any:
        """Records the loss. Returns True if it has diverged."""
        losses = np.concatenate([loss.asnumpy().ravel() for loss in kwargs["loss"]])
        total, count = float(losses.sum()), len(losses)
        if (store := store_of(estimator)) is not None:         # all processes must stop at the same batch
            total, count = store.sum_over_processes([total, count], "losses")
        self.losses.append(total / count)
        return self._is_over()

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> Any:
        """Restores the training state. Returns True after the last batch."""
        if not self._is_over():
            return False
        Checkpoint(self._file).load(estimator.net, estimator.trainer, estimator.context)
        rng.restore(self._random)
        self.close()
        return True

    def close(self) -> None:
        """Removes its file."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @property
    def _file(self):
        return os.path.join(self._folder.name, "before")

    def _is_over(self):
        recent = sum(self.losses[-WINDOW:]) / len(self.losses[-WINDOW:])
        return len(self.losses) >= self.steps or not recent <= DIVERGED * min(self.smoothed)
