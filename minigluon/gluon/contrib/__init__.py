"""The contributed part of Gluon, as in MXNet: more layers and datasets, and a training loop."""

from . import cnn, data, estimator, nn, rnn

__all__ = ["cnn", "data", "estimator", "nn", "rnn"]
