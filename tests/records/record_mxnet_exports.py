"""Networks exported by the real MXNet 1.9.1, and what it computes with them.

    python -m records.record_mxnet_exports                    writes tests/records/data/mxnet_exports.zip
    python -m records.record_mxnet_exports export FOLDER NAME...   exports networks into a folder
    python -m records.record_mxnet_exports check FOLDER NAME...    imports what minigluon has exported there

In a folder, NAME-symbol.json and NAME-0000.params hold the network, NAME-inputs.npz and NAME-outputs.npz the arrays.
"""

import json
import os
import pathlib
import sys
import tempfile
import zipfile

from records import DATA

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"

import mxnet as mx
import numpy as np

from records import export_cases


def export(folder, name):
    """Export one network, with what it computes."""
    with mx.name.NameManager():
        net = export_cases.build(mx, name)
    net.initialize()
    inputs = [mx.nd.array(a) for a in export_cases.inputs_of(name)]
    net.hybridize()
    net(*inputs)
    export_cases.fill(mx, net)
    outputs = export_cases.flat(net(*inputs))
    net.export(str(folder / name))
    np.savez_compressed(folder / f"{name}-outputs.npz", *[y.asnumpy() for y in outputs])


def check(folder, name):
    """Import a network that minigluon has exported, compute, and write the graph to another file."""
    names = json.loads((folder / f"{name}-inputs.json").read_text())
    net = mx.gluon.SymbolBlock.imports(str(folder / f"{name}-symbol.json"), names, str(folder / f"{name}-0000.params"))
    with np.load(folder / f"{name}-inputs.npz") as stored:
        outputs = export_cases.flat(net(*[mx.nd.array(stored[key]) for key in stored.files]))
    np.savez_compressed(folder / f"{name}-outputs.npz", *[y.asnumpy() for y in outputs])
    mx.sym.load(str(folder / f"{name}-symbol.json")).save(str(folder / f"{name}-again.json"))


def record():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in export_cases.NAMES:
            export(folder, name)
        target = DATA / "mxnet_exports.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(folder.iterdir()):
                archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    print(f"{target}: {len(export_cases.NAMES)} networks, {target.stat().st_size} bytes")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        record()
    else:
        for case in sys.argv[3:]:
            {"export": export, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]), case)
