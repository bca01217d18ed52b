"""The six training events at which handlers are called, and one event that follows the others.

A handler derives from the classes of its events. The attribute `priority`, 0 by default, orders the handlers of an
event: the handler with the lowest priority is called first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .....common.docstrings import share_sentences
from .....diagnostics.keywords import ChecksKeywords

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["AfterHandlers", "BatchBegin", "BatchEnd", "EpochBegin", "EpochEnd", "EventHandler", "TrainBegin",
           "TrainEnd"]


class EventHandler(ChecksKeywords):
    """Base class of all handlers.

    checkpointed: the names of attributes that ResumeHandler saves in its checkpoints and restores.
    output: the path that the handler writes, or None.
    is_writer: False if a process with a lower rank writes the same output. `fit` sets it.
    """

    checkpointed: tuple[str, ...] = ()
    output: Any = None
    is_writer: bool = True

    def close(self) -> None:
        """Called when `fit` ends, even after an error or Ctrl-C, so that the handler can close files and progress bars.

        >>> class Report(gluon.contrib.estimator.BatchEnd):
        ...     def close(self):
        ...         print("nothing more comes")
        >>> Report().close()
        nothing more comes
        """


class TrainBegin(EventHandler):
    """Called before the first epoch.

    >>> class Greeting(gluon.contrib.estimator.TrainBegin):
    ...     def train_begin(self, estimator, *args, **kwargs):
    ...         print("training", estimator.net.name)
    """

    def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Handles the event. estimator: the Estimator that is about to train.
        args, kwargs: empty, reserved for future arguments.
        """


class TrainEnd(EventHandler):
    """Called after the last epoch.

    >>> class Saving(gluon.contrib.estimator.TrainEnd):
    ...     def train_end(self, estimator, *args, **kwargs):
    ...         estimator.net.save_parameters("last.params")
    """

    def train_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Handles the event. estimator: the Estimator that has trained."""


class EpochBegin(EventHandler):
    """Called before the first batch of each epoch.

    >>> class Slower(gluon.contrib.estimator.EpochBegin):
    ...     def epoch_begin(self, estimator, *args, **kwargs):
    ...         estimator.trainer.set_learning_rate(0.9 * estimator.trainer.learning_rate)
    """

    def epoch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Handles the event. estimator: the Estimator that trains or evaluates."""


class EpochEnd(EventHandler):
    """Called after the last batch of each epoch.

    >>> class GoodEnough(gluon.contrib.estimator.EpochEnd):
    ...     def epoch_end(self, estimator, *args, **kwargs):
    ...         return estimator.train_metrics[0].get()[1] > 0.99
    """

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Returns True to end training, otherwise nothing. estimator: the Estimator that trains."""


class BatchBegin(EventHandler):
    """Called before each batch.

    >>> class Shapes(gluon.contrib.estimator.BatchBegin):
    ...     def batch_begin(self, estimator, *args, **kwargs):
    ...         print(kwargs["batch"][0].shape)
    """

    def batch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Handles the event. estimator: the Estimator that trains. kwargs: batch, as from the loader."""


class BatchEnd(EventHandler):
    """Called after the forward and backward pass of each batch.

    >>> class NotANumber(gluon.contrib.estimator.BatchEnd):
    ...     def batch_end(self, estimator, *args, **kwargs):
    ...         return any(np.isnan(loss.asnumpy()).any() for loss in kwargs["loss"])
    """

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Returns True to end the epoch, otherwise nothing.

        estimator: the Estimator that trains.
        kwargs: batch, pred, label and loss, the last three as lists with one item per device.
        """


class AfterHandlers(EventHandler):
    """Called for checkpoints after the other handlers of an event, when the state is consistent.

    >>> class Patient(gluon.contrib.estimator.AfterHandlers):
    ...     def after_handlers(self, estimator, moment, **kwargs):
    ...         if moment == "batch_end":
    ...             print(estimator.train_pass.batches, "batches of this epoch are done")
    """

    def after_handlers(self, estimator: Estimator, moment: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns True at 'train_begin' if nothing is left to train, otherwise nothing.

        estimator: the Estimator that trains.
        moment: 'train_begin', 'epoch_begin', 'batch_end' or 'epoch_end'.
        kwargs: `over`, whether a handler has ended the training.
        """


share_sentences(TrainBegin.train_begin, TrainEnd.train_end, EpochBegin.epoch_begin)
share_sentences(EpochBegin.epoch_begin, EpochEnd.epoch_end, BatchBegin.batch_begin, BatchEnd.batch_end,
                AfterHandlers.after_handlers)
