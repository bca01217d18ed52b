"""Steps of optimizers."""

from . import many, update
