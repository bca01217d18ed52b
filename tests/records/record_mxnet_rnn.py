"""Record what recurrent layers, cells and graphs are in the real MXNet 1.9.1, for `test_gluon_rnn.py` and others.

Run it like `record_mxnet.py`; tests/records/data/mxnet_rnn.npz gets numbers, mxnet_rnn.json.gz graphs and texts.
"""

import gzip
import json
import warnings

import mxnet as mx
import numpy as np

from records import DATA, rnn_cases


def main():
    warnings.simplefilter("ignore")
    arrays = {}
    for name, layer in rnn_cases.layers(mx).items():
        arrays.update({f"layer {name}/{key}": a for key, a in rnn_cases.run_layer(mx, name, layer).items()})
    for name, (cell, how) in rnn_cases.cells(mx).items():
        arrays.update({f"cell {name}/{key}": a for key, a in rnn_cases.run_cell(mx, cell, how).items()})
    np.savez_compressed(DATA / "mxnet_rnn.npz", **arrays)
    recorded = {"graphs": rnn_cases.graphs(mx), "texts": rnn_cases.texts(mx)}
    with gzip.GzipFile(DATA / "mxnet_rnn.json.gz", "wb", mtime=0) as file:      # the same bytes at each run
        file.write(json.dumps(recorded, indent=0).encode())
    print(len(arrays), "arrays,", len(recorded["graphs"]), "graphs")


if __name__ == "__main__":
    main()
