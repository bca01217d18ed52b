"""The version of minigluon-accel, a copy of minigluon's version, which `python .ci/write_version.py` writes."""

__version__ = "0.1.0"
