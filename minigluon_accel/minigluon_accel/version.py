"""The version of minigluon-accel: a copy of minigluon's version, written by `python .ci/write_version.py`."""

__version__ = "1.0.0rc1"
