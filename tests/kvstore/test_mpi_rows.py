"""row_sparse gradients are sent as rows, with the same results."""

import re
from pathlib import Path

import pytest
from helpers.mpi import run

pytestmark = pytest.mark.once


@pytest.mark.parametrize("ranks", [None, 2, 4])
def test_the_rows_that_processes_have(ranks):
    result = run(ranks, Path(__file__).with_name("mpi_rows.py"))
    assert result.returncode == 0, result.stdout + result.stderr
    rows, whole = map(int, re.fullmatch(r"(\d+) bytes with rows, (\d+) without\n", result.stdout).groups())
    assert rows <= whole / 2
