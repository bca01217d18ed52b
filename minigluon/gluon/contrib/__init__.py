"""Gluon's contributed parts, as in MXNet: additional layers and datasets, and a training loop."""

from . import cnn, data, estimator, nn, rnn

__all__ = ["cnn", "data", "estimator", "nn", "rnn"]
