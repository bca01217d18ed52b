"""What MXNet calls contributed to Gluon: more layers and datasets, and a training loop."""

from . import data, estimator, nn, rnn

__all__ = ["data", "estimator", "nn", "rnn"]
