"""`mx.io`: every batch as in MXNet 1.9.1, and what is given wrongly."""

import gc
import json
import pickle
import sys
import threading
import types

import numpy as np
import pytest
from records import DATA
from records.io_cases import array_iterators, file_iterators, passes, write_files

import minigluon as mx
from minigluon import io, nd
from minigluon.base import ArgumentError, DTypeError, FileFormatError, MXNetError

pytestmark = pytest.mark.once

RECORDED = json.loads((DATA / "mxnet_io.json").read_text())


@pytest.mark.parametrize("case", RECORDED)
def test_batches_are_mxnets(case, tmp_path, monkeypatch):
    monkeypatch.setattr("minigluon.common.generators.seeded", lambda: False)
    cases = {**array_iterators(mx), **file_iterators(mx, tmp_path)}
    assert passes(cases[case]()) == RECORDED[case]


def values(it):
    return [batch.data[0].asnumpy().tolist() for batch in it]


# -- descriptions ---------------------------------------------------------------------------------------------------


def test_descriptions():
    desc = io.DataDesc("x", (2, 3))
    name, shape = desc
    assert (name, shape, desc.dtype, desc.layout) == ("x", (2, 3), np.float32, "NCHW")
    assert repr(desc) == str(desc) == "DataDesc[x,(2, 3),<class 'numpy.float32'>,NCHW]"
    other = pickle.loads(pickle.dumps(io.DataDesc("x", (2,), "int8", "TNC")))
    assert (other.dtype, other.layout) == ("int8", "TNC")
    assert [io.DataDesc.get_batch_axis(layout) for layout in ("NCHW", "TNC", "CT", None)] == [0, 1, -1, 0]
    assert str(io.DataDesc.get_list([("x", (2,))], [("x", "int8")])) == "[DataDesc[x,(2,),int8,NCHW]]"
    assert str(io.DataDesc.get_list([("x", (2,))], None)) == "[DataDesc[x,(2,),<class 'numpy.float32'>,NCHW]]"
    assert str(io.DataBatch([nd.ones((2, 3))])) == "DataBatch: data shapes: [(2, 3)] label shapes: None"


def test_an_iterator_of_ones_own():
    class Two(io.DataIter):
        left = 2

        def iter_next(self):
            self.left -= 1
            return self.left >= 0

        def getdata(self):
            return [nd.array([self.left])]
    assert values(Two(1)) == [[1], [0]]
    assert Two().batch_size == 0


# -- arrays in memory -----------------------------------------------------------------------------------------------


def test_the_axis_of_the_batch_follows_the_layout():
    it = io.NDArrayIter(np.arange(12).reshape(2, 3, 2), batch_size=2, layout="TNC")
    assert it.provide_data[0].shape == (2, 2, 2)
    batches = list(it)
    assert [batch.pad for batch in batches] == [0, 1]
    assert batches[1].data[0].asnumpy().tolist() == [[[4, 5], [0, 1]], [[10, 11], [6, 7]]]


def test_once_mx_random_seed_has_been_called_it_decides_the_order():
    def order():
        mx.random.seed(5)
        np.random.seed(None)
        return values(io.NDArrayIter(np.arange(8), batch_size=8, shuffle=True))
    assert order() == order() != [[0, 1, 2, 3, 4, 5, 6, 7]]


def test_samples_keep_their_labels():
    x = np.arange(20)
    it = io.NDArrayIter({"a": x, "b": x + 1}, x + 2, 4, shuffle=True)
    for _ in range(3):
        for batch in it:
            a, b, label = (array.asnumpy() for array in batch.data + batch.label)
            assert (b == a + 1).all()
            assert (label == a + 2).all()
        it.reset()


class Dataset:
    """Stands in for h5py's, which takes indices in increasing order only, without repetition."""

    def __init__(self, rows):
        self._rows = rows
        self.shape, self.dtype = rows.shape, rows.dtype

    def __getitem__(self, indices):
        assert (np.diff(indices) > 0).all()
        return self._rows[indices]


def test_data_on_the_disk(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", types.SimpleNamespace(Dataset=Dataset))
    it = io.NDArrayIter(Dataset(np.arange(14, dtype=np.float32).reshape(7, 2)), np.arange(7), 3, shuffle=True)
    for _ in range(3):
        for batch in it:
            assert (batch.data[0][:, 0] == 2 * batch.label[0]).asnumpy().all()
        it.reset()


def test_step_by_step():
    it = io.NDArrayIter(np.arange(3), np.arange(3), 2)
    assert it.iter_next()
    assert it.getdata()[0].asnumpy().tolist() == it.getlabel()[0].asnumpy().tolist() == [0, 1]
    assert (it.getpad(), it.getindex()) == (0, None)
    assert it.iter_next()
    assert it.getpad() == 1
    assert not it.iter_next()
    with pytest.raises(MXNetError) as caught:
        it.getdata()
    assert str(caught.value) == "NDArrayIter: there is no current batch: call iter_next() first, or reset() " \
        "after a pass"


def test_hard_reset_forgets_what_has_rolled_over():
    it = io.NDArrayIter(np.arange(5), batch_size=2, last_batch_handle="roll_over")
    assert values(it) == [[0, 1], [2, 3]]
    it.hard_reset()
    assert values(it) == [[0, 1], [2, 3]]


@pytest.mark.parametrize(("make", "error", "text"), [
    (lambda: io.NDArrayIter(None), ArgumentError,
     "NDArrayIter: there is no data; expected an array, a list or a dict of arrays"),
    (lambda: io.NDArrayIter(3.0), DTypeError,
     "NDArrayIter: data must be an NDArray, a numpy.ndarray, an h5py.Dataset, a list of them or a dict with them as "
     "values, found float"),
    (lambda: io.NDArrayIter({"a": "x"}), DTypeError,
     "NDArrayIter: 'a' is of type str; expected an NDArray, a numpy.ndarray or an h5py.Dataset. Sparse matrices: give "
     "x.toarray()."),
    (lambda: io.NDArrayIter(np.ones(3), np.ones(2)), ArgumentError,
     "NDArrayIter: 'data' has 3 samples, 'softmax_label' only 2"),
    (lambda: io.NDArrayIter(np.ones(3), batch_size=0), ArgumentError,
     "NDArrayIter: batch_size must be at least 1, found 0"),
    (lambda: io.NDArrayIter(np.ones(3), last_batch_handle="keep"), ArgumentError,
     "NDArrayIter: last_batch_handle must be 'pad', 'discard' or 'roll_over', found 'keep'"),
    (lambda: io.NDArrayIter(np.ones(3), layout="TC"), ArgumentError,
     "NDArrayIter: layout 'TC' has no axis 'N', along which batches are cut"),
    (lambda: io.NDArrayIter(np.ones(3), layout="TNC"), ArgumentError,
     "NDArrayIter: 'data' of shape (3,) has no axis 1, along which the layout has 'N'"),
    (lambda: io.NDArrayIter(np.ones(3), batch_size=4, last_batch_handle="roll_over"), ArgumentError,
     "NDArrayIter: 3 samples never fill a batch of 4 with last_batch_handle='roll_over'; take a smaller batch_size, or "
     "'pad'"),
    (lambda: io.DataBatch(nd.ones(2)), ArgumentError,
     "DataBatch: data must be a list of NDArrays, found NDArray. Write data=[array]."),
    (lambda: io.PrefetchingIter([]), ArgumentError, "PrefetchingIter needs at least one iterator, found an empty list"),
    (lambda: list(io.ResizeIter(io.NDArrayIter(np.ones(1), batch_size=2, last_batch_handle="discard"), 2)), MXNetError,
     "ResizeIter: NDArrayIter has no batch at all, not even after reset(); check its data and batch_size"),
    (lambda: list(io.PrefetchingIter([io.NDArrayIter(np.ones((n, 1)), np.ones(n), 2) for n in (4, 2)])), MXNetError,
     "PrefetchingIter: its iterators end at different times: iterator 0 goes on, iterator 1 is at its end"),
    (lambda: list(io.PrefetchingIter([io.NDArrayIter(np.ones((n, 1)), np.ones(n), 2) for n in (3, 4)])), MXNetError,
     "PrefetchingIter: the batches of its iterators have different pad: [1, 0]"),
])
def test_messages(make, error, text):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == text


# -- ahead of time --------------------------------------------------------------------------------------------------


def test_an_error_in_a_prefetched_iterator_is_raised_where_its_batch_is_asked_for():
    class Broken(io.NDArrayIter):
        def next(self):
            raise KeyError("broken")
    it = io.PrefetchingIter(Broken(np.ones(3), np.ones(3)))
    with pytest.raises(KeyError, match="broken"):
        it.next()
    with pytest.raises(StopIteration):
        it.next()
    it.reset()
    with pytest.raises(KeyError, match="broken"):
        it.next()


def test_threads_end_with_their_iterator():
    before = set(threading.enumerate())
    it = io.PrefetchingIter(io.NDArrayIter(np.arange(4), np.arange(4), 2))
    assert values(it) == [[0, 1], [2, 3]]
    with pytest.raises(StopIteration):
        it.next()
    it.reset()
    it.reset()
    assert values(it) == [[0, 1], [2, 3]]
    (thread,) = set(threading.enumerate()) - before
    del it
    gc.collect()
    thread.join(5)
    assert not thread.is_alive()


# -- files ----------------------------------------------------------------------------------------------------------


def test_libsvm_is_csr(tmp_path):
    path = write_files(tmp_path)["rows.svm"]
    it = io.LibSVMIter(data_libsvm=path, data_shape=(4,), batch_size=2)
    assert isinstance(it, io.MXDataIter)
    batches = list(it)
    assert (it.provide_data[0].shape, it.provide_label[0].shape) == ((2, 4), (2,))
    assert {batch.data[0].stype for batch in batches} == {"csr"}
    assert batches[0].data[0].indices.asnumpy().tolist() == [0, 3, 1]
    assert batches[0].data[0].indptr.asnumpy().tolist() == [0, 2, 3]
    assert batches[0].data[0].asnumpy().tolist() == [[1.5, 0, 0, 2], [0, 1, 0, 0]]
    assert batches[1].data[0].asnumpy().tolist() == [[0.5, 0, 3, 4], [1.5, 0, 0, 2]]
    assert [batch.label[0].asnumpy().tolist() for batch in batches] == [[1, 0], [2, 1]]
    it = io.LibSVMIter(data_libsvm=path, data_shape=(4,), batch_size=1, label_libsvm=path, label_shape=(4,),
                       num_parts=3, part_index=1)
    (batch,) = it
    assert batch.data[0].asnumpy().tolist() == batch.label[0].asnumpy().tolist() == [[0, 1, 0, 0]]
    assert batch.label[0].stype == "csr"


@pytest.mark.once
def test_libsvm_may_name_a_place_twice(tmp_path):
    (tmp_path / "twice.svm").write_text("1 0:1 2:-1.5 2:1.25\n")
    (batch,) = io.LibSVMIter(data_libsvm=str(tmp_path / "twice.svm"), data_shape=(4,), batch_size=1)
    (data,) = batch.data
    assert data.data.asnumpy().tolist() == [1, -1.5, 1.25]
    assert data.asnumpy().tolist() == [[1, 0, -0.25, 0]]
    assert nd.dot(data, nd.ones((4, 1))).asscalar() == data.asnumpy().sum() == 0.75


@pytest.mark.once
def test_arrays_in_csr_give_the_batches_of_mxnet():
    """They are dense."""
    rows = np.array([[0, 1, 0], [2, 0, 3], [0, 0, 0], [0, 4, 0], [5, 0, 0]], "float32")
    for end, count in (("discard", 2), ("pad", 3)):
        batches = list(io.NDArrayIter(nd.array(rows).tostype("csr"), np.arange(5), 2, last_batch_handle=end))
        assert [batch.data[0].stype for batch in batches] == ["default"] * count
        assert np.concatenate([b.data[0].asnumpy() for b in batches])[:5].tolist() == rows[:2 * count].tolist()
    mixed = list(io.NDArrayIter(nd.array(rows).tostype("csr"), np.arange(5), 5, shuffle=True))[0]
    assert mixed.data[0].asnumpy().tolist() == rows[mixed.label[0].asnumpy().astype(int)].tolist()

def test_folders_and_skipped_loading(tmp_path):
    for name, text in (("b.csv", "3,4\n\n5,6"), ("a.csv", "1,2\n")):
        (tmp_path / name).write_text(text)
    it = io.CSVIter(data_csv=str(tmp_path), data_shape=(2,), batch_size=2)
    assert values(it) == [[[1, 2], [3, 4]], [[5, 6], [1, 2]]]
    it.reset()
    it.next()
    it.debug_skip_load()
    assert it.next().data[0].asnumpy().tolist() == it.next().data[0].asnumpy().tolist() == [[3, 4], [5, 6]]


def test_mnist_shuffled_is_the_same_for_each_pass_and_follows_the_seed(tmp_path):
    files = write_files(tmp_path)

    def labels(seed):
        it = io.MNISTIter(image=files["images"], label=files["labels"], batch_size=5, seed=seed)
        batch = it.next()
        first = batch.data[0].asnumpy()[:, 0, 0, 0] * 256 / 48      # each image begins with its number
        assert first.tolist() == batch.label[0].asnumpy().tolist()
        it.reset()
        assert it.next().label[0].asnumpy().tolist() == first.tolist()
        return first.tolist()
    assert sorted(labels(0)) == [0, 1, 2, 3, 4]
    assert labels(0) == labels(0) != labels(1)


@pytest.mark.parametrize(("name", "content", "options", "error", "text"), [
    ("CSVIter", "1,2\n3\n", {}, FileFormatError, "FILE, line 2: 1 numbers, but the shape (2,) needs 2"),
    ("CSVIter", "1,2\na,3\n", {}, FileFormatError, "FILE, line 2: 'a,3' is not a row of numbers"),
    ("CSVIter", None, {}, FileFormatError, "cannot read FILE: No such file or directory; expected a CSV file: rows of "
     "numbers, separated by commas. The folder FOLDER has: nothing"),
    ("CSVIter", "", {}, ArgumentError, "CSVIter: there are 0 rows, which do not fill a batch of 2"),
    ("CSVIter", "1,2\n", {"dtype": "float64"}, DTypeError,
     "CSVIter: dtype must be 'float32', 'int32' or 'int64', found 'float64'"),
    ("CSVIter", "1,2\n", {"batch_size": 0}, ArgumentError, "CSVIter: batch_size must be at least 1, found 0"),
    ("LibSVMIter", "1 2:3\n", {}, FileFormatError,
     "FILE, line 1: index 2 is outside the shape (2,); indices start at 0"),
    ("LibSVMIter", "1 0:1 x\n", {}, FileFormatError, "FILE, line 1: '1 0:1 x' is not of the form 'label index:value "
     "...'"),
    ("LibSVMIter", "1 0:1\n", {"data_shape": (1, 2)}, ArgumentError,
     "LibSVMIter: data_shape is (1, 2), expected one axis: batches are matrices in csr"),
    ("LibSVMIter", "1 0:1\n", {"num_parts": 2, "part_index": 2}, ArgumentError,
     "part_index must be in 0 ... num_parts - 1, found 2 of 2 parts"),
])
def test_text_files_that_are_wrong(name, content, options, error, text, tmp_path):
    path = tmp_path / "file"
    if content is not None:
        path.write_text(content)
    which = "data_csv" if name == "CSVIter" else "data_libsvm"
    with pytest.raises(error) as caught:
        getattr(io, name)(**{which: str(path), "data_shape": (2,), "batch_size": 2, **options})
    assert str(caught.value) == text.replace("FILE", repr(str(path))).replace("FOLDER", repr(str(tmp_path)))


def test_mnist_files_that_are_wrong(tmp_path):
    files = write_files(tmp_path)
    for options, text in (
            ({"image": files["labels"]}, f"MNISTIter: {files['labels']!r} holds an array with 1 axes, expected 3; "
                                         "image= and label= may be swapped"),
            ({"image": "/nowhere/x"}, "MNISTIter: cannot read '/nowhere/x': No such file or directory; expected an idx "
                                      "file, which gluon.data.vision.MNIST() downloads. There is no folder '/nowhere'"),
            ({"batch_size": 9}, "MNISTIter: there are 5 rows, which do not fill a batch of 9")):
        with pytest.raises(MXNetError) as caught:
            io.MNISTIter(**{"image": files["images"], "label": files["labels"], **options})
        assert str(caught.value) == text
    (tmp_path / "cut").write_bytes((tmp_path / "images").read_bytes()[:-1])
    with pytest.raises(FileFormatError, match="needs 46 bytes, the file has 45. It is damaged or truncated"):
        io.MNISTIter(image=str(tmp_path / "cut"), label=files["labels"])
