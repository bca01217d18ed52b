"""Files that MXNet 1.9.1 reads although they are not as its documentation says; the batches are those it gives."""

import struct

import pytest
from helpers.image_records import png, seen, write_records

from minigluon import image, io, recordio, strictness
from minigluon.base import ArgumentError, FileFormatError, ShapeError

ROWS = [[([1, 3], [0, 0], 0)]] * 2


@pytest.mark.parametrize("content", [b"1,2,\n3,4,\n", b"\xef\xbb\xbf1,2\n3,4\n", b"\xef\xbb\xbf1,2,\r\n3,4,\r\n",
                                     b"1,2\n\n3,4\n\n", b" 1 , 2 \n3,\t4"])
def test_csv(tmp_path, content):
    (tmp_path / "a.csv").write_bytes(content)
    assert seen(io.CSVIter(data_csv=str(tmp_path / "a.csv"), data_shape=2, batch_size=2)) == ROWS


@pytest.mark.parametrize("content", [b"1,\n,4\n", b"1,2,,\n", b"1,2,3\n"])
def test_csv_with_gaps_is_refused(tmp_path, content):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(FileFormatError, match="line 1"):
        io.CSVIter(data_csv=str(tmp_path / "a.csv"), data_shape=2, batch_size=2)


def test_several_text_files(tmp_path):
    (tmp_path / "b.csv").write_text("1,2\n3,4\n5,6\n")
    (tmp_path / "a.csv").write_text("7,8\n9,10\n")
    both = f"{tmp_path / 'b.csv'};{tmp_path / 'a.csv'}"
    expected = [[([1, 3], [0, 0], 0), ([5, 7], [0, 0], 0), ([9, 1], [0, 0], 1)],
                [([3, 5], [0, 0], 0), ([7, 9], [0, 0], 0)]]
    assert seen(io.CSVIter(data_csv=both, data_shape=2, batch_size=2)) == expected
    assert seen(io.CSVIter(data_csv=both + ";", data_shape=2, batch_size=2)) == expected
    assert seen(io.CSVIter(data_csv=str(tmp_path), data_shape=2, batch_size=5)) == [
        [([7, 9, 1, 3, 5], [0] * 5, 0)]] * 2
    (tmp_path / "x;y.csv").write_text("1,2\n")
    assert io.CSVIter(data_csv=str(tmp_path / "x;y.csv"), data_shape=2, batch_size=1).next().pad == 0


@pytest.mark.parametrize("content", [
    "# head\n1 0:5 2:6 # tail\n0 1:7#x\n", "1 qid:3 0:5 2:6\n0 qid:4 1:7\n", "1:0.5 0:5 2:6\n0:2 1:7\n",
    "\ufeff1 0:5 2:6\n0 1:7\n", "1\t0:5\t2:6\r\n\r\n0 1:7\r\n"])
def test_libsvm(tmp_path, content):
    (tmp_path / "a.svm").write_text(content, encoding="utf-8", newline="")
    batch = io.LibSVMIter(data_libsvm=str(tmp_path / "a.svm"), data_shape=3, batch_size=2).next()
    assert batch.data[0].asnumpy().tolist() == [[5, 0, 6], [0, 7, 0]]
    assert (batch.label[0].asnumpy().tolist(), batch.pad) == ([1, 0], 0)


def test_libsvm_whose_weight_is_not_a_number(tmp_path):
    (tmp_path / "a.svm").write_text("1:x 0:5\n")
    with pytest.raises(FileFormatError, match="is not of the form 'label index:value ...'"):
        io.LibSVMIter(data_libsvm=str(tmp_path / "a.svm"), data_shape=3, batch_size=1)


def test_bytes_behind_the_end_of_an_idx_file(tmp_path):
    (tmp_path / "i").write_bytes(b"\0\0\x08\3" + struct.pack(">3I", 2, 1, 1) + b"\0\x80" + b"xyz")
    (tmp_path / "l").write_bytes(b"\0\0\x08\1" + struct.pack(">I", 2) + b"\5\6")
    with pytest.warns(UserWarning, match="what follows byte 18, the end of an array of shape"):
        batches = io.MNISTIter(image=str(tmp_path / "i"), label=str(tmp_path / "l"), batch_size=2, shuffle=False,
                               silent=True)
    assert seen(batches) == [[([0, 0.5], [5, 6], 0)]] * 2


@pytest.mark.parametrize("more", ["\n", "\n\n", "  \n"])
def test_blank_lines_in_an_index(tmp_path, more):
    path = write_records(tmp_path, "a", range(3))
    with open(tmp_path / "a.idx", "a") as file:
        file.write(more)
    with recordio.MXIndexedRecordIO(str(tmp_path / "a.idx"), path, "r") as reader:
        assert reader.keys == [0, 1, 2]
    assert seen(io.ImageRecordIter(path_imgrec=path, path_imgidx=str(tmp_path / "a.idx"), data_shape=(3, 8, 8),
                                   batch_size=3)) == [[([0, 10, 20], [0, 1, 2], 0)]] * 2


def test_several_record_files(tmp_path):
    one, two = write_records(tmp_path, "a", range(3)), write_records(tmp_path, "b", range(3, 5))
    ours = {"data_shape": (3, 8, 8), "batch_size": 5}
    assert seen(io.ImageRecordIter(path_imgrec=f"{two};{one}", **ours)) == [
        [([30, 40, 0, 10, 20], [3, 4, 0, 1, 2], 0)]] * 2
    indices = f"{tmp_path / 'a.idx'};{tmp_path / 'b.idx'}"
    expected = [[([0, 10, 20, 30, 40], [0, 1, 2, 3, 4], 0)]] * 2
    assert seen(io.ImageRecordIter(path_imgrec=f"{one};{two}", path_imgidx=indices, **ours)) == expected
    with pytest.raises(ArgumentError, match="names 1 files"):
        io.ImageRecordIter(path_imgrec=f"{one};{two}", path_imgidx=str(tmp_path / "a.idx"), **ours)
    (tmp_path / "folder").mkdir()
    for name in "ab":
        (tmp_path / f"{name}.rec").rename(tmp_path / "folder" / f"{name}.rec")
    assert seen(io.ImageRecordIter(path_imgrec=str(tmp_path / "folder"), **ours)) == expected
    with open(tmp_path / "folder" / "b.rec", "r+b") as file:
        file.seek(8 + 24)
        file.write(b"no image")
    broken = io.ImageRecordIter(path_imgrec=str(tmp_path / "folder"), preprocess_threads=1, **ours)
    with pytest.raises(FileFormatError, match=r"record 3 of .*b\.rec"):
        broken.next()


@pytest.mark.parametrize(("line", "width", "labels"), [
    ("{0}\t{1}\t{2}\t{0}.png", 1, [[5], [6]]), ("{0}\t{1}\t{2}\t{0}.png", 2, [[5, 50], [6, 51]]),
    ("{0} {1} {0}.png", 1, [[5], [6]]), ("{0} {1} {2} {0}.png", 2, [[5, 50], [6, 51]]),
    ("{0}\t{1}  {0}.png", 1, [[5], [6]]), ("{0}\t{1}", 1, [[5], [6]]), ("{0}\t{1}\t{2}", 2, [[5, 50], [6, 51]]),
    ("{0}\t{1}\tmy dir/{0}.png\n", 1, [[5], [6]]), ("{0}.000000\t{1}\t{0}.png\r", 1, [[5], [6]]),
    ("{0}\t{1}\t{0}", 1, [[5], [6]])])
def test_lists_for_records(tmp_path, line, width, labels):
    path = write_records(tmp_path, "a", range(2))
    (tmp_path / "a.lst").write_text("\ufeff" + "".join(line.format(i, i + 5, i + 50) + "\n" for i in range(2)),
                                    encoding="utf-8", newline="")
    batch = io.ImageRecordIter(path_imgrec=path, path_imglist=str(tmp_path / "a.lst"), data_shape=(3, 8, 8),
                               batch_size=2, label_width=width).next()
    assert batch.label[0].asnumpy().reshape(2, -1).tolist() == labels


def test_lists_with_fewer_labels(tmp_path):
    path = write_records(tmp_path, "a", range(2))
    (tmp_path / "a.lst").write_text("0\t5\timg0.png\n1\t6\timg1.png\n")

    def batch():
        return io.ImageRecordIter(path_imgrec=path, path_imglist=str(tmp_path / "a.lst"), data_shape=(3, 8, 8),
                                  batch_size=2, label_width=2).next()
    with pytest.raises(FileFormatError, match="has 1 labels in the list of images, expected label_width=2"):
        batch()
    strictness.be_lenient()
    try:
        with pytest.warns(strictness.LenientWarning):
            assert batch().label[0].asnumpy().tolist() == [[5, 0], [6, 0]]
    finally:
        strictness.be_strict()


def test_image_iter_repeats_a_single_label_in_a_lenient_run(tmp_path):
    (tmp_path / "0.png").write_bytes(png(0))
    (tmp_path / "a.lst").write_text("\ufeff0 5 0.png\n", encoding="utf-8")

    def label(width):
        return image.ImageIter(1, (3, 8, 8), path_imglist=str(tmp_path / "a.lst"), path_root=str(tmp_path),
                               label_width=width).next().label[0].asnumpy().tolist()
    assert label(1) == [5]
    with pytest.raises(ShapeError, match="has 1 labels, expected label_width=2"):
        label(2)
    strictness.be_lenient()
    try:
        with pytest.warns(strictness.LenientWarning):
            assert label(2) == [[5, 5]]
    finally:
        strictness.be_strict()
