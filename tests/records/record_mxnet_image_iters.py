"""Record what the real MXNet 1.9.1's iterators over images give, for tests/image/test_image_iters.py.

    python -m records.record_mxnet_image_iters        (in an environment with mxnet==1.9.1 and numpy==1.23.5)
"""

import pathlib
import tempfile

import mxnet as mx
import numpy as np

from records import DATA
from records import image_iter_cases as cases


def main():
    with tempfile.TemporaryDirectory() as folder:
        recorded = cases.results(mx, pathlib.Path(folder))
    np.savez_compressed(DATA / "mxnet_image_iters.npz", **recorded)
    print(mx.__version__, len(recorded), "results")


if __name__ == "__main__":
    main()
