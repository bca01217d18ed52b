"""A signpost for readers and type checkers: `mx.callback` is in legacy/callback.py, and homes.py leads there."""

from .legacy.callback import *
