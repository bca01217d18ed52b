"""Let the real MXNet 1.9.1 write record files, for tests/io/test_recordio.py to compare with.

    python -m records.record_mxnet_records        (in an environment with mxnet==1.9.1 and numpy==1.23.5)
"""


import mxnet as mx

from records import DATA
from records.record_cases import HEADERS, RECORDS


def main():
    name = str(DATA / "mxnet_records")
    writer = mx.recordio.MXIndexedRecordIO(f"{name}.idx", f"{name}.rec", "w")
    packed = [mx.recordio.pack(mx.recordio.IRHeader(*header), b"image") for header in HEADERS]
    for key, record in enumerate(RECORDS + packed):
        writer.write_idx(key * 10, record)
    writer.close()
    print(mx.__version__, "wrote", len(RECORDS) + len(packed), "records")


if __name__ == "__main__":
    main()
