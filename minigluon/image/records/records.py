"""The base class of iterators over image records: sample order, threads, and the batches that threads fill."""

from __future__ import annotations

import copy
import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import ArgumentError, FileFormatError, MXNetError
from ...common.types import DType
from ...imaging import codec
from ...io.io import DataBatch, DataDesc, DataIter
from ...io.options import parses_options, refuse_unknown
from ...recordio.images import unpack_from
from ..image import as_image
from ..threads import map_in_order
from .files import RecordFiles
from .image_normalize import mean_image, save_mean_image
from .labels import fitted, labels_in

if TYPE_CHECKING:
    from ...ndarray import NDArray

__all__ = ["ImageRecords"]

DTYPES: dict[str | None, type[Any]] = {None: np.float32, "float32": np.float32, "uint8": np.uint8, "int8": np.int8}
COLORS = {1: 0, 3: 1, 4: -1}           # number of channels -> the flag for codec.decode

# Parameters of MXNet's own implementation, which have no effect here.
WITHOUT_EFFECT = ("verbose", "device_id", "shuffle_chunk_size", "shuffle_chunk_seed", "ctx")
COMMON = ("path_imgrec", "data_shape", "batch_size", "path_imgidx", "path_imglist", "aug_seq", "shuffle", "seed",
          "seed_aug", "num_parts", "part_index", "round_batch", "preprocess_threads", "prefetch_buffer", "data_name",
          "label_name", "label_width", "dtype", *WITHOUT_EFFECT)
AT_ONCE = 8                             # the maximum number of images per work item


@dataclass
class _Batch:
    data: np.ndarray
    label: np.ndarray
    index: np.ndarray


class _Memory:
    """A pool of equally shaped arrays, each of which is reused once nothing except the pool refers to it. Allocating
    memory for the images can take a third as long as decoding them."""

    def __init__(self, shape, dtype):
        self._shape, self._dtype, self._arrays = shape, dtype, []

    def take(self):
        for i in range(len(self._arrays)):
            if _references(self._arrays, i) == IN_A_LIST_ONLY:
                return self._arrays[i]
        self._arrays.append(np.empty(self._shape, self._dtype))
        return self._arrays[-1]


def _references(arrays, i):
    return sys.getrefcount(arrays[i])


IN_A_LIST_ONLY = _references([np.empty(0)], 0)      # measured here, because it depends on the Python version


class ImageRecords(DataIter):
    """Iterator over the samples of a record file, which threads write to batches with `_write`.

    round_batch: an incomplete last batch is filled with samples from the beginning, which the next pass skips;
    otherwise, with zeros. In both cases `batch.pad` is the number of added samples.

    A subclass defines OWN (its parameters' names, for messages), `_label_shape`, and `_write(pixels (H, W, C) uint8,
    label, generator, source, image (C, H, W) to write, label to write)`.
    """

    round_batch: bool
    shuffle: bool
    label_width: int

    OWN, AUGMENTER = (), "aug_default"

    @parses_options
    def __init__(self, path_imgrec: str, data_shape: Sequence[int], batch_size: int, normalization: Any, mean_img: Any,
                 *, path_imglist: str = "", path_imgidx: str = "", aug_seq: Any = None, shuffle: bool = False,
                 seed: int = 0, seed_aug: int | None = None, num_parts: int = 1, part_index: int = 0,
                 round_batch: bool = True, preprocess_threads: int = 4, prefetch_buffer: int = 4,
                 data_name: str = "data",
                 label_name: str = "softmax_label", dtype: DType | None = None, **kwargs: Any) -> None:
        super().__init__(batch_size)
        dtype = None if isinstance(dtype, str) and dtype == "None" else dtype
        self._check(data_shape, batch_size, num_parts, part_index, aug_seq, dtype, kwargs)
        self.data_shape: tuple[int, ...] = tuple(data_shape)
        self.dtype = DTYPES[dtype]
        self.shuffle, self.round_batch = shuffle, round_batch
        self._seed, self._seed_aug = seed, seed if seed_aug is None else seed_aug
        self._threads = max(preprocess_threads, 1)
        self._at_once = max(1, min(AT_ONCE, batch_size // self._threads))
        self._ahead = max(prefetch_buffer, 1) * math.ceil(batch_size / self._at_once)
        self._labels = labels_in(path_imglist, self.label_width) if path_imglist else None
        self._reader = RecordFiles(path_imgrec)
        self._places = self._chosen(path_imgidx, num_parts, part_index)
        if not self._places:
            raise ArgumentError(f"{type(self).__name__}: part {part_index} of {num_parts} of {path_imgrec} has no "
                                "records")
        self.provide_data: list[Any] = [DataDesc(data_name, (batch_size, *self.data_shape), self.dtype)]
        self.provide_label: list[Any] = [DataDesc(label_name, self._label_shape())]
        self._memory = _Memory(self.provide_data[0].shape, self.dtype)
        self._epoch, self._overflow, self._stream, self._batch = -1, 0, None, None
        self._normalization = normalization
        self._normalization = self._with_mean_image(mean_img, normalization)
        self.reset()

    def _check(self, data_shape, batch_size, num_parts, part_index, aug_seq, dtype, others):
        who = type(self).__name__
        if len(data_shape) != 3 or data_shape[0] not in COLORS:
            raise ArgumentError(f"{who}: data_shape must be (1, 3 or 4, height, width), found {tuple(data_shape)}")
        if batch_size < 1 or not 0 <= part_index < num_parts:
            raise ArgumentError(f"{who}: batch_size must be positive and part_index in 0 ... num_parts - 1, found "
                                f"batch_size={batch_size}, part_index={part_index}, num_parts={num_parts}")
        if aug_seq is not None and str(aug_seq) != self.AUGMENTER:
            raise ArgumentError(f"{who}: aug_seq must be {self.AUGMENTER!r}, found {aug_seq!r}; mx.image.ImageIter and "
                                "ImageDetIter accept your own augmenters")
        if not isinstance(dtype, (str, type(None))) or dtype not in DTYPES:
            raise ArgumentError(f"{who}: dtype must be None, 'float32', 'uint8' or 'int8', found {dtype!r}")
        refuse_unknown(who, others, [*COMMON, *self.OWN])

    def _with_mean_image(self, path, normalization):
        """Return the normalization, with the mean image from a file, or computed in a pass if the file is missing."""
        who = type(self).__name__
        if not path or self.dtype == np.uint8:
            return normalization
        mean = mean_image(path, self.data_shape, who)
        if mean is None:
            if self.dtype != np.float32:
                raise ArgumentError(f"{who}: there is no mean_img={path!r}, and dtype='int8' is too narrow to compute "
                                    "it. Compute it with an iterator of dtype float32 first.")
            total = np.zeros(self.data_shape)
            remaining = len(self._places)
            for batch in filter(None, map_in_order(self._read, self._work(self._order(0)), self._threads, self._ahead)):
                total += batch.data[:remaining].sum(0, dtype=np.float64)
                remaining -= self.batch_size
            mean = (total / len(self._places)).astype(np.float32)
            save_mean_image(path, mean)
        return normalization.with_mean(mean)

    def _chosen(self, path_imgidx, num_parts, part_index):
        """Return the file positions of this part's records. Parts have equal length; the last may be shorter."""
        places = self._reader.places(path_imgidx)
        size = -(-len(places) // num_parts)
        return places[part_index * size:(part_index + 1) * size]

    def _order(self, epoch):
        """Yield (pass number, file position) for each record of this part, in order."""
        places = self._places
        if self.shuffle:
            places = [places[i] for i in np.random.default_rng([self._seed % 2 ** 64, epoch]).permutation(len(places))]
        return [(epoch, place) for place in places]

    def reset(self) -> None:
        """Start a new pass, after the samples that completed the last batch of the previous pass."""
        self.close()
        self._epoch += 1
        own = self._order(self._epoch)[self._overflow:]
        fill = -len(own) % self.batch_size if self.round_batch else 0
        following = itertools.cycle(self._order(self._epoch + 1))
        self._pads = [0] * (-(-len(own) // self.batch_size) - 1) + [-len(own) % self.batch_size] if own else []
        self._overflow = fill % len(self._places)
        samples = [*own, *itertools.islice(following, fill)]
        reader = self._without_stream()
        self._stream = map_in_order(reader._read, reader._work(samples), self._threads, self._ahead)

    def _without_stream(self):
        """Return a copy for the threads to use. If they referred to this iterator, which in turn refers to their
        stream, a dropped iterator would keep its threads and its memory until Python collects cycles. """
        reader = copy.copy(self)
        reader._stream = reader._batch = None
        return reader

    def close(self) -> None:
        """Stop the threads."""
        if getattr(self, "_stream", None) is not None:
            self._stream.close()
            self._stream = None

    def _work(self, samples):
        """Yield (batch, first position in it, its samples, whether they complete the batch). A batch's memory is
        allocated only when its first samples are about to be read."""
        for start in range(0, len(samples), self.batch_size):
            part = samples[start:start + self.batch_size]
            batch = _Batch(self._memory.take(), np.zeros(self.provide_label[0].shape, np.float32),
                           np.zeros(self.batch_size, np.uint64))
            batch.data[len(part):] = 0
            for begin in range(0, len(part), self._at_once):
                yield batch, begin, part[begin:begin + self._at_once], begin + self._at_once >= len(part)

    def _read(self, work):
        """Write samples to a batch, in a thread. Returns the batch if it is complete, otherwise None."""
        batch, begin, samples, last = work
        for row, (epoch, place) in enumerate(samples, begin):
            file, byte = self._reader.described(place)
            header, content = unpack_from(self._record(place), f"byte {byte} of {file}")
            source = f"record {header.id} of {file}"
            label = self._label(header, source)
            pixels = codec.decode(content, COLORS[self.data_shape[0]], source=source)
            if pixels.shape[-1] != self.data_shape[0]:
                raise FileFormatError(f"{type(self).__name__}: {source} has {pixels.shape[-1]} channels, expected "
                                      f"{self.data_shape[0]}, as data_shape={self.data_shape}")
            gen = np.random.default_rng([self._seed_aug % 2 ** 64, epoch, place])
            self._write(pixels, np.ravel(np.asarray(label, np.float32)), gen, source, batch.data[row],
                        batch.label[row:row + 1])
            batch.index[row] = header.id
        return batch if last else None

    def _record(self, place):
        record = self._reader.read_at(place)
        if record is None:
            file, byte = self._reader.described(place)
            raise FileFormatError(f"{type(self).__name__}: {file} ends before byte {byte}, where the "
                                  "index has a record. The file is truncated, or the index belongs to another file.")
        return record

    def _label(self, header, source):
        """Return the label of a record: its own, or the one in the list."""
        if self._labels is None:
            return header.label
        if header.id not in self._labels:
            raise FileFormatError(f"{type(self).__name__}: {source} is not in the list of images")
        return fitted(self._labels[header.id], self.label_width, type(self).__name__, source)

    def iter_next(self) -> bool:
        if not self._pads:
            self._batch = None
            return False
        if self._stream is None:
            raise MXNetError(f"{type(self).__name__} is closed. Call reset() to start a new pass.")
        pad = self._pads.pop(0)
        batch = next((item for item in self._stream if item is not None), None)
        if batch is None:
            raise MXNetError(f"{type(self).__name__}: an error has ended this pass. Call reset() to start a new one.")
        self._batch = DataBatch([as_image(batch.data)], [as_image(batch.label)], pad=pad, index=batch.index)
        return True

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return self._batch

    def getdata(self) -> list[NDArray]:
        return self._batch.data

    def getlabel(self) -> list[NDArray]:
        return self._batch.label

    def getpad(self) -> int:
        return self._batch.pad

    def getindex(self) -> Any:
        """Return the ids in the records' headers."""
        return self._batch.index
