"""A pointer for readers and type checkers: `mx.module` is in legacy/module, to which homes.py redirects."""

from .legacy.module import *
