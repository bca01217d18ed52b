"""Records that MXNet wrote to tests/records/data/mxnet_records.rec and .idx, and that tests write again."""

import struct

__all__ = ["HEADERS", "MAGIC", "RECORDS"]

MAGIC = struct.pack("<I", 0xCED7230A)

RECORDS = [b"", b"a", b"abcd", MAGIC, MAGIC * 3, b"abc" + MAGIC, b"abcd" + MAGIC + b"x",
           MAGIC + b"yy" + MAGIC + b"zz" + MAGIC, b"abcd" + MAGIC[:3], bytes(range(256)) * 2,
           b"0123" + MAGIC[2:] + MAGIC + MAGIC[:2]]

# (flag, label, id, id2) as they are given to `pack`
HEADERS = [(0, 4.0, 2574, 0), (7, 0.1, 2**63, 2**64 - 1), (0, [1, 2, 3.5], 1, 0), (9, [], 5, 6),
           (0, [[1, 2], [3, 4]], 0, 1)]
