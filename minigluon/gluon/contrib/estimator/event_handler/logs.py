"""Logging of each epoch's metrics to files: as a table, and for TensorBoard."""

from __future__ import annotations

import csv
import importlib
import io
import os
import time
from typing import TYPE_CHECKING, Any

from .....common.optional_packages import require
from .events import BatchEnd, EpochBegin, EpochEnd

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["CSVLogHandler", "TensorBoardHandler"]


class CSVLogHandler(EpochBegin, BatchEnd, EpochEnd):
    """Handler that writes a table with one row per epoch: index, batches so far, learning rate, seconds, and all
    metrics.

    path: the file, which is overwritten; with ResumeHandler, rows are added after the checkpoint's rows.

    >>> from minigluon.gluon.contrib.estimator import CSVLogHandler, Estimator
    >>> net = nn.Dense(1, in_units=3, use_bias=False)
    >>> net.initialize(init.One())
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.25})
    >>> estimator = Estimator(net, gluon.loss.L1Loss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> loader = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((4, 3)), nd.zeros((4, 1))), batch_size=2)
    >>> estimator.fit(loader, loader, epochs=2, event_handlers=[CSVLogHandler("log.csv")])
    >>> with open("log.csv") as file:
    ...     names, *rows = [line.strip().split(",") for line in file]
    >>> names
    ['epoch', 'batches', 'learning rate', 'seconds', 'training l1loss', 'validation l1loss']
    >>> [(row[0], row[1], float(row[4])) for row in rows]
    [('1', '2', 2.625), ('2', '4', 1.125)]
    """

    batches: int
    epochs: int
    size: int

    checkpointed: tuple[str, ...] = "epochs", "batches", "size"

    def __init__(self, path: Any) -> None:
        self.path = self.output = os.fspath(path)
        self.epochs = self.batches = self.size = 0
        self._began = time.perf_counter()

    def epoch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Starts the clock."""
        self._began = time.perf_counter()

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Counts batches."""
        self.batches += 1

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Writes a row, if this process is the writer."""
        metrics = estimator.train_metrics + [metric for metric in estimator.val_metrics if metric.num_inst]
        self.epochs += 1
        row = {"epoch": self.epochs, "batches": self.batches,
               "learning rate": estimator.trainer.learning_rate,
               "seconds": round(time.perf_counter() - self._began, 3), **dict(metric.get() for metric in metrics)}
        if self.is_writer:
            self._append(row)

    def _append(self, row):
        text = io.StringIO()
        writer = csv.DictWriter(text, row, lineterminator="\n")
        if self.size == 0:
            writer.writeheader()
        writer.writerow(row)
        with open(self.path, "r+b" if self.size else "wb") as file:
            file.truncate(self.size)            # removes rows written after the checkpoint
            file.seek(self.size)
            file.write(text.getvalue().encode())
            self.size = file.tell()


class TensorBoardHandler(EpochEnd):
    """Handler that writes all metrics and the learning rate after each epoch, for `tensorboard --logdir FOLDER`.

    folder: the folder for the event files. With ResumeHandler, entries after the checkpoint are hidden. Requires the
    package tensorboardX.

    Raises MXNetError if the package is not installed.

    >>> from minigluon.gluon.contrib.estimator import TensorBoardHandler
    >>> log = TensorBoardHandler("events")          # estimator.fit(loader, epochs=3, event_handlers=[log])
    """

    epochs: int

    checkpointed: tuple[str, ...] = "epochs",

    def __init__(self, folder: Any) -> None:
        require("tensorboardX", extra="tensorboard", user="TensorBoardHandler")
        self.folder, self.epochs = os.fspath(folder), 0
        self.output = self.folder
        self._writer = None

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Adds a point to each curve, if this process is the writer."""
        self.epochs += 1
        if not self.is_writer:
            return
        self.write(self.epochs, {"learning rate": estimator.trainer.learning_rate,
                                 **dict(metric.get() for metric in estimator.train_metrics + estimator.val_metrics)})

    def write(self, epoch: int, values: Any) -> None:
        """Adds a point to each of these curves. values: {name: value}."""
        if self._writer is None:
            board = importlib.import_module("tensorboardX")
            # File names contain the time in seconds, and training may resume within the same second.
            self._writer = board.SummaryWriter(self.folder, purge_step=epoch, filename_suffix=f".from-epoch-{epoch}")
        for name, value in values.items():
            self._writer.add_scalar(name.replace(" ", "_"), value, epoch)
        self._writer.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
