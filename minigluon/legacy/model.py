"""`mx.model`: checkpoints, and FeedForward, a trainer that predates `Module`."""

from .checkpoint import BatchEndParam, load_checkpoint, load_params, save_checkpoint
from .module.feedforward import FeedForward

__all__ = ["BatchEndParam", "FeedForward", "load_checkpoint", "load_params", "save_checkpoint"]
