"""Which GPU the tests use: the real one where a driver finds one, and the emulated one elsewhere.

Skips the module that imports it where minigluon-accel or PyCUDA are not installed. With MINIGLUON_GPU_REQUIRED=1, as in
CI, that is an error.
"""

import ctypes
import os
import sys
from importlib.util import find_spec

import pytest


def require(there, reason):
    """Skip the module that is being imported, or fail, unless something is there."""
    if not there and os.environ.get("MINIGLUON_GPU_REQUIRED") == "1":
        raise RuntimeError(f"MINIGLUON_GPU_REQUIRED=1, but {reason}")
    if not there:
        pytest.skip(reason, allow_module_level=True)


# tests/conftest.py puts None where the checkout's folder is all there is.

require("minigluon_accel" not in sys.modules or sys.modules["minigluon_accel"], "minigluon-accel is not installed")
require(find_spec("pycuda"), "PyCUDA is not installed")
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    os.environ.setdefault("MINIGLUON_GPU", "emulate")
# A test runs its kernels once or twice, so they are compiled in less time than a program's, and run a little longer.
os.environ.setdefault("MINIGLUON_GPU_OPTIMIZE", "0")
GPU = os.environ.get("MINIGLUON_GPU", "real")       # what tests/conftest.py sets for each test of GPUs


def of_the_emulated_gpu(reason):
    """Skip the module that is being imported on a real GPU, also where one is required: the emulated one has it."""
    if GPU != "emulate":
        pytest.skip(reason, allow_module_level=True)
