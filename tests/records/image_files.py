"""Files of images in data/images.zip: the sample image of `image_cases` in many formats, and some that are hostile.

    python -m records.image_files         (needs Pillow; MXNet's environment has none, so the files are kept)
"""

import io
import struct
import zipfile
import zlib

import numpy as np
from PIL import Image

from records import DATA
from records.image_cases import sample_image

FILE = DATA / "images.zip"


def png(height, width, depth, kind, rows):
    """A PNG file's bytes. rows: bytes of the rows, each after its filter, 0."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def saved(image, name, **how):
    stream = io.BytesIO()
    ending = name.rpartition(".")[2]
    image.save(stream, {"jpg": "JPEG", "tif": "TIFF"}.get(ending, ending.upper()), **how)
    return stream.getvalue()


def turned(orientation):
    exif = Image.Exif()
    exif[0x112] = orientation
    return exif


def made():
    """{name: bytes}."""
    pixels = sample_image()
    rgb, grey = Image.fromarray(pixels), Image.fromarray(pixels[..., 2])
    alpha = Image.fromarray(pixels[..., 0])
    images = {
        "rgb.png": (rgb, {}), "q95.jpg": (rgb, {"quality": 95}), "q50.jpg": (rgb, {"quality": 50}),
        "full.jpg": (rgb, {"subsampling": 0}), "progressive.jpg": (rgb, {"progressive": True}),
        "grey.jpg": (grey, {}), "grey.png": (grey, {}), "cmyk.jpg": (rgb.convert("CMYK"), {}),
        "palette.png": (rgb.convert("P"), {}), "palette_clear.png": (rgb.convert("P"), {"transparency": 3}),
        "bilevel.png": (rgb.convert("1"), {}), "rgba.png": (Image.merge("RGBA", [*rgb.split(), alpha]), {}),
        "la.png": (Image.merge("LA", [grey, alpha]), {}), "x.bmp": (rgb, {}), "x.tif": (rgb, {}),
        "exif6.jpg": (rgb, {"exif": turned(6)}), "exif3.png": (rgb, {"exif": turned(3)}),
        "g16.png": (Image.fromarray(pixels[..., 2].astype(np.uint16) * 257 + 40), {}),
    }
    files = {name: saved(image, name, **how) for name, (image, how) in images.items()}
    wide = (pixels.astype(np.uint16) * 257 + np.arange(31)[:, None]).astype(">u2")
    files["rgb16.png"] = png(23, 31, 16, 2, b"".join(b"\0" + row.tobytes() for row in wide))
    return files


def main():
    with zipfile.ZipFile(FILE, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in made().items():
            archive.writestr(zipfile.ZipInfo(name), content)


if __name__ == "__main__":
    main()
