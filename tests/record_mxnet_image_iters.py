"""Record what the real MXNet 1.9.1's iterators over images give, for tests/test_image_iters.py.

    python tests/record_mxnet_image_iters.py        (in an environment with mxnet==1.9.1 and numpy==1.23.5)
"""

import pathlib
import sys
import tempfile

import mxnet as mx
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import image_iter_cases as cases  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        recorded = cases.results(mx, pathlib.Path(folder))
    np.savez_compressed(HERE / "data" / "mxnet_image_iters.npz", **recorded)
    print(mx.__version__, len(recorded), "results")


if __name__ == "__main__":
    main()
