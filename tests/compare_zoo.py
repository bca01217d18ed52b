"""Every network of the model zoo beside the real MXNet 1.9.1: the same parameters, the same image, the same scores.

    MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> python tests/compare_zoo.py [NAME ...]

Parameters go through a file that is written here and read there. Then both take a training step on two images, without
dropout and in float64: rounding of float32 turns signs of what relu sees, and gradients jump there, in either library.
The table shows the largest difference of a score, in prediction and float32, and of a gradient of the first, the middle
and the last weight, each relative to the largest number of its array. At the end it tells which operators of the
networks minigluon-accel has left to the reference.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import zoo_cases as cases

import minigluon as mx
from minigluon import dispatch

TOLERANCE = {"scores": 1e-4, "gradients": 1e-9}


def compare(name, mxnet):
    """{"scores", "gradients": the largest relative difference}"""
    with tempfile.TemporaryDirectory() as folder:
        net, _ = cases.build_filled(mx, name)
        net.save_parameters(f"{folder}/{name}.params")
        script = Path(__file__).with_name("record_mxnet_zoo.py")
        subprocess.run([mxnet, "-W", "ignore", script, "check", folder, name], check=True)
        ours = cases.scores_and_gradients(mx, net, name)
        with np.load(f"{folder}/{name}.npz") as theirs:
            apart = {key: np.abs(ours[key] - theirs[key]).max() / np.abs(theirs[key]).max() for key in theirs.files}
    return {"scores": apart.pop("scores"), "gradients": max(apart.values())}


def within(apart):
    return all(apart[what] < tolerance for what, tolerance in TOLERANCE.items())


def main(names):
    mxnet = os.environ.get("MINIGLUON_MXNET_PYTHON") or sys.exit("set MINIGLUON_MXNET_PYTHON")
    print(f"{'network':18}{'scores':>10}{'gradients':>12}")
    good = 0
    for name in names:
        apart = compare(name, mxnet)
        print(f"{name:18}{apart['scores']:10.1e}{apart['gradients']:12.1e}", flush=True)
        good += within(apart)
    print(f"{good} of {len(names)} within {TOLERANCE}")
    print(f"left to the reference: {dict(dispatch.declined) or 'nothing'}")
    sys.exit(good < len(names))


if __name__ == "__main__":
    main(sys.argv[1:] or cases.NAMES)
