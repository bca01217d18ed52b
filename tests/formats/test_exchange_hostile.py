"""Archives of arrays that no library writes: each is refused in words, whatever its headers say."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest

from minigluon import nd
from minigluon.base import FileFormatError


def npy(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def headed(text, data=b""):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def described(shape, descr="'<f4'", data=b""):
    return headed(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode(), data)


ONES = npy(np.ones(3, "float32"))
SHAPE = "expected at most 32 lengths, none negative"


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("members", "problem"), [
    ([("a", ONES), ("a.npy", ONES)], "two arrays have the same name, 'a'"),
    ([("a.npy", ONES), ("a.npy", ONES)], "two arrays have the same name, 'a'"),
    ([("a.npy", headed(b"{'descr': '<f4', 'fort\n"))], "'a.npy' is not an array: "),
    ([("a.npy", headed(b"(" * 5000 + b")" * 5000))], "'a.npy' is not an array: "),
    ([("a.npy", headed(b"{['a']: 1}\n"))], "'a.npy' is not an array: "),
    ([("a.npy", described(f"({'1, ' * 70})", data=b"1234"))], f"'a.npy' has the shape {(1,) * 70}, {SHAPE}"),
    ([("a.npy", described("(True,)", data=b"1234"))], f"'a.npy' has the shape (True,), {SHAPE}"),
    ([("a.npy", described("(-1,)"))], f"'a.npy' has the shape (-1,), {SHAPE}"),
    ([("a.npy", described("(1,)", "('<f4', (2,))", b"12345678"))],
     "'a.npy' has elements of ('<f4', (2,)), which no array here has"),
    ([("a.npy", described("(1099511627776,)", "'|V0'"))], "'a.npy' has elements of |V0, which no array here has"),
    ([("a.npy", described("(3,)", "'|S0'"))], "'a.npy' has elements of |S0, which no array here has"),
    ([("a.npy", described("(0, 4611686018427387904, 4611686018427387904)"))],
     "'a.npy' has the shape (0, 4611686018427387904, 4611686018427387904), more elements than memory can have"),
])
def test_npz(members, problem, tmp_path):
    path = tmp_path / "f.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    with pytest.raises(FileFormatError) as error:
        nd.load(path)
    assert str(error.value).startswith(f"{path}: {problem}")


def test_every_byte_of_an_npz(tmp_path):
    path = tmp_path / "f.npz"
    for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("a.npy", ONES)
        whole = path.read_bytes()
        for place in range(len(whole)):
            for flip in 0xff, 0x01:
                path.write_bytes(whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1:])
                try:
                    nd.load(path)
                except FileFormatError:
                    pass
                except Exception as error:
                    raise AssertionError(f"byte {place} ^ {flip} of method {method}") from error


@pytest.mark.parametrize(("shape", "offsets", "problem"), [
    ([1] * 80, [0, 4], f": 'a' has the shape {(1,) * 80}, {SHAPE}"),
    ([0, 1 << 62, 1 << 62], [0, 0], ""),
    ([True], [0, 4], ""), ([1.0], [0, 4], ""), ([-1], [0, 4], ""), (None, [0, 4], ""), ([1], ["0", "4"], ""),
])
def test_safetensors(shape, offsets, problem, tmp_path):
    pytest.importorskip("safetensors")
    path = tmp_path / "f.safetensors"
    header = json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": offsets}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(4 if offsets[1] in (4, "4") else 0))
    with pytest.raises(FileFormatError) as error:
        nd.load(path)
    assert str(error.value).startswith(f"{path}{problem}")
