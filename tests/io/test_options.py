"""Options of iterators as text, from command lines and configuration files; the batches are those of MXNet 1.9.1."""

import numpy as np
import pytest
from helpers.image_records import seen, write_records
from records.io_cases import write_files

from minigluon import image, io, strictness
from minigluon.base import ArgumentError


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2\n3,4\n5,6\n")
    return str(path)


@pytest.mark.parametrize("options", [
    {"data_shape": "(2,)", "batch_size": "2", "round_batch": "False"},
    {"data_shape": 2, "batch_size": np.int64(2), "round_batch": 0},
    {"data_shape": "[2]", "batch_size": 2, "round_batch": "0", "label_shape": "1", "dtype": "None"},
])
def test_csv(csv, options):
    assert seen(io.CSVIter(data_csv=csv, **options)) == [[([1, 3], [0, 0], 0), ([5, 3], [0, 0], 1)]] * 2


@pytest.mark.parametrize("shape", [3, "3", "(3,)", [3]])
def test_libsvm(tmp_path, shape):
    path = tmp_path / "a.svm"
    path.write_text("1 0:5 2:6\n0 1:7\n")
    batch = io.LibSVMIter(data_libsvm=str(path), data_shape=shape, batch_size="2", num_parts="1", part_index="0").next()
    assert batch.data[0].asnumpy().tolist() == [[5, 0, 6], [0, 7, 0]]


def test_mnist_is_not_shuffled(tmp_path):
    files = write_files(tmp_path)
    batches = [[b.label[0].asnumpy().tolist() for b in io.MNISTIter(
        image=files["images"], label=files["labels"], silent="1", flat="True", **options)] for options in (
            {"batch_size": "2", "shuffle": "False"}, {"batch_size": 2, "shuffle": False})]
    assert batches[0] == batches[1]


@pytest.mark.parametrize("options", [
    {"data_shape": "(3, 8, 8)", "batch_size": "3", "shuffle": "False", "preprocess_threads": "2", "label_width": "1"},
    {"data_shape": "[3,8,8]", "batch_size": 3, "seed": "4", "seed_aug": "None", "min_aspect_ratio": "None",
     "max_aspect_ratio": "0", "rand_crop": "0", "rand_mirror": "false", "dtype": "None"},
])
def test_image_records(tmp_path, options):
    path = write_records(tmp_path, "a", range(6))
    assert seen(io.ImageRecordIter(path_imgrec=path, **options)) == [
        [([0, 10, 20], [0, 1, 2], 0), ([30, 40, 50], [3, 4, 5], 0)]] * 2


def test_normalization(tmp_path):
    path = write_records(tmp_path, "a", range(3))
    batches = io.ImageRecordIter(path_imgrec=path, data_shape=(3, 8, 8), batch_size=3, mean_r="1", std_r="2",
                                 scale="0.5")
    assert seen(batches)[0] == [([-0.25, 2.25, 4.75], [0, 1, 2], 0)]


def test_detection_records(tmp_path):
    path = write_records(tmp_path, "d", range(2), lambda i: [2, 5, i, 0.1, 0.1, 0.6, 0.6])
    batch = io.ImageDetRecordIter(
        path_imgrec=path, data_shape="(3,8,8)", batch_size="2", label_pad_width="9", label_pad_value="-2",
        shuffle="False", min_crop_scales="(0.1,)", max_crop_trials="(3,)", rand_crop_prob="0", rand_mirror_prob="0.0",
        num_crop_sampler="1").next()
    assert batch.label[0].asnumpy()[:, [0, 3, 6, 11, 12]].tolist() == [[3, 7, 0, -2, -2], [3, 7, 1, -2, -2]]


def test_iterators_that_are_python_in_mxnet(tmp_path):
    path = write_records(tmp_path, "a", range(6))
    batches = image.ImageIter("3", "(3, 8, 8)", path_imgrec=path, path_imgidx=path[:-3] + "idx", shuffle="False",
                              num_parts="2", part_index="1", rand_crop="0", rand_mirror="False", label_width="1")
    assert seen(batches) == [[([30, 40, 50], [3, 4, 5], 0)]] * 2
    arrays = io.NDArrayIter(np.arange(4), batch_size="2", shuffle="False")
    assert seen(io.ResizeIter(io.NDArrayIter(np.arange(4), np.arange(4), "2"), "1")) == [[([0, 1], [0, 1], 0)],
                                                                                        [([0, 1], [0, 1], 0)]]
    assert [b.data[0].asnumpy().tolist() for b in arrays] == [[0, 1], [2, 3]]


def test_augmenters():
    names = [type(a).__name__ for a in image.CreateAugmenter("(3, 4, 4)", resize="0", rand_crop="0", rand_mirror="0",
                                                             brightness="0.0")]
    assert names == ["CenterCropAug", "CastAug"]
    assert image.HorizontalFlipAug("0.5").p == image.DetHorizontalFlipAug("0.5").p == 0.5
    names = [type(a).__name__ for a in image.CreateDetAugmenter("(3, 4, 4)", rand_crop="0", rand_pad="0",
                                                                rand_mirror="False")]
    assert "DetHorizontalFlipAug" not in names


@pytest.mark.parametrize(("options", "text"), [
    ({"batch_size": "x"}, "CSVIter: option batch_size is 'x', expected an integer."),
    ({"batch_size": None}, "CSVIter: option batch_size is None, expected an integer."),
    ({"batch_size": 2, "round_batch": "maybe"}, "CSVIter: option round_batch is 'maybe', expected True or False."),
    ({"batch_size": 2, "data_shape": "x"}, "CSVIter: option data_shape is 'x', expected a tuple of integers."),
    ({}, "CSVIter: required options are missing: batch_size"),
    ({"batch_size": 2, "round_bach": True}, "CSVIter: unknown parameter 'round_bach'. Did you mean 'round_batch'?"),
])
def test_messages(csv, options, text):
    with pytest.raises(ArgumentError) as caught:
        io.CSVIter(**{"data_csv": csv, "data_shape": (2,), **options})
    assert str(caught.value) == text


def test_unknown_options_are_ignored_in_a_lenient_run(csv, tmp_path):
    path = write_records(tmp_path, "a", range(3))
    strictness.be_lenient()
    try:
        with pytest.warns(strictness.LenientWarning, match="unknown parameter 'foo'"):
            assert io.CSVIter(data_csv=csv, data_shape=2, batch_size=3, foo=1).next().pad == 0
        with pytest.warns(strictness.LenientWarning, match="unknown parameter 'shuffel'"):
            assert io.ImageRecordIter(path_imgrec=path, data_shape=(3, 8, 8), batch_size=3, shuffel=1).next().pad == 0
    finally:
        strictness.be_strict()


def test_labels_per_image(tmp_path):
    path = write_records(tmp_path, "a", range(2))
    with pytest.raises(ArgumentError, match="label_width must be at least 1, found 0"):
        io.ImageRecordIter(path_imgrec=path, data_shape=(3, 8, 8), batch_size=1, label_width=0)


def test_labels_of_a_csv_file_without_labels(tmp_path):
    """As in MXNet, one 0 for each row, for any label_shape."""
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    for shape in ((1,), 2, (1, 2), -1, 2 ** 40):
        batch = io.CSVIter(data_csv=str(tmp_path / "a.csv"), data_shape=(2,), batch_size=2, label_shape=shape).next()
        assert batch.label[0].asnumpy().tolist() == [0, 0]


def test_a_number_of_samplers(tmp_path):
    with pytest.raises(ArgumentError, match="num_crop_sampler is 1099511627776, expected at most 65536"):
        io.ImageDetRecordIter(path_imgrec=str(tmp_path / "a.rec"), data_shape=(3, 8, 8), batch_size=2,
                                 num_crop_sampler=2 ** 40)
