"""Record the batches of the real MXNet 1.9.1's data iterators in tests/data/mxnet_io.json.

Run it like `record_mxnet.py`; `test_io.py` compares.
"""

import json
import pathlib
import sys
import tempfile

import mxnet as mx

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from io_cases import array_iterators, file_iterators, passes  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = {**array_iterators(mx), **file_iterators(mx, folder)}
        recorded = {name: passes(make()) for name, make in cases.items()}
    (HERE / "data" / "mxnet_io.json").write_text(json.dumps(recorded, indent=1) + "\n")
    print(len(recorded), "iterators")


if __name__ == "__main__":
    main()
