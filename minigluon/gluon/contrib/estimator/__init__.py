"""A training loop with event handlers."""

from . import batch_processor, event_handler
from .batch_processor import BatchProcessor
from .estimator import Estimator
from .event_handler import (
    AfterHandlers,
    BatchBegin,
    BatchEnd,
    CheckpointHandler,
    CSVLogHandler,
    EarlyStoppingHandler,
    EpochBegin,
    EpochEnd,
    GradientUpdateHandler,
    LearningRateFinder,
    LoggingHandler,
    MetricHandler,
    ProgressBarHandler,
    ResumeHandler,
    StoppingHandler,
    TensorBoardHandler,
    TrainBegin,
    TrainEnd,
    ValidationHandler,
)

__all__ = ["AfterHandlers", "BatchBegin", "BatchEnd", "BatchProcessor", "CSVLogHandler", "CheckpointHandler",
           "EarlyStoppingHandler", "EpochBegin", "EpochEnd", "Estimator", "GradientUpdateHandler", "LearningRateFinder",
           "LoggingHandler", "MetricHandler", "ProgressBarHandler", "ResumeHandler", "StoppingHandler",
           "TensorBoardHandler", "TrainBegin", "TrainEnd", "ValidationHandler", "batch_processor", "event_handler"]
