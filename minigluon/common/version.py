"""The version of both distributions, minigluon and minigluon-accel.

`python .ci/write_version.py` writes it to the files that repeat it.
"""

__version__ = "1.0.0rc1"
