"""ImageIter: batches of images from record files, list files, or lists in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import recordio
from ..base import ArgumentError, FileFormatError, MXNetError, ShapeError, numeric_types
from ..common.generators import python_compatible_rng
from ..common.types import DType
from ..diagnostics.strictness import refuse
from ..io.files import BYTE_ORDER_MARK
from ..io.io import DataBatch, DataDesc, DataIter
from ..io.options import parses_texts
from ..recordio.images import unpack_from
from ..serialization.atomic_write import unreadable
from ..serialization.reading import content_of, lines_of
from .create import CreateAugmenter
from .image import as_image, imdecode, pixels_of

if TYPE_CHECKING:
    from ..recordio.files import MXRecordIO
    from ..recordio.indexed import MXIndexedRecordIO
    from .augmenters import Augmenter

__all__ = ["ImageIter", "read_list"]

LABEL_DTYPES = ("int32", "float32", "int64", "float64")
ENDS = ("pad", "discard", "roll_over")


class ImageIter(DataIter):
    """Iterator over batches of augmented images (batch_size, *data_shape) float32 and their labels.

    The images come from path_imgrec, path_imglist or imglist.

    batch_size: the number of images in a batch.
    data_shape: (3, height, width).
    label_width: the number of values in a label.
    path_imgrec: a record file, as written by `minigluon im2rec`.
    path_imgidx: the index of path_imgrec, needed to shuffle or partition it.
    path_imglist: a text file with lines 'key TAB label ... TAB file'; with path_imgrec, the labels of its records.
    imglist: [[label, file], ...], or [[label, label, ..., file], ...].
    path_root: the folder that contains the listed files.
    shuffle: if True, use a new order after each `reset`, from Python's `random` as in MXNet, or from the generator of
        `mx.random.seed` once that has been called.
    part_index, num_parts: read only part part_index of num_parts equal parts.
    aug_list: the augmenters; if omitted, kwargs are passed to CreateAugmenter.
    data_name, label_name: the names of the two arrays in a batch.
    dtype: the dtype of the labels.
    last_batch_handle: how an incomplete last batch is treated: 'pad' fills it with `batch.pad` samples from the
        beginning; 'discard' drops it; 'roll_over' keeps its samples for the first batch of the next pass.

    Raises ArgumentError, and FileFormatError with the image's name if an image cannot be decoded.

    >>> from PIL import Image
    >>> Image.new("RGB", (8, 8), "red").save("0.png")
    >>> batches = mx.image.ImageIter(1, (3, 4, 4), imglist=[[7, "0.png"]], path_root=".")
    >>> batch = batches.next()
    >>> batch.data[0].shape, batch.label[0].asnumpy().tolist()
    ((1, 3, 4, 4), [7.0])
    >>> batches.hard_reset()
    >>> label, content = batches.next_sample()
    >>> image = batches.imdecode(content)
    >>> batches.check_data_shape((3, 4, 4)), batches.check_valid_image([image]), batches.read_image("0.png") == content
    (None, None, True)
    >>> image = batches.augmentation_transform(image)
    >>> image.shape, batches.postprocess_data(image).shape
    ((4, 4, 3), (3, 4, 4))
    """

    imgidx: list[Any] | None
    imgrec: MXRecordIO | MXIndexedRecordIO | None
    imglist: dict[Any, Any] | None
    cur: int

    _keeps_keywords = True      # the keyword arguments are for the augmentation

    @parses_texts
    def __init__(self, batch_size: int, data_shape: Sequence[int], label_width: int = 1, path_imgrec: str | None = None,
                 path_imglist: str | None = None, path_root: str | None = None, path_imgidx: str | None = None,
                 shuffle: bool = False, part_index: int = 0, num_parts: int = 1, aug_list: Any = None,
                 imglist: Any = None, data_name: str = "data", label_name: str = "softmax_label",
                 dtype: DType = "float32", last_batch_handle: str = "pad", **kwargs: Any) -> None:
        if batch_size < 1:
            raise ArgumentError(f"{type(self).__name__}: batch_size must be at least 1, found {batch_size}")
        super().__init__(batch_size)
        who = type(self).__name__
        if not (path_imgrec or path_imglist or isinstance(imglist, list)):
            raise ArgumentError(f"{who}: say where the images are with path_imgrec, path_imglist or imglist, a list")
        if imglist is not None and not isinstance(imglist, (list, tuple)):
            raise ArgumentError(f"{who}: imglist must be a list of [label, file], found {imglist!r}")
        if aug_list is not None and not (isinstance(aug_list, (list, tuple)) and all(map(callable, aug_list))):
            raise ArgumentError(f"{who}: aug_list must be a list of augmenters, found {aug_list!r}")
        if not isinstance(dtype, str) or dtype not in LABEL_DTYPES:
            raise ArgumentError(f"{who}: dtype of labels must be one of {', '.join(LABEL_DTYPES)}, found {dtype!r}")
        if last_batch_handle not in ENDS:
            raise ArgumentError(f"{who}: last_batch_handle must be 'pad', 'discard' or 'roll_over', found "
                                f"{last_batch_handle!r}")
        if np.ndim(shuffle):            # an array is neither True nor False
            raise ArgumentError(f"{who}: shuffle is {shuffle!r}, expected True or False")
        self.check_data_shape(data_shape)
        self.data_shape: tuple[int, ...] = tuple(data_shape)
        self.label_width = label_width
        self.path_root = path_root
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.imgrec, self.imgidx = _records(path_imgrec, path_imgidx)
        self.imglist = read_list(path_imglist, dtype) if path_imglist else _listed(imglist, dtype)
        self.seq = _part(self._keys(shuffle or num_parts > 1), part_index, num_parts, who)
        self.num_image: int | None = None if self.seq is None else len(self.seq)
        self.provide_data: list[Any] = [DataDesc(data_name, (batch_size, *self.data_shape), np.float32)]
        label_shape = (batch_size, label_width) if label_width > 1 else (batch_size,)
        self.provide_label: list[Any] = [DataDesc(label_name, label_shape, np.float32)]
        self.auglist: list[Augmenter] = CreateAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.cur = 0
        self._at_end = False            # 'pad': the pass is over, and `reset` starts the next one
        self._kept = None               # 'roll_over': (data, label, count) of an incomplete batch
        self.reset()

    def _keys(self, needed):
        """Return the keys of all samples in order, or None for a record file that is read sequentially."""
        if self.imgrec is None:
            return list(self.imglist)
        if needed and self.imgidx is None:
            raise ArgumentError(f"{type(self).__name__}: shuffle=True and num_parts need path_imgidx, the index of the "
                                "file of records")
        return self.imgidx

    def reset(self) -> None:
        """Start a new pass, beginning with the samples that rolled over."""
        if self.seq is not None and self.shuffle:
            python_compatible_rng().shuffle(self.seq)
        if self._kept is None:
            self._rewind()

    def hard_reset(self) -> None:
        """Start a new pass without the samples that rolled over."""
        self._kept = None
        if self.seq is not None and self.shuffle:
            python_compatible_rng().shuffle(self.seq)
        self._rewind()

    def _rewind(self):
        if self.imgrec is not None:
            self.imgrec.reset()
        self.cur = 0
        self._at_end = False

    def next_sample(self) -> Any:
        """Return (label, the image file's bytes) for the next sample. Raises StopIteration after the last sample."""
        if self._at_end:
            raise StopIteration
        sample = self._from_records() if self.seq is None else self._from_keys()
        if sample is None:
            if self.last_batch_handle != "discard":     # continue with the first sample, to pad or after a roll-over
                self._rewind()
            raise StopIteration
        return sample

    def _from_records(self):
        record = self.imgrec.read()
        if record is None:
            return None
        self.cur += 1
        header, content = unpack_from(record, self._where())
        return header.label, content

    def _from_keys(self):
        if self.cur >= self.num_image:
            return None
        key = self.seq[self.cur]
        self.cur += 1
        if self.imgrec is None:
            label, name = self.imglist[key]
            return label, self.read_image(name)
        header, content = unpack_from(self.imgrec.read_idx(key), self._where())
        if self.imglist is None:
            return header.label, content
        if key not in self.imglist:
            raise MXNetError(f"{type(self).__name__}: record {key!r} of {self.imgrec.uri} is not in the list of images")
        return self.imglist[key][0], content

    def next(self) -> DataBatch:
        """Return the next DataBatch. Raises StopIteration at the end of the pass."""
        data, label, start = self._kept or (*self._empty_batch(), 0)
        count = self._fill(data, label, start)
        if count == 0:
            raise StopIteration
        pad = self.batch_size - count
        if start:
            self._kept, pad = None, self.batch_size - start     # as in MXNet
        elif pad:
            if self.last_batch_handle == "discard":
                raise StopIteration
            if self.last_batch_handle == "roll_over":
                self._kept = data, label, count
                raise StopIteration
            while count < self.batch_size:
                count = self._fill(data, label, count)
            self._at_end = True
        return DataBatch([as_image(data)], [as_image(label)], pad=pad)

    def _empty_batch(self):
        return [np.zeros(desc.shape, np.float32) for desc in (self.provide_data[0], self.provide_label[0])]

    def _fill(self, data, label, start):
        """Write samples from position `start` on until the batch is full or the pass is over; return their number."""
        while start < self.batch_size:
            try:
                sample_label, content = self.next_sample()
            except StopIteration:
                break
            start += self._put(self.imdecode(content), sample_label, data, label, start)
        return start

    def _put(self, image, sample_label, data, label, place):
        """Write one sample; return the number written, 0 or 1."""
        image = self.postprocess_data(self.augmentation_transform(image))
        self._put_image(image, data, place)
        numbers = np.ravel(pixels_of(sample_label))
        if numbers.size != self.label_width:
            error = ShapeError(f"{type(self).__name__}: {self._where()} has {numbers.size} labels, expected "
                               f"label_width={self.label_width}")
            if numbers.size != 1:
                raise error
            refuse(error)           # as in MXNet, a single label is repeated
            numbers = np.repeat(numbers, self.label_width)
        label[place] = numbers if self.label_width > 1 else numbers[0]
        return 1

    def _put_image(self, image, data, place):
        pixels = pixels_of(image)
        if pixels.shape != self.data_shape:
            raise ShapeError(f"{type(self).__name__}: the augmenters made {self._where()} an array of shape "
                             f"{pixels.shape} in (channels, height, width), expected data_shape={self.data_shape}. End "
                             "them with one that sets the size, such as CenterCropAug.")
        data[place] = pixels

    def check_data_shape(self, data_shape: Sequence[int]) -> None:
        """Raise ArgumentError unless the shape is (3, height, width).

        data_shape: the shape.
        """
        if len(data_shape) != 3 or data_shape[0] != 3:
            raise ArgumentError(f"{type(self).__name__}: data_shape must be (3, height, width), found "
                                f"{tuple(data_shape)}")

    def check_valid_image(self, data: Any) -> None:
        """Raise ShapeError for data that is not an image. data: a list that contains the image."""
        if len(data[0].shape) != 3:
            raise ShapeError(f"{self._where()} has shape {data[0].shape}, expected (height, width, channels)")

    def imdecode(self, s: Any) -> Any:
        """Decode an image file's bytes to an image (H, W, 3)."""
        try:
            return imdecode(s)
        except FileFormatError as error:
            raise FileFormatError(f"Broken image {self._where()}: {error}") from error

    def _where(self):
        """Return the name of the last sample read, for messages."""
        if self.seq is None:
            return f"number {self.cur - 1} of {self.imgrec.uri}"
        key = self.seq[(self.cur - 1) % self.num_image]
        if self.imgrec is None:
            return os.path.join(self.path_root or "", self.imglist[key][1])
        return f"with key {key!r} of {self.imgrec.uri}"

    def read_image(self, fname: str) -> Any:
        """Return the bytes of a file below path_root.

        fname: the file.
        """
        path = os.path.join(self.path_root or "", fname)
        try:
            return content_of(path)
        except OSError as error:
            problem = unreadable(path, error, "an image; the paths of a list are relative to path_root")
            raise MXNetError(f"{type(self).__name__}: {problem}") from error

    def augmentation_transform(self, data: Any) -> Any:
        """Return the image after applying all augmenters.

        data: the image.
        """
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: Any) -> Any:
        """Transpose (H, W, C) to (C, H, W).

        datum: the image.
        """
        return pixels_of(datum).transpose(2, 0, 1)


def read_list(path: str, dtype: str = "float32") -> dict[Any, Any]:
    """Return {key: (labels, file)} from an image list, a text file with lines 'key TAB label ... TAB file'.

    Fields may be separated by spaces instead of tabs."""
    entries = {}
    try:
        for number, line in lines_of(path):
            try:
                text = line.removeprefix(BYTE_ORDER_MARK).strip()
                # With fewer than two parts, the unpacking raises ValueError.
                key, *labels, name = text.split("\t") if "\t" in text else text.split()
                entries[int(key)] = np.array([float(label) for label in labels], dtype), name
            except (ValueError, OverflowError):
                raise FileFormatError(f"{path}: line {number} is {line.strip()[:80]!r}, expected an integer, "
                                      "labels and a file, separated by tabs") from None
    except OSError as error:
        raise unreadable(path, error, "a list of images, as written by minigluon im2rec --list") from error
    return entries


def _listed(imglist, dtype):
    """Return {key: (labels, file)} from a list in memory, or None if there is no list."""
    if imglist is None:
        return None
    entries = {}
    for number, item in enumerate(imglist, 1):
        if not isinstance(item, (list, tuple)) or len(item) < 2:
            raise ArgumentError(f"imglist: entry {number} is {item!r}, expected a list of labels and a file")
        labels = item[:-1] if len(item) > 2 else [item[0]] if isinstance(item[0], numeric_types) else item[0]
        entries[str(number)] = np.array(pixels_of(labels), dtype), item[-1]
    return entries


def _records(path, index):
    """Return (reader, keys) for a record file. keys is None without an index; both are None without a file."""
    if not path:
        return None, None
    if not index:
        return recordio.MXRecordIO(path, "r"), None
    reader = recordio.MXIndexedRecordIO(index, path, "r")
    return reader, list(reader.keys)


def _part(keys, index, count, who):
    if count <= 1:
        return keys
    if not 0 <= index < count:
        raise ArgumentError(f"{who}: part_index must be in 0 ... num_parts - 1, found {index} of {count}")
    size = len(keys) // count
    return keys[index * size:(index + 1) * size]
