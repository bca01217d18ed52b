"""Record five steps of every optimizer of the real MXNet 1.9.1 in tests/records/data/mxnet_optimizers.npz.

Run it like `record_mxnet.py`; `test_optimizer.py` compares.
"""


import mxnet as mx
import numpy as np

from records import DATA
from records.optimizer_cases import CASES, run


def main():
    recorded = {}
    for name in CASES:
        for step, weights in enumerate(run(mx, name)):
            recorded.update({f"{name}/{step}/{i}": w for i, w in enumerate(weights)})
    np.savez_compressed(DATA / "mxnet_optimizers.npz", **recorded)
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
