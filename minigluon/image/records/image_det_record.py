"""ImageDetRecordIter: batches of images and object boxes from a record file."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import ArgumentError, FileFormatError
from ...common.docstrings import share_sentences
from ...io.options import dataclass_options, parses_options
from ...recordio.images import header_of, unpack_from
from .det_augment import DetAugmentation
from .image_normalize import Normalization
from .image_record import ImageRecordIter
from .records import ImageRecords

__all__ = ["ImageDetRecordIter"]

MAX_LABELS = 1 << 24        # the maximum number of values in a label


class ImageDetRecordIter(ImageRecords):
    """Iterator over batches of images and boxes from a record file.

    A batch's label is (batch_size, 4 + label width): for each image its channels, height and width, the length of
    its label, and the label in the format of `ImageDetIter`, padded to the length of the longest label in the file.
    Augmentation: see `DetAugmentation`. The result is normalized to (x - mean) / std · scale; a std of at most 0 counts
    as 1. An image that resize_mode leaves smaller than data_shape is placed in the upper left corner and padded with
    zeros.

    label_width: the length of all labels, or -1.
    label_pad_width: the length to which labels are padded, if larger than 0.
    label_pad_value: the padding.
    mean_img: as for `ImageRecordIter`, used if mean_r, mean_g, mean_b and mean_a are all 0.
    kwargs: the parameters of `DetAugmentation`, and the other parameters of `ImageRecordIter`.

    Raises ArgumentError, and a FileFormatError that names the record if an image or a label is damaged.

    >>> label = [2, 5, 0, 0.25, 0.25, 0.75, 0.75]           # header of 2 numbers, boxes of 5: class 0 and its corners
    >>> header = mx.recordio.IRHeader(flag=0, label=label, id=0, id2=0)
    >>> with mx.recordio.MXRecordIO("images.rec", "w") as file:
    ...     file.write(mx.recordio.pack_img(header, np.zeros((4, 4, 3), "uint8"), img_fmt=".png"))
    >>> batches = mx.io.ImageDetRecordIter(path_imgrec="images.rec", data_shape=(3, 4, 4), batch_size=1)
    >>> batches.next().label[0].asnumpy()[0, 4:].tolist()
    [2.0, 5.0, 0.0, 0.25, 0.25, 0.75, 0.75]
    >>> batches.close()
    """

    AUGMENTER = "det_aug_default"
    OWN = ("label_pad_width", "label_pad_value", "mean_img", "mean_r", "mean_g", "mean_b", "mean_a", "std_r", "std_g",
           "std_b", "std_a", "scale", *(field.name for field in dataclasses.fields(DetAugmentation)))

    _keeps_keywords = True      # the keyword arguments are for the augmentation

    @parses_options
    def __init__(self, path_imgrec: str, data_shape: Sequence[int], batch_size: int, label_width: int = -1,
                 label_pad_width: int = 0, label_pad_value: float = -1.0, mean_img: str = "", mean_r: float = 0.0,
                 mean_g: float = 0.0, mean_b: float = 0.0, mean_a: float = 0.0, std_r: float = 0.0, std_g: float = 0.0,
                 std_b: float = 0.0, std_a: float = 0.0, scale: float = 1.0, **kwargs: Any) -> None:
        self._augmentation = dataclass_options(type(self).__name__, DetAugmentation, kwargs)
        self._pad_width, self._pad_value = label_pad_width, label_pad_value
        self.label_width = label_width
        channels = data_shape[0] if data_shape else 0
        mean = [mean_r, mean_g, mean_b, mean_a][:channels]
        std = [value if value > 0 else 1.0 for value in [std_r, std_g, std_b, std_a][:channels]]
        super().__init__(path_imgrec, data_shape, batch_size, Normalization(mean, std, scale),
                         "" if any(mean) else mean_img, **kwargs)

    def _label_shape(self):
        """Return the shape of a label. Reads all records' headers, because the longest label determines the shape."""
        longest = 0
        for record in self._reader.records():
            header, _ = unpack_from(record, self._reader.uri)
            longest = max(longest, np.size(self._label(header, f"record {header.id} of {self._reader.uri}")))
        if self._pad_width > MAX_LABELS:
            raise ArgumentError(f"ImageDetRecordIter: label_pad_width is {self._pad_width}, expected at most "
                                f"{MAX_LABELS}")
        if 0 < self._pad_width < longest:
            raise ArgumentError(f"ImageDetRecordIter: label_pad_width={self._pad_width} is smaller than the longest "
                                f"label of {self._reader.uri}, which has {longest} numbers")
        return (self.batch_size, 4 + max(longest, self._pad_width))

    def _write(self, pixels, label, gen, source, image_out, label_out):
        header, boxes = self._parsed(label, source)
        image, boxes = self._augmentation.apply(pixels, boxes, *self.data_shape[1:], gen)
        rows, columns = image.shape[:2]
        if (rows, columns) != self.data_shape[1:]:
            image_out[...] = 0
        self._normalization.write(image, False, gen, image_out[:, :rows, :columns])
        numbers = np.concatenate([header, boxes.ravel()])
        label_out[...] = self._pad_value
        label_out[0, :4 + numbers.size] = [image.shape[-1], rows, columns, numbers.size, *numbers]

    def _parsed(self, label, source):
        """Return (header, boxes with positive area (objects, width)) of a flat label."""
        begin, width = header_of(label)
        if label.size < 7 or not 2 <= begin <= label.size or width < 5 or (label.size - begin) % width:
            raise FileFormatError(f"ImageDetRecordIter: {source} has a label that does not consist of a header and "
                                  "objects: "
                                  f"{label[:8].tolist()}")
        if self.label_width not in (-1, label.size):
            raise FileFormatError(f"ImageDetRecordIter: {source} has {label.size} labels, expected "
                                  f"label_width={self.label_width}")
        boxes = label[begin:].reshape(-1, width)
        return label[:begin], boxes[(boxes[:, 3] > boxes[:, 1]) & (boxes[:, 4] > boxes[:, 2])]


share_sentences(ImageRecordIter, ImageDetRecordIter)
