"""Arrays in .safetensors and .npz files."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from minigluon import nd
from minigluon.base import DTypeError, FileFormatError, MXNetError
from minigluon.gluon import nn

pytestmark = pytest.mark.once

DTYPES = ["float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool"]


@pytest.fixture(params=[".safetensors", ".npz"])
def path(request, tmp_path):
    if request.param == ".safetensors":
        pytest.importorskip("safetensors")
    return str(tmp_path / ("arrays" + request.param))


def test_all_types_come_back(path):
    arrays = {dtype: nd.array(np.arange(6).reshape(2, 3), dtype=dtype) for dtype in DTYPES}
    nd.save(path, arrays)
    again = nd.load(path)
    assert list(again) == DTYPES or sorted(again) == sorted(DTYPES)
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        np.testing.assert_array_equal(again[name].asnumpy(), array.asnumpy())


def test_bfloat16_comes_back(path):
    pytest.importorskip("ml_dtypes")
    nd.save(path, {"a": nd.array([1, 2.5], dtype="bfloat16")})
    again = nd.load(path)["a"]
    assert str(np.dtype(again.dtype)) == "bfloat16"
    assert again.astype("float32").asnumpy().tolist() == [1, 2.5]


def test_what_others_write_is_read(tmp_path):
    save_file = pytest.importorskip("safetensors.numpy").save_file
    arrays = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array(3, np.int64)}
    save_file(arrays, tmp_path / "a.safetensors")
    np.savez(tmp_path / "a.npz", columns=np.asfortranarray(arrays["w"]), big=arrays["w"].astype(">f8"))
    np.savez_compressed(tmp_path / "b.npz", *arrays.values())
    again = nd.load(tmp_path / "a.safetensors")
    np.testing.assert_array_equal(again["w"].asnumpy(), arrays["w"])
    assert again["b"].shape == ()
    again = nd.load(tmp_path / "a.npz")
    np.testing.assert_array_equal(again["columns"].asnumpy(), arrays["w"])
    np.testing.assert_array_equal(again["big"].asnumpy(), arrays["w"])
    assert [x.shape for x in nd.load(tmp_path / "b.npz")] == [(2, 3), ()]


def test_what_is_written_others_read(tmp_path):
    load_file = pytest.importorskip("safetensors.numpy").load_file
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.save_parameters(str(tmp_path / "a.safetensors"))
    net.save_parameters(str(tmp_path / "a.npz"))
    for found in load_file(tmp_path / "a.safetensors"), np.load(tmp_path / "a.npz"):
        np.testing.assert_array_equal(found["weight"], net.weight.data().asnumpy())
    other = nn.Dense(2, in_units=3)
    other.load_parameters(str(tmp_path / "a.safetensors"))
    np.testing.assert_array_equal(other.weight.data().asnumpy(), net.weight.data().asnumpy())


def test_mxnets_own_format_is_read_under_any_name(tmp_path):
    nd.save(str(tmp_path / "a.params"), {"a": nd.ones(2)})
    (tmp_path / "a.params").rename(tmp_path / "a.npz")
    assert nd.load(str(tmp_path / "a.npz"))["a"].shape == (2,)


def test_names_and_sparse_arrays(tmp_path):
    pytest.importorskip("safetensors")
    path = str(tmp_path / "a.safetensors")
    with pytest.raises(DTypeError) as error:
        nd.save(path, [nd.ones(2)])
    assert str(error.value) == "save: arrays in a .safetensors file need names; pass a dict"
    with pytest.raises(DTypeError, match="can only hold dense arrays; convert sparse ones with tostype"):
        nd.save(path, {"a": nd.ones((2, 2)).tostype("csr")})


def test_a_file_that_is_cut_off(path):
    nd.save(path, {"a": nd.ones(100)})
    content = Path(path).read_bytes()
    for length in (0, 3, 20, len(content) - 1):
        Path(path).write_bytes(content[:length])
        with pytest.raises(FileFormatError):
            nd.load(path)
    with pytest.raises(MXNetError, match="^cannot read "):
        nd.load("no-" + path.rpartition("/")[2])


def test_objects_and_false_sizes_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, a=np.array([{}], object))
    with pytest.raises(FileFormatError, match="'a.npy' contains Python objects, which are refused$"):
        nd.load(path)
    np.savez(path, a=np.zeros(10, np.uint16))
    with pytest.raises(FileFormatError, match="'a.npy': unknown dtype "):
        nd.load(path)
    header = str({"descr": "<f4", "fortran_order": False, "shape": (1 << 40,)}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8))
    with pytest.raises(FileFormatError, match=r"'a.npy' of shape \(1099511627776,\) and float32 has 8 bytes$"):
        nd.load(path)


def test_arrays_of_many_zeros_in_few_bytes(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, a=np.zeros(1 << 22, "float32"), b=np.zeros((1 << 24) - (1 << 22), "float32"))
    with pytest.raises(FileFormatError) as error:
        nd.load(path)
    assert str(error.value) == (
        f"{path}: its arrays have 67,109,120 bytes, more than a compressed file of this size may hold, 67,108,864 "
        "bytes. If this is correct, save them uncompressed, with numpy.savez.")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.npy", b"")
    with pytest.raises(FileFormatError, match=": two arrays have the same name, 'a'$"):
        nd.load(path)
