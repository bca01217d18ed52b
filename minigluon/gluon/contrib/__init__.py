"""MXNet's contributions to Gluon: more layers and datasets, and a training loop."""

from . import cnn, data, estimator, nn, rnn

__all__ = ["cnn", "data", "estimator", "nn", "rnn"]
