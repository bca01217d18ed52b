"""Files that do not exist: each reader names the kind of file that it expects, and what there is instead."""

import pytest

import minigluon as mx
from minigluon.base import MXNetError

RECORDS = "a record file or its index, as written by minigluon im2rec"
LISTS = "a list of images, as written by minigluon im2rec --list"
SIZE, ROWS = {"data_shape": (3, 8, 8), "batch_size": 2}, {"data_shape": (2,), "batch_size": 2}
READERS = {
    "CSVIter": (lambda: mx.io.CSVIter(data_csv="none", **ROWS), "a CSV file: rows of numbers, separated by commas"),
    "labels": (lambda: mx.io.CSVIter(data_csv="a.csv", label_csv="none", **ROWS), "a CSV file"),
    "LibSVMIter": (lambda: mx.io.LibSVMIter(data_libsvm="none", **ROWS), "a LibSVM file: lines such as '1 0:0.5 7:2'"),
    "ImageRecordIter": (lambda: mx.io.ImageRecordIter(path_imgrec="none", **SIZE), RECORDS),
    "its list": (lambda: mx.io.ImageRecordIter(path_imgrec="a.rec", path_imglist="none", **SIZE), LISTS),
    "ImageDetRecordIter": (lambda: mx.io.ImageDetRecordIter(path_imgrec="none", **SIZE), RECORDS),
    "MNISTIter": (lambda: mx.io.MNISTIter(image="none", label="none"),
                  r"an idx file, which gluon.data.vision.MNIST\(\) downloads"),
    "ImageIter": (lambda: mx.image.ImageIter(path_imgrec="none", **SIZE), RECORDS),
    "ImageIter's list": (lambda: mx.image.ImageIter(path_imglist="none", path_root=".", **SIZE), LISTS),
    "an image": (lambda: mx.image.ImageIter(imglist=[[1, "none"]], path_root=".", **SIZE).next(),
                 "an image; the paths of a list are relative to path_root"),
    "ImageFolderDataset": (lambda: mx.gluon.data.vision.ImageFolderDataset("none"), "a folder of images"),
    "MXRecordIO": (lambda: mx.recordio.MXRecordIO("none", "r"), RECORDS),
    "MXIndexedRecordIO": (lambda: mx.recordio.MXIndexedRecordIO("none", "a.rec", "r"), RECORDS),
}


@pytest.mark.parametrize("name", READERS)
def test_missing_files(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    (tmp_path / "a.rec").write_bytes(b"")
    read, expected = READERS[name]
    with pytest.raises(MXNetError, match=rf"none': No such file or directory; expected {expected}.*\. The folder '.*' "
                                         r"has: a.csv, a.rec"):
        read()


@pytest.mark.parametrize("path", ["empty", ""])
def test_a_folder_without_files_and_an_empty_path(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(MXNetError, match="the folder 'empty' contains no files|named by a path, found ''"):
        mx.io.CSVIter(data_csv=path, **ROWS)
