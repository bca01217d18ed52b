"""kvstore='dist_async': each process takes its own steps; what it shares, and what it refuses."""

from pathlib import Path

import pytest
from helpers.mpi import run

from minigluon.kvstore.agreement import processes

pytestmark = pytest.mark.once

PROGRAM = Path(__file__).with_name("mpi_async.py")
DIFFERENT = ("the processes are not at the same call of their store: process 0: set_optimizer of Adam in store 7; "
             "{others}: set_optimizer of SGD in store 7. All processes must make the same calls, with the same keys, "
             "types and shapes, in the same order.")
REFUSED = [
    "push: the store 'dist_async' takes steps, but has no optimizer. Call set_optimizer first. For sums, use "
    "'dist_sync' or sum_over_processes.",
    "set_updater: the owners of weights cannot call a function of another process in the store 'dist_async'. Use "
    "set_optimizer.",
    "set_gradient_compression: the store 'dist_async' has only type '2bit', found 'float16'. Use 'dist_sync'.",
    "limit_staleness: the limit is -1, expected None or an integer from 0 up",
    "init: key 'w' has storage 'row_sparse', but 'dist_async' keeps weights of storage 'default'. Gradients may be "
    "row_sparse: use nn.Embedding(sparse_grad=True).",
    "Trainer: the store 'dist_async' takes the steps itself, so update_on_kvstore=False is not possible. Omit it, or "
    "use 'dist_sync'."]


def test_three_processes(tmp_path, monkeypatch):
    """With 2 and 4: tests/scripts/mpi_ranks.py."""
    monkeypatch.chdir(tmp_path)
    check(3)


def check(ranks):
    """Runs the program, in a folder that it may write to."""
    result = run(ranks, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    text = result.stdout.replace("\n", "")            # mpirun may mix the lines of processes that print at once
    assert text.count("done") == ranks
    assert text.replace("done", "") == DIFFERENT.format(others=processes(range(1, ranks)))


def test_one_process_and_what_it_refuses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(None, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines() == [*REFUSED, "done"]
