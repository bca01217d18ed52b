"""Record what the real MXNet 1.9.1 makes of images, for tests/test_image.py.

    python tests/record_mxnet_images.py         (in an environment with mxnet==1.9.1 and numpy==1.23.5)
"""

import pathlib
import sys
import zipfile

import mxnet as mx
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import image_cases as cases  # noqa: E402


def main():
    recorded = {name: np.array(value) for name, value in cases.results(mx).items()}
    with zipfile.ZipFile(HERE / "data" / "images.zip") as archive:
        for name in archive.namelist():
            for flag in (0, 1):
                recorded[f"decode|{name}|{flag}"] = mx.image.imdecode(archive.read(name), flag=flag).asnumpy()
    recorded["dumps"] = np.array(cases.dumped(mx))
    np.savez_compressed(HERE / "data" / "mxnet_images.npz", **recorded)
    print(mx.__version__, len(recorded), "results")


if __name__ == "__main__":
    main()
