"""A signpost for readers and type checkers: `mx.module` lives in legacy/module, and homes.py leads there."""

from .legacy.module import *
