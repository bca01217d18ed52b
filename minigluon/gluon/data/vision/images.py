"""Datasets of image files in folders, one per class, or in record files. They require the extra `image`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .... import image
from ....base import FileFormatError, MXNetError
from ....common.docstrings import share_sentences
from ....diagnostics import strictness
from ....diagnostics.argument_kinds import worded
from ....recordio.images import unpack_from
from ....serialization.atomic_write import unreadable
from ....serialization.reading import require_name
from ..dataset import Dataset, RecordFileDataset

__all__ = ["ImageFolderDataset", "ImageRecordDataset"]


class ImageRecordDataset(RecordFileDataset):
    """Dataset of images (H, W, 3) uint8 and labels from a record file, as written by `minigluon im2rec`.

    flag: 1 for color, 0 for gray, (H, W, 1).
    transform: called with (image, label). A label is a number, or a float32 array.

    >>> header = mx.recordio.IRHeader(flag=0, label=7, id=0, id2=0)
    >>> with mx.recordio.MXIndexedRecordIO("images.idx", "images.rec", "w") as file:
    ...     file.write_idx(0, mx.recordio.pack_img(header, np.zeros((3, 4, 3), "uint8"), img_fmt=".png"))
    >>> image, label = gluon.data.vision.ImageRecordDataset("images.rec")[0]
    >>> image.shape, label
    ((3, 4, 3), 7.0)
    """

    def __init__(self, filename: str, flag: int = 1, transform: Callable[..., Any] | None = None) -> None:
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: Any) -> Any:
        header, content = unpack_from(super().__getitem__(idx), f"{self.filename}, sample {idx}")
        try:
            pixels = image.imdecode(content, self._flag)
        except FileFormatError as error:
            raise FileFormatError(f"{self.filename}, sample {idx}: {error}") from error
        return (pixels, header.label) if self._transform is None else self._transform(pixels, header.label)


class ImageFolderDataset(Dataset):
    """Dataset of images (H, W, 3) uint8 in the folders inside `root`; labels are the indices of the folders, sorted by
    name.

        root/car/0001.jpg  root/car/xyz.png  root/bus/23.jpeg

    flag: 1 for color, 0 for gray, (H, W, 1).
    transform: called with (image, label).
    synsets: the folders' names.
    items: all (path, label). Other files are ignored with a warning.

    Raises MXNetError if `root` is not a folder.

    >>> import os
    >>> from PIL import Image
    >>> for name in ("bus", "car"):
    ...     os.makedirs(f"images/{name}")
    ...     Image.new("RGB", (4, 3), "red").save(f"images/{name}/0.png")
    >>> data = gluon.data.vision.ImageFolderDataset("images")
    >>> data.synsets, data[1][0].shape, data[1][1], data[1][0][0, 0].asnumpy().tolist()
    (['bus', 'car'], (3, 4, 3), 1, [255, 0, 0])
    """

    items: list[Any]
    synsets: list[Any]

    _endings = ".jpg", ".jpeg", ".png"

    @worded
    def __init__(self, root: str, flag: int = 1, transform: Callable[..., Any] | None = None) -> None:
        self._root = os.path.expanduser(root)
        self._flag = flag
        self._transform = transform
        self.synsets, self.items = [], []
        self._list_images()

    def _list_images(self):
        for name in self._sorted(self._root):
            folder = os.path.join(self._root, name)
            if not os.path.isdir(folder):
                strictness.warn(f"Ignoring {folder}, which is not a directory.")
                continue
            for file in self._sorted(folder):
                path = os.path.join(folder, file)
                if os.path.splitext(file)[1].lower() in self._endings:
                    self.items.append((path, len(self.synsets)))
                else:
                    endings = ", ".join(self._endings)
                    strictness.warn(f"Ignoring {path}: its name ends in none of {endings}.")
            self.synsets.append(name)

    @staticmethod
    def _sorted(folder):
        try:
            require_name(folder)
            return sorted(os.listdir(folder))
        except OSError as error:
            raise MXNetError(f"ImageFolderDataset: {unreadable(folder, error, 'a folder of images')}") from error

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, idx: Any) -> Any:
        path, label = self.items[idx]
        pixels = image.imread(path, self._flag)
        return (pixels, label) if self._transform is None else self._transform(pixels, label)


share_sentences(RecordFileDataset, ImageRecordDataset)
