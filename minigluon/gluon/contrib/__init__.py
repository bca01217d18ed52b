"""What MXNet calls contributed to Gluon: more layers and datasets, and a training loop."""

from . import data, estimator, nn

__all__ = ["data", "estimator", "nn"]
