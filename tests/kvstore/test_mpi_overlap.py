"""Gradients that are sent while backward continues: the same weights, whatever a program does between two steps."""

import re
import time

import pytest
from helpers import ROOT
from helpers.mpi import run

PROGRAM = ROOT / "tests" / "kvstore" / "mpi_overlap.py"

pytestmark = pytest.mark.once


def test_the_same_weights_as_without_overlap():
    """The numbers are those of buckets that were sent before a step, of two, or of three trainers."""
    result = run(2, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines() == [
        "plain 0 0 2 2 2 2", "hybridized 0 0 2 2 2 2", "backward_twice 0 0 2 2 2 0 0 0",
        "one_process_changes_gradients 0 0 2 2 2 2", "clipped 0 0 2 2 2 2", "unused_layers 0 0 2 2 2 2",
        "accumulated 0 0 2 2 2 2", "two_trainers 0 0 3 3 3 3", "in_float16 0 0 2 2 2 2",
        "tags_begin_again"]


@pytest.mark.parametrize(("how", "message"), [
    ("killed", r"process rank 1 with PID .* exited on signal 9"),
    ("error", "process 1 of 2 raised an error, which ends the job:\n"),
    ("exit", "MXNetError: process 1 of 2 has ended, while process 0 waits, in its call 5: pushpull"),
    ("hang", r"MXNetError: process 0 has waited \d+ s for process 1 of 2 \(pid \d+ on .+\), in its call 5: pushpull"),
])
def test_a_process_that_ends_in_an_overlapped_bucket(how, message):
    begin = time.monotonic()
    result = run(2, PROGRAM, how, MINIGLUON_MPI_TIMEOUT="2")
    assert result.returncode not in (0, None)
    assert re.search(message, result.stderr), result.stderr
    assert time.monotonic() - begin < 60
