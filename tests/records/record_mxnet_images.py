"""Record what the real MXNet 1.9.1 makes of images, for tests/image/test_image.py.

    python -m records.record_mxnet_images         (in an environment with mxnet==1.9.1 and numpy==1.23.5)
"""

import zipfile

import mxnet as mx
import numpy as np

from records import DATA
from records import image_cases as cases


def main():
    recorded = {name: np.array(value) for name, value in cases.results(mx).items()}
    with zipfile.ZipFile(DATA / "images.zip") as archive:
        for name in archive.namelist():
            for flag in (0, 1):
                recorded[f"decode|{name}|{flag}"] = mx.image.imdecode(archive.read(name), flag=flag).asnumpy()
    recorded["dumps"] = np.array(cases.dumped(mx))
    np.savez_compressed(DATA / "mxnet_images.npz", **recorded)
    print(mx.__version__, len(recorded), "results")


if __name__ == "__main__":
    main()
