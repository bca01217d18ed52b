"""Operators that run graphs or user code: loops, branches and Custom."""

from . import control, custom
