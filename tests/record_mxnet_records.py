"""Let the real MXNet 1.9.1 write record files, for tests/test_recordio.py to compare with.

    python tests/record_mxnet_records.py        (in an environment with mxnet==1.9.1 and numpy==1.23.5)
"""

import pathlib
import sys

import mxnet as mx

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from record_cases import HEADERS, RECORDS  # noqa: E402


def main():
    name = str(HERE / "data" / "mxnet_records")
    writer = mx.recordio.MXIndexedRecordIO(f"{name}.idx", f"{name}.rec", "w")
    packed = [mx.recordio.pack(mx.recordio.IRHeader(*header), b"image") for header in HEADERS]
    for key, record in enumerate(RECORDS + packed):
        writer.write_idx(key * 10, record)
    writer.close()
    print(mx.__version__, "wrote", len(RECORDS) + len(packed), "records")


if __name__ == "__main__":
    main()
