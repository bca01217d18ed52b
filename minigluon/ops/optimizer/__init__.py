"""Steps of optimizers, one weight or many at a time."""

from . import adagrad, adam, ftrl, lamb, multi_tensor, rmsprop, sgd, sign, update
