"""Image data sets read from their original files, and transforms against what MXNet 1.9.1 makes of an image."""

import gzip
import hashlib
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import time

import numpy as np
import pytest
from helpers import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from records import DATA

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError, DTypeError, FileFormatError, MXNetError, ShapeError
from minigluon.gluon.data import DataLoader, vision
from minigluon.gluon.data.vision import files
from minigluon.gluon.data.vision import transforms as T
from minigluon.gluon.utils import DownloadError
from minigluon.imaging import color, geometry, resize

pytestmark = pytest.mark.once

SHARED = pathlib.Path(os.environ.get("MINIGLUON_DATA", ROOT.parent / "shared" / "data"))


def original(name):
    """The folder of a data set's original files, or skip."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here; $MINIGLUON_DATA names the folder with {name}'s original files")
    return folder


def idx(array):
    """The bytes of an idx file."""
    return b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


# -- the real files -------------------------------------------------------------------------------------------------


def test_mnist():
    train, test = vision.MNIST(original("mnist")), vision.MNIST(original("mnist"), train=False)
    assert (len(train), len(test)) == (60_000, 10_000)
    image, label = train[0]
    assert (image.shape, image.dtype, label, type(label)) == ((28, 28, 1), np.uint8, 5, np.int32)
    assert np.bincount(train._label).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert image.asnumpy().sum() == 27_525
    images, labels = next(iter(DataLoader(test, 5)))
    assert (images.shape, images.dtype, labels.dtype) == ((5, 28, 28, 1), np.uint8, np.int32)
    assert labels.asnumpy().tolist() == [7, 2, 1, 0, 4]
    with pytest.raises(IndexError):
        test[10_000]


def test_fashion_mnist_of_today():
    train = vision.FashionMNIST(original("fashion-mnist"))
    assert len(train) == 60_000
    assert np.bincount(train._label).tolist() == [6000] * 10
    assert len(vision.FashionMNIST(original("fashion-mnist"), train=False)) == 10_000


def test_loading_an_epoch_takes_seconds():
    def transform(data, label):
        return data.astype("float32") / 255, label.astype("float32")
    train = vision.MNIST(original("mnist"), transform=transform)
    start = time.perf_counter()
    total = sum(float(y.asnumpy().sum()) for x, y in DataLoader(train, 64, shuffle=True))
    seconds = time.perf_counter() - start
    assert total == train._label.sum()
    assert seconds < 15         # about 1 second on an idle machine


# -- files made here ------------------------------------------------------------------------------------------------


@pytest.fixture
def tiny_mnist(tmp_path, monkeypatch):
    """A folder with files in MNIST's format, and their SHA-1 in place of the published ones."""
    images = np.arange(3 * 28 * 28, dtype=np.uint32).astype(np.uint8).reshape(3, 28, 28)
    contents = {"t10k-images-idx3-ubyte.gz": gzip.compress(idx(images), mtime=0),
                "t10k-labels-idx1-ubyte.gz": gzip.compress(idx(np.array([7, 2, 1], np.uint8)), mtime=0)}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(vision.MNIST, "_files", {
        False: [(name, [hashlib.sha1(content).hexdigest()]) for name, content in contents.items()]})
    return tmp_path


def test_samples_are_views(tiny_mnist):
    dataset = vision.MNIST(tiny_mnist, train=False)
    image, label = dataset[1]
    assert label == 2
    assert image.asnumpy().ravel()[:3].tolist() == [16, 17, 18]
    assert image.buffer.base is not None
    assert len(vision.MNIST(str(tiny_mnist), False, lambda x, y: int(y))) == 3
    assert vision.MNIST(tiny_mnist, False, lambda x, y: int(y))[0] == 7


def test_a_file_of_another_content_is_refused_and_left_alone(tiny_mnist):
    path = tiny_mnist / "t10k-labels-idx1-ubyte.gz"
    published = hashlib.sha1(path.read_bytes()).hexdigest()
    path.write_bytes(b"something else")
    found = hashlib.sha1(b"something else").hexdigest()
    with pytest.raises(FileFormatError) as caught:
        vision.MNIST(tiny_mnist, train=False)
    assert str(caught.value) == (
        f"{path} is not the published file: its SHA-1 is {found}, expected {published}. It is damaged or incomplete, "
        f"or another file. It was not changed; delete it to download it again.")
    assert path.read_bytes() == b"something else"


def test_offline(tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_GLUON_REPO", "http://127.0.0.1:9/")
    monkeypatch.setattr("minigluon.gluon.downloading.time.sleep", lambda seconds: None)
    with pytest.raises(DownloadError) as caught:
        vision.MNIST(tmp_path / "new")
    assert isinstance(caught.value, MXNetError)
    text = re.sub(r"reason: .*Connection refused", "reason: refused", str(caught.value))
    assert text == (
        "cannot download http://127.0.0.1:9/gluon/dataset/mnist/train-images-idx3-ubyte.gz\n"
        f"  to {tmp_path}/new/train-images-idx3-ubyte.gz\n  reason: refused\n"
        "  Without network access, download the file on another machine and put it at that path.")


def test_root(monkeypatch):
    monkeypatch.setenv("MXNET_HOME", "/somewhere")
    assert files.data_dir("mnist") == "/somewhere/datasets/mnist"
    monkeypatch.delenv("MXNET_HOME")
    assert files.data_dir("mnist") == os.path.expanduser("~/.mxnet/datasets/mnist")


GOOD = idx(np.zeros((2, 3), np.uint8))


@pytest.mark.parametrize(("content", "text"), [
    (GOOD[:-1], "{}: an array of shape (2, 3) needs 18 bytes, the file has 17. It is damaged or truncated."),
    (GOOD + b"x", "{}: an array of shape (2, 3) needs 18 bytes, the file has 19. It is damaged or truncated."),
    (GOOD[:7], "{} is truncated in its header, after 7 bytes"),
    (b"\0\0\x0d\1", "{} is not an idx file of unsigned bytes: it begins with 00 00 0d 01, expected 00 00 08 and the "
                    "number of axes"),
    (b"", "{} is not an idx file of unsigned bytes: it begins with , expected 00 00 08 and the number of axes"),
    (b"\0\0\x08\4" + b"\0" * 4 + b"\xff" * 12, "{}: shape (0, 4294967295, 4294967295, 4294967295) is too large for an "
     "array. The file is damaged."),
    (b"\0\0\x08\3" + b"\xff" * 12, "{}: an array of shape (4294967295, 4294967295, 4294967295) needs "
                                   "79228162458924105385300197391 bytes, the file has 16. It is damaged or truncated."),
    (gzip.compress(GOOD, mtime=0)[:-9], "{}: the gzip stream is damaged or truncated (Compressed file ended before the "
                                        "end-of-stream marker was reached)"),
])
def test_damaged_idx_files(tmp_path, content, text):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        files.read_idx(path)
    assert str(caught.value) == text.format(path)


def test_images_and_labels_must_belong_together(tiny_mnist, monkeypatch):
    content = idx(np.zeros(2, np.uint8))
    (tiny_mnist / "t10k-labels-idx1-ubyte.gz").write_bytes(content)
    (images, sha1s), (labels, _) = vision.MNIST._files[False]
    known = {False: [(images, sha1s), (labels, [hashlib.sha1(content).hexdigest()])]}
    monkeypatch.setattr(vision.MNIST, "_files", known)
    with pytest.raises(FileFormatError) as caught:
        vision.MNIST(tiny_mnist, train=False)
    assert str(caught.value) == f"MNIST in {tiny_mnist}: 3 images, but 2 labels. The files do not belong together."


def cifar_archive(tmp_path, monkeypatch, kind, members):
    """Write an archive of `members` {name: bytes} and make `kind` expect it and its members."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, content in {**members, "../outside": b"x"}.items():
            info = tarfile.TarInfo("cifar/" + name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    (tmp_path / "c.tar.gz").write_bytes(stream.getvalue())
    monkeypatch.setattr(kind, "_archive", ("c.tar.gz", hashlib.sha1(stream.getvalue()).hexdigest()))
    monkeypatch.setattr(kind, "_files", {True: [(n, hashlib.sha1(c).hexdigest()) for n, c in members.items()]})


def test_cifar10(tmp_path, monkeypatch):
    records = np.random.randint(0, 256, (2, 3, 3073), np.uint8)
    records[..., 0] %= 10
    cifar_archive(tmp_path, monkeypatch, vision.CIFAR10,
                  {"data_batch_1.bin": records[0].tobytes(), "data_batch_2.bin": records[1].tobytes()})
    data = vision.CIFAR10(tmp_path)
    assert len(data) == 6
    image, label = data[4]
    assert (image.shape, label, type(label)) == ((32, 32, 3), records[1, 1, 0], np.int32)
    np.testing.assert_array_equal(image.asnumpy()[5, 7], records[1, 1, 1:].reshape(3, 32, 32)[:, 5, 7])
    (tmp_path / "c.tar.gz").unlink()
    assert len(vision.CIFAR10(tmp_path)) == 6       # the extracted files are enough
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data_batch_1.bin", "data_batch_2.bin"]


@pytest.mark.parametrize("fine", [False, True])
def test_cifar100(tmp_path, monkeypatch, fine):
    records = np.zeros((4, 3074), np.uint8)
    records[:, :2] = [[1, 11], [2, 12], [3, 13], [4, 14]]
    cifar_archive(tmp_path, monkeypatch, vision.CIFAR100, {"train.bin": records.tobytes()})
    data = vision.CIFAR100(tmp_path, fine_label=fine)
    assert [int(data[i][1]) for i in range(4)] == ([11, 12, 13, 14] if fine else [1, 2, 3, 4])


def test_damaged_cifar_files(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(b"x" * 3000)
    with pytest.raises(FileFormatError) as caught:
        files.read_cifar(path, 1)
    assert str(caught.value) == (f"{path}: the file has 3000 bytes, not a multiple of 3073, the length of one labelled "
                                 "image. It is damaged or truncated.")
    with pytest.raises(FileFormatError, match="the archive is damaged or truncated"):
        files.extract(path, ["a"], tmp_path)
    with tarfile.open(path, "w"):
        pass
    with pytest.raises(MXNetError, match=r"x.bin does not contain a, b$"):
        files.extract(path, ["b", "a"], tmp_path)


# -- transforms against MXNet ---------------------------------------------------------------------------------------

with np.load(DATA / "mxnet_transforms.npz") as _file:
    RECORDED = dict(_file)
PIXELS = RECORDED["a"]
IMAGE = nd.array(PIXELS, dtype="uint8")


def near(found, name, integer=1, tolerance=2e-4):
    """Integers may differ by `integer`: OpenCV's weights have 11 bits."""
    expected = RECORDED[name]
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=0,
                               atol=integer if found.dtype == np.uint8 else tolerance)


@pytest.mark.parametrize("name", [n for n in RECORDED if re.fullmatch(r"[bf]_\d+_\d+_\d", n)])
def test_resize(name):
    kind, w, h, interpolation = name.split("_")
    image = IMAGE if kind == "b" else IMAGE.astype("float32")
    near(T.Resize((int(w), int(h)), interpolation=int(interpolation))(image).asnumpy(), name)


@pytest.mark.parametrize("name", [n for n in RECORDED if re.match("brightness|contrast|hue", n)])
def test_color(name):
    what, kind, factor = name.split("_")
    image = PIXELS if kind == "b" else PIXELS.astype(np.float32) / 255
    near(getattr(color, what)(image, float(factor)), name, tolerance=4e-6)


def test_saturation_keeps_the_grey_that_mxnet_does_not():
    grey = PIXELS.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    np.testing.assert_allclose(color.saturation(PIXELS.astype(np.float32), 0.0), np.stack([grey] * 3, -1), rtol=1e-6)
    half = color.saturation(PIXELS, 0.5).astype(np.float32) @ color.GREY
    np.testing.assert_allclose(half, grey, atol=0.6)
    np.testing.assert_array_equal(color.saturation(PIXELS, 1.0), PIXELS)


def test_lighting():
    near(color.lighting(PIXELS, (.1, -.2, .3)), "lighting_b")
    near(color.lighting(PIXELS.astype(np.float32) / 255, (.1, -.2, .3)), "lighting_f", tolerance=1e-6)


@pytest.mark.parametrize(("transform", "name", "integer"), [
    (T.CenterCrop((5, 3)), "center_5_3", 0), (T.CenterCrop((12, 4)), "center_12_4", 1),
    (T.CenterCrop((6, 20)), "center_6_20", 1), (T.ToTensor(), "totensor", 0),
    (T.Compose([T.ToTensor(), T.Normalize((.1, .2, .3), (1, 2, 3))]), "normalize", 0),
    (T.Resize(4, keep_ratio=True), "keep_4", 1), (T.CropResize(1, 2, 3, 4, (6, 5), 1), "cropresize", 1),
])
def test_fixed_transforms(transform, name, integer):
    near(transform(IMAGE).asnumpy(), name, integer, tolerance=1e-7)


# -- what transforms promise ----------------------------------------------------------------------------------------


def test_batches_and_dtypes():
    batch = nd.array(np.stack([PIXELS, 255 - PIXELS]), dtype="uint8")
    for transform in (T.ToTensor(), T.Resize((5, 4)), T.CenterCrop(4), T.CropResize(1, 1, 2, 3)):
        single = transform(IMAGE).asnumpy()
        both = transform(batch).asnumpy()
        assert both.shape == (2, *single.shape)
        np.testing.assert_array_equal(both[0], single)
    assert T.Cast("float16")(IMAGE).dtype == np.float16
    assert T.ToTensor()(IMAGE.astype("float64")).dtype == np.float32
    assert T.ToTensor()(IMAGE).buffer.flags.c_contiguous


def test_flips_and_crops_stay_inside():
    mirrored = {PIXELS[:, ::-1].tobytes(), PIXELS.tobytes()}
    assert {T.RandomFlipLeftRight()(IMAGE).asnumpy().tobytes() for _ in range(30)} == mirrored
    upside_down = {PIXELS[::-1].tobytes(), PIXELS.tobytes()}
    assert {T.RandomFlipTopBottom()(IMAGE).asnumpy().tobytes() for _ in range(30)} == upside_down
    regions = {PIXELS[y:y + 5, x:x + 6].tobytes() for y in range(3) for x in range(4)}
    assert {T.RandomCrop((6, 5))(IMAGE).asnumpy().tobytes() for _ in range(300)} == regions
    padded = T.RandomCrop(9, pad=2)(IMAGE)
    assert padded.shape == (9, 9, 3)
    assert T.RandomCrop((12, 4))(IMAGE).shape == (4, 12, 3)


def test_random_resized_crop():
    ramp = nd.array(np.mgrid[:40, :60].transpose(1, 2, 0), dtype="float32")     # each pixel holds its place
    areas = []
    crop = T.RandomResizedCrop((8, 10), scale=(0.2, 0.6), ratio=(0.5, 2.0))
    for _ in range(200):
        out = crop(ramp).asnumpy()
        assert out.shape == (10, 8, 2)
        height, width = (np.ptp(out[..., 0]) / 9 * 10, np.ptp(out[..., 1]) / 7 * 8)
        areas.append(height * width / 2400)
    assert 0.17 < min(areas) < 0.25
    assert 0.5 < max(areas) < 0.65
    assert crop(ramp).shape == (10, 8, 2)
    assert T.RandomResizedCrop(4, ratio=(50.0, 60.0))(ramp).shape == (4, 4, 2)     # nothing fits: the middle


def test_random_transforms_follow_the_seed():
    jitter = T.Compose([T.RandomColorJitter(0.5, 0.5, 0.5, 0.5), T.RandomLighting(0.1), T.RandomGray(0.3),
                        T.RandomApply([T.RandomBrightness(0.3)], p=0.5)])

    def run(seed):
        mx.random.seed(seed)
        return [jitter(IMAGE).asnumpy() for _ in range(5)]
    first = run(1)
    np.testing.assert_array_equal(first, run(1))
    assert not np.array_equal(first, run(2))
    assert all(a.shape == PIXELS.shape and a.dtype == np.uint8 for a in first)
    assert len({a.tobytes() for a in first}) > 1


def test_compose():
    compose = T.Compose([T.Resize(4), lambda x: x * 2, T.ToTensor()])
    assert compose(IMAGE).shape == (3, 4, 4)
    assert len(compose) == 3
    assert isinstance(compose[2], T.ToTensor)
    assert repr(T.Compose([T.ToTensor()])).splitlines()[0] == "Compose("


def test_hybrid_transforms():
    """Hybridized, the same; and MXNet's HybridBlocks are HybridBlocks here."""
    for transform in (T.ToTensor(), T.Resize((5, 4)), T.CropResize(1, 2, 3, 4), T.Cast("float32"),
                      T.RandomColorJitter(0.5, 0.5, 0.5, 0.5), T.RandomFlipLeftRight(), T.RandomLighting(0.1),
                      T.HybridCompose([T.Resize(4), T.ToTensor(), T.Normalize(0.5, (1, 2, 3))]),
                      T.HybridRandomApply(T.RandomBrightness(0.5))):
        mx.random.seed(3)
        wanted = [transform(x).asnumpy() for x in (IMAGE, IMAGE[1:], PIXELS)]
        transform.hybridize()
        mx.random.seed(3)
        for x, expected in zip((IMAGE, IMAGE[1:], PIXELS), wanted, strict=True):
            np.testing.assert_array_equal(transform(x).asnumpy(), expected)
    net = mx.gluon.nn.HybridSequential()
    net.add(T.Resize(4), T.ToTensor())
    net.hybridize()
    assert net(IMAGE).shape == (3, 4, 4)


def test_draws_are_pythons_until_a_seed_is_set():
    """As in MXNet; once mx.random.seed has been called, that decides."""
    code = """
import random, numpy as np, minigluon as mx
from minigluon.gluon.data.vision import transforms as T
ramp = mx.nd.array(np.arange(48 * 64 * 3).reshape(48, 64, 3), dtype="float32")
def draw():
    return T.RandomResizedCrop(8)(ramp).asnumpy().tobytes() + T.RandomRotation((-30, 30))(ramp).asnumpy().tobytes()
def seeded(number):
    random.seed(number)
    np.random.seed(number)
    return draw()
assert seeded(1) == seeded(1) != seeded(2)
mx.random.seed(5)
first = seeded(1)
assert seeded(1) != first
mx.random.seed(5)
assert seeded(9) == first
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_transforms_serve_worker_processes():
    transform = T.Compose([T.RandomFlipLeftRight(), T.ToTensor()])
    data = mx.gluon.data.SimpleDataset([PIXELS] * 6).transform_first(transform)
    assert [x.shape for x in DataLoader(data, 4, num_workers=2)] == [(4, 3, 7, 9), (2, 3, 7, 9)]


@pytest.mark.parametrize(("run", "error", "text"), [
    (lambda: T.ToTensor()(nd.zeros((2, 2))), ShapeError,
     "_image_to_tensor: data has shape (2, 2), expected 3 or 4 dimensions\n  inputs: data (2, 2) float32\n  remedy: "
     "data.expand_dims(0), which has shape (1, 2, 2), adds an axis of length 1"),
    (lambda: T.Normalize(0.5, 0.5)(nd.zeros((3, 7, 9), dtype="uint8")), DTypeError,
     "_image_normalize: data is uint8, expected a floating-point dtype. Convert with .astype('float32')."),
    (lambda: T.Normalize((1, 2, 3), 1)(nd.zeros((4, 4, 4))), ShapeError,
     "_image_normalize: mean has 3 numbers, and data (4, 4, 4) has 4 channels, the first axis of (C, H, W). Put "
     "ToTensor before it.\n  inputs: data (4, 4, 4) float32\n  attributes: mean=(1.0, 2.0, 3.0), std=(1.0,)"),
    (lambda: T.CropResize(4, 4, 9, 9)(IMAGE), ShapeError,
     "crop: the region x=4, y=4, width=9, height=9 is not inside an image of width 9, height 7\n  inputs: data (7, 9, "
     "3) uint8\n  attributes: x=4, y=4, width=9, height=9"),
    (lambda: T.Resize((1, 2, 3))(IMAGE), ArgumentError,
     "_image_resize: size must be (width, height) or a number, found (1, 2, 3)"),
    (lambda: T.Resize(3, interpolation=7)(IMAGE), ArgumentError,
     "resize: interpolation must be 0 (nearest), 1 (linear), 2 (cubic), 3 (area), 4 (Lanczos), 9 (by size) or 10 "
     "(random), found 7"),
    (lambda: T.Resize(3, interpolation=10)(IMAGE), ArgumentError,
     "_image_resize: interp=10, a random choice, is for CenterCrop, RandomResizedCrop and the functions of mx.image; "
     "here it is 0 to 4, or 9"),
    (lambda: T.RandomHue(0.1)(nd.zeros((2, 2, 4))), ShapeError,
     "_image_random_hue: data (2, 2, 4) must have 1 or 3 channels, the last axis\n"
     "  inputs: data (2, 2, 4) float32\n  attributes: min_factor=0.9, max_factor=1.1"),
    (lambda: T.Rotate(30)(IMAGE), TypeError,
     "rotate: only float32 is supported, found uint8. Put ToTensor before it."),
    (lambda: T.Rotate(30, True, True)(nd.zeros((3, 4, 4))), ValueError,
     "rotate: zoom_in and zoom_out cannot both be True"),
    (lambda: T.RandomRotation((3, 2)), ValueError,
     "RandomRotation: angle_limits must be (lower, upper), found (3, 2)"),
])
def test_messages(run, error, text):
    with pytest.raises(error) as caught:
        run()
    assert str(caught.value) == text


def test_resizing_keeps_a_constant_image():
    for interpolation in (0, 1, 2, 3, 4, 9):
        for size in (3, 8, 20):
            out = resize.resize(np.full((8, 8, 1), 77, np.uint8), size, size + 1, interpolation)
            assert (out == 77).all()


IMAGES = hnp.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 2, 3, 4])))


@settings(max_examples=30, deadline=None)
@given(image=IMAGES, height=st.integers(1, 20), width=st.integers(1, 20),
       interpolation=st.sampled_from([0, 1, 2, 3, 4, 9]))
def test_any_resize(image, height, width, interpolation):
    out = resize.resize(image, width, height, interpolation)
    assert (out.shape, out.dtype) == ((height, width, image.shape[2]), np.uint8)
    if interpolation in (0, 1, 3):                      # the others overshoot at edges
        assert (out >= image.min((0, 1))).all()
        assert (out <= image.max((0, 1))).all()
    exact = resize.resize(image.astype(np.float64), width, height, interpolation)
    assert np.abs(out - np.clip(exact, 0, 255)).max() <= 1.5    # weights of eleven bits, and half of one by rounding
    both = resize.resize(np.stack([image, 255 - image]), width, height, interpolation)
    np.testing.assert_array_equal(both[0], out)
    np.testing.assert_array_equal(both[1], resize.resize(255 - image, width, height, interpolation))
    mirrored = resize.resize(image.transpose(1, 0, 2).astype(np.float64), height, width, interpolation)
    np.testing.assert_allclose(mirrored.transpose(1, 0, 2), exact, atol=1e-3)


@settings(max_examples=40, deadline=None)
@given(image=IMAGES, margins=st.tuples(*[st.integers(0, 4)] * 4), kind=st.sampled_from([0, 1, 2, 3, 4, 16, 20]))
def test_a_border_goes_around_the_image(image, margins, kind):
    top, bottom, left, right = margins
    height, width = image.shape[:2]
    out = geometry.pad(image, *margins, kind, (1, 2, 3, 4))
    assert out.shape == (height + top + bottom, width + left + right, image.shape[2])
    np.testing.assert_array_equal(geometry.crop(out, left, top, width, height), image)
    assert set(np.unique(out)) <= set(np.unique(image)) | ({1, 2, 3, 4} if kind in (0, 16) else set())
