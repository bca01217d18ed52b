"""Files that are something else: Git LFS pointers in every reader, files of torch.save, quantized graphs, downloads."""

import json
import os
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd, sym
from minigluon.base import FileFormatError
from minigluon.gluon import nn
from minigluon.serialization import reading

pytestmark = pytest.mark.once

POINTER = (b"version https://git-lfs.github.com/spec/v1\n"
           b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n")
LFS = (" is a Git LFS pointer, a text of a few lines in place of the file, which was not downloaded with its "
       "repository. Run `git lfs pull` in a clone of it, or download the file by itself.")


def dense():
    net = nn.Dense(2, in_units=2)
    net.initialize()
    return net


def images(**options):
    return next(mx.image.ImageIter(1, (3, 2, 2), path_root=".", **options))


READERS = {
    "nd.load": (lambda: nd.load("a.params"), "a.params"),
    "nd.load of an npz": (lambda: nd.load("a.npz"), "a.npz"),
    "load_parameters": (lambda: dense().load_parameters("a.params"), "a.params"),
    "safetensors": (lambda: dense().load_parameters("a.safetensors"), "a.safetensors"),
    "load_frombuffer": (lambda: nd.load_frombuffer(POINTER), "the buffer"),
    "sym.load": (lambda: sym.load("a-symbol.json"), "a-symbol.json"),
    "sym.load_json": (lambda: sym.load_json(POINTER.decode()), "the JSON text"),
    "SymbolBlock": (lambda: gluon.SymbolBlock.imports("a-symbol.json", ["data"]), "a-symbol.json"),
    "load_checkpoint": (lambda: mx.model.load_checkpoint("a", 0), "a-symbol.json"),
    "states": (lambda: gluon.Trainer(dense().collect_params(), "sgd").load_states("a.states"), "a.states"),
    "records": (lambda: mx.recordio.MXRecordIO("a.rec", "r").read(), "a.rec"),
    "indexed records": (lambda: mx.recordio.MXIndexedRecordIO("a.idx", "a.rec", "r").read_idx(0), "a.rec"),
    "ImageRecordIter": (lambda: mx.io.ImageRecordIter("a.rec", (3, 2, 2), 1), "a.rec"),
    "RecordFileDataset": (lambda: gluon.data.RecordFileDataset("a.rec")[0], "a.rec"),
    "imread": (lambda: mx.image.imread("a.png"), "a.png"),
    "imdecode": (lambda: mx.image.imdecode(POINTER), "image"),
    "ImageFolderDataset": (lambda: gluon.data.vision.ImageFolderDataset(".")[0], os.path.join(".", "cats", "a.png")),
    "an image list": (lambda: images(path_imglist="a.lst"), "a.lst"),
    "an image of a list": (lambda: images(imglist=[[0, "a.png"]]), os.path.join(".", "a.png")),
    "CSVIter": (lambda: mx.io.CSVIter(data_csv="a.csv", data_shape=(1,), batch_size=1), "a.csv"),
    "LibSVMIter": (lambda: next(mx.io.LibSVMIter(data_libsvm="a.svm", data_shape=(3,), batch_size=1)), "a.svm"),
    "MNISTIter": (lambda: mx.io.MNISTIter(image="a.gz", label="a.gz"), "a.gz"),
    "CustomEmbedding": (lambda: mx.contrib.text.embedding.CustomEmbedding("a.vec"), "a.vec"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cats").mkdir()
    for name in ("a.params", "a.npz", "a.safetensors", "a-symbol.json", "a.states", "a.rec", "a.idx", "a.png", "a.lst",
                 "a.csv", "a.svm", "a.gz", "a.vec", "a.onnx", "cats/a.png"):
        Path(name).write_bytes(POINTER)
    return tmp_path


@pytest.mark.parametrize("reader", READERS)
def test_pointers(reader, folder):
    if reader == "safetensors":
        pytest.importorskip("safetensors")
    call, name = READERS[reader]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")             # of the folder's other files
        with pytest.raises(FileFormatError) as error:
            call()
    assert name + LFS in str(error.value)


def test_a_pointer_for_an_onnx_file(folder):
    pytest.importorskip("onnx")
    from minigluon.contrib import onnx
    for call in onnx.import_model, onnx.get_model_metadata:
        with pytest.raises(FileFormatError) as error:
            call("a.onnx")
        assert str(error.value) == "'a.onnx'" + LFS


def test_what_only_resembles_a_pointer(folder):
    Path("a.csv").write_text("1\n2\n")
    assert mx.io.CSVIter(data_csv="a.csv", data_shape=(1,), batch_size=2).next().data[0].shape == (2, 1)
    Path("long.txt").write_bytes(POINTER + b"x" * reading.MAX_POINTER)       # no pointer is as long
    assert reading.content_of("long.txt").startswith(POINTER)
    Path("empty.txt").write_bytes(b"")
    assert reading.content_of("empty.txt") == b""


TORCH = ("net.pt is not a .params file: it looks like a file of torch.save. Read it with "
         "gluon.utils.load_torch(net, path), or for a net of the zoo, convert it with `minigluon weights`.")


@pytest.mark.parametrize("head", [b"PK\3\4" + bytes(26) + b"archive/data.pkl",
                                  b"\x80\2\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."])
def test_files_of_torch(head, folder):
    Path("net.pt").write_bytes(head + bytes(300))
    for call in nd.load, dense().load_parameters:
        with pytest.raises(FileFormatError) as error:
            call("net.pt")
        assert str(error.value) == TORCH


@pytest.mark.parametrize("operator", [
    "_contrib_quantize_asym", "_contrib_quantized_rnn",
    "_contrib_intgemm_fully_connected"])
def test_quantized_graphs(operator):
    graph = json.loads(sym.relu(sym.var("data"), name="act").tojson())
    graph["nodes"][1]["op"] = operator
    with pytest.raises(FileFormatError) as error:
        sym.load_json(json.dumps(graph))
    assert f"operator {operator!r} is one of the quantized operators that are not here. Load the files from before " \
           "the quantization, and use mx.contrib.quantization" in str(error.value)


def test_a_failed_download_is_one_message(tmp_path):
    """The reason is in the message; the tracebacks of `urllib` and `socket` would only hide it."""
    with pytest.raises(gluon.utils.DownloadError) as error:
        gluon.utils.download("http://127.0.0.1:9/no.params", path=str(tmp_path), retries=0)
    shown = "".join(traceback.format_exception(error.value))
    assert shown.count("Traceback (most recent call last)") == 1
    assert "reason: " in str(error.value)
    assert np.all([text not in shown for text in ("urllib/request.py", "During handling")])
