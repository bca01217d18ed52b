"""Which GPU the tests use: the real one where a driver finds one, and the emulated one elsewhere.

Skips the module that imports it where minigluon-accel or PyCUDA are not installed.
"""

import ctypes
import os
from importlib.util import find_spec

import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    os.environ.setdefault("MINIGLUON_GPU", "emulate")



if find_spec("pycuda") is None:
    pytest.skip("PyCUDA is not installed", allow_module_level=True)
