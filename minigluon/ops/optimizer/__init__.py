"""Steps of optimizers, one weight or many at a time."""

from . import adagrad, many, update
