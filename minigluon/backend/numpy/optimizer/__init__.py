"""Steps of optimizers."""

from . import multi_tensor, update
