"""Operators that run graphs or user code: loops, branches, Custom."""

from . import control, custom
