"""Data, and files of all kinds."""

import gzip
import os
import pathlib
from unittest import mock

import numpy as np

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon.data.vision import files
from minigluon.image.im2rec import make_records
from minigluon.imaging import codec
from minigluon.serialization import idx

from .table import ERROR, case


@case("`NDArrayIter` with an unknown", "ArgumentError: NDArrayIter: last_batch_handle must be 'pad', 'discard' or "
      "'roll_over', found 'keep'", [(4,), (4,)])
def last_batch_handle():
    return [batch.data[0].shape for batch in mx.io.NDArrayIter(nd.arange(10), batch_size=4, last_batch_handle="keep")]


def batches_of_short_labels(count):
    batches = mx.io.NDArrayIter(nd.arange(10), nd.arange(8), 4)
    return [batches.next().label[0].asnumpy().tolist() for _ in range(count)]


@case("`NDArrayIter` with a label", "ArgumentError: NDArrayIter: 'data' has 10 samples, 'softmax_label' only 8",
      [[0, 1, 2, 3], [4, 5, 6, 7]])
def short_labels():
    return batches_of_short_labels(2)


@case("`NDArrayIter` with a label", "ArgumentError: NDArrayIter: 'data' has 10 samples, 'softmax_label' only 8", ERROR)
def short_labels_in_the_last_batch():
    return batches_of_short_labels(3)


@case("`NDArrayIter` with `roll_over`", "ArgumentError: NDArrayIter: 3 samples never fill a batch of 4 with "
      "last_batch_handle='roll_over'; take a smaller batch_size, or 'pad'", [[], [[0, 1, 2, 0]], [[1, 2, 0, 1]]])
def roll_over():
    batches, passes = mx.io.NDArrayIter(nd.arange(3), batch_size=4, last_batch_handle="roll_over"), []
    for _ in range(3):
        passes.append([batch.data[0].asnumpy().tolist() for batch in batches])
        batches.reset()
    return passes


@case("an option that an iterator", "ArgumentError: CSVIter: unknown parameter 'round_bach'. Did you mean "
      "'round_batch'?", [[1, 2], [3, 4]])
def unknown_option():
    pathlib.Path("a.csv").write_text("1,2\n3,4\n", encoding="utf-8")
    batches = mx.io.CSVIter(data_csv="a.csv", data_shape=(2,), batch_size=2, round_bach=True)
    return batches.next().data[0].asnumpy().tolist()


def list_with_one_label():
    """A list of two images with one label each, the images, and their records."""
    image = np.zeros((8, 8, 3), "uint8")
    records = mx.recordio.MXIndexedRecordIO("a.idx", "a.rec", "w")
    for i, name in enumerate("ab"):
        records.write_idx(i, mx.recordio.pack_img(mx.recordio.IRHeader(0, 0.0, i, 0), image, img_fmt=".png"))
        pathlib.Path(f"{name}.png").write_bytes(codec.encode(image, ".png"))
    records.close()
    pathlib.Path("a.lst").write_text("0\t3\ta.png\n1\t4\tb.png\n", encoding="utf-8")


@case("fewer labels in an image list", "FileFormatError: ImageRecordIter: record 0 of a.rec has 1 labels in the list "
      "of images, expected label_width=2", [[3, 0], [4, 0]], in_thread=True)
def fewer_labels():
    list_with_one_label()
    batches = mx.io.ImageRecordIter(path_imgrec="a.rec", path_imglist="a.lst", data_shape=(3, 8, 8), batch_size=2,
                                    label_width=2)
    return batches.next().label[0].asnumpy().tolist()


@case("one label in", "ShapeError: ImageIter: ./a.png has 1 labels, expected label_width=2", [[3, 3], [4, 4]])
def one_label():
    list_with_one_label()
    batches = mx.image.ImageIter(2, (3, 8, 8), label_width=2, path_imglist="a.lst", path_root=".")
    return batches.next().label[0].asnumpy().tolist()


@case("a dataset file with", "FileFormatError: train-labels-idx1-ubyte.gz is not the published file: its "
      "SHA-1 is da39a3ee5e6b4b0d3255bfef95601890afd80709, expected 123. It is damaged or incomplete, or another file. "
      "It was not changed; delete it to download it again.",
      ("https://here/gluon/dataset/mnist/train-labels-idx1-ubyte.gz", "train-labels-idx1-ubyte.gz", "123"))
def another_file():
    pathlib.Path("train-labels-idx1-ubyte.gz").write_bytes(b"")
    with mock.patch.object(files, "download", lambda url, path, sha1_hash: (url, path, sha1_hash)):
        with mock.patch.dict(os.environ, MXNET_GLUON_REPO="https://here/"):
            return files.fetch("", "mnist", "train-labels-idx1-ubyte.gz", ["123"])


def picture(kind, keep):
    """What is read of a picture's first bytes, beside the whole."""
    rng = np.random.RandomState(0)
    content = codec.encode(rng.randint(0, 255, (64, 48, 3)).astype("uint8"), kind)
    return mx.image.imdecode(content[:int(keep * len(content))]).asnumpy(), mx.image.imdecode(content).asnumpy()


@case("a truncated image file", "FileFormatError: cannot decode image: the JPEG file of N bytes is damaged or "
      "cut off (WHY). Write it again from its original, or leave it out; PIL.ImageFile.LOAD_TRUNCATED_IMAGES = True "
      "reads the existing part of a file that is cut off.", [True] * 64)
def cut_off():
    part, whole = picture(".jpg", 0.7)
    [rows] = np.nonzero((part == whole).all(axis=(1, 2)))
    last = rows.max()
    return [(part[i] == whole[min(i, last)]).all() for i in range(64)]


@case("a truncated image file", "FileFormatError: cannot decode image: the PNG file of N bytes is damaged or "
      "cut off (WHY). Write it again from its original, or leave it out; PIL.ImageFile.LOAD_TRUNCATED_IMAGES = True "
      "reads the existing part of a file that is cut off.", ERROR)
def cut_off_png():
    return picture(".png", 0.7)


@case("a file that claims to be a huge image", "FileFormatError: cannot decode image: 75 bytes that claim to be a very "
      "large image (20 x 20 pixels; the limit is 399). If you trust it, set the environment variable "
      "MINIGLUON_MAX_IMAGE_PIXELS to its number of pixels or more.", ERROR)
def huge_image():
    content = codec.encode(np.zeros((20, 20, 3), "uint8"), ".png")
    with mock.patch.dict(os.environ, MINIGLUON_MAX_IMAGE_PIXELS="399"):
        mx.image.imdecode(content)


@case("a list for `im2rec`", "FileFormatError: out/x.lst: key 0 is the file '../a.jpg', which is not below the folder "
      "'in'. If this is intended, pass outside=True, or --outside to minigluon im2rec.", True)
def list_of_files_outside():
    os.makedirs("in", exist_ok=True)
    os.makedirs("out", exist_ok=True)
    pathlib.Path("a.jpg").write_bytes(codec.encode(np.zeros((4, 4, 3), "uint8"), ".jpg"))
    pathlib.Path("out", "x.lst").write_text("0\t1.0\t../a.jpg\n")
    make_records("out/x.lst", "in")
    return os.path.getsize("out/x.rec") > 0


@case("a gzipped idx file", "FileFormatError: labels.gz: an array of shape (200000,) is more than a gzipped file "
                            "of this size may hold, 1,960 bytes. If this is correct, gunzip the file first.", ERROR)
def idx_that_grows():
    with gzip.open("labels.gz", "wb") as file:
        file.write(b"\0\0\x08\x01" + (200_000).to_bytes(4, "big") + bytes(200_000))
    with mock.patch.object(idx, "SMALL", 1000):
        idx.read_idx("labels.gz")


@case("a symbol file whose operators", "FileFormatError: the JSON text is not a readable symbol, at node 1 's': "
      "SliceChannel has 70000 outputs, more than a file of this length can use.", ERROR)
def outputs_without_end():
    text = mx.sym.split(mx.sym.var("a"), num_outputs=2, name="s").tojson()
    mx.sym.load_json(text.replace('"num_outputs": "2"', '"num_outputs": "70000"'))


@case("a wrong length in a", "FileFormatError: the buffer is truncated, at the header: 1099511627776 arrays need "
      "21990232555520 bytes or more, but 48 of 72 are left.", ERROR)
def damaged_parameters():
    nd.save("x.params", [nd.ones((2,))])
    content = bytearray(pathlib.Path("x.params").read_bytes())
    content[16:24] = (2 ** 40).to_bytes(8, "little")
    nd.load_frombuffer(bytes(content))


@case("a damaged symbol file", "FileFormatError: the JSON text is not a readable symbol, at node 1 'r': there is "
      "no operator 'rely'. Did you mean 'relu'?", ERROR)
def damaged_symbol():
    mx.sym.load_json(mx.sym.relu(mx.sym.var("a"), name="r").tojson().replace('"op": "relu"', '"op": "rely"'))


@case("`gluon.utils.download`", "ArgumentError: download: the name '.bashrc' at the end of 'http://a/.bashrc' may "
                                "mean more to the system than a file in the folder; pass path=, a file", ERROR)
def download():
    gluon.utils.download("http://a/.bashrc")
