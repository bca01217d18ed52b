"""The version of minigluon-accel."""

__version__ = "0.1.0"
