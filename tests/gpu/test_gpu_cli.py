"""`minigluon train` on the GPU, real or emulated, as a user runs it."""

import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - skips where PyCUDA is not installed
from helpers.stripes import write_stripes

import minigluon as mx

THERE = {name: value for name, value in os.environ.items() if name != "MINIGLUON_GPU"}


def train(folder, *args):
    return subprocess.run([sys.executable, "-m", "minigluon", "train", "--net", "mlp", "--epochs", "1", *args],
                          cwd=folder, env={**THERE, "OPENBLAS_NUM_THREADS": "1"}, capture_output=True, text=True,
                          timeout=300)


def test_train_emulated_learns_as_on_the_cpu(tmp_path):
    write_stripes(tmp_path / "data" / "mnist")
    for name, told, args in (("cpu", "cpu(0)", []),
                             ("gpu", "gpu(0), hybridized", ["--ctx", "gpu", "--emulate", "--hybridize"])):
        done = train(tmp_path, "--data", "data", "--batch-size", "16", "--out", name, *args)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"sgd with learning rate 0.1, {told}\n" in done.stdout
    ours, theirs = (mx.nd.load(str(tmp_path / name / "mlp.params")) for name in ("gpu", "cpu"))
    assert list(ours) == list(theirs)
    for name, array in ours.items():
        # 8 steps of sums of up to 784 numbers.
        np.testing.assert_allclose(array.asnumpy(), theirs[name].asnumpy(), rtol=1e-3, atol=1e-4)


@pytest.mark.skipif(os.environ.get("MINIGLUON_GPU") != "emulate", reason="there is an NVIDIA driver")
def test_train_without_a_driver(tmp_path):
    done = train(tmp_path, "--ctx", "gpu")
    assert done.returncode == 1
    assert done.stderr.startswith("minigluon train: error: gpu: there is no NVIDIA driver here (libcuda.so.1: ")
    assert done.stderr.endswith("Add --emulate, or set MINIGLUON_GPU=emulate, to run the kernels on the CPU, or use "
                                "mx.cpu().\n")
