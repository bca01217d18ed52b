"""Record small .params files with MXNet 1.9.1: `python -m records.record_mxnet_params`, in MXNet's own environment.

Writes tests/records/data/mxnet_<what>.params. What is in them, `expected` in test_params_files.py says in NumPy.
With two arguments, `check FILE`, it loads FILE and prints what MXNet sees as JSON.
"""

import json
import sys
from pathlib import Path

import mxnet as mx

from records import DATA

DTYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]
FOLDER = DATA


def record():
    files = {
        "list": [mx.nd.array([[1, 2, 3], [4, 5, 6]]), mx.nd.array([-1.5])],
        "dict": {"weight": mx.nd.arange(24).reshape((2, 3, 4)), "größe": mx.nd.array([7], dtype="int32")},
        "single": mx.nd.array([0.5, -0.25]),
        "dtypes": {name: mx.nd.array([[0, 1, 3]], dtype=name) for name in DTYPES},
        "empty": [],
        "zero_size": [mx.nd.array([[], []]), mx.nd.array([2])],
        "cpu1": [mx.nd.ones((2,), ctx=mx.cpu(1))],
    }
    for name, data in files.items():
        mx.nd.save(str(FOLDER / f"mxnet_{name}.params"), data)
    with mx.util.np_shape(True):
        mx.nd.save(str(FOLDER / "mxnet_np_shape.params"),
                   {"scalar": mx.nd.array(3), "none": mx.nd.zeros((0, 3)), "some": mx.nd.ones((2,))})
    mx.nd.save(str(FOLDER / "mxnet_sparse.params"),
               [mx.nd.ones((2,)), mx.nd.array([[0, 0], [1, 2]]).tostype("row_sparse")])


def check(path):
    magic = int.from_bytes(Path(path).read_bytes()[24:28], "little")
    with mx.util.np_shape(magic == 0xF993FACA):
        loaded = mx.nd.load(path)
    items = loaded.items() if isinstance(loaded, dict) else enumerate(loaded)
    print(json.dumps([[name, list(x.shape), x.asnumpy().dtype.name, x.asnumpy().ravel().tolist()]
                      for name, x in items]))


if __name__ == "__main__":
    check(sys.argv[2]) if sys.argv[1:2] == ["check"] else record()
