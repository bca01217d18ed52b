"""A signpost for readers and type checkers: `mx.operator` is in legacy/operator.py, and homes.py sends imports there."""

from .legacy.operator import *
