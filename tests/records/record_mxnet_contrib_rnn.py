"""Record what the cells of contrib_rnn_cases compute in the real MXNet 1.9.1, in tests/records/data/contrib_rnn.npz.

Run it like `record_mxnet.py`; `test_contrib_rnn.py` compares.
"""


import mxnet as mx
import numpy as np

from records import DATA, contrib_rnn_cases


def main():
    arrays = {}
    for name, (cell, shape) in contrib_rnn_cases.cells(mx).items():
        arrays[f"{name}/output"], arrays[f"{name}/grad"] = contrib_rnn_cases.run(mx, cell, shape)
        arrays[f"{name}/params"] = np.array([f"{key} {param.shape}" for key, param in cell.collect_params().items()])
    np.savez_compressed(DATA / "contrib_rnn.npz", **arrays)
    print(len(arrays) // 3, "cells")


if __name__ == "__main__":
    main()
