"""mx.image against the real MXNet 1.9.1 on the same files and with the same seeds, and what hostile files do.

`record_mxnet_images.py` made the file of results. They agree to the last bit, with the exceptions that `near` lists.
"""

import contextlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import pytest
from helpers import TESTS
from helpers.errors import error_of
from PIL import Image
from records import DATA
from records import image_cases as cases
from records.image_files import png

import minigluon as mx
from minigluon import image, nd
from minigluon.base import ArgumentError, FileFormatError, MXNetError, ShapeError
from minigluon.imaging import codec

pytestmark = pytest.mark.once

with np.load(DATA / "mxnet_images.npz") as _file:
    RECORDED = dict(_file)
with zipfile.ZipFile(DATA / "images.zip") as _archive:
    FILES = {name: _archive.read(name) for name in _archive.namelist()}


@pytest.fixture(scope="module")
def found():
    """Drawn in a process in which mx.random.seed was never called, as Python's seeds decide only there."""
    with tempfile.TemporaryDirectory() as folder:
        code = (f"import sys; sys.path.insert(0, {str(TESTS)!r}); import numpy as np, minigluon as mx; "
                f"from records import image_cases; "
                f"np.savez({folder + '/x.npz'!r}, **image_cases.results(mx))")
        subprocess.run([sys.executable, "-c", code], check=True)
        with np.load(folder + "/x.npz") as file:
            return dict(file)


def near(found, expected, integers=0):
    """uint8 equal, or within `integers`; floats to what float32 holds of 0 ... 255."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=1e-5, atol=integers or 3e-5)


@pytest.mark.parametrize("name", [n for n in RECORDED if "|" not in n and n != "dumps"])
def test_same_as_mxnet(found, name):
    # OpenCV's cubic interpolation of bytes ends in float32, ours in integers: one pixel in thousands differs by one.
    cubic = found[name].dtype == np.uint8 and not name.endswith("_place")
    near(found[name], RECORDED[name], integers=1 if cubic else 0)
    if cubic:
        assert (found[name] != RECORDED[name]).mean() < 0.005


def test_dumps_are_mxnets():
    assert json.loads(cases.dumped(mx)) == json.loads(str(RECORDED["dumps"]))
    assert cases.dumped(mx) == str(RECORDED["dumps"])


# -- files ------------------------------------------------------------------------------------------------------------

# Where another formula makes grey, or where libjpeg-turbo leaves the colors of print to the program.
WITHIN_ONE = {"cmyk.jpg|1": 1, "cmyk.jpg|0": 2, "rgb.png|0": 1, "rgba.png|0": 1, "rgb16.png|0": 1, "x.bmp|0": 1,
              "x.tif|0": 1, "exif3.png|0": 1, "palette.png|0": 1, "palette_clear.png|0": 1}


@pytest.mark.parametrize("key", [n.removeprefix("decode|") for n in RECORDED if n.startswith("decode|")])
def test_decoding(key):
    name, flag = key.split("|")
    near(image.imdecode(FILES[name], flag=int(flag)).asnumpy(), RECORDED[f"decode|{key}"], WITHIN_ONE.get(key, 0))


def test_imread_and_imdecode(tmp_path):
    path = tmp_path / "x.png"
    path.write_bytes(FILES["rgb.png"])
    pixels = cases.sample_image()
    for found in (image.imread(path), image.imread(str(path)), mx.img.imdecode(FILES["rgb.png"]),
                  image.imdecode(bytearray(FILES["rgb.png"])),
                  image.imdecode(np.frombuffer(FILES["rgb.png"], np.uint8)),
                  image.imdecode(nd.array(np.frombuffer(FILES["rgb.png"], np.uint8), dtype="uint8"))):
        assert found.context == mx.cpu()
        np.testing.assert_array_equal(found.asnumpy(), pixels)
    np.testing.assert_array_equal(image.imread(path, 1, to_rgb=0).asnumpy(), pixels[..., ::-1])
    out = nd.zeros((23, 31, 3), dtype="uint8")
    assert image.imdecode(FILES["rgb.png"], out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), pixels)


def test_formats_that_mxnet_does_not_read():
    grey = cases.sample_image()[..., 2]
    for kind in ("WEBP", "GIF", "PPM"):
        stream = io.BytesIO()
        Image.fromarray(grey).save(stream, kind, **({"lossless": True} if kind == "WEBP" else {}))
        np.testing.assert_array_equal(image.imdecode(stream.getvalue(), 0).asnumpy()[..., 0], grey)


BOMB = png(60000, 60000, 8, 0, bytes(100))
PNG, JPEG = FILES["rgb.png"], FILES["q95.jpg"]
CUT = ("Write it again from its original, or leave it out; PIL.ImageFile.LOAD_TRUNCATED_IMAGES = True reads the "
       "existing part of a file that is cut off.")
UNKNOWN = "are not an image of a known format (JPEG, PNG, BMP, TIFF, WEBP, GIF, PPM)"


@pytest.mark.parametrize(("content", "text"), [
    (b"", "cannot decode image: it has no bytes"),
    (b"hello world", f"cannot decode image: 11 bytes that begin with 68 65 6c 6c 6f 20 77 6f {UNKNOWN}"),
    (b"%!PS-Adobe-3.0 EPSF-3.0\n", f"cannot decode image: 24 bytes that begin with 25 21 50 53 2d 41 64 6f {UNKNOWN}"),
    (JPEG[:-60], f"cannot decode image: the JPEG file of {len(JPEG) - 60} bytes is damaged or cut off ("),
    (PNG[:len(PNG) // 2], f"cannot decode image: the PNG file of {len(PNG) // 2} bytes is damaged or cut off ("),
    (BOMB, f"cannot decode image: {len(BOMB)} bytes that claim to be a very large image (Image size (3600000000 "
           "pixels) exceeds limit of "),
])
def test_hostile_files(content, text):
    with pytest.raises(FileFormatError) as caught:
        image.imdecode(content)
    assert str(caught.value).startswith(text)
    if "cut off" in text:
        assert str(caught.value).endswith(CUT)


def large(how):
    return ("bytes that claim to be a very large image (" + how + "). If you trust it, set the environment variable "
            "MINIGLUON_MAX_IMAGE_PIXELS to its number of pixels or more.")


def test_the_limit_of_pixels(monkeypatch):
    height, width = image.imdecode(PNG).shape[:2]
    monkeypatch.setenv("MINIGLUON_MAX_IMAGE_PIXELS", str(height * width))
    image.imdecode(PNG)
    monkeypatch.setenv("MINIGLUON_MAX_IMAGE_PIXELS", str(height * width - 1))
    assert error_of(lambda: image.imdecode(PNG)) == (
        f"cannot decode image: {len(PNG)} " + large(f"{width} x {height} pixels; the limit is {height * width - 1}"))
    monkeypatch.setenv("MINIGLUON_MAX_IMAGE_PIXELS", "many")
    assert error_of(lambda: image.imdecode(PNG)) == (
        "MINIGLUON_MAX_IMAGE_PIXELS is 'many', expected a number of pixels")


def test_the_limit_may_be_higher_than_pillows(monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    assert "exceeds limit of 20 pixels" in error_of(lambda: image.imdecode(PNG))
    monkeypatch.setenv("MINIGLUON_MAX_IMAGE_PIXELS", "1000000")
    image.imdecode(PNG)


def test_tiles_that_are_larger_than_their_image():
    """libtiff decodes a tile as a whole: these 234 bytes took 1.6 GB."""
    entries = [(256, 10), (257, 10), (258, 8), (259, 8), (262, 1), (277, 1), (322, 40000), (323, 40000), (324, 134),
               (325, 100)]
    head = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries))
    content = head + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries) + bytes(104)
    limit = 2 * Image.MAX_IMAGE_PIXELS
    assert error_of(lambda: image.imdecode(content)) == (
        "cannot decode image: 234 " + large(f"tiles of 40000 x 40000 pixels; the limit is {limit}"))


def test_a_jpeg_of_very_many_passes():
    scan = JPEG[JPEG.index(b"\xff\xda"):-2]
    assert error_of(lambda: image.imdecode(JPEG[:-2] + 100 * scan + JPEG[-2:])) == (
        "cannot decode image: it refines its pixels in 101 passes, but at most 100 are allowed. Write it again from "
        "its original.")


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize("name", ["q95.jpg", "rgb.png", "x.tif", "x.bmp", "palette.png", "g16.png", "cmyk.jpg"])
def test_every_damaged_file_is_an_image_or_an_error(name):
    content = FILES[name]
    random = np.random.RandomState(1)
    for _ in range(25):
        changed = bytearray(content)
        for at in random.randint(0, len(changed), 3):
            changed[at] = random.randint(256)
        for damaged in (bytes(changed), content[:random.randint(len(content))]):
            with contextlib.suppress(FileFormatError):
                assert image.imdecode(damaged).shape[2] == 3


def test_imread_says_what_is_there_instead(tmp_path, monkeypatch):
    (tmp_path / "cat.png").write_bytes(PNG)

    def error_of(path):
        with pytest.raises(MXNetError) as caught:
            image.imread(path)
        return str(caught.value)

    missing = str(tmp_path / "cats.png")
    assert error_of(missing) == f"imread: cannot read {missing!r}: No such file or directory. Did you mean 'cat.png'?"
    missing = str(tmp_path / "0001")
    assert error_of(missing) == (f"imread: cannot read {missing!r}: No such file or directory. The folder "
                                 f"{str(tmp_path)!r} has: cat.png")
    monkeypatch.chdir(tmp_path)
    assert error_of("a/b.png") == (
        f"imread: cannot read 'a/b.png': No such file or directory. There is no folder {str(tmp_path / 'a')!r}. The "
        f"path is relative to the folder {str(tmp_path)!r}: give the absolute one")
    assert error_of(tmp_path) == f"imread: cannot read {str(tmp_path)!r}: Is a directory"


# -- wrong use --------------------------------------------------------------------------------------------------------

IMAGE = nd.zeros((4, 5, 3), dtype="uint8")


@pytest.mark.parametrize(("run", "kind", "text"), [
    (lambda: image.imread("/no/file.jpg"), MXNetError, "imread: cannot read '/no/file.jpg': No such file or directory. "
     "There is no folder '/no'"),
    (lambda: image.imdecode("text"), ValueError,
     "imdecode: buf must be of type bytes, bytearray or numpy.ndarray, found str; read a file with open(path, 'rb')"),
    (lambda: image.imdecode(PNG, flag=2), ArgumentError, "imdecode: flag must be 1 (color) or 0 (grey), found 2"),
    (lambda: image.imresize(IMAGE, 0, 3), ShapeError,
     "resize: cannot make an image of width 0 and height 3 from one of width 5 and height 4; both must have pixels"),
    (lambda: image.fixed_crop(IMAGE, 5, 0, 1, 1), ShapeError,
     "fixed_crop: the region x0=5, y0=0, w=1, h=1 does not begin inside an image of width 5, height 4, or is empty"),
    (lambda: image.random_size_crop(IMAGE, (2, 2), 0.1, (1, 1), min_aera=3), ArgumentError,
     "random_size_crop: unexpected keyword arguments min_aera"),
    (lambda: image.copyMakeBorder(IMAGE, -1, 0, 0, 0), ArgumentError,
     "copyMakeBorder: margins must not be negative, found top=-1, bot=0, left=0, right=0"),
    (lambda: image.copyMakeBorder(IMAGE, 1, 0, 0, 0, 5), ArgumentError,
     "copyMakeBorder: type must be one of 0, 1, 2, 3, 4, found 5"),
    (lambda: image.imrotate(IMAGE, 3), TypeError,
     "rotate: only float32 is supported, found uint8. Put ToTensor before it."),
    (lambda: image.imrotate(nd.zeros((2, 3, 4, 4)), nd.array([1])), ValueError,
     "rotate: 1 angles for a tensor of shape (2, 3, 4, 4). A batch needs one angle per image, or one number for all; a "
     "single image needs a number."),
    (lambda: image.resize_short(nd.zeros((3, 3)), 2), ShapeError,
     "expected an image (height, width, channels), found shape (3, 3)"),
    (lambda: image.CreateAugmenter((3, 4, 4), rand_resize=True), ArgumentError,
     "CreateAugmenter: rand_resize=True needs rand_crop=True"),
    (lambda: image.CreateAugmenter((3, 4, 4), mean=[1, 2]), ArgumentError,
     "CreateAugmenter: mean must be True or an array of 1 or 3 numbers, found [1, 2]"),
    (lambda: image.DetBorrowAug(3), TypeError, "DetBorrowAug needs an Augmenter, found int"),
    (lambda: image.DetRandomSelectAug([3]), ValueError,
     "DetRandomSelectAug: a list of DetAugmenters is needed, found int"),
    (lambda: image.CreateMultiRandCropAugmenter([1, 2], [1, 2, 3]), ArgumentError,
     "CreateMultiRandCropAugmenter: lists must have the same length or be one value, found lengths [2, 3, 1, 1, 1]"),
    (lambda: codec.encode(np.zeros((2, 2, 2), np.uint8)), ArgumentError,
     "cannot encode an array (2, 2, 2) of uint8 as an image: expected uint8 of shape (H, W, 3), (H, W, 4), (H, W, 1) "
     "or (H, W)"),
    (lambda: codec.encode(np.zeros((2, 2), np.uint8), ".gif"), ArgumentError,
     "cannot encode an image as '.gif': expected '.jpg', '.jpeg' or '.png'"),
])
def test_messages(run, kind, text):
    with pytest.raises(kind) as caught:
        run()
    assert str(caught.value) == text


def test_without_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MXNetError) as caught:
        image.imdecode(PNG)
    assert str(caught.value) == ('pillow is not installed. Install what reading image files needs with: pip install '
                                 '"minigluon[image]"')


def test_arguments_stay_as_they_are():
    """MXNet's color augmenters write into the image that they are given."""
    before = nd.array(cases.sample_image(), dtype="float32")
    kept = before.copy()
    for augmenter in image.CreateAugmenter((3, 23, 31), mean=True, std=True, brightness=0.5, contrast=0.5,
                                           saturation=0.5, hue=0.5, pca_noise=0.5, rand_gray=1.0, rand_mirror=True):
        augmenter(before)
    boxes = np.array(cases.BOXES, np.float32)
    image.DetHorizontalFlipAug(1.0)(before, boxes)
    np.testing.assert_array_equal(before.asnumpy(), kept.asnumpy())
    np.testing.assert_array_equal(boxes, np.array(cases.BOXES, np.float32))


def test_ranges_that_are_empty_warn():
    with pytest.warns(UserWarning, match="DetRandomPadAug does nothing: area_range"):
        augmenter = image.DetRandomPadAug(area_range=(1.0, 1.0))
    boxes = np.array(cases.BOXES)
    assert augmenter(IMAGE, boxes)[1] is boxes


def test_augmenters_of_ones_own():
    class Invert(image.Augmenter):
        def __init__(self, most):
            super().__init__(most=most)
            self.most = most

        def __call__(self, src):
            return self.most - src
    group = image.SequentialAug([Invert(nd.array([255])), image.CastAug()])
    assert group.dumps() == ["sequentialaug", ['["invert", {"most": [255.0]}]', '["castaug", {"type": "float32"}]']]
    assert Invert(255)(nd.ones((2, 2, 3))).asnumpy().max() == 254


# -- records of images ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("img_fmt", "quality", "exact"), [
    (".jpg", 95, False), (".JPEG", 100, False), (".png", 3, True)])
def test_pack_img(img_fmt, quality, exact):
    pixels = cases.sample_image()[..., ::-1]                 # blue first, as OpenCV's functions have it
    packed = mx.recordio.pack_img(mx.recordio.IRHeader(0, 3.0, 7, 0), pixels, quality, img_fmt)
    header, found = mx.recordio.unpack_img(packed)
    assert (header.label, header.id, found.dtype, found.shape) == (3.0, 7, np.uint8, pixels.shape)
    assert np.abs(found.astype(int) - pixels).mean() < (1e-9 if exact else 12)
    np.testing.assert_array_equal(image.imdecode(mx.recordio.unpack(packed)[1]).asnumpy(), found[..., ::-1])
    _, grey = mx.recordio.unpack_img(packed, iscolor=0)
    assert grey.shape == (23, 31)


@pytest.mark.parametrize(("name", "shape", "dtype"), [
    ("grey.png", (23, 31), "uint8"), ("rgba.png", (23, 31, 4), "uint8"), ("g16.png", (23, 31), "uint16"),
    ("x.bmp", (23, 31, 3), "uint8")])
def test_unpack_img_leaves_images_as_they_are(name, shape, dtype):
    _, pixels = mx.recordio.unpack_img(mx.recordio.pack((0, 1.0, 2, 0), FILES[name]))
    assert (pixels.shape, pixels.dtype) == (shape, dtype)
    with pytest.raises(FileFormatError, match="cannot decode the image of record 2: "):
        mx.recordio.unpack_img(mx.recordio.pack((0, 1.0, 2, 0), FILES[name][:30]))
