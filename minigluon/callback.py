"""A pointer for readers and type checkers: `mx.callback` is in legacy/callback.py, to which homes.py redirects."""

from .legacy.callback import *
