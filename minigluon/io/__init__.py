"""`mx.io`: data iterators, which `Module` reads its batches from. (`gluon.data` has what Gluon programs use.)"""

from typing import TYPE_CHECKING

from ..providers import ask
from . import io
from .arrays import NDArrayIter
from .io import DataBatch, DataDesc, DataIter, ResizeIter
from .mnist import MNISTIter
from .native import MXDataIter
from .prefetching import PrefetchingIter
from .text import CSVIter, LibSVMIter

__all__ = ["CSVIter", "DataBatch", "DataDesc", "DataIter", "ImageDetRecordIter", "ImageRecordInt8Iter",
           "ImageRecordIter", "ImageRecordIter_v1", "ImageRecordUInt8Iter", "ImageRecordUInt8Iter_v1", "LibSVMIter",
           "MNISTIter", "MXDataIter", "NDArrayIter", "PrefetchingIter", "ResizeIter", "io"]

_IMAGES = ("ImageDetRecordIter", "ImageRecordInt8Iter", "ImageRecordIter", "ImageRecordIter_v1", "ImageRecordUInt8Iter",
           "ImageRecordUInt8Iter_v1")

if TYPE_CHECKING:               # what editors and type checkers see of them
    from ..image.records import (
        ImageDetRecordIter,
        ImageRecordInt8Iter,
        ImageRecordIter,
        ImageRecordIter_v1,
        ImageRecordUInt8Iter,
        ImageRecordUInt8Iter_v1,
    )


def __getattr__(name):
    """The iterators over records of images, which need what reads images; that stands above."""
    if name not in _IMAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    value = globals()[name] = getattr(ask("image.records"), name)
    return value


def __dir__():
    return sorted({*globals(), *_IMAGES})
