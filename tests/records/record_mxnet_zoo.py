"""Record what the real MXNet 1.9.1 says of its model zoo, in tests/records/data/mxnet_zoo.json and mxnet_zoo.npz.

Run it like `record_mxnet.py`; `test_model_zoo.py` compares. `python -m records.record_mxnet_zoo check FOLDER NET` loads
FOLDER/NET.params into MXNet's network and writes what it computes; `compare_zoo.py` calls it.
"""

import json
import sys
from pathlib import Path

import mxnet as mx
import numpy as np

from records import DATA
from records import zoo_cases as cases


def record():
    found = {name: cases.summary(mx, name) for name in cases.NAMES}
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in found]
    (DATA / "mxnet_zoo.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    outputs = {}
    for name, pixels in cases.SMALL.items():
        net, x = cases.build_filled(mx, name, pixels, classes=10)
        outputs[name] = net(x).asnumpy()
    np.savez(DATA / "mxnet_zoo.npz", **outputs)
    print(f"{len(found)} networks, outputs of {len(outputs)}")


def check(folder, name):
    """What the network computes from the parameters that are in the folder, written beside them."""
    net = cases.build(mx, name)
    net.load_parameters(str(Path(folder, f"{name}.params")))
    np.savez(Path(folder, f"{name}.npz"), **cases.scores_and_training(mx, net, name))


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        check(*sys.argv[2:])
    else:
        record()
