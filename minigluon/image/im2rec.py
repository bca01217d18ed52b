"""Image lists and record files from folders of images, like MXNet's tool `im2rec`."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from .. import recordio
from ..base import ArgumentError, FileFormatError, MXNetError
from ..diagnostics.strictness import refuse
from ..imaging import codec, geometry
from ..imaging.resize import resize
from ..serialization.atomic_write import replacing, replacing_by_name, together
from ..serialization.reading import content_of
from .iterator import read_list
from .threads import map_in_order

__all__ = ["list_images", "make_lists", "make_records", "write_list"]

ENDINGS = (".jpeg", ".jpg", ".png")


def list_images(root: str, recursive: bool = False, exts: Sequence[str] = ENDINGS) -> tuple[list[Any], dict[str, Any]]:
    """Return ([(number, path below root, label)], {folder: label}) for the images below a folder, sorted by name.

    recursive: each folder below root that contains images gets its own label, 0, 1, ...; otherwise, only files directly
    in root are used, with label 0.
    """
    if not os.path.isdir(root):
        raise MXNetError(f"{root!r} is not a folder")
    images, labels = [], {}
    for folder, below, names in os.walk(root, followlinks=True):
        below.sort()
        for name in sorted(names):
            if os.path.splitext(name)[1].lower() in exts:
                label = labels.setdefault(folder, len(labels)) if recursive else 0
                images.append((len(images), os.path.relpath(os.path.join(folder, name), root), label))
        if not recursive:
            break
    return images, {os.path.relpath(folder, root): label for folder, label in labels.items()}


def write_list(path: str, images: Sequence[Any]) -> None:
    """Write a text file that contains a line 'number TAB label TAB path' for each image."""
    with replacing(path) as file:
        for number, name, *labels in images:
            file.write(f"{number}\t{''.join(f'{float(label):f}' + chr(9) for label in labels)}{name}\n".encode())


def make_lists(prefix: str, root: str, recursive: bool = False, exts: Sequence[str] = ENDINGS, shuffle: bool = True,
               chunks: int = 1, train_ratio: float = 1.0, test_ratio: float = 0.0) -> tuple[list[Any], dict[str, Any]]:
    """Write `prefix.lst`, or, with a train_ratio below 1, `prefix_train.lst`, `prefix_val.lst` and `prefix_test.lst`.

    chunks: the number of lists for each split, with '_0', '_1', ... after the prefix. shuffle: as in MXNet's tool.
    Returns ([paths of the lists], {folder: label}).
    """
    if chunks < 1 or not 0 <= train_ratio <= 1 or not 0 <= test_ratio <= 1 or train_ratio + test_ratio > 1:
        raise ArgumentError(f"chunks must be positive and ratios between 0 and 1 together, found "
                            f"chunks={chunks}, train_ratio={train_ratio}, test_ratio={test_ratio}")
    images, labels = list_images(root, recursive, exts)
    if shuffle:
        random.Random(100).shuffle(images)
    size, files = -(-len(images) // chunks), []
    for number in range(chunks):
        chunk = images[number * size:(number + 1) * size]
        name = prefix if chunks == 1 else f"{prefix}_{number}"
        train, test = int(size * train_ratio), int(size * test_ratio)
        parts = {"": chunk}
        if train_ratio < 1:
            parts = {"_test": chunk[:test]} if test_ratio else {}
            if train_ratio + test_ratio < 1:
                parts["_val"] = chunk[test + train:]
            parts["_train"] = chunk[test:test + train]
        for ending, part in parts.items():
            write_list(f"{name}{ending}.lst", part)
            files.append(f"{name}{ending}.lst")
    return files, labels


def make_records(path: str, root: str, pass_through: bool = False, size: int = 0, center_crop: bool = False,
                 quality: int = 95, threads: int = 1, color: int = 1, encoding: str = ".jpg", pack_label: bool = False,
                 outside: bool = False,
                 report: Callable[..., Any] = lambda text: print(text, file=sys.stderr)) -> tuple[int, int]:
    """Write `name.rec` and `name.idx` from the list `name.lst` and the images below root.

    pass_through: if True, store image files unchanged; otherwise they are decoded (color: 1 color, 0 gray, -1 as in the
    file), cropped to the center square (center_crop), resized to a shorter side of length `size`, and encoded with the
    given quality.
    pack_label: If True, store all labels of a line, not just the first. An unreadable image is reported and skipped.
    outside: if True, allow files outside root. They are refused by default because the list may be untrusted, and the
    records may be passed on.
    Returns (number written, number skipped). Raises FileFormatError before anything is written.
    """
    def packed(item):
        key, (labels, name) = item
        header = recordio.IRHeader(0, labels if pack_label and len(labels) > 1 else float(labels[0]), key, 0)
        file = os.path.join(root, name)
        try:
            content = content_of(file)
            if not pass_through:
                content = _encoded(content, file, size, center_crop, quality, color, encoding)
        except (OSError, FileFormatError) as error:
            return key, None, f"{file}: {error.strerror if isinstance(error, OSError) else error}"
        return key, recordio.pack(header, content), None

    images = read_list(path)
    for key, (labels, name) in images.items():
        if not len(labels):
            raise FileFormatError(f"{path}: key {key} has no label")
        if not outside and os.path.relpath(os.path.join(root, name), root).split(os.sep)[0] == os.pardir:
            refuse(FileFormatError(f"{path}: key {key} is the file {name!r}, which is not below the folder "
                                   f"{os.fspath(root)!r}. If this is intended, pass outside=True, or --outside to "
                                   "minigluon im2rec."))
    name = os.path.splitext(path)[0]
    passed_over = 0
    # The old files stay until the new ones are complete.
    with together(), replacing_by_name(f"{name}.rec") as rec, replacing_by_name(f"{name}.idx") as idx, \
            closing(recordio.MXIndexedRecordIO(idx, rec, "w")) as writer:
        for key, record, problem in map_in_order(packed, images.items(), threads):
            if problem is None:
                writer.write_idx(key, record)
            else:
                passed_over += 1
                report(f"skipped: {problem}")
    return len(writer.keys), passed_over


def _encoded(content, source, size, center_crop, quality, color, encoding):
    pixels = codec.decode(content, color, source=source)
    if pixels.dtype != np.uint8:
        pixels = (pixels >> 8).astype(np.uint8)
    height, width = pixels.shape[:2]
    if center_crop:
        side = min(height, width)
        pixels = geometry.crop(pixels, (width - side) // 2, (height - side) // 2, side, side)
    if size:
        pixels = resize(pixels, *geometry.short_side(*pixels.shape[:2], size))
    return codec.encode(pixels, encoding, quality)
