"""Iterators over images against the real MXNet 1.9.1, on the same files; datasets; the command im2rec.

`record_mxnet_image_iters.py` made the file of results. MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> lets the
real library read record files of the command's.
"""

import itertools
import pickle
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from helpers import TESTS
from helpers.errors import error_of
from records import DATA, MXNET
from records import image_iter_cases as cases

import minigluon as mx
from minigluon import image, recordio
from minigluon.base import ArgumentError, FileFormatError, ShapeError
from minigluon.gluon.data import DataLoader, RecordFileDataset, vision
from minigluon.image.records.image_augment import Augmentation, affine_matrix
from minigluon.image.threads import map_in_order
from minigluon.imaging import codec
from minigluon.imaging.affine import warp_affine
from minigluon.imaging.resize import LINEAR
from minigluon.tools.cli import main

pytestmark = pytest.mark.once

with np.load(DATA / "mxnet_image_iters.npz") as _file:
    RECORDED = dict(_file)
CASES = sorted({key.split("|")[0] for key in RECORDED} - {"record_shear"})      # which is random
# Grey made of colors may differ by one: see test_image. MXNet adds up mean images in float32.
TOLERANCES = {"record_grey": 1, "record_mean": 2e-5, "record_det_mean_img": 2e-5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("images")
    cases.made(mx, path)
    return path


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Drawn in a process in which mx.random.seed was never called, as Python's seeds decide only there."""
    path = tmp_path_factory.mktemp("found")
    code = (f"import sys, pathlib; sys.path.insert(0, {str(TESTS)!r}); import numpy as np, minigluon as mx\n"
            f"from records import image_iter_cases as cases\n"
            f"np.savez({str(path / 'x.npz')!r}, **cases.results(mx, pathlib.Path({str(path)!r})))")
    subprocess.run([sys.executable, "-c", code], check=True)
    with np.load(path / "x.npz") as file:
        return dict(file)


@pytest.mark.parametrize("name", CASES)
def test_same_as_mxnet(found, name):
    assert str(found[f"{name}|provided"]) == str(RECORDED[f"{name}|provided"])
    for key in ("pads", "labels", "data"):
        ours, theirs = found[f"{name}|{key}"], RECORDED[f"{name}|{key}"]
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype) or key == "pads"
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=TOLERANCES.get(name, 1e-5), err_msg=key)


# -- ImageIter --------------------------------------------------------------------------------------------------------


def records(folder, **more):
    return {"path_imgrec": str(folder / "a.rec"), "data_shape": (3, 8, 9), **more}


@pytest.mark.parametrize(("arguments", "kind", "text"), [
    ({"path_imgrec": None}, ArgumentError,
     "ImageIter: say where the images are with path_imgrec, path_imglist or imglist, a list"),
    ({"data_shape": (1, 8, 9)}, ValueError, "ImageIter: data_shape must be (3, height, width), found (1, 8, 9)"),
    ({"shuffle": True}, ArgumentError,
     "ImageIter: shuffle=True and num_parts need path_imgidx, the index of the file of records"),
    ({"dtype": "uint8"}, ArgumentError,
     "ImageIter: dtype of labels must be one of int32, float32, int64, float64, found 'uint8'"),
    ({"last_batch_handle": "rollover"}, ArgumentError,
     "ImageIter: last_batch_handle must be 'pad', 'discard' or 'roll_over', found 'rollover'"),
])
def test_image_iter_refuses(folder, arguments, kind, text):
    assert error_of(lambda: image.ImageIter(2, **{**records(folder), **arguments}), kind) == text


def test_parts_must_exist(folder):
    index = {"path_imgidx": str(folder / "a.idx")}
    assert error_of(lambda: image.ImageIter(2, **records(folder), **index, num_parts=3, part_index=3)) == (
        "ImageIter: part_index must be in 0 ... num_parts - 1, found 3 of 3")


def test_errors_name_the_image(folder, tmp_path):
    (tmp_path / "bad.jpg").write_bytes(b"no image")
    path = str(tmp_path / "bad.jpg")
    broken = image.ImageIter(1, (3, 8, 9), imglist=[[1.0, "bad.jpg"]], path_root=str(tmp_path))
    assert error_of(broken.next, FileFormatError) == (
        f"Broken image {path}: cannot decode image: 8 bytes that begin with 6e 6f 20 69 6d 61 67 65 are not an image "
        "of a known format (JPEG, PNG, BMP, TIFF, WEBP, GIF, PPM)")
    absent = image.ImageIter(1, (3, 8, 9), imglist=[[1.0, "none.jpg"]], path_root=str(tmp_path))
    assert error_of(absent.next) == (
        f"ImageIter: cannot read '{tmp_path}/none.jpg': No such file or directory; expected an image; the paths of a "
        f"list are relative to path_root. The folder '{tmp_path}' has: bad.jpg")
    unsized = image.ImageIter(1, **records(folder), aug_list=[image.CastAug()])
    assert error_of(unsized.next, ShapeError) == (
        f"ImageIter: the augmenters made number 0 of {folder / 'a.rec'} an array of shape (3, 23, 31) in "
        f"(channels, "
        "height, width), expected data_shape=(3, 8, 9). End them with one that sets the size, such as CenterCropAug.")
    labels = image.ImageIter(1, (3, 8, 9), path_imgrec=str(folder / "d.rec"), path_imgidx=str(folder / "d.idx"))
    assert error_of(labels.next, ShapeError) == (
        f"ImageIter: with key 0 of {folder / 'd.rec'} has 7 labels, expected label_width=1")


@pytest.mark.parametrize("line", ["x\t1\tname", "3", "3\tone\tname", ""])
def test_damaged_lists(tmp_path, line):
    path = tmp_path / "a.lst"
    path.write_text(f"0\t1\tname\n{line}\n")
    assert error_of(lambda: image.ImageIter(1, (3, 8, 9), path_imglist=str(path)), FileFormatError) == (
        f"{path}: line 2 is {line!r}, expected an integer, labels and a file, separated by tabs")


def test_a_small_set_fills_a_large_batch(folder):
    batch = image.ImageIter(20, **records(folder)).next()
    assert batch.pad == 13
    np.testing.assert_array_equal(batch.label[0].asnumpy()[7:14], batch.label[0].asnumpy()[:7])


def test_hard_reset_forgets_what_rolled_over(folder):
    it = image.ImageIter(4, **records(folder), last_batch_handle="roll_over")
    assert len(list(it)) == 1
    it.hard_reset()
    assert it.next().label[0].asnumpy().tolist() == [0, 0.5, 1, 1.5]


def test_module_like_loop_with_resize_and_prefetching(folder):
    it = mx.io.PrefetchingIter(mx.io.ResizeIter(image.ImageIter(4, **records(folder)), 5))
    assert sum(1 for _ in it) == 5


# -- ImageDetIter -----------------------------------------------------------------------------------------------------


def boxes(folder, **more):
    return image.ImageDetIter(2, (3, 8, 9), path_imgrec=str(folder / "d.rec"), path_imgidx=str(folder / "d.idx"),
                              **more)


def test_label_shapes(folder):
    it, other = boxes(folder), boxes(folder, part_index=0, num_parts=7)
    assert (it.label_shape, other.label_shape) == ((3, 5), (1, 5))
    assert it.sync_label_shape(other) is other
    assert (other.label_shape, other.provide_label[0].shape) == ((3, 5), (2, 3, 5))
    it.reshape((3, 10, 12), (4, 5))
    batch = it.next()
    assert (batch.data[0].shape, batch.label[0].shape) == ((2, 3, 10, 12), (2, 4, 5))
    assert error_of(lambda: it.reshape(None, (2, 5)), ValueError) == (
        "ImageDetIter: Attempts to reduce label count from 4 to 2, not allowed.")
    assert error_of(lambda: it.reshape(None, (4, 6)), ValueError) == (
        "ImageDetIter: label_shape object width inconsistent: 5 vs 6.")


@pytest.mark.parametrize(("label", "text"), [
    ([2, 5, 0, 0, 0, 1], "a detection label has at least 7 numbers, two of the header and five of an object, "
                         "found 6"),
    ([2, 4, 0, 0, 0, 1, 1, 1], "the label begins with header width 2 and object width 4, which do not divide its 8 "
                               "numbers"),
    ([2, 5, 0, 0, 0, 1, 1, 1], "the label begins with header width 2 and object width 5, which do not divide its 8 "
                               "numbers"),
    ([2, 5, 0, 0.5, 0.5, 0.5, 1], "no object in the label has an area"),
])
def test_damaged_labels(folder, label, text):
    def make():
        return image.ImageDetIter(1, (3, 8, 9), imglist=[[label, "rgb.png"]], path_root=str(folder))
    assert error_of(make, ShapeError) == f"{folder / 'rgb.png'}: {text}"


def test_draw_next(folder):
    it = boxes(folder, mean=True, std=True)
    drawn = list(it.draw_next(color=(255, 0, 0), thickness=1, mean=True, std=True, id2labels={1: "dog"}))
    assert len(drawn) == 7
    assert all(p.shape == (8, 9, 3) and p.dtype == np.uint8 for p in drawn)
    assert (drawn[0] == (0, 0, 255)).all(-1).sum() >= 8           # blue first
    assert error_of(lambda: it.draw_next(waitKey=0)).startswith("draw_next: waitKey shows a window of OpenCV")


# -- ImageRecordIter --------------------------------------------------------------------------------------------------


def batches(folder, count=1, **more):
    it = mx.io.ImageRecordIter(**records(folder, batch_size=7, **more))
    out = []
    for _ in range(count):
        out += [(b.data[0].asnumpy(), b.label[0].asnumpy()) for b in it]
        it.reset()
    return out


AUGMENTED = {"rand_crop": True, "rand_mirror": True, "brightness": 0.3, "contrast": 0.3, "saturation": 0.3,
             "pca_noise": 0.1, "random_h": 20, "random_s": 20, "random_l": 20, "max_rotate_angle": 20,
             "max_random_contrast": 0.2, "max_random_illumination": 5}


def test_random_choices_follow_the_seed_and_not_the_threads(folder):
    first = batches(folder, 2, shuffle=True, seed=3, **AUGMENTED)
    again = batches(folder, 2, shuffle=True, seed=3, preprocess_threads=1, prefetch_buffer=1, **AUGMENTED)
    for (x, y), (u, v) in zip(first, again, strict=True):
        np.testing.assert_array_equal(x, u)
        np.testing.assert_array_equal(y, v)
    assert not np.array_equal(first[0][0], first[1][0])
    assert not np.array_equal(first[0][1], first[1][1])
    assert sorted(first[0][1]) == sorted(first[1][1])
    assert not np.array_equal(first[0][0], batches(folder, shuffle=True, seed=4, **AUGMENTED)[0][0])


@pytest.mark.parametrize("more", [{"random_resized_crop": True, "min_random_area": 0.2, "max_random_area": 0.9},
                                  {"random_resized_crop": True, "min_aspect_ratio": 0.5, "max_aspect_ratio": 2.0},
                                  {"min_crop_size": 5, "max_crop_size": 20, "rand_crop": True}, {"rotate": 45},
                                  {"inter_method": 10, "resize": 9}])
def test_every_way_to_cut_gives_the_size(folder, more):
    (x, _), (u, _) = batches(folder, 2, **more)
    assert x.shape == (7, 3, 8, 9)
    assert np.array_equal(x, u) == ("rotate" in more)


def test_indices_and_padding(folder):
    it = mx.io.ImageRecordIter(**records(folder, batch_size=4, round_batch=False))
    assert [(b.index.tolist(), b.pad) for b in it] == [([0, 1, 2, 3], 0), ([4, 5, 6, 0], 1)]
    it.reset()
    assert it.iter_next()
    assert (it.getindex().tolist(), it.getpad(), it.getdata()[0].shape) == ([0, 1, 2, 3], 0, (4, 3, 8, 9))
    assert it.getlabel()[0].asnumpy().tolist() == [0, 0.5, 1, 1.5]


@pytest.mark.parametrize(("more", "text"), [
    ({"rand_mirorr": True},
     "ImageRecordIter: unknown parameter 'rand_mirorr'. Did you mean 'rand_mirror', 'rand_crop'?"),
    ({"data_shape": (2, 8, 9)}, "ImageRecordIter: data_shape must be (1, 3 or 4, height, width), found (2, 8, 9)"),
    ({"num_parts": 2, "part_index": 2}, "ImageRecordIter: batch_size must be positive and part_index in 0 ... "
                                        "num_parts - 1, found batch_size=7, part_index=2, num_parts=2"),
    ({"path_imgrec": "/no/file.rec"}, "cannot read '/no/file.rec': No such file or directory; expected a record file "
                                      "or its index, as written by minigluon im2rec. There is no folder '/no'"),
    ({"max_crop_size": 40}, "ImageRecordIter: max_crop_size=40 is larger than an image of height 23 and width 31"),
    ({"random_resized_crop": True, "rand_crop": True, "min_random_scale": 0.5},
     "ImageRecordIter: random_resized_crop=True excludes rand_crop, min_random_scale; it chooses position and size "
     "itself, within min_random_area ... max_random_area"),
    ({"max_random_scale": 0.01, "min_random_scale": 0.01},
     "an image of width 31 and height 23 would be scaled to width 0 and height 0; both must have pixels"),
    ({"dtype": "float16"}, "ImageRecordIter: dtype must be None, 'float32', 'uint8' or 'int8', found 'float16'"),
    ({"aug_seq": "mine"}, "ImageRecordIter: aug_seq must be 'aug_default', found 'mine'; mx.image.ImageIter and "
                          "ImageDetIter accept your own augmenters"),
    ({"mean_img": "/no/file", "dtype": "int8"},
     "ImageRecordIter: there is no mean_img='/no/file', and dtype='int8' is too narrow to compute it. Compute it with "
     "an iterator of dtype float32 first."),
])
def test_record_iter_refuses(folder, more, text):
    assert error_of(lambda: batches(folder, **more)) == text


def test_shear_is_that_of_mxnet(folder):
    """Of the first image that MXNet sheared by m = 0.09, drawn there; and ours are sheared by some m, too."""
    theirs = RECORDED["record_shear|data"][0, 0].transpose(1, 2, 0)
    pixels = image.imread(str(folder / cases.NAMES[0])).asnumpy()
    middle = np.float32([31, 23])

    def sheared(m):
        matrix = affine_matrix(0, m, 1, 1)
        return warp_affine(pixels, np.c_[matrix, (middle - matrix @ middle) / 2], 31, 23, LINEAR, 255)
    np.testing.assert_array_equal(sheared(0.09), theirs)
    ours = Augmentation(max_shear_ratio=0.4).apply(pixels, 23, 31, np.random.default_rng(5))[0]
    np.testing.assert_array_equal(ours, sheared(np.random.default_rng(5).uniform(-0.4, 0.4)))


def test_mean_images(folder, tmp_path):
    path = str(tmp_path / "mean.bin")
    batches(folder, mean_img=path, shuffle=True)
    plain = batches(folder)[0][0]
    np.testing.assert_allclose(mx.nd.load(path)["mean_img"].asnumpy(), plain.mean(0), rtol=1e-6)
    np.testing.assert_allclose(batches(folder, mean_img=path, mean_r=9, scale=2)[0][0], 2 * (plain - plain.mean(0)),
                               atol=1e-4)
    assert error_of(lambda: batches(folder, mean_img=path, data_shape=(3, 9, 8)), FileFormatError) == (
        f"ImageRecordIter: mean_img={path!r} holds arrays of shapes [(3, 8, 9)], expected one of (3, 9, 8). Remove the "
        "file to have it recomputed.")


def test_contrast_and_illumination(folder):
    """((x - mean) * contrast + illumination) * scale / std, as in MXNet."""
    plain = batches(folder)[0][0][0].astype(np.float64)
    found = batches(folder, max_random_contrast=0.4, max_random_illumination=9, mean_g=20, std_g=4, scale=3)[0][0][0]
    slope, offset = np.polyfit(plain[1].ravel() - 20, found[1].ravel() * 4 / 3, 1)
    assert 0.6 < slope < 1.4
    assert -9 < offset < 9
    np.testing.assert_allclose(found[1], ((plain[1] - 20) * slope + offset) * 3 / 4, atol=1e-3)
    np.testing.assert_allclose(found[0], (plain[0] * slope + offset) * 3, atol=1e-3)


def test_transparency(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (8, 9, 4), np.uint8)
    writer = recordio.MXRecordIO(tmp_path / "x.rec", "w")
    writer.write(recordio.pack_img((0, 1.0, 5, 0), pixels[..., [2, 1, 0, 3]], 3, ".png"))
    writer.write(recordio.pack_img((0, 1.0, 6, 0), pixels[..., :3], 3, ".png"))
    writer.close()
    it = mx.io.ImageRecordIter(str(tmp_path / "x.rec"), (4, 8, 9), 1, mean_a=3, std_a=2, preprocess_threads=1,
                               prefetch_buffer=1)
    found = it.next().data[0].asnumpy()[0]
    np.testing.assert_array_equal(found[:3], pixels[..., :3].transpose(2, 0, 1))
    np.testing.assert_array_equal(found[3], (pixels[..., 3] - np.float32(3)) / 2)
    assert error_of(it.next, FileFormatError) == (
        f"ImageRecordIter: record 6 of {tmp_path}/x.rec has 3 channels, expected 4, as data_shape=(4, 8, 9)")
    it = mx.io.ImageRecordIter(str(tmp_path / "x.rec"), (4, 8, 9), 1, preprocess_threads=1, part_index=1, num_parts=2)
    error_of(it.next, FileFormatError)
    it._pads.append(0)
    assert error_of(it.next) == "ImageRecordIter: an error has ended this pass. Call reset() to start a new one."


def test_memory_of_batches_is_used_again_only_when_nobody_has_it(folder):
    it = mx.io.ImageRecordIter(**records(folder, batch_size=1, shuffle=True, seed=1))
    kept, copies, places = [], [], set()
    for _ in range(3):
        for i, batch in enumerate(it):
            x = batch.data[0]
            places.add(x.buffer.__array_interface__["data"][0])
            if i % 3 == 0:
                kept.append(x)
                copies.append(x.asnumpy().copy())
        it.reset()
    assert len(kept) <= len(places) < 3 * 7             # some were used again
    for x, y in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(x.asnumpy(), y)


def test_a_broken_image_in_a_thread(folder, tmp_path):
    path = str(tmp_path / "x.rec")
    writer = recordio.MXRecordIO(path, "w")
    writer.write(recordio.pack((0, 1.0, 12, 0), b"no image"))
    writer.close()
    it = mx.io.ImageRecordIter(path_imgrec=path, data_shape=(3, 8, 9), batch_size=1)
    assert error_of(it.next, FileFormatError).startswith(f"cannot decode record 12 of {path}: 8 bytes that begin with ")


def records_of(tmp_path, *records):
    path = str(tmp_path / "hostile.rec")
    writer = recordio.MXRecordIO(path, "w")
    for record in records:
        writer.write(record)
    writer.close()
    return path


def test_records_that_are_no_images_are_named(tmp_path):
    path = records_of(tmp_path, b"short")
    shape = {"data_shape": (3, 8, 9), "batch_size": 1}
    for reading, where in (
            (lambda: mx.io.ImageRecordIter(path_imgrec=path, **shape).next(), f"byte 0 of {path}"),
            (lambda: mx.io.ImageDetRecordIter(path_imgrec=path, **shape), path),
            (lambda: image.ImageIter(path_imgrec=path, **shape).next(), f"number 0 of {path}")):
        assert error_of(reading, FileFormatError) == (
            f"{where}: an image record has at least 24 bytes, found 5")


def test_a_record_that_the_list_does_not_have(tmp_path):
    path = records_of(tmp_path, recordio.pack((0, 1.0, 12, 0), b"no image"))
    (tmp_path / "x.lst").write_text("7\t1.0\tx.jpg\n")
    it = mx.io.ImageRecordIter(path_imgrec=path, path_imglist=str(tmp_path / "x.lst"), data_shape=(3, 8, 9),
                               batch_size=1)
    assert error_of(it.next, FileFormatError) == (
        f"ImageRecordIter: record 12 of {path} is not in the list of images")


@pytest.mark.parametrize("begin", [[2, np.nan], [np.inf, 5], [1e9, 5], [-2, 5]])
def test_boxes_whose_header_is_no_length(tmp_path, begin):
    photo = codec.encode(np.zeros((8, 9, 3), np.uint8))
    path = records_of(tmp_path, recordio.pack((0, [*begin, 0, 0.1, 0.1, 0.9, 0.9], 3, 0), photo))
    it = mx.io.ImageDetRecordIter(path_imgrec=path, data_shape=(3, 8, 9), batch_size=1)
    assert error_of(it.next, FileFormatError).startswith(
        f"ImageDetRecordIter: record 3 of {path} has a label that does not consist of a header and objects: [")


def test_abandoned_iterators_end_their_threads(folder):
    import threading
    before = set(threading.enumerate())
    for _ in range(5):
        it = mx.io.ImageRecordIter(**records(folder, batch_size=2))
        it.next()
        it.reset()
        it.next()
        it.close()
    ending = set(threading.enumerate()) - before        # close does not wait for what they have begun
    for thread in ending:
        thread.join(timeout=20)
    assert not any(thread.is_alive() for thread in ending)


# -- datasets ---------------------------------------------------------------------------------------------------------


def test_record_datasets(folder):
    raw = RecordFileDataset(str(folder / "a.rec"))
    assert (len(raw), recordio.unpack(raw[2])[0].label) == (7, 1.0)
    data = vision.ImageRecordDataset(folder / "a.rec")
    pixels, label = data[0]
    assert (pixels.shape, pixels.dtype, label) == ((23, 31, 3), np.uint8, 0.0)
    assert vision.ImageRecordDataset(folder / "a.rec", flag=0)[1][0].shape == (23, 31, 1)
    assert vision.ImageRecordDataset(folder / "a.rec", transform=lambda x, y: (x.shape, y))[1] == ((23, 31, 3), 0.5)
    assert pickle.loads(pickle.dumps(data))[6][1] == 3.0
    np.testing.assert_array_equal(vision.ImageRecordDataset(folder / "d.rec")[0][1], np.float32(cases.label_of(0)))


@pytest.mark.parametrize("how", [{"num_workers": 2}, {"num_workers": 2, "thread_pool": True}, {}])
def test_record_datasets_in_loaders(folder, how):
    data = vision.ImageRecordDataset(folder / "a.rec").transform_first(vision.transforms.ToTensor())
    data[0]                                             # the file is open, and its place is shared, before the fork
    found = [(x, y) for x, y in DataLoader(data, 3, **how)]
    assert [x.shape for x, _ in found] == [(3, 3, 23, 31)] * 2 + [(1, 3, 23, 31)]
    assert np.concatenate([y.asnumpy() for _, y in found]).tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3]
    np.testing.assert_array_equal(found[1][0][0].asnumpy(), data[3][0].asnumpy())


def test_a_missing_index(folder, tmp_path):
    path = tmp_path / "b.rec"
    path.write_bytes((folder / "a.rec").read_bytes())
    assert error_of(lambda: RecordFileDataset(path)) == (
        f"RecordFileDataset: {path} has no index {tmp_path}/b.idx. Create one with: minigluon im2rec --index {path}")
    assert main(["im2rec", "--index", str(path)]) == 0
    assert len(RecordFileDataset(path)) == 7
    assert (tmp_path / "b.idx").read_bytes() == (folder / "a.idx").read_bytes()


@pytest.fixture
def photos(folder, tmp_path):
    """A folder of two classes, with things beside that are no images."""
    root = tmp_path / "photos"
    for name, files in {"dog": ["rgb.png", "q50.jpg"], "cat": ["grey.png", "full.jpg", "palette.png"]}.items():
        (root / name).mkdir(parents=True)
        for file in files:
            (root / name / file).write_bytes((folder / file).read_bytes())
    return root


def test_image_folders(photos):
    (photos / "readme.txt").write_text("")
    (photos / "cat" / "x.bmp").write_text("")
    with pytest.warns(UserWarning, match="Ignoring ") as caught:
        data = vision.ImageFolderDataset(str(photos))
    assert [str(w.message) for w in caught] == [
        f"Ignoring {photos}/cat/x.bmp: its name ends in none of .jpg, .jpeg, .png.",
        f"Ignoring {photos}/readme.txt, which is not a directory."]
    assert data.synsets == ["cat", "dog"]
    assert [(Path(path).name, label) for path, label in data.items] == [
        ("full.jpg", 0), ("grey.png", 0), ("palette.png", 0), ("q50.jpg", 1), ("rgb.png", 1)]
    assert (len(data), data[1][0].shape, data[4][1]) == (5, (23, 31, 3), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grey = vision.ImageFolderDataset(photos, flag=0, transform=lambda x, y: (x.shape, -y))
    assert grey[3] == ((23, 31, 1), -1)
    assert error_of(lambda: vision.ImageFolderDataset("/no/folder")) == (
        "ImageFolderDataset: cannot read '/no/folder': No such file or directory; expected a folder of images. There "
        "is no folder '/no'")


# -- im2rec -----------------------------------------------------------------------------------------------------------


def run(*arguments):
    return main(["im2rec", *map(str, arguments)])


def test_lists(photos, tmp_path, capsys):
    prefix = tmp_path / "x"
    assert run("--list", "--recursive", prefix, photos) == 0
    assert capsys.readouterr().out == f"cat 0\ndog 1\nwritten: {prefix}.lst\n"
    # the order to which MXNet's tool shuffles five
    assert (tmp_path / "x.lst").read_text() == (
        "2\t0.000000\tcat/palette.png\n0\t0.000000\tcat/full.jpg\n4\t1.000000\tdog/rgb.png\n3\t1.000000\tdog/q50.jpg\n"
        "1\t0.000000\tcat/grey.png\n")
    assert run("--list", "--recursive", "--no-shuffle", "--train-ratio", 0.6, "--test-ratio", 0.2, prefix, photos) == 0
    parts = {name: (tmp_path / f"x_{name}.lst").read_text().split() for name in ("train", "val", "test")}
    assert {name: words[::3] for name, words in parts.items()} == {
        "train": ["1", "2", "3"], "val": ["4"], "test": ["0"]}
    assert run("--list", tmp_path / "flat", photos / "dog") == 0
    lines = (tmp_path / "flat.lst").read_text().split("\n")
    assert sorted(lines) == ["", "0\t0.000000\tq50.jpg", "1\t0.000000\trgb.png"]


@pytest.mark.parametrize("options", [(), ("--num-thread", 3), ("--encoding", ".png"), ("--pass-through",),
                                     ("--resize", 12, "--center-crop", "--encoding", ".png"), ("--color", 0)])
def test_records(photos, tmp_path, capsys, options):
    prefix = tmp_path / "x"
    run("--list", "--recursive", prefix, photos)
    capsys.readouterr()
    assert run(*options, prefix, photos) == 0
    assert capsys.readouterr().out == f"{prefix}.rec: 5 images\n"
    found = {}
    data = vision.ImageRecordDataset(f"{prefix}.rec", flag=0 if "--color" in options else 1)
    for key, (pixels, label) in zip(data._record.keys, data, strict=True):
        found[key] = pixels.asnumpy(), label
    assert list(found) == [2, 0, 4, 3, 1]
    assert [found[i][1] for i in range(5)] == [0, 0, 0, 1, 1]
    original = image.imread(photos / "dog" / "rgb.png").asnumpy()
    if "--resize" in options:
        assert all(pixels.shape == (12, 12, 3) for pixels, _ in found.values())
        cut = image.imresize(original[:, 4:27], 12, 12).asnumpy()
        np.testing.assert_array_equal(found[4][0], cut)
    elif "--encoding" in options or "--pass-through" in options:
        np.testing.assert_array_equal(found[4][0], original)
    elif "--color" not in options:
        assert np.abs(found[4][0].astype(int) - original).mean() < 12


def test_images_that_cannot_be_read_are_reported(photos, tmp_path, capsys):
    (photos / "cat" / "grey.png").write_bytes(b"no image")
    (photos / "dog" / "gone.png").symlink_to(photos / "nowhere")
    run("--list", "--recursive", tmp_path / "x", photos)
    capsys.readouterr()
    assert run(tmp_path / "x", photos) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path}/x.rec: 4 images, 2 skipped\n"
    assert f"skipped: {photos}/dog/gone.png: No such file or directory\n" in err
    assert f"skipped: {photos}/cat/grey.png: cannot decode {photos}/cat/grey.png: 8 bytes that begin" in err


def test_a_failure_keeps_the_records_that_were_there(photos, tmp_path, monkeypatch, capsys):
    prefix = tmp_path / "x"
    run("--list", "--recursive", prefix, photos)
    assert run(prefix, photos) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.glob("x*")}

    def full(self, key, record):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mx.recordio.MXIndexedRecordIO, "write_idx", full)
    capsys.readouterr()
    assert run(prefix, photos) == 1
    assert capsys.readouterr().err == (f"minigluon im2rec: error: cannot write '{prefix}.idx': No space left on "
                                       "device. An existing file is unchanged.\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize(("arguments", "text"), [
    (["/no/x", "/tmp"], "there is no list /no/x*.lst. Make one with: minigluon im2rec --list /no/x /tmp"),
    (["x"], "the folder with the images is missing: minigluon im2rec PREFIX ROOT"),
    (["--list", "x", "/no/folder"], "'/no/folder' is not a folder"),
    (["--list", "--train-ratio", "0.8", "--test-ratio", "0.5", "x", "/tmp"],
     "chunks must be positive and ratios between 0 and 1 together, found chunks=1, train_ratio=0.8, "
     "test_ratio=0.5"),
])
def test_im2rec_refuses(capsys, arguments, text):
    assert main(["im2rec", *arguments]) == 1
    assert capsys.readouterr().err == f"minigluon im2rec: error: {text}\n"


READ = """
import sys, mxnet as mx, numpy as np
it = mx.image.ImageIter(5, (3, 20, 30), path_imgrec=sys.argv[1] + ".rec", path_imgidx=sys.argv[1] + ".idx")
batch = it.next()
np.savez(sys.argv[2], data=batch.data[0].asnumpy(), label=batch.label[0].asnumpy())
"""


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
def test_mxnet_reads_the_records(photos, tmp_path):
    prefix = str(tmp_path / "x")
    run("--list", "--recursive", "--pack-label", prefix, photos)
    run(prefix, photos)
    subprocess.run([MXNET, "-W", "ignore", "-c", READ, prefix, prefix + ".npz"], check=True, capture_output=True)
    ours = image.ImageIter(5, (3, 20, 30), path_imgrec=prefix + ".rec", path_imgidx=prefix + ".idx").next()
    with np.load(prefix + ".npz") as theirs:
        np.testing.assert_array_equal(ours.label[0].asnumpy(), theirs["label"])
        np.testing.assert_allclose(ours.data[0].asnumpy(), theirs["data"], atol=1)


def test_in_order_keeps_order_and_stops_early():
    assert list(map_in_order(lambda x: x * x, range(20), 3)) == [x * x for x in range(20)]
    endless = map_in_order(lambda x: x, itertools.count(), 2, ahead=4)
    assert [next(endless) for _ in range(5)] == [0, 1, 2, 3, 4]
    endless.close()


def test_after_an_error_no_call_of_an_ordered_map_still_runs():
    started, finished = threading.Event(), []

    def fails_while_another_runs(item):
        if item == 0:
            started.wait(10)
            raise ValueError("item 0")
        started.set()
        time.sleep(.05)
        finished.append(item)
    with pytest.raises(ValueError, match="item 0"):
        list(map_in_order(fails_while_another_runs, range(2), 2))
    assert finished == [1]
