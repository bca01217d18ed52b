"""Steps of optimizers, one weight or many at a time."""

from . import adagrad, adam, lamb, leader, many, rmsprop, sgd, sign, update
