"""Operators that run graphs or a program's own code: loops, branches, Custom."""

from . import control, custom
