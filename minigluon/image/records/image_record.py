"""ImageRecordIter and variants: batches of images from a record file, decoded ahead of time in threads."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ...base import ArgumentError, FileFormatError
from ...common.docstrings import share_sentences
from ...common.types import DType
from ...io.options import dataclass_options, parses_options
from .image_augment import Augmentation, require_range
from .image_normalize import Normalization
from .records import ImageRecords

__all__ = ["ImageRecordInt8Iter", "ImageRecordIter", "ImageRecordIter_v1", "ImageRecordUInt8Iter",
           "ImageRecordUInt8Iter_v1"]


class ImageRecordIter(ImageRecords):
    """Iterator over batches of images (batch_size, *data_shape) and labels, from a file written by `minigluon im2rec`.

    Augmentation: see `Augmentation`. The result is normalized to ((x - mean) · contrast + illumination) · scale / std.

    path_imgrec: a file or a folder of files, or several separated by ';'.
    path_imgidx: its index, which avoids scanning for the records; for several files, several indices separated by ';'.
    path_imglist: a list with labels that replace those in the records; only label_width labels per line are read.
    data_shape: (3, height, width), (1, height, width) for gray, or (4, height, width) with transparency.
    batch_size: the number of images in a batch.
    label_width: the number of values in a label.
    dtype: None or 'float32'; 'uint8', without normalization; 'int8', with only the mean subtracted.
    shuffle, seed: if True, use a new order in each pass, which the seed makes reproducible.
    seed_aug: the seed of the augmentation, by default `seed`.
    num_parts, part_index: read only part part_index of num_parts equal parts.
    preprocess_threads: number of threads that decode and augment, up to prefetch_buffer batches ahead.
    mean_img: a file with a mean image (C, H, W), which is subtracted before mirroring instead of the means; if the file
        is missing, the mean image is computed in a pass over the images.
    mean_r, mean_g, mean_b, mean_a, std_r, std_g, std_b, std_a: the means and standard deviations of red, green, blue
    and transparency.
    scale: a factor.
    max_random_contrast, max_random_illumination: the maximum random changes in contrast and illumination.
    round_batch: if True, fill the last batch from the beginning, and skip these samples in the next pass; if False, add
    zeros.
    data_name, label_name: names in `provide_data` and `provide_label`.
    kwargs: the parameters above that are not in the signature, and those of `Augmentation`.

    Raises ArgumentError, and a FileFormatError that names the record if an image cannot be decoded.

    >>> header = mx.recordio.IRHeader(flag=0, label=7, id=0, id2=0)
    >>> with mx.recordio.MXRecordIO("images.rec", "w") as file:
    ...     file.write(mx.recordio.pack_img(header, np.zeros((4, 4, 3), "uint8"), img_fmt=".png"))
    >>> batches = mx.io.ImageRecordIter(path_imgrec="images.rec", data_shape=(3, 4, 4), batch_size=1)
    >>> batch = batches.next()
    >>> batch.data[0].shape, batch.label[0].asnumpy().tolist()
    ((1, 3, 4, 4), [7.0])
    >>> batches.close()
    """

    OWN = ("mean_img", "mean_r", "mean_g", "mean_b", "mean_a", "std_r", "std_g", "std_b", "std_a", "scale",
           "max_random_contrast", "max_random_illumination",
           *(field.name for field in dataclasses.fields(Augmentation)))

    _keeps_keywords = True      # the keyword arguments are for the augmentation

    @parses_options
    def __init__(self, path_imgrec: str, data_shape: Sequence[int], batch_size: int, label_width: int = 1,
                 mean_img: str = "", mean_r: float = 0.0, mean_g: float = 0.0, mean_b: float = 0.0, mean_a: float = 0.0,
                 std_r: float = 1.0, std_g: float = 1.0, std_b: float = 1.0, std_a: float = 1.0, scale: float = 1.0,
                 max_random_contrast: float = 0.0, max_random_illumination: float = 0.0, **kwargs: Any) -> None:
        who = type(self).__name__
        self._augmentation = dataclass_options(who, Augmentation, kwargs)
        if label_width < 1:
            raise ArgumentError(f"{who}: label_width must be at least 1, found {label_width}")
        self.label_width = label_width
        for name, value in (("max_random_contrast", max_random_contrast),
                            ("max_random_illumination", max_random_illumination)):
            require_range(who, name, 0, value)
        channels = data_shape[0] if data_shape else 0
        mean, std = [mean_r, mean_g, mean_b, mean_a][:channels], [std_r, std_g, std_b, std_a][:channels]
        normalization = Normalization(mean, std, scale, max_random_contrast, max_random_illumination)
        super().__init__(path_imgrec, data_shape, batch_size, normalization, mean_img, **kwargs)

    def _label_shape(self):
        return (self.batch_size, self.label_width) if self.label_width > 1 else (self.batch_size,)

    def _write(self, pixels, label, gen, source, image_out, label_out):
        if label.size != self.label_width:
            raise FileFormatError(f"{type(self).__name__}: {source} has {label.size} labels, expected "
                                  f"label_width={self.label_width}")
        image, mirrored = self._augmentation.apply(pixels, *self.data_shape[1:], gen)
        self._normalization.write(image, mirrored, gen, image_out)
        label_out[...] = label


class ImageRecordUInt8Iter(ImageRecordIter):
    """ImageRecordIter with dtype='uint8'.

    args, kwargs: as for ImageRecordIter.

    >>> header = mx.recordio.IRHeader(flag=0, label=7, id=0, id2=0)
    >>> with mx.recordio.MXRecordIO("images.rec", "w") as file:
    ...     file.write(mx.recordio.pack_img(header, np.zeros((4, 4, 3), "uint8"), img_fmt=".png"))
    >>> batches = mx.io.ImageRecordUInt8Iter(path_imgrec="images.rec", data_shape=(3, 4, 4), batch_size=1)
    >>> batches.next().data[0].dtype
    <class 'numpy.uint8'>
    >>> batches.close()
    """

    def __init__(self, *args: Any, dtype: DType = "uint8", **kwargs: Any) -> None:
        super().__init__(*args, dtype=dtype, **kwargs)


class ImageRecordInt8Iter(ImageRecordIter):
    """ImageRecordIter with dtype='int8'.

    >>> header = mx.recordio.IRHeader(flag=0, label=7, id=0, id2=0)
    >>> with mx.recordio.MXRecordIO("images.rec", "w") as file:
    ...     file.write(mx.recordio.pack_img(header, np.zeros((4, 4, 3), "uint8"), img_fmt=".png"))
    >>> batches = mx.io.ImageRecordInt8Iter(path_imgrec="images.rec", data_shape=(3, 4, 4), batch_size=1)
    >>> batches.next().data[0].dtype
    <class 'numpy.int8'>
    >>> batches.close()
    """

    def __init__(self, *args: Any, dtype: DType = "int8", **kwargs: Any) -> None:
        super().__init__(*args, dtype=dtype, **kwargs)


share_sentences(ImageRecordUInt8Iter, ImageRecordInt8Iter)

ImageRecordIter_v1, ImageRecordUInt8Iter_v1 = ImageRecordIter, ImageRecordUInt8Iter     # older names of the iterators
