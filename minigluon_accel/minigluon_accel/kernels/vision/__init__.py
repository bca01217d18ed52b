"""Boxes and regions."""

from . import detection
