"""Front `images`: image files and records of them, with bytes changed, read in each of the ways there are.

Reading gives pixels (H, W, C), or an MXNetError that names the file. With a limit of 2 million pixels it takes at most
8 times the file and 64 MB.
"""

import functools
import io
import os
import random
import struct
import tempfile
from pathlib import Path

import numpy as np
from helpers import memory
from PIL import Image

import minigluon as mx
from minigluon import recordio
from minigluon.gluon.data import vision

SECONDS = 1.0
IN_CI = 60
MAX_PIXELS = 2 ** 21
EXTRA_MEMORY = 64 * 2 ** 20

KINDS = {
    "jpeg": ("RGB", "JPEG", {}), "jpeg_grey": ("L", "JPEG", {}), "jpeg_cmyk": ("CMYK", "JPEG", {}),
    "jpeg_progressive": ("RGB", "JPEG", {"progressive": True, "quality": 90}),
    "png": ("RGB", "PNG", {}), "png_alpha": ("RGBA", "PNG", {}), "png_palette": ("P", "PNG", {}),
    "png_16": ("I;16", "PNG", {}), "png_bits": ("1", "PNG", {}), "bmp": ("RGB", "BMP", {}), "gif": ("P", "GIF", {}),
    "tiff": ("RGB", "TIFF", {}), "tiff_lzw": ("RGB", "TIFF", {"compression": "tiff_lzw"}),
    "tiff_tiles": ("L", "TIFF", {"compression": "tiff_adobe_deflate", "tiffinfo": {322: 16, 323: 16}}),
    "webp": ("RGB", "WEBP", {}), "ppm": ("RGB", "PPM", {}),
}
READERS = ("imdecode", "imread", "unpack_img", "dataset", "folder", "ImageIter", "ImageRecordIter")
LENGTHS = [0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 40_000, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 20, 1 << 24]


@functools.cache
def written(kind):
    """The bytes of an image of 23 x 17 pixels."""
    mode, file_format, options = KINDS[kind]
    pixels = np.random.RandomState(0).randint(0, 256, (17, 23, 3)).astype(np.uint8) // 4 * 3
    stream = io.BytesIO()
    Image.fromarray(pixels).convert("L" if mode == "I;16" else mode).convert(mode).save(stream, file_format, **options)
    return stream.getvalue()


# -- drawing --------------------------------------------------------------------------------------------------------


def case(seed):
    draw = random.Random(seed)
    kind = draw.choice(list(KINDS))
    size = len(written(kind))
    head = draw.random() < 0.6          # what is announced stands at the beginning, in a TIFF at the end
    places = range(size) if not head else range(max(0, size - 200), size) if "tiff" in kind else range(min(size, 120))
    edits = [[draw.choice(["flip", "cut", "insert", "remove", "set", "set", "copy"]), draw.choice(places),
              draw.randrange(256)] for _ in range(draw.randint(1, 4))]
    return {"kind": kind, "edits": edits, "reader": draw.choice(READERS), "flag": draw.choice([-1, 0, 1]),
            "record": [draw.choice(["flip", "set"]), draw.randrange(40), draw.randrange(256)] if draw.random() < 0.2
            else None}


def changed(content, edits):
    content = bytearray(content)
    for what, place, value in edits:
        place %= max(len(content), 1)
        if what == "cut":
            del content[place:]
        elif what == "insert":
            content[place:place] = bytes([value])
        elif what == "remove":
            del content[place:place + 1 + value % 16]
        elif what == "copy":
            content[place:place] = content[place:place + value]
        elif what == "set":
            layout = ("<H", ">H", "<I", ">I")[value % 4]
            length = LENGTHS[value // 4 % len(LENGTHS)] % (1 << 8 * struct.calcsize(layout))
            content[place:place + struct.calcsize(layout)] = struct.pack(layout, length)
        elif content:
            content[place] ^= value
    return bytes(content)


# -- running --------------------------------------------------------------------------------------------------------


def run(case):
    content = changed(written(case["kind"]), case["edits"])
    os.environ["MINIGLUON_MAX_IMAGE_PIXELS"] = str(MAX_PIXELS)
    with tempfile.TemporaryDirectory() as folder, memory.Peak() as peak:
        try:
            pixels, refused = read(case, content, Path(folder)), None
        except mx.MXNetError as error:
            refused = str(error)
    if peak.bytes > 8 * len(content) + EXTRA_MEMORY:
        return f"{len(content)} bytes took {peak.bytes >> 20} MB"
    if refused is not None:
        named = folder in refused or case["reader"] in ("imdecode", "unpack_img")
        return None if named else f"the error does not name the file: {refused}"
    fits = pixels.ndim in (2, 3) and pixels.dtype in (np.uint8, np.uint16, np.float32)
    return None if fits else f"an image of shape {pixels.shape} and type {pixels.dtype}"


def read(case, content, folder):
    """The pixels, by one of READERS."""
    reader, flag = case["reader"], case["flag"]
    if reader == "imdecode":
        return mx.image.imdecode(content, flag).asnumpy()
    if reader in ("imread", "folder"):
        (folder / "kind").mkdir()
        path = folder / "kind" / "image.png"
        path.write_bytes(content)
        found = mx.image.imread(str(path), flag) if reader == "imread" else vision.ImageFolderDataset(
            str(folder), abs(flag))[0][0]
        return found.asnumpy()
    record = recordio.pack((0, 1.0, 7, 0), content)
    if case["record"] is not None:
        record = changed(record, [case["record"]])
    if reader == "unpack_img":
        return recordio.unpack_img(record, flag)[1]
    path = str(folder / "images.rec")
    writer = recordio.MXIndexedRecordIO(path[:-4] + ".idx", path, "w")
    writer.write_idx(0, record)
    writer.close()
    if reader == "dataset":
        return vision.ImageRecordDataset(path, abs(flag))[0][0].asnumpy()
    make = mx.image.ImageIter if reader == "ImageIter" else mx.io.ImageRecordIter
    return make(path_imgrec=path, data_shape=(3, 8, 8), batch_size=1).next().data[0].asnumpy()[0]


def smaller(case):
    """Fewer edits."""
    for i in range(len(case["edits"])):
        yield {**case, "edits": case["edits"][:i] + case["edits"][i + 1:]}
    if case["record"] is not None:
        yield {**case, "record": None}
