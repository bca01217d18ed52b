"""A signpost for readers and type checkers: `mx.operator` is in legacy/operator.py, and homes.py leads there."""

from .legacy.operator import *
