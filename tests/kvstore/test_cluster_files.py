"""The files of docs/cluster, and processes that Slurm has started without telling MPI."""

import re
import shutil
import subprocess

import pytest
from helpers import ROOT

import minigluon as mx
from minigluon.kvstore import job

CLUSTER = ROOT / "docs" / "cluster"


def test_the_job_of_kubernetes():
    yaml = pytest.importorskip("yaml")
    spec = yaml.safe_load((CLUSTER / "mpijob.yaml").read_text())["spec"]
    launcher, worker = (spec["mpiReplicaSpecs"][name] for name in ("Launcher", "Worker"))
    (launching,), (working,) = (part["template"]["spec"]["containers"] for part in (launcher, worker))
    arguments, slots = launching["args"], spec["slotsPerWorker"]
    assert all(isinstance(word, str) for word in (*arguments, *launching["command"], *working["args"]))
    assert int(arguments[arguments.index("-n") + 1]) == worker["replicas"] * slots
    assert f"OMP_NUM_THREADS={int(working['resources']['limits']['cpu']) // slots}" in arguments
    assert launching["image"] == working["image"]
    volumes = {volume["name"] for volume in worker["template"]["spec"]["volumes"]}
    assert volumes == {mount["name"] for mount in working["volumeMounts"]}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_script_of_slurm():
    path = CLUSTER / "train.slurm"
    subprocess.run(["bash", "-n", path], check=True)
    lines = path.read_text().splitlines()
    options = [re.fullmatch(r"#SBATCH --([a-z-]+)(=\S+)?", line) for line in lines if line.startswith("#SBATCH")]
    assert all(options)
    last = max(number for number, line in enumerate(lines) if line.startswith("#SBATCH"))
    assert all(line.startswith("#") for line in lines[:last])        # Slurm stops reading at the first command
    assert {option[1] for option in options} >= {"nodes", "ntasks-per-node", "cpus-per-task", "requeue"}


def test_processes_that_slurm_has_started_without_mpi(monkeypatch):
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "8")
    assert job.launched()
    job._require_all(8)
    with pytest.raises(mx.MXNetError) as caught:
        job._require_all(1)
    page = (ROOT / "docs" / "cluster.md").read_text().split("```text\n")[1].split("```")[0]
    assert str(caught.value) == " ".join(page.split())
