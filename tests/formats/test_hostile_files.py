"""Files that nobody would write on purpose: an error that names the place, before work and memory are spent on them."""

import gzip
import json
import os
import pathlib
import struct
import tracemalloc

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd, recordio, sym
from minigluon.base import ArgumentError, FileFormatError, MXNetError
from minigluon.contrib.text.embedding import CustomEmbedding, GloVe
from minigluon.image.im2rec import make_records
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import parameter_shapes, parameter_size, reserve_shapes, reserve_size, size_of_all
from minigluon.recordio.files import framed
from minigluon.serialization.idx import read_idx


def error_of(function, *args, kind=MXNetError, **kwargs):
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    return str(caught.value)


def peak_of(function):
    """(what the function returns or the error that it raises, the most bytes that it had allocated)"""
    tracemalloc.start()
    try:
        result = function()
    except MXNetError as error:
        result = error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return result, peak


def graph(*nodes, head):
    return json.dumps({"nodes": list(nodes), "arg_nodes": [], "heads": [[head, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10901]}})


def variable(name, **attrs):
    return {"op": "null", "name": name, "inputs": [], "attrs": attrs}


def operator(name, inputs, **attrs):
    return {"op": name, "name": name.lower(), "inputs": [[i, 0, 0] for i in range(inputs)],
            "attrs": {key: str(value) for key, value in attrs.items()}}


# -- symbols --------------------------------------------------------------------------------------------------------


def test_more_outputs_than_the_file_can_use():
    text = graph(variable("x"), operator("SliceChannel", 1, num_outputs=10**9), head=1)
    error, peak = peak_of(lambda: sym.load_json(text))
    assert str(error) == ("the JSON text is not a readable symbol, at node 1 'slicechannel': SliceChannel has "
                          "1000000000 outputs, more than a file of this length can use.")
    assert peak < 1 << 20
    assert len(sym.load_json(graph(variable("x"), operator("SliceChannel", 1, num_outputs=9999), head=1))) == 1


def test_a_stack_of_very_many_layers_takes_no_memory():
    text = graph(variable("x"), variable("p"), variable("s"),
                 operator("RNN", 3, state_size=1, num_layers=10**8, mode="rnn_tanh"), head=3)
    shapes, peak = peak_of(lambda: sym.load_json(text).infer_shape(x=(1, 1, 1)))
    assert shapes[0] == [(1, 1, 1), (4 * 10**8,), (10**8, 1, 1)]
    assert peak < 1 << 20


@pytest.mark.parametrize("mode", ["rnn_relu", "lstm", "gru"])
def test_sizes_of_a_stack_are_those_of_its_parts(mode):
    for layers, both, p in [(1, False, 0), (1, True, 0.5), (2, False, 0.5), (3, True, 0), (3, True, 0.5)]:
        for projection in [None, 2] if mode == "lstm" else [None]:
            op = REGISTRY["RNN"](state_size=3, num_layers=layers, bidirectional=both, mode=mode, p=p,
                                 projection_size=projection)
            assert parameter_size(op, 5) == size_of_all(parameter_shapes(op, 5))
            assert reserve_size(op, 4, 2) == size_of_all(reserve_shapes(op, 4, 2))


def test_a_long_attribute_takes_little_more_than_its_text():
    text = graph(variable("x"), operator("Reshape", 1, shape=f"({'1,' * 100_000})"), head=1)
    symbol, peak = peak_of(lambda: sym.load_json(text))
    assert len(symbol.heads[0][0].op.shape) == 100_000
    assert peak < 16 * len(text)
    text = graph(variable("x", __shape__=f"({'1,' * 100_000})"), head=0)
    error, peak = peak_of(lambda: sym.load_json(text))
    assert str(error).endswith("node 0 'x': __shape__ has 100000 axes, expected at most 32.")
    assert peak < 16 * len(text)


@pytest.mark.parametrize(("text", "value"), [
    ("(2, 3)", (2, 3)), ("[2, 3]", (2, 3)), ("(2,)", (2,)), ("()", ()), ("[]", ()), ("2", (2,)), ("(2L, 3L)", (2, 3)),
    ("( -1,0 )", (-1, 0)), ("(2.0, 1e3)", (2, 1000)), ("2, 3", (2, 3)), ("(0x10,)", (16,))])
def test_texts_of_shapes(text, value):
    assert REGISTRY["Reshape"](shape=text).shape == value


@pytest.mark.parametrize("text", ["(2, 3", "(,)", "(2,,3)", "((2, 3),)", "('2',)", "(2.5,)", "(None,)", "2 3", "x",
                                  f"({1 << 63},)", "(1e30,)", "(inf,)", "(nan,)"])
def test_texts_that_are_no_shapes(text):
    assert error_of(REGISTRY["Reshape"], shape=text) == (
        f"Reshape: attribute shape is {text!r}, expected a tuple of integers.")


def test_a_wrong_value_is_shown_in_part():
    assert len(error_of(REGISTRY["Reshape"], shape="x" * 10_000)) < 200


def test_one_name_for_many_variables_of_a_body():
    body = {"nodes": [*[variable(f"v{i % 20_000}") for i in range(20_001)], operator("identity", 1)], "arg_nodes": [],
            "heads": [[20_001, 0, 0]]}
    loop = {**operator("_foreach", 1, num_args=2, num_outputs=1, num_out_data=1, in_state_locs="()",
                       in_data_locs="(0,)", remain_locs="()"), "subgraphs": [body]}
    assert error_of(sym.load_json, graph(variable("x"), loop, head=1)).endswith("several variables have the name 'v0'.")


# -- arrays ---------------------------------------------------------------------------------------------------------


def test_one_name_for_many_arrays(tmp_path):
    record = struct.pack("<IiIqiii", 0xF993FAC9, 0, 1, 1, 1, 0, 0) + bytes(4)
    names = [b"%05d" % (i % 19_999) for i in range(20_000)]
    (tmp_path / "x.params").write_bytes(b"".join([
        struct.pack("<QQQ", 0x112, 0, len(names)), record * len(names), struct.pack("<Q", len(names)),
        *[struct.pack("<Q", len(name)) + name for name in names]]))
    assert error_of(nd.load, tmp_path / "x.params").endswith("the name '00000' occurs twice.")


@pytest.fixture
def little_memory():
    """No more than 8 GB of addresses besides those that this process has: an emulated GPU reserves many."""
    resource = pytest.importorskip("resource")
    statm = pathlib.Path("/proc/self/statm")
    has = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (has + (8 << 30), hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def sparse(path, size, head=b""):
    path.write_bytes(head)
    os.truncate(path, len(head) + size)
    return str(path)


@pytest.mark.usefixtures("little_memory")
def test_files_larger_than_memory(tmp_path):
    size = 100 << 30
    head = struct.pack("<QQQIiIqiii", 0x112, 0, 1, 0xF993FAC9, 0, 1, size // 4, 1, 0, 0)
    path = sparse(tmp_path / "x.params", size + 8, head)
    too_large = "bytes do not fit into memory. Use a machine with more memory, or find out why the file is so long"
    assert error_of(nd.load, path) == f"cannot read {path!r}: its {len(head) + size + 8:,} {too_large}"
    path = sparse(tmp_path / "x.json", size)
    assert error_of(sym.load, path) == f"cannot read {path!r}: its {size:,} {too_large}"
    path = sparse(tmp_path / "x.txt", size)
    for read in (lambda: CustomEmbedding(path), lambda: mx.io.CSVIter(data_csv=path, data_shape=(1,), batch_size=1)):
        assert error_of(read) == (f"{path}: line 1 is longer than 67,108,864 characters. The file is damaged, or "
                                  "not text.")


def test_a_gzipped_array_is_inflated_as_far_as_its_shape_says(tmp_path):
    path = tmp_path / "x-ubyte.gz"
    path.write_bytes(gzip.compress(bytes(200 << 20), 1))
    error, peak = peak_of(lambda: error_of(read_idx, path))
    assert error.startswith(f"{path} is not an idx file of unsigned bytes: it begins with 00 00 00 00")
    assert peak < 4 << 20
    path.write_bytes(gzip.compress(b"\0\0\x08\x01\0\0\0\x04" + bytes(50 << 20), 1))
    error, peak = peak_of(lambda: error_of(read_idx, path))
    assert error == f"{path}: an array of shape (4,) needs 12 bytes, the file has more. It is damaged or truncated."
    assert peak < 4 << 20
    path.write_bytes(gzip.compress(b"\0\0\x08\x02\0\0\1\0\x7f\0\0\0"))
    error, peak = peak_of(lambda: error_of(read_idx, path))
    assert error == (f"{path}: an array of shape (256, 2130706432) is more than a gzipped file of this size may hold, "
                     "67,108,864 bytes. If this is correct, gunzip the file first.")
    assert peak < 1 << 20
    path.write_bytes(b"\0\0\x08\x02\0\0\1\0\x7f\0\0\0")
    assert error_of(read_idx, path).endswith("needs 545460846604 bytes, the file has 12. It is damaged or truncated.")


# -- texts, names and places ----------------------------------------------------------------------------------------


def test_texts_in_other_encodings(tmp_path):
    path = str(tmp_path / "x.lst")
    (tmp_path / "x.lst").write_bytes("1\t0\ta.jpg\n2\t0\tä.jpg\n".encode("latin-1"))
    for read in (lambda: make_records(path, tmp_path), lambda: mx.image.ImageIter(1, (3, 4, 4), path_imglist=path)):
        assert error_of(read) == (f"{path} is not text in the encoding 'utf-8', after line 0: invalid continuation "
                                  "byte. Convert the file, or name its encoding where the reader takes one.")
    (tmp_path / "x.txt").write_bytes("ä 1 2\n".encode("utf-16-le"))
    assert "'utf-16', after line 0: UTF-16 stream does not start with BOM" in error_of(
        CustomEmbedding, str(tmp_path / "x.txt"), encoding="utf-16", kind=FileFormatError)
    assert error_of(CustomEmbedding, path, encoding="utf-99", kind=ArgumentError).startswith(
        "encoding is 'utf-99', which Python does not know")


@pytest.mark.parametrize("read", [
    nd.load, sym.load, CustomEmbedding, mx.image.imread, lambda path: recordio.MXRecordIO(path, "r"),
    lambda path: mx.io.CSVIter(data_csv=path, data_shape=(1,), batch_size=1),
    lambda path: mx.io.LibSVMIter(data_libsvm=path, data_shape=(1,), batch_size=1),
    lambda path: mx.io.MNISTIter(image=path, label=path),
    lambda path: mx.image.ImageIter(1, (3, 4, 4), path_imglist=path), mx.gluon.data.vision.ImageFolderDataset,
    lambda path: gluon.nn.Dense(1, in_units=1).load_parameters(path), lambda path: mx.model.load_checkpoint(path, 0)])
def test_a_path_that_no_file_can_have(read):
    assert "': a path cannot contain the character '\\0'. Check where the path comes from" in error_of(read, "a\0b")


def test_lists_that_leave_their_folder(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "images" / "a").write_bytes(b"image")
    path, root = str(tmp_path / "x.lst"), str(tmp_path / "images")
    for name in ["../secret", "./../secret", str(tmp_path / "secret")]:
        (tmp_path / "x.lst").write_text(f"0\t0\ta\n1\t0\t{name}\n")
        assert error_of(make_records, path, root, pass_through=True) == (
            f"{path}: key 1 is the file {name!r}, which is not below the folder {root!r}. If this is intended, pass "
            "outside=True, or --outside to minigluon im2rec.")
        assert not (tmp_path / "x.rec").exists()
        assert make_records(path, root, pass_through=True, outside=True) == (2, 0)
        (tmp_path / "x.rec").unlink()
        (tmp_path / "x.idx").unlink()
    (tmp_path / "x.lst").write_text(f"0\t0\t{tmp_path / 'images' / 'a'}\n1\t0\tb/../a\n")
    (tmp_path / "images" / "b").mkdir()
    assert make_records(path, root, pass_through=True) == (2, 0)


def test_loops_in_loops_are_inferred_once_at_each_depth():
    nested = {"nodes": [variable("data"), operator("relu", 1)], "arg_nodes": [], "heads": [[1, 0, 0]]}
    for _ in range(18):
        loop = {**operator("_foreach", 1, num_args=2, num_outputs=1, num_out_data=1, in_state_locs="()",
                           in_data_locs="(0,)", remain_locs="()"), "subgraphs": [nested]}
        nested = {"nodes": [variable("data"), loop], "arg_nodes": [], "heads": [[1, 0, 0]]}
    graph = sym.load_json(json.dumps(nested))
    assert graph.infer_shape(data=(1,) * 20)[1] == [(1,) * 20]
    assert graph.infer_type(data="float32")[1] == [np.float32]


@pytest.mark.parametrize("archive", [b"", b"PK\3\4 and no more", b"PK\5\6" + bytes(18)])
def test_archives_that_hold_no_vectors(tmp_path, archive):
    (tmp_path / "glove").mkdir()
    (tmp_path / "glove" / "glove.6B.zip").write_bytes(archive)
    assert "is damaged, or not an archive with glove.6B.50d.txt: " in error_of(
        GloVe, "glove.6B.50d.txt", str(tmp_path), kind=FileFormatError)
    assert len(list((tmp_path / "glove").iterdir())) == 1


@pytest.mark.parametrize("number", ["nan", "inf", "1e300", str(1 << 31)])
def test_numbers_that_are_no_integers(tmp_path, number):
    (tmp_path / "x.csv").write_text(f"1,2\n3,{number}\n")
    assert error_of(mx.io.CSVIter, data_csv=str(tmp_path / "x.csv"), data_shape=(2,), batch_size=1, dtype="int32") == (
        f"{str(tmp_path / 'x.csv')!r} holds a number that int32 cannot represent: NaN, infinite or too large")


@pytest.mark.usefixtures("little_memory")
def test_sparse_rows_that_are_too_many_when_dense(tmp_path):
    (tmp_path / "x.svm").write_text("1 7:2\n" * 1000)
    batch = next(mx.io.LibSVMIter(data_libsvm=str(tmp_path / "x.svm"), data_shape=(200_000_000,), batch_size=500))
    assert (batch.data[0].shape, batch.data[0].sum().asscalar()) == ((500, 200_000_000), 1000)


@pytest.mark.parametrize("place", ["-5", str(10**30), str(1 << 63)])
def test_places_that_no_file_has(tmp_path, place):
    (tmp_path / "x.rec").write_bytes(framed(b"abc"))
    (tmp_path / "x.idx").write_text(f"0\t0\n1\t{place}\n")
    assert error_of(recordio.MXIndexedRecordIO, tmp_path / "x.idx", tmp_path / "x.rec", "r").endswith(
        f"x.idx: line 2 has the impossible offset {f'1	{place}' + chr(10)!r}: expected the number of a byte"
        .replace("offset '", "offset b'"))


def test_a_place_far_behind_the_end(tmp_path):
    (tmp_path / "x.rec").write_bytes(framed(b"abc"))
    (tmp_path / "x.idx").write_text(f"1\t{(1 << 63) - 1}\n")
    reader = recordio.MXIndexedRecordIO(tmp_path / "x.idx", tmp_path / "x.rec", "r")
    assert "key 1 is at byte 9223372036854775807, but " in error_of(reader.read_idx, 1)
    reader.seek(1)
    assert reader.read() is None


def test_an_index_that_leads_to_the_end_of_the_records(tmp_path):
    record = framed(recordio.pack_img(recordio.IRHeader(0, 1.0, 7, 0), mx.nd.zeros((4, 4, 3), dtype="uint8").asnumpy()))
    (tmp_path / "x.rec").write_bytes(record)
    (tmp_path / "x.idx").write_text(f"0\t0\n1\t{len(record)}\n")
    batches = mx.io.ImageRecordIter(path_imgrec=str(tmp_path / "x.rec"), path_imgidx=str(tmp_path / "x.idx"),
                                    data_shape=(3, 4, 4), batch_size=2)
    assert error_of(lambda: list(batches), kind=FileFormatError) == (
        f"ImageRecordIter: {tmp_path / 'x.rec'} ends before byte {len(record)}, where the index has a record. The file "
        "is truncated, or the index belongs to another file.")
