"""`mx.io`: data iterators, from which `Module` reads its batches. (Gluon programs use `gluon.data`.)"""

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

if TYPE_CHECKING:               # names for editors and type checkers
    from ..image.records import (
        ImageDetRecordIter,
        ImageRecordInt8Iter,
        ImageRecordIter,
        ImageRecordIter_v1,
        ImageRecordUInt8Iter,
        ImageRecordUInt8Iter_v1,
    )


def __getattr__(name):
    """Return an iterator over image records, imported on demand because it depends on a higher layer, image reading."""
    if name not in _IMAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    value = globals()[name] = getattr(ask("image.records"), name)
    return value


def __dir__():
    return sorted({*globals(), *_IMAGES})
