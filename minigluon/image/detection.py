"""Images with object boxes: a standard list of augmenters, and the iterator."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import ArgumentError, MXNetError, ShapeError
from ..common.docstrings import share_sentences
from ..diagnostics.argument_kinds import worded
from ..io.io import DataDesc
from ..io.options import parses_texts
from ..recordio.images import header_of
from . import drawing
from .augmenters import ForceResizeAug, ResizeAug
from .create import MEAN, STD, CreateAugmenter, color_augmenters
from .det_augmenters import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
    DetRandomSelectAug,
)
from .image import pixels_of
from .iterator import ImageIter

__all__ = ["CreateDetAugmenter", "CreateMultiRandCropAugmenter", "DetAugmenter", "DetBorrowAug",
           "DetHorizontalFlipAug", "DetRandomCropAug", "DetRandomPadAug", "DetRandomSelectAug", "ImageDetIter"]


@worded
@parses_texts
def CreateMultiRandCropAugmenter(min_object_covered: float = 0.1, aspect_ratio_range: Any = (0.75, 1.33),
                                 area_range: Any = (0.05, 1.0), min_eject_coverage: float = 0.3, max_attempts: Any = 50,
                                 skip_prob: float = 0) -> Any:
    """Return an augmenter that applies one of several DetRandomCropAug at random, or none, with probability skip_prob.

    Each parameter is a list with one value per crop augmenter, or a single value for all of them.

    >>> augment = mx.image.CreateMultiRandCropAugmenter(min_object_covered=[0.1, 0.5, 0.9])
    >>> len(augment.aug_list)
    3
    """
    parameters = [p if isinstance(p, list) else [p]
                  for p in (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)]
    count = max(map(len, parameters))
    if any(len(p) not in (1, count) for p in parameters):
        raise ArgumentError(f"CreateMultiRandCropAugmenter: lists must have the same length or be one value, found "
                            f"lengths {[len(p) for p in parameters]}")
    spread = [p * count if len(p) < count else p for p in parameters]
    return DetRandomSelectAug([DetRandomCropAug(*each) for each in zip(*spread, strict=True)], skip_prob=skip_prob)


@worded
@parses_texts
def CreateDetAugmenter(data_shape: Sequence[int], resize: int = 0, rand_crop: float = 0, rand_pad: float = 0,
                       rand_gray: float = 0, rand_mirror: bool = False, mean: Any = None, std: Any = None,
                       brightness: float = 0, contrast: float = 0, saturation: float = 0, pca_noise: float = 0,
                       hue: float = 0, inter_method: int = 2, min_object_covered: float = 0.1,
                       aspect_ratio_range: tuple[float, ...] = (0.75, 1.33),
                       area_range: tuple[float, ...] = (0.05, 3.0), min_eject_coverage: float = 0.3,
                       max_attempts: Any = 50, pad_val: Any = (127, 127, 127)) -> Any:
    """Return a list of detection augmenters that convert images of any size to float32 images of a fixed size.

    rand_crop, rand_pad: probabilities of DetRandomCropAug and DetRandomPadAug.
    area_range: the smallest crop area and the largest padded area, relative to the image.

    >>> image, boxes = nd.zeros((6, 8, 3), dtype="uint8"), np.array([[0, 0, 0, 1, 1]])
    >>> for augment in mx.image.CreateDetAugmenter((3, 4, 4), rand_mirror=True):
    ...     image, boxes = augment(image, boxes)
    >>> image.shape
    (4, 4, 3)
    """
    augmenters = [DetBorrowAug(ResizeAug(resize, inter_method))] if resize > 0 else []
    if rand_crop > 0:
        augmenters.append(CreateMultiRandCropAugmenter(min_object_covered, aspect_ratio_range, area_range,
                                                       min_eject_coverage, max_attempts, skip_prob=1 - rand_crop))
    if rand_mirror > 0:
        augmenters.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:            # after the crops, because padding enlarges images
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, area_range[1]), max_attempts, pad_val)
        augmenters.append(DetRandomSelectAug([pad], 1 - rand_pad))
    mean, std = (np.array(default) if value is True else value for value, default in ((mean, MEAN), (std, STD)))
    borrowed = [ForceResizeAug((data_shape[2], data_shape[1]), inter_method),
                *color_augmenters("CreateDetAugmenter", brightness, contrast, saturation, hue, pca_noise, rand_gray,
                                  mean, std)]
    return augmenters + [DetBorrowAug(augmenter) for augmenter in borrowed]


class ImageDetIter(ImageIter):
    """Iterator over batches of images and their boxes.

    A sample's label in the file is flat: the header width (2 or more), the object width (5 or more) and any other
    header fields, then for each object its class, left, top, right, bottom (0 ... 1), and any other fields. A batch's
    label is (batch_size, maximum number of objects in a sample, object width), padded with -1. Objects without area are
    dropped, and samples without objects are skipped.

    aug_list: the augmenters; if omitted, kwargs are passed to CreateDetAugmenter.

    >>> from PIL import Image
    >>> Image.new("RGB", (8, 8), "red").save("0.png")
    >>> label = [2, 5, 0, 0.25, 0.25, 0.75, 0.75]           # header of 2 numbers, boxes of 5: class 0 and its corners
    >>> def batches():
    ...     return mx.image.ImageDetIter(1, (3, 4, 4), imglist=[[*label, "0.png"]], path_root=".")
    >>> batch = batches().next()
    >>> batch.data[0].shape, batch.label[0].asnumpy().tolist()
    ((1, 3, 4, 4), [[[0.0, 0.25, 0.25, 0.75, 0.75]]])
    >>> data = batches()
    >>> data.reshape(data_shape=(3, 6, 6), label_shape=(2, 5))
    >>> data.check_label_shape((3, 5))
    >>> data.sync_label_shape(batches()).provide_label[0].shape, [image.shape for image in data.draw_next()]
    ((1, 2, 5), [(6, 6, 3)])
    """

    label_shape: tuple[Any, ...]

    _keeps_keywords = True      # the keyword arguments are for the augmentation

    @parses_texts
    def __init__(self, batch_size: int, data_shape: Sequence[int], path_imgrec: str | None = None,
                 path_imglist: str | None = None, path_root: str | None = None, path_imgidx: str | None = None,
                 shuffle: bool = False, part_index: int = 0, num_parts: int = 1, aug_list: Any = None,
                 imglist: Any = None, data_name: str = "data", label_name: str = "label",
                 last_batch_handle: str = "pad", **kwargs: Any) -> None:
        super().__init__(batch_size, data_shape, path_imgrec=path_imgrec, path_imglist=path_imglist,
                         path_root=path_root, path_imgidx=path_imgidx, shuffle=shuffle, part_index=part_index,
                         num_parts=num_parts, aug_list=[], imglist=imglist, data_name=data_name,
                         label_name=label_name, last_batch_handle=last_batch_handle)
        self._parameters = kwargs if aug_list is None else None
        self.auglist = CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.label_shape = self._estimate_label_shape()
        self.provide_label = [DataDesc(label_name, (batch_size, *self.label_shape))]

    def _estimate_label_shape(self):
        """Return (maximum number of objects, object width) over all labels."""
        self.reset()
        most, widths = 0, set()
        while True:
            try:
                label, _ = self.next_sample()
            except StopIteration:
                break
            label = self._parse_label(label)
            most = max(most, len(label))
            widths.add(label.shape[1])
        if len(widths) != 1:
            raise MXNetError(f"ImageDetIter: objects must have the same width in all samples, found {sorted(widths)}")
        self._at_end = False
        self.reset()
        return most, widths.pop()

    def _parse_label(self, label):
        """Return the boxes (objects, width) with positive area in a flat label. Raises ShapeError."""
        raw = np.ravel(pixels_of(label))
        if raw.size < 7:
            raise ShapeError(f"{self._where()}: a detection label has at least 7 numbers, two of the header and "
                             f"five of an object, found {raw.size}")
        header, width = header_of(raw)
        if header < 2 or width < 5 or header > raw.size or (raw.size - header) % width:
            raise ShapeError(f"{self._where()}: the label begins with header width {header} and object width {width}, "
                             f"which do not divide its {raw.size} numbers")
        boxes = raw[header:].reshape(-1, width).astype(np.float32)
        boxes = boxes[(boxes[:, 3] > boxes[:, 1]) & (boxes[:, 4] > boxes[:, 2])]
        if not len(boxes):
            raise ShapeError(f"{self._where()}: no object in the label has an area")
        return boxes

    def _check_valid_label(self, label):
        """Raise ShapeError if no objects are left."""
        if label.ndim != 2 or label.shape[1] < 5:
            raise ShapeError(f"{self._where()}: boxes must have shape (objects, 5 or more), found {label.shape}")
        if not ((label[:, 0] >= 0) & (label[:, 3] > label[:, 1]) & (label[:, 4] > label[:, 2])).any():
            raise ShapeError(f"{self._where()}: no object is left")

    def _empty_batch(self):
        data, label = super()._empty_batch()
        label[...] = -1
        return data, label

    def _put(self, image, sample_label, data, label, place):
        try:
            self.check_valid_image([image])
            image, boxes = self.augmentation_transform(image, self._parse_label(sample_label))
            self._check_valid_label(boxes)
        except ShapeError as error:
            logging.debug("Invalid image, skipping: %s", error)
            return 0
        self._put_image(self.postprocess_data(image), data, place)
        label[place] = -1
        label[place, :len(boxes)] = boxes
        return 1

    def augmentation_transform(self, data: Any, label: Any) -> Any:
        """Return (image, boxes) after applying all augmenters."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    def reshape(self, data_shape: Sequence[int] | None = None, label_shape: Any = None) -> None:
        """Change the shapes in a batch: data_shape (3, height, width), label_shape (objects, object width); the latter
        must not shrink.

        Augmenters passed as aug_list do not change, and must produce images with the new size.
        """
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.data_shape = tuple(data_shape)
            self.provide_data = [DataDesc(self.provide_data[0].name, (self.batch_size, *data_shape))]
            if self._parameters is not None:
                self.auglist = CreateDetAugmenter(data_shape, **self._parameters)
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.label_shape = tuple(label_shape)
            self.provide_label = [DataDesc(self.provide_label[0].name, (self.batch_size, *label_shape))]

    def check_label_shape(self, label_shape: Any) -> None:
        """Raise ArgumentError for a shape with fewer objects or a different width.

        label_shape: the shape.
        """
        if len(label_shape) != 2:
            raise ArgumentError(f"ImageDetIter: label_shape must be (objects, object width), found {label_shape}")
        if label_shape[0] < self.label_shape[0]:
            raise ArgumentError(f"ImageDetIter: Attempts to reduce label count from {self.label_shape[0]} to "
                                f"{label_shape[0]}, not allowed.")
        if label_shape[1] != self.label_shape[1]:
            raise ArgumentError(f"ImageDetIter: label_shape object width inconsistent: {self.label_shape[1]} vs "
                                f"{label_shape[1]}.")

    def sync_label_shape(self, it: Any, verbose: bool = False) -> Any:
        """Set the object counts of this iterator and of `it` to the larger of the two; return `it`.

        verbose: if True, log the new shape.
        """
        if not isinstance(it, ImageDetIter):
            raise ArgumentError(f"sync_label_shape needs an ImageDetIter, found {type(it).__name__}")
        most = max(self.label_shape[0], it.label_shape[0])
        if self.label_shape[1] != it.label_shape[1]:
            raise ArgumentError(f"sync_label_shape: object width mismatch, {self.label_shape[1]} and "
                                f"{it.label_shape[1]}.")
        for each in (self, it):
            if each.label_shape[0] < most:
                each.reshape(None, (most, each.label_shape[1]))
                if verbose:
                    logging.info("Resized label_shape to (%d, %d).", *each.label_shape)
        return it

    def draw_next(self, color: Any = None, thickness: Any = 2, mean: Any = None, std: Any = None, clip: bool = True,
                  waitKey: Any = None, window_name: str = "draw_next", id2labels: Any = None) -> Any:
        """Yield each image with its boxes drawn: uint8 (H, W, 3), in MXNet's order BGR; image[..., ::-1] is RGB.

        color: the RGB color of the boxes, random by default.
        thickness: the thickness of their lines.
        mean, std: the normalization to undo; True for ImageNet's.
        clip: if True, limit values to 0 ... 255.
        id2labels: {class: the name to draw}.
        waitKey: anything other than None raises an error, because windows would require OpenCV.
        window_name: has no effect.
        """
        if waitKey is not None:
            raise MXNetError("draw_next: waitKey shows a window of OpenCV, which is not used here. Leave it None and "
                             "show each image that draw_next yields, for example with matplotlib's imshow(image[..., "
                             "::-1]).")
        return self._drawn(drawing.undo(mean, std, clip), color, thickness, id2labels or {})

    def _drawn(self, undo, color, thickness, names):
        while True:
            try:
                label, content = self.next_sample()
            except StopIteration:
                return
            image, boxes = self.augmentation_transform(self.imdecode(content), self._parse_label(label))
            yield drawing.draw_boxes(undo(pixels_of(image)), boxes, color, thickness, names)[..., ::-1]


share_sentences(CreateAugmenter, CreateDetAugmenter)
share_sentences(DetRandomCropAug, CreateDetAugmenter, CreateMultiRandCropAugmenter)
share_sentences(DetRandomPadAug, CreateDetAugmenter)
share_sentences(ImageIter, ImageDetIter)
