"""ImageRecordIter and its kin: batches of images from a file of records, decoded in threads ahead of the program."""

import dataclasses
import itertools

import numpy as np

from .. import recordio
from ..base import ArgumentError, FileFormatError, nearest
from ..image.image import as_image
from ..image.iterator import read_list
from ..image.threads import in_order
from ..pixels import codec
from ..pixels.resize import resize
from .image_augment import Augmentation
from .io import DataBatch, DataDesc, DataIter

__all__ = ["ImageDetRecordIter", "ImageRecordInt8Iter", "ImageRecordIter", "ImageRecordIter_v1",
           "ImageRecordUInt8Iter", "ImageRecordUInt8Iter_v1"]

# What concerns MXNet's own machinery, and has nothing to do here.
# Parameters of MXNet's that are refused, unless they have the value that does nothing.
NOT_HERE = {"mean_img": "", "max_shear_ratio": 0, "max_random_scale": 1, "min_random_scale": 1, "max_img_size": 1e10,
            "min_img_size": 0}
WITHOUT_EFFECT = ("verbose", "device_id", "shuffle_chunk_size", "shuffle_chunk_seed", "ctx", "aug_seq", "dtype")


class _Records(DataIter):
    """Samples of a file of records, through `_sample` in threads.

    round_batch: a last batch that is not full is filled with samples from the beginning, which are left out of the next
    pass; `batch.pad` says how many. Otherwise the rest is zeros, and `batch.pad` says how many as well.
    """

    dtype = np.float32

    def __init__(self, path_imgrec, data_shape, batch_size, *, path_imglist="", path_imgidx="", shuffle=False, seed=0,
                 seed_aug=None, num_parts=1, part_index=0, round_batch=True, preprocess_threads=4, prefetch_buffer=4,
                 data_name="data", label_name="softmax_label", **kwargs):
        super().__init__(batch_size)
        who = type(self).__name__
        if len(data_shape) != 3 or data_shape[0] not in (1, 3):
            raise ArgumentError(f"{who}: data_shape must be (1 or 3, height, width), found {tuple(data_shape)}")
        if batch_size < 1 or not 0 <= part_index < num_parts:
            raise ArgumentError(f"{who}: batch_size must be positive and part_index lie in 0 ... num_parts - 1, found "
                                f"batch_size={batch_size}, part_index={part_index}, num_parts={num_parts}")
        for name, value in kwargs.items():
            if name in NOT_HERE and value != NOT_HERE[name]:
                raise ArgumentError(f"{who}: {name}={value!r} is not available. mx.image.ImageIter takes augmenters of "
                                    "your own.")
            if name not in NOT_HERE and name not in WITHOUT_EFFECT:
                raise ArgumentError(f"{who}: unknown parameter {name!r}." + nearest(name, self._parameters()))
        self.data_shape = tuple(data_shape)
        self.shuffle, self.round_batch = shuffle, round_batch
        self._seed, self._seed_aug = seed, seed if seed_aug is None else seed_aug
        self._threads, self._ahead = preprocess_threads, max(prefetch_buffer, 1) * batch_size
        self._labels = read_list(path_imglist) if path_imglist else None
        self._reader = recordio.MXRecordIO(path_imgrec, "r")
        self._places = self._chosen(path_imgidx, num_parts, part_index)
        if not self._places:
            raise ArgumentError(f"{who}: part {part_index} of {num_parts} of {path_imgrec} has no records")
        self.provide_data = [DataDesc(data_name, (batch_size, *self.data_shape), self.dtype)]
        self.provide_label = [DataDesc(label_name, self._label_shape())]
        self._epoch, self._overflow, self._stream, self._batch = -1, 0, None, None
        self.reset()

    def _parameters(self):
        return ["path_imgidx", "path_imglist", "round_batch", "shuffle", "seed", "num_parts", "part_index", "data_name",
                "label_name", "preprocess_threads", "prefetch_buffer", "label_width", *WITHOUT_EFFECT]

    def _chosen(self, path_imgidx, num_parts, part_index):
        """Places in the file of this part's records: of equal parts, of which the last may be shorter."""
        if path_imgidx:
            index = recordio.MXIndexedRecordIO(path_imgidx, self._reader.uri, "r")
            places = [index.idx[key] for key in index.keys]
            index.close()
        else:
            places = list(self._reader.places())
        size = -(-len(places) // num_parts)
        return places[part_index * size:(part_index + 1) * size]

    def _order(self, epoch):
        """(number of the pass, place) of its records in order."""
        places = self._places
        if self.shuffle:
            places = [places[i] for i in np.random.default_rng([self._seed, epoch]).permutation(len(places))]
        return [(epoch, place) for place in places]

    def reset(self):
        """Begin a new pass, after the samples that have filled the last batch of the one before."""
        self.close()
        self._epoch += 1
        own = self._order(self._epoch)[self._overflow:]
        fill = -len(own) % self.batch_size if self.round_batch else 0
        following = itertools.cycle(self._order(self._epoch + 1))
        self._pads = [0] * (-(-len(own) // self.batch_size) - 1) + [-len(own) % self.batch_size] if own else []
        self._overflow = fill % len(self._places)
        samples = [*own, *itertools.islice(following, fill)]
        self._stream = in_order(self._read, samples, self._threads, self._ahead)

    def close(self):
        """End the threads."""
        if getattr(self, "_stream", None) is not None:
            self._stream.close()
            self._stream = None

    def _read(self, which):
        """(image (C, H, W), label, the record's number) of a record; in a thread."""
        epoch, place = which
        header, content = recordio.unpack(self._reader.read_at(place))
        label = header.label
        if self._labels is not None:
            label = self._labels[header.id][0]
        source = f"record {header.id} of {self._reader.uri}"
        pixels = codec.decode(content, 1 if self.data_shape[0] == 3 else 0, source=source)
        gen = np.random.default_rng([self._seed_aug, epoch, place])
        return (*self._sample(pixels, np.ravel(np.asarray(label, np.float32)), gen, source), header.id)

    def iter_next(self):
        if not self._pads:
            self._batch = None
            return False
        pad = self._pads.pop(0)
        data = np.zeros((self.batch_size, *self.data_shape), self.dtype)
        label = np.zeros(self.provide_label[0].shape, np.float32)
        count = self.batch_size - (0 if self.round_batch else pad)
        index = np.zeros(self.batch_size, np.uint64)
        for place, (image, numbers, identity) in enumerate(itertools.islice(self._stream, count)):
            data[place], label[place], index[place] = image, numbers, identity
        self._batch = DataBatch([as_image(data)], [as_image(label)], pad=pad, index=index)
        return True

    def next(self):
        if not self.iter_next():
            raise StopIteration
        return self._batch

    def getdata(self):
        return self._batch.data

    def getlabel(self):
        return self._batch.label

    def getpad(self):
        return self._batch.pad

    def getindex(self):
        """The records' numbers, from their headers."""
        return self._batch.index


class ImageRecordIter(_Records):
    """Batches of images (batch_size, *data_shape) float32 and their labels, from a file that `minigluon im2rec` made.

    path_imgrec: the file; path_imgidx: its index, which saves looking for the records. path_imglist: a list with other
    labels for them. data_shape: (3, height, width), or (1, height, width) for grey. label_width: numbers in a label.
    shuffle, seed: a new order in each pass, the same for the same seed. seed_aug: of the augmentation, else seed.
    num_parts, part_index: only this one of so many equal parts. preprocess_threads: that decode and augment, up to
    prefetch_buffer batches ahead. What is done to images: see `Augmentation`. Then, where they are not 0 and 1,
    ((x - mean) / std · contrast + illumination) · scale, with mean_r, mean_g, mean_b, std_r, ..., and contrast and
    illumination drawn up to max_random_contrast and max_random_illumination.

    Raises ArgumentError; FileFormatError that names the record when an image cannot be decoded.
    """

    def __init__(self, path_imgrec, data_shape, batch_size, label_width=1, mean_r=0.0, mean_g=0.0, mean_b=0.0,
                 mean_a=0.0, std_r=1.0, std_g=1.0, std_b=1.0, std_a=1.0, scale=1.0, max_random_contrast=0.0,
                 max_random_illumination=0.0, **kwargs):
        names = {field.name for field in dataclasses.fields(Augmentation)}
        self._augmentation = Augmentation(**{name: kwargs.pop(name) for name in names & kwargs.keys()})
        self.label_width = label_width
        self._mean, self._std = np.float32([mean_r, mean_g, mean_b]), np.float32([std_r, std_g, std_b])
        self._scale, self._contrast, self._illumination = scale, max_random_contrast, max_random_illumination
        super().__init__(path_imgrec, data_shape, batch_size, **kwargs)

    def _parameters(self):
        own = ["mean_r", "mean_g", "mean_b", "std_r", "std_g", "std_b", "scale", "max_random_contrast"]
        return [*super()._parameters(), *own, *(field.name for field in dataclasses.fields(Augmentation))]

    def _label_shape(self):
        return (self.batch_size, self.label_width) if self.label_width > 1 else (self.batch_size,)

    def _sample(self, pixels, label, gen, source):
        if label.size != self.label_width:
            raise FileFormatError(f"{type(self).__name__}: {source} has {label.size} labels, expected "
                                  f"label_width={self.label_width}")
        image = self._augmentation.apply(pixels, *self.data_shape[1:], gen)
        return self._normalized(image, gen).transpose(2, 0, 1), label if self.label_width > 1 else label[0]

    def _normalized(self, image, gen):
        channels = image.shape[-1]
        x = (image.astype(np.float32) - self._mean[:channels]) / self._std[:channels]
        if self._contrast or self._illumination:
            x = x * np.float32(gen.uniform(1 - self._contrast, 1 + self._contrast)) \
                + np.float32(gen.uniform(-self._illumination, self._illumination))
        return x * np.float32(self._scale)


class ImageRecordUInt8Iter(ImageRecordIter):
    """ImageRecordIter whose images are uint8, without normalization."""

    dtype = np.uint8

    def _normalized(self, image, gen):
        return image


class ImageRecordInt8Iter(ImageRecordIter):
    """ImageRecordIter whose images are int8, without normalization: 0 ... 127, and 127 for what is above."""

    dtype = np.int8

    def _normalized(self, image, gen):
        return np.minimum(image, 127)


ImageRecordIter_v1, ImageRecordUInt8Iter_v1 = ImageRecordIter, ImageRecordUInt8Iter     # older names


class ImageDetRecordIter(_Records):
    """Batches of images and boxes from a file of records, without augmentation other than mirroring.

    A batch's label is (batch_size, 4 + label width): for each image its channels, height and width, how many numbers
    its label has, and then the label as `ImageDetIter` describes it, filled up with label_pad_value to the longest of
    the file, or to label_pad_width. rand_mirror_prob: probability of mirroring. mean_r, ..., std_r, ..., scale: as for
    ImageRecordIter, with a std of 0 for none. Other augmentation is `mx.image.ImageDetIter`'s.
    """

    def __init__(self, path_imgrec, data_shape, batch_size, label_width=-1, label_pad_width=0, label_pad_value=-1.0,
                 rand_mirror_prob=0.0, inter_method=1, resize_mode="force", mean_r=0.0, mean_g=0.0, mean_b=0.0,
                 std_r=0.0, std_g=0.0, std_b=0.0, scale=1.0, **kwargs):
        if resize_mode != "force":
            raise ArgumentError(f"ImageDetRecordIter: resize_mode must be 'force', found {resize_mode!r}; other ways "
                                "are augmenters of mx.image.ImageDetIter")
        self._pad_width, self._pad_value = label_pad_width, label_pad_value
        self._mirror, self._interpolation = rand_mirror_prob, inter_method
        self._mean, std = np.float32([mean_r, mean_g, mean_b]), np.float32([std_r, std_g, std_b])
        self._std, self._scale = np.where(std == 0, np.float32(1), std), scale
        self.label_width = label_width
        super().__init__(path_imgrec, data_shape, batch_size, **kwargs)

    def _label_shape(self):
        """From the headers of all records, as the longest decides."""
        self._reader.reset()
        longest = 0
        while (record := self._reader.read()) is not None:
            header, _ = recordio.unpack(record)
            longest = max(longest, np.size(header.label if self._labels is None else self._labels[header.id][0]))
        return (self.batch_size, 4 + max(longest, self._pad_width))

    def _sample(self, pixels, label, gen, source):
        width = int(label[1]) if label.size >= 2 else 0
        if label.size < 7 or label[0] < 2 or width < 5 or (label.size - int(label[0])) % width:
            raise FileFormatError(f"ImageDetRecordIter: {source} has a label that is not made of a header and objects: "
                                  f"{label[:8].tolist()}")
        header, boxes = label[:int(label[0])], label[int(label[0]):].reshape(-1, width)
        boxes = boxes[(boxes[:, 3] > boxes[:, 1]) & (boxes[:, 4] > boxes[:, 2])].copy()
        _, rows, columns = self.data_shape
        image = resize(pixels, columns, rows, self._interpolation)
        if gen.random() < self._mirror:
            image = image[:, ::-1]
            boxes[:, [1, 3]] = 1 - boxes[:, [3, 1]]
        numbers = np.concatenate([header, boxes.ravel()])
        out = np.full(self.provide_label[0].shape[1], self._pad_value, np.float32)
        out[:4 + numbers.size] = [*self.data_shape, numbers.size, *numbers]
        image = (image.astype(np.float32) - self._mean[:image.shape[-1]]) / self._std[:image.shape[-1]] * self._scale
        return image.transpose(2, 0, 1), out
