"""Small cases of the kernels whose threads wait for each other, in the emulator's hard mode."""

import subprocess
import sys

import pytest
from helpers import TESTS, gpu_choice
from helpers.processes import environment

if gpu_choice.GPU != "emulate":
    pytest.skip("the hard mode is the emulator's", allow_module_level=True)

HARD = {"MINIGLUON_GPU_CHECK": "hard", "MINIGLUON_GPU_SEED": "1"}


def test_kernels_that_wait_have_no_races_and_are_right():
    done = subprocess.run([sys.executable, TESTS / "helpers" / "gpu_hard_program.py"], capture_output=True, text=True,
                          timeout=500, env=environment(**HARD))
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stdout + done.stderr
