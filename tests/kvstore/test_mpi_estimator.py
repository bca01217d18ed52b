"""Estimator, TrainStep, metrics, files and random numbers of several processes, compared with one process."""

import json
import os
from pathlib import Path

import pytest
from helpers.mpi import run

PROGRAM = Path(__file__).with_name("mpi_estimator.py")
SHOULD = "fit", "saved", "resumed", "step", "rate", "metrics"
pytestmark = pytest.mark.once


def check(ranks):
    """Run the program in the current folder, and compare."""
    result = run(ranks, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    of_ranks = [json.loads(Path(f"rank{rank}.json").read_text()) for rank in range(ranks)]
    first = of_ranks[0]
    for rank, seen in enumerate(of_ranks):
        for name in SHOULD:
            assert seen[name] == pytest.approx(first["alone"][name], rel=1e-4), (rank, name)
        assert (seen["order"], seen["uniform"]) == (first["order"], first["uniform"])
        assert seen["metric"] == 37.25
        assert seen["error"].startswith("fit: the processes would train for different numbers of epochs or batches: "
                                        "process 0: 2 epochs; process 1: 3 epochs")
        assert seen["lines"] == (0 if rank else 5)
    masks = {tuple(mask) for seen in of_ranks for mask in seen["masks"]}
    assert len(masks) == 3 * ranks
    own = [f"own{rank}.csv" for rank in range(ranks)]
    more = [f"trace-rank{rank}.json" for rank in range(1, ranks)]
    written = {name for name in os.listdir() if not name.startswith(("alone-", "rank"))}
    assert written == {"log.csv", "saved", "trace.json", *own, *more}
    assert len(Path("log.csv").read_text().splitlines()) == 1 + 2


def test_two_processes_train_evaluate_log_and_save_as_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(2)
