"""Steps of optimizers."""

from . import adam, lamb, leader, many, rmsprop, sgd, sign
