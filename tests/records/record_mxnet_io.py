"""Record the batches of the real MXNet 1.9.1's data iterators in tests/records/data/mxnet_io.json.

Run it like `record_mxnet.py`; `test_io.py` compares.
"""

import json
import tempfile

import mxnet as mx

from records import DATA
from records.io_cases import array_iterators, file_iterators, passes


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = {**array_iterators(mx), **file_iterators(mx, folder)}
        recorded = {name: passes(make()) for name, make in cases.items()}
    (DATA / "mxnet_io.json").write_text(json.dumps(recorded, indent=1) + "\n")
    print(len(recorded), "iterators")


if __name__ == "__main__":
    main()
