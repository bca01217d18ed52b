"""A pointer for readers and type checkers: `mx.operator` is in legacy/operator.py, to which homes.py redirects."""

from .legacy.operator import *
