"""CheckpointHandler: saves the model every few epochs or batches, and resumes training from a checkpoint."""

from __future__ import annotations

import contextlib
import math
import os
import re
from typing import TYPE_CHECKING, Any

from .....base import ArgumentError, MXNetError
from .....serialization.atomic_write import replacing, together
from ....hybrid_block import HybridBlock
from .early_stopping import checked_monitor, direction
from .events import BatchEnd, EpochEnd, TrainBegin

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["CheckpointHandler"]


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Handler that saves the parameters and the trainer's states as `PREFIX-epochEbatchB.params` and `.states`.

    Epochs and batches are counted from 0. B is the index of the last batch before saving or, after an epoch, the number
    of batches so far. `PREFIX-symbol.json` contains a hybridized net's graph.

    model_dir: the folder, created if missing.
    model_prefix: the PREFIX of the file names.
    monitor, save_best, mode: `PREFIX-best` is saved whenever the metric is the best so far (see EarlyStoppingHandler).
    epoch_period, batch_period: save after this many epochs or batches; None for never.
    max_checkpoints: the oldest checkpoints beyond this number are removed, but never the best one.
    verbose: if above 0, each save is logged.
    resume_from_checkpoint: if True, start from the last checkpoint in the folder, and train the remaining epochs or
    batches.

    >>> from minigluon.gluon.contrib.estimator import CheckpointHandler, Estimator
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd")
    >>> estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> loader = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((4, 3)), nd.zeros((4,))), batch_size=2)
    >>> estimator.fit(loader, epochs=2, event_handlers=[CheckpointHandler("saved")])
    >>> import os
    >>> sorted(os.listdir("saved"))
    ['model-epoch0batch2.params', 'model-epoch0batch2.states', 'model-epoch1batch4.params', 'model-epoch1batch4.states']
    """

    model_prefix: str
    monitor: Any
    save_best: bool
    verbose: bool
    batch_period: int | None
    epoch_period: int
    max_checkpoints: Any
    resume_from_checkpoint: bool
    best: float
    current_batch: int
    current_epoch: int

    checkpointed: tuple[str, ...] = "current_epoch", "current_batch", "best", "saved_checkpoints"

    def __init__(self, model_dir: Any, model_prefix: str = "model", monitor: Any = None, verbose: bool = 0,
                 save_best: bool = False, mode: str = "auto", epoch_period: int = 1, batch_period: int | None = None,
                 max_checkpoints: Any = 5, resume_from_checkpoint: bool = False) -> None:
        if save_best:
            checked_monitor(monitor, "CheckpointHandler with save_best=True")
        self.model_dir, self.model_prefix = os.fspath(model_dir), model_prefix
        self.output = os.path.join(self.model_dir, model_prefix)
        self.monitor, self.save_best, self.verbose = monitor, save_best, verbose
        self.sign: int = direction(mode, monitor) if save_best else 1
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.max_checkpoints, self.resume_from_checkpoint = max_checkpoints, resume_from_checkpoint
        self.saved_checkpoints: list[Any] = []

    def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Creates the folder, and resumes from the last checkpoint in it if requested."""
        os.makedirs(self.model_dir, exist_ok=True)
        self.current_epoch = self.current_batch = 0
        self.best = -math.inf
        self.saved_checkpoints.clear()
        if self.resume_from_checkpoint:
            self._resume(estimator)

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Saves if due. Only after the first batch is it known whether there is a graph."""
        if self.current_batch == 0 and not _has_graph(estimator.net):
            estimator.logger.info("CheckpointHandler: %s is not saved, because the net has no graph. Use a HybridBlock "
                                  "and call net.hybridize() before fit.", self._graph_file())
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save(estimator, self.current_batch + 1)
        self.current_batch += 1

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Saves if due."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save(estimator, self.current_batch)
        self.current_epoch += 1

    # -- saving -----------------------------------------------------------------------------------------------------

    def _save(self, estimator, trained):
        """Saves a checkpoint. trained: the number of batches so far."""
        name = f"{self.model_prefix}-epoch{self.current_epoch}batch{self.current_batch}"
        if self.verbose > 0:
            estimator.logger.info("[Epoch %d] CheckpointHandler: trained total %d batches, saving model at %s with "
                                  "prefix: %s", self.current_epoch, trained, self.model_dir, name)
        self._write(estimator, name)
        self._write_graph(estimator.net)
        self.saved_checkpoints.append(name)
        while len(self.saved_checkpoints) > self.max_checkpoints:
            self._remove(self.saved_checkpoints.pop(0))
        if self.save_best:
            self._save_best(estimator)

    def _save_best(self, estimator):
        metric, value = self.monitor.get()
        if math.isnan(value):
            raise MXNetError(f"CheckpointHandler: {metric} is nan, so it is unknown whether the model is the best. "
                             "monitor must be one of estimator.train_metrics or estimator.val_metrics, which "
                             "are updated.")
        if self.sign * value > self.best:
            if self.verbose > 0:
                before = self.sign * self.best          # initially inf or -inf
                estimator.logger.info("[Epoch %d] CheckpointHandler: %s improved from %.5f to %.5f, updating best "
                                      "model at %s with prefix: %s-best", self.current_epoch, metric, before, value,
                                      self.model_dir, self.model_prefix)
            self.best = self.sign * value
            self._write(estimator, f"{self.model_prefix}-best")

    def _write(self, estimator, name):
        path, trainer = os.path.join(self.model_dir, name), estimator.trainer
        with together():
            if self.is_writer:
                estimator.net.save_parameters(path + ".params")
            if trainer._shards is not None:
                trainer._gather_states(path + ".states", self.is_writer)
            elif self.is_writer:
                trainer.save_states(path + ".states")

    def _write_graph(self, net):
        """Writes the hybridized net's graph, once."""
        path = self._graph_file()
        if self.is_writer and _has_graph(net) and not os.path.exists(path):
            with replacing(path) as file:
                file.write(net._trace_to_export().outputs.tojson().encode())

    def _graph_file(self):
        return os.path.join(self.model_dir, f"{self.model_prefix}-symbol.json")

    def _remove(self, name):
        for suffix in (".params", ".states") if self.is_writer else ():
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.model_dir, name + suffix))

    # -- loading ----------------------------------------------------------------------------------------------------

    def _resume(self, estimator):
        """Loads the last checkpoint in the folder, and shortens the training accordingly."""
        if bool(self.epoch_period) == bool(self.batch_period) or bool(self.epoch_period) != bool(estimator.max_epoch):
            raise ArgumentError("CheckpointHandler: resume_from_checkpoint=True needs checkpoints in the unit of "
                                f"fit's limit, {'epochs' if estimator.max_epoch else 'batches'}, but "
                                f"epoch_period is {self.epoch_period} and batch_period is {self.batch_period}. Set the "
                                "other one to None.")
        kind = "epochs" if estimator.max_epoch else "batches"
        limit = estimator.max_epoch or estimator.max_batch
        last = self._last()
        if last is None:
            estimator.logger.info("CheckpointHandler: No checkpoint found, training from scratch for %d %s", limit,
                                  kind)
            return
        epoch, batch, path = last
        count = epoch + 1 if estimator.max_epoch else batch + 1
        if count >= limit:
            raise ArgumentError(f"CheckpointHandler: {path} was saved after {count} {kind}, but only {limit} were "
                                "requested: "
                                "nothing is left to train. Request more, or omit resume_from_checkpoint=True to "
                                "start over.")
        estimator.net.load_parameters(path + ".params", ctx=estimator.context)
        estimator.trainer.load_states(path + ".states")
        self.current_epoch, self.current_batch = epoch + 1, batch + (0 if estimator.max_epoch else 1)
        if estimator.max_epoch:
            estimator.max_epoch = limit - count
        else:
            estimator.max_batch = limit - count
        estimator.logger.warning("CheckpointHandler: Checkpoint resumed from epoch %d batch %d, continue to train for "
                                 "%d %s ", epoch, batch, limit - count, kind)

    def _last(self):
        """Returns (epoch, batch, path without suffix) for the last checkpoint with both files, or None."""
        pattern = re.compile(re.escape(self.model_prefix) + r"-epoch(\d+)batch(\d+)\.params")
        names = os.listdir(self.model_dir)
        matches = [m for m in map(pattern.fullmatch, names) if m and m[0].replace(".params", ".states") in names]
        if not matches:
            return None
        last = max(matches, key=lambda match: (int(match[1]), int(match[2])))
        return int(last[1]), int(last[2]), os.path.join(self.model_dir, last[0].removesuffix(".params"))


def _has_graph(net):
    return isinstance(net, HybridBlock) and bool(net.block_graphs)
