"""The version of the base distribution."""

__version__ = "0.1.0"
