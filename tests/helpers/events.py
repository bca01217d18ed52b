"""What is in TensorBoard's event files."""

import struct

import pytest


def scalars(path):
    """[(step, name, value)] in a file of TensorBoard's: records of a length, its check, the bytes and their check."""
    event = pytest.importorskip("tensorboardX.proto.event_pb2").Event
    content, found = path.read_bytes(), []
    while content:
        length, = struct.unpack("<Q", content[:8])
        made = event.FromString(content[12:12 + length])
        found += [(made.step, value.tag, value.simple_value) for value in made.summary.value]
        content = content[16 + length:]
    return found
