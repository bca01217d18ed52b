"""Recurrent layers: see `minigluon.ops.rnn`."""

from . import rnn

__all__ = ["rnn"]
