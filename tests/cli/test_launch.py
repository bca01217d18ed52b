"""`minigluon launch`: the command that it prints and runs, and files of hosts."""

import os
import shlex
import sys

import pytest
from helpers import ROOT
from helpers.errors import error_of
from helpers.mpi import missing

from minigluon.tools import cli
from minigluon.tools.cli.launch import launch_command

pytestmark = pytest.mark.once


def arguments_of(*arguments, **more):
    """The options of the command, without the forwarded variables, and these."""
    command = launch_command(*arguments, **more)
    assert command[-2:] == [sys.executable, "train.py"]
    forwarded = [word for option, word in zip(command, command[1:], strict=False) if option == "-x"]
    return [word for word in command[:-2] if word not in forwarded and word != "-x"], forwarded


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(8), raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr("minigluon.tools.cli.launch._may_copy_between_processes", lambda: True)
    monkeypatch.setenv("MINIGLUON_MPI_TIMEOUT", "60")
    options, forwarded = arguments_of(2, None, None, ["train.py"])
    assert options == ["mpirun", "-n", "2", "--bind-to", "none"]
    assert forwarded[0] == "OMP_NUM_THREADS=4"
    assert "MINIGLUON_MPI_TIMEOUT" in forwarded
    hosts = tmp_path / "hosts"
    hosts.write_text("# two machines\nnode1 slots=2\n\nnode2 slots=4 max-slots=4   # the larger one\n")
    options, forwarded = arguments_of(6, str(hosts), None, ["train.py"])
    assert options == ["mpirun", "-n", "6", "--hostfile", str(hosts), "--bind-to", "none"]
    assert forwarded[0] == "OMP_NUM_THREADS=2"
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr("minigluon.tools.cli.launch._may_copy_between_processes", lambda: False)
    options, forwarded = arguments_of(9, None, 3, ["train.py"])
    assert options[3:] == ["--bind-to", "none", "--oversubscribe", "--allow-run-as-root", "--mca",
                           "btl_vader_single_copy_mechanism", "none"]
    assert forwarded[0] == "OMP_NUM_THREADS=3"


def test_files_of_hosts_that_are_refused(tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("node1\nnode2 slots=2\n")
    assert error_of(lambda: launch_command(4, str(hosts), None, ["train.py"]), ValueError) == (
        f"{hosts}: the hosts have 3 slots for 4 processes. Write 'NAME slots=K' for each host, or start fewer "
        "processes.")
    hosts.write_text("node1\nnode2:2 4\n")
    assert error_of(lambda: launch_command(4, str(hosts), None, ["train.py"])) == (
        f"{hosts}, line 2: found 'node2:2 4', expected the name of a host, such as 'node1 slots=4'")


def test_it_prints_the_command_and_runs_it(capfd, monkeypatch, tmp_path):
    assert cli.main(["launch", "-n", "2", "missing.py"]) == 1
    assert capfd.readouterr().err == (
        "minigluon launch: error: there is no file 'missing.py'. Give the path of a Python program.\n")
    if reason := missing():
        pytest.skip(reason)
    program = tmp_path / "program.py"
    program.write_text("import sys, minigluon as mx\nstore = mx.kv.create('dist_sync')\nstore.barrier()\n"
                       "sys.stdout.write(f'{store.rank} of {store.num_workers}: {sys.argv[1:]}\\n')\n"
                       "sys.stdout.flush()\nsys.exit(3 if '--fail' in sys.argv else 0)\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    assert cli.main(["launch", "-n", "2", str(program), "-n", "5"]) == 0
    out, err = capfd.readouterr()
    assert sorted(out.splitlines()) == ["0 of 2: ['-n', '5']", "1 of 2: ['-n', '5']"]
    assert shlex.split(err.splitlines()[0])[:3] == ["mpirun", "-n", "2"]
    assert cli.main(["launch", "--dry-run", "-n", "2", str(program), "--fail"]) == 0
    assert capfd.readouterr().out == ""
    assert cli.main(["launch", "-n", "2", str(program), "--fail"]) == 3
