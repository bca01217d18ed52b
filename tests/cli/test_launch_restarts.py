"""`minigluon launch --restarts`: a process that dies ends the job, and the others resume from the last checkpoint."""

import os
from pathlib import Path

import pytest
from helpers import ROOT
from helpers.mpi import missing

from minigluon.tools import cli
from minigluon.tools.cli import launch

pytestmark = pytest.mark.once


def test_a_job_resumes_with_the_processes_that_are_left(capfd, monkeypatch, tmp_path):
    if reason := missing():
        pytest.skip(reason)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    program = Path(__file__).with_name("restarted_program.py")
    assert cli.main(["launch", "-n", "3", "--threads", "1", "--restarts", "2", str(program)]) == 0
    out, err = capfd.readouterr()
    assert out == "2 processes, 6 batches, error below 1e-6: True\n"
    assert "exited on signal 9 (Killed)" in err
    assert "minigluon launch: the job ended with exit status 137; restart 1 of 2 with 2 processes\nmpirun -n 2 " in err
    assert "restart 2" not in err


def jobs(monkeypatch, codes, tmp_path, hosts=(), dead=()):
    """The numbers of processes and the hosts of the jobs that end with these exit statuses."""
    started = []

    def wait(command):
        names = [Path(command[command.index("--hostfile") + 1]).read_text()] if "--hostfile" in command else []
        started.append((int(command[2]), *names))
        return codes[len(started) - 1], False

    monkeypatch.setattr(launch, "_wait", wait)
    monkeypatch.setattr(launch, "_answers", lambda host: host not in dead)
    monkeypatch.setattr(launch.shutil, "which", lambda name: name)
    program, file = tmp_path / "train.py", tmp_path / "hosts"
    program.write_text("")
    file.write_text("".join(f"{line}\n" for line in hosts))
    code = cli.main(["launch", "-n", "4", "--restarts", "2", *(["--hosts", str(file)] if hosts else []), str(program)])
    return code, started


def test_how_many_processes_are_left(monkeypatch, tmp_path):
    assert jobs(monkeypatch, [0], tmp_path) == (0, [(4,)])
    assert jobs(monkeypatch, [1, 1, 7], tmp_path) == (7, [(4,), (3,), (2,)])
    hosts = ["node1 slots=2", "node2 slots=3"]
    whole = "node1 slots=2\nnode2 slots=3\n"
    assert jobs(monkeypatch, [137, 0], tmp_path, hosts) == (0, [(4, whole), (3, whole)])
    assert jobs(monkeypatch, [137, 0], tmp_path, hosts, ["node2"]) == (0, [(4, whole), (2, "node1 slots=2\n")])
    assert jobs(monkeypatch, [137], tmp_path, hosts, ["node1", "node2"]) == (137, [(4, whole)])


def test_a_count_that_is_none(capsys):
    with pytest.raises(SystemExit):
        cli.main(["launch", "-n", "2", "--restarts", "-1", "train.py"])
    assert "argument --restarts: '-1' is not a count, 0 or more" in capsys.readouterr().err
