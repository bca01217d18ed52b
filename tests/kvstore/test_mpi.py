"""kvstore='dist_sync': several processes, started by mpirun, compute what one does, and end when one of them fails."""

import sys
import time
from pathlib import Path

import pytest
from helpers import ROOT
from helpers.mpi import LIMIT, run
from helpers.stripes import write_stripes

import minigluon as mx

pytestmark = pytest.mark.once

PROGRAM = Path(__file__).with_name("mpi_program.py")


def finished(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


def test_two_processes_compute_what_one_does():
    *one, _ = finished(run(None, PROGRAM, "works"))
    *two, last = finished(run(2, PROGRAM, "works"))
    numbers = [[float(x) for line in lines for x in line.removeprefix("weights ").split()] for lines in (one, two)]
    assert len(numbers[0]) == 2 + 12
    assert numbers[1] == pytest.approx(numbers[0], rel=1e-4)
    assert last == "2 done"


def test_the_program_of_the_documentation():
    *losses, last = finished(run(2, ROOT / "docs" / "programs" / "data_parallel_mpi.py", "--small"))
    assert [line.partition(":")[0] for line in losses] == ["epoch 1", "epoch 2", "epoch 3"]
    assert last.startswith("2 process(es): 9")


@pytest.mark.parametrize(("how", "message"), [
    ("error", "process 1 of 2 raised an error, which ends the job:\n"),
    ("killed", "signal 9 (Killed)"),
    ("less", "MXNetError: process 1 of 2 has ended, while process"),
])
def test_a_process_that_leaves_ends_the_job(how, message):
    begin = time.monotonic()
    result = run(2, PROGRAM, how)
    assert result.returncode != 0
    assert message in result.stderr
    assert ("ValueError: the data of process 1 is damaged" in result.stderr) is (how == "error")
    assert "never" not in result.stdout
    assert time.monotonic() - begin < LIMIT


def test_the_command_trains_in_several_processes(tmp_path):
    write_stripes(tmp_path / "data" / "mnist")
    arguments = ["-m", "minigluon", "train", "--net", "mlp", "--epochs", "2", "--batch-size", "32",
                 "--data", tmp_path / "data", "--out"]
    one = finished(run(None, *arguments, tmp_path / "one"))
    two = finished(run(2, *arguments, tmp_path / "two"))
    assert two[0] == one[0] + ", in 2 processes"
    assert one[1].partition(", test")[0] == two[1].partition(", test")[0]       # loss and accuracy
    first, second = (mx.nd.load(str(tmp_path / name / "mlp.params")) for name in ("one", "two"))
    assert all(float((first[key] - second[key]).abs().max().asscalar()) < 1e-5 for key in first)


def test_without_mpi4py_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(mx.MXNetError) as caught:
        mx.kv.create("dist_sync")
    assert str(caught.value) == ("mpi4py is not installed. Install what kvstore='dist_sync' needs with: "
                                 'pip install "minigluon[mpi]"')
