"""Eight processes, more than there are cores in CI: a few steps and sums."""

import pytest
from helpers import ROOT
from helpers.mpi import run

pytestmark = pytest.mark.once


def test_eight_processes_compute_what_one_does():
    result = run(8, ROOT / "tests" / "kvstore" / "mpi_eight.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == "8 agree\n"
