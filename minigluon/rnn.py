"""A signpost for readers and type checkers: `mx.rnn` lives in legacy/rnn, and homes.py leads there."""

from .legacy.rnn import *
