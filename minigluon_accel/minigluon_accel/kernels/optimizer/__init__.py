"""Steps of optimizers."""

from . import update
