"""Event handlers of `Estimator.fit` for the beginning and end of training, epochs and batches."""

from .checkpoint import CheckpointHandler
from .early_stopping import EarlyStoppingHandler
from .events import AfterHandlers, BatchBegin, BatchEnd, EpochBegin, EpochEnd, EventHandler, TrainBegin, TrainEnd
from .logs import CSVLogHandler, TensorBoardHandler
from .progress import LoggingHandler
from .progress_bar import ProgressBarHandler
from .rate_finder import LearningRateFinder
from .resume import ResumeHandler
from .steps import GradientUpdateHandler, MetricHandler, StoppingHandler, ValidationHandler

__all__ = ["AfterHandlers", "BatchBegin", "BatchEnd", "CSVLogHandler", "CheckpointHandler", "EarlyStoppingHandler",
           "EpochBegin", "EpochEnd", "EventHandler", "GradientUpdateHandler", "LearningRateFinder", "LoggingHandler",
           "MetricHandler", "ProgressBarHandler", "ResumeHandler", "StoppingHandler", "TensorBoardHandler",
           "TrainBegin", "TrainEnd", "ValidationHandler"]
