"""ResumeHandler: stops training on Ctrl-C between two batches, and resumes it as if nothing had happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .....base import ArgumentError, FileFormatError, MXNetError
from .....common import generators as rng
from ....resume import Checkpoints, Interrupts, checkpointed_values, restore
from .events import AfterHandlers, BatchEnd

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["ResumeHandler"]

TOLD = "Ctrl-C: will save and stop after this batch. Pressed twice more, it stops at once."


class ResumeHandler(BatchEnd, AfterHandlers):
    """Handler that saves checkpoints after Ctrl-C and every few epochs or batches. Resumed training gives the same
    results, bit for bit.

    Besides parameters and the optimizer, a checkpoint stores the position in the epoch, the order of the samples, all
    random generators (this package's, NumPy's and Python's global ones), the metrics, and the attributes that handlers
    and samplers list in `checkpointed`. The program must save any other state itself.

    After Ctrl-C, the handler waits for the end of the batch or the epoch's evaluation, saves a checkpoint, and raises
    KeyboardInterrupt. The third Ctrl-C raises it immediately, and the last checkpoint remains.

    folder: the folder for the checkpoints, created if missing.
    resume: if True, resume from the folder's last checkpoint, if there is one; the epochs or batches of `fit` count
        from the beginning. Otherwise the first checkpoint replaces those of an earlier training run.
    epoch_period, batch_period: save after this many epochs or batches; None for never.
    keep: number of checkpoints to keep.

    Raises FileFormatError for a damaged checkpoint, and MXNetError for one from a different training run.

    >>> from minigluon.gluon.contrib.estimator import Estimator, ResumeHandler
    >>> def train(epochs, resume):
    ...     net = nn.Dense(2, in_units=3)
    ...     net.initialize(init.One())
    ...     trainer = gluon.Trainer(net.collect_params(), "adam")
    ...     estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
    ...     estimator.logger.setLevel("ERROR")
    ...     data = gluon.data.ArrayDataset(nd.arange(12).reshape((4, 3)), nd.array([0, 1, 1, 0]))
    ...     loader = gluon.data.DataLoader(data, batch_size=2, shuffle=True)
    ...     estimator.fit(loader, epochs=epochs, event_handlers=[ResumeHandler("run", resume=resume)])
    ...     return net.weight.data().asnumpy()
    >>> mx.random.seed(1)
    >>> at_once = train(4, resume=False)
    >>> mx.random.seed(1)
    >>> halves = [train(2, resume=False), train(4, resume=True)]
    >>> mx.test_utils.same(halves[1], at_once)
    True
    """

    checkpoints: Checkpoints
    resume: bool
    batch_period: int | None
    epoch_period: int
    batches: int
    epochs: int

    def __init__(self, folder: Any, resume: bool = False, epoch_period: int = 1, batch_period: int | None = None,
                 keep: int = 3) -> None:
        self.checkpoints, self.resume = Checkpoints(folder, keep), resume
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.epochs = self.batches = 0          # batches trained since the beginning
        self._interrupts = Interrupts()
        self._state = None                      # the state to restore in the middle of an epoch

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Counts batches."""
        self.batches += 1

    def after_handlers(self, estimator: Estimator, moment: Any, *args: Any, **kwargs: Any) -> Any:
        """Resumes the training, saves, and handles Ctrl-C."""
        if moment == "train_begin":
            return self._begin(estimator)
        if moment == "epoch_begin":
            if self._state is not None and self._state["pass"]["batches"]:
                self._take_up(estimator, self._state)       # restored again, because metrics were reset
            self._state = None
            due = False
        elif moment == "batch_end":
            due = self.batch_period and self.batches % self.batch_period == 0
        else:
            self.epochs += 1
            due = kwargs["over"] or self.epoch_period and self.epochs % self.epoch_period == 0
        if due or self._interrupts.asked:
            path = self._save(estimator, kwargs["over"])
            if self._interrupts.asked:
                estimator.logger.info("ResumeHandler: interrupted after %d epochs and %d batches. %r has the state: "
                                      "ResumeHandler(%r, resume=True) continues from there", self.epochs,
                                      estimator.train_pass.batches, path, self.checkpoints.folder)
                raise KeyboardInterrupt
        return None

    def close(self) -> None:
        """Restores the previous handling of Ctrl-C."""
        self._interrupts.__exit__()

    # -- saving -----------------------------------------------------------------------------------------------------

    def _save(self, estimator, over):
        reached = self.epochs == estimator.max_epoch or self.batches == estimator.max_batch
        state = {"epochs": self.epochs, "batches": self.batches, "stopped": bool(over) and not reached,
                 "pass": estimator.train_pass.state(), "random": rng.state(),
                 "metrics": [(metric.name, checkpointed_values(metric)) for metric in _metrics(estimator)],
                 "handlers": [(type(handler).__name__, checkpointed_values(handler)) for handler in estimator.handlers
                              if handler.checkpointed]}
        with self._interrupts.shielded():
            return self.checkpoints.save(estimator.net, estimator.trainer, self.epochs, estimator.train_pass.batches,
                                         state)

    # -- loading ----------------------------------------------------------------------------------------------------

    def _begin(self, estimator):
        """Returns whether nothing is left to train."""
        store = estimator.trainer._kvstore
        if store is not None and store.num_workers > 1:
            raise ArgumentError(f"ResumeHandler saves the training of one process, but there are {store.num_workers}. "
                                "CheckpointHandler saves parameters and the optimizer's states.")
        self.epochs = self.batches = 0
        checkpoint = self.checkpoints.newest() if self.resume else None
        self._interrupts = Interrupts(TOLD).__enter__()
        if checkpoint is None:
            self._say_that_it_begins(estimator)
            return False
        checkpoint.load(estimator.net, estimator.trainer, estimator.context)
        state = self._state = checkpoint.state
        try:
            self._take_up(estimator, state)
        except (KeyError, ValueError, FileFormatError) as error:
            raise MXNetError(f"{checkpoint.path!r} is the checkpoint of another training: {error}") from error
        self.epochs, self.batches = state["epochs"], state["batches"]
        estimator.logger.info("ResumeHandler: continues after %d epochs and %d batches, from %r", self.epochs,
                              state["pass"]["batches"], checkpoint.path)
        limit, n = (estimator.max_epoch, self.epochs) if estimator.max_epoch else (estimator.max_batch, self.batches)
        return state["stopped"] or n >= limit

    def _say_that_it_begins(self, estimator):
        there = self.checkpoints.names()
        if self.resume:
            estimator.logger.info("ResumeHandler: %r has no checkpoint, training from scratch", self.checkpoints.folder)
        elif there:
            estimator.logger.info("ResumeHandler: %r has a checkpoint of an earlier training, %s. The first one of "
                                  "this training replaces it; resume=True continues from it", self.checkpoints.folder,
                                  there[-1])

    def _take_up(self, estimator, state):
        metrics = _metrics(estimator)
        if [name for name, _ in state["metrics"]] != [metric.name for metric in metrics]:
            raise FileFormatError(f"its metrics are {[name for name, _ in state['metrics']]}, but here they are "
                                  f"{[metric.name for metric in metrics]}")
        for metric, (_, values) in zip(metrics, state["metrics"], strict=True):
            restore(metric, values)
        states = list(state["handlers"])
        for handler in estimator.handlers:  # matched by class and order; a new handler has no state to restore
            place = next((i for i, (name, _) in enumerate(states) if name == type(handler).__name__), None)
            if handler.checkpointed and place is not None:
                restore(handler, states.pop(place)[1])
        estimator.train_pass.restore(state["pass"])
        rng.restore(state["random"])


def _metrics(estimator):
    return estimator.train_metrics + estimator.val_metrics
