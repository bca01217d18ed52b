"""The version of both distributions, minigluon and minigluon-accel.

`python .ci/write_version.py` writes it to the files that repeat it.
"""

__version__ = "0.1.0"
