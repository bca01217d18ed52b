"""Every network of the model zoo beside the real MXNet 1.9.1: the same parameters, the same image, the same scores.

    MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> python -m records.compare_zoo [NAME ...]

Parameters go through a file that is written here and read there. Then both train on two images, without dropout and in
float64: rounding of float32 turns signs of what relu sees, and gradients jump there, in either library. The table
shows the largest difference of a score, in prediction and float32; of a gradient of the first, the middle and the last
weight; and of what two steps of a Trainer, sgd with momentum, have changed in these weights and in all running means
and variances. Each is relative to the largest number of its array. At the end it tells which operators of the networks
minigluon-accel has left to the reference.
"""

import gc
import os
import subprocess
import sys
import tempfile

import numpy as np
from helpers import TESTS

import minigluon as mx
from minigluon import dispatch
from records import zoo_cases as cases

# The first weight of resnet152_v1 has gradients up to 512: the first step changes it by a third of its largest element,
# and the second one multiplies what rounding has made different by then.
TOLERANCE = {"scores": 1e-4, "gradient": 1e-9, "change": 1e-8}


def compare(name, mxnet):
    """{"scores", "gradient", "change": the largest relative difference}"""
    with tempfile.TemporaryDirectory() as folder:
        net, _ = cases.build_filled(mx, name)
        net.save_parameters(f"{folder}/{name}.params")
        subprocess.run([mxnet, "-W", "ignore", "-m", "records.record_mxnet_zoo", "check", folder, name],
                       cwd=TESTS, check=True)
        ours = cases.scores_and_training(mx, net, name)
        with np.load(f"{folder}/{name}.npz") as theirs:
            assert set(theirs.files) == set(ours)
            return {what: max(difference(ours[key], theirs[key]) for key in ours if key.startswith(what))
                    for what in TOLERANCE}


def difference(ours, theirs):
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


def within(apart):
    return all(apart[what] < tolerance for what, tolerance in TOLERANCE.items())


def main(names):
    mxnet = os.environ.get("MINIGLUON_MXNET_PYTHON") or sys.exit("set MINIGLUON_MXNET_PYTHON")
    print(f"| network | {' | '.join(TOLERANCE)} |\n|{'---|' * (1 + len(TOLERANCE))}")
    good = 0
    for name in names:
        apart = compare(name, mxnet)
        print(f"| {name} | {' | '.join(f'{apart[what]:.1e}' for what in TOLERANCE)} |", flush=True)
        good += within(apart)
        gc.collect()        # a network refers to itself; Python's collector does not see that it has gigabytes
    print(f"{good} of {len(names)} within {TOLERANCE}")
    print(f"left to the reference: {dict(dispatch.declined) or 'nothing'}")
    sys.exit(good < len(names))


if __name__ == "__main__":
    main(sys.argv[1:] or cases.NAMES)
