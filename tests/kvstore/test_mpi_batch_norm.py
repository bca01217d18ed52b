"""SyncBatchNorm over processes: what one process computes with the whole batch."""

from pathlib import Path

import pytest
from helpers.mpi import run

pytestmark = pytest.mark.once


@pytest.mark.parametrize("ranks", [None, 2, 4])
def test_shares_of_a_batch_are_normalized_like_the_whole(ranks):
    result = run(ranks, Path(__file__).with_name("mpi_batch_norm.py"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == "done\n"
