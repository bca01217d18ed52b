"""Nets with functions of `mx.np`, exported by the real MXNet 1.9.1, and what it computes with them.

    python -m records.record_mxnet_np_graphs                writes tests/records/data/mxnet_np_graphs.json.gz
    python -m records.record_mxnet_np_graphs check FOLDER   imports what minigluon has exported there, see `check`

In the first file: {name: [symbol file, outputs]}, an output as [type, shape, elements]. Names that MXNet refuses are
printed.
"""

import gzip
import json
import os
import pathlib
import sys
import tempfile

from records import DATA

os.environ["MXNET_ENGINE_TYPE"] = "NaiveEngine"         # errors come where they belong
os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"

import mxnet as mx
from mxnet import np, npx

from records import np_graph_cases as cases

ERRORS = (mx.base.MXNetError, AttributeError, IndexError, NotImplementedError, TypeError, ValueError)


def as_lists(outputs):
    """[[type, shape, elements]] of nested arrays."""
    if isinstance(outputs, (list, tuple)):
        return [item for part in outputs for item in as_lists(part)]
    return [[str(outputs.asnumpy().dtype), list(outputs.shape), outputs.asnumpy().ravel().tolist()]]


def export(name, folder):
    """Return [text, outputs] of one net."""
    with mx.name.NameManager():
        net = cases.build(mx, name)
    net.initialize()
    net.hybridize()
    inputs = [np.array(x) for x in cases.inputs_of(name)]
    net(*inputs)
    for key, parameter in net.collect_params().items():
        parameter.set_data(np.array(cases.values(key, parameter.shape)))
    outputs = as_lists(net(*inputs))
    net.export(str(folder / "net"))
    return [(folder / "net-symbol.json").read_text(), outputs]


def check(folder):
    """Read NAMES.json, {number: name}; write ANSWERS.json, {name: outputs, or the error as a string}."""
    answers = {}
    for number, name in json.loads((folder / "NAMES.json").read_text()).items():
        try:
            inputs = [np.array(x) for x in cases.inputs_of(name)]
            files = [str(folder / (number + end)) for end in ("-symbol.json", "-0000.params")]
            keys = json.loads((folder / (number + "-inputs.json")).read_text())
            net = mx.gluon.SymbolBlock.imports(files[0], keys, files[1] if os.path.exists(files[1]) else None)
            answers[name] = as_lists(net(*inputs))
        except ERRORS as error:
            answers[name] = str(error).strip().splitlines()[-1]
    (folder / "ANSWERS.json").write_text(json.dumps(answers))


def record():
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in cases.NAMES:
            try:
                found[name] = export(name, pathlib.Path(folder))
            except ERRORS as error:
                print(f"{name}: {type(error).__name__}: {str(error).strip().splitlines()[-1][:150]}")
    data = json.dumps(found, separators=(",", ":")).encode()
    target = DATA / "mxnet_np_graphs.json.gz"
    target.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{target}: {len(found)} nets of {len(cases.NAMES)}, {target.stat().st_size} bytes")


if __name__ == "__main__":
    npx.set_np()
    check(pathlib.Path(sys.argv[2])) if sys.argv[1:2] == ["check"] else record()
