"""What hangs into `Estimator.fit`: handlers of the beginning and end of training, of each epoch and of each batch."""

from .checkpoint import CheckpointHandler
from .early_stopping import EarlyStoppingHandler
from .events import BatchBegin, BatchEnd, EpochBegin, EpochEnd, EventHandler, TrainBegin, TrainEnd
from .progress import LoggingHandler
from .steps import GradientUpdateHandler, MetricHandler, StoppingHandler, ValidationHandler

__all__ = ["BatchBegin", "BatchEnd", "CheckpointHandler", "EarlyStoppingHandler", "EpochBegin", "EpochEnd",
           "EventHandler", "GradientUpdateHandler", "LoggingHandler", "MetricHandler", "StoppingHandler", "TrainBegin",
           "TrainEnd", "ValidationHandler"]
