"""`mx.io`: data iterators, which `Module` reads its batches from. (`gluon.data` has what Gluon programs use.)"""

from . import io
from .arrays import NDArrayIter
from .image_det_record import ImageDetRecordIter
from .image_record import (
    ImageRecordInt8Iter,
    ImageRecordIter,
    ImageRecordIter_v1,
    ImageRecordUInt8Iter,
    ImageRecordUInt8Iter_v1,
)
from .io import DataBatch, DataDesc, DataIter, ResizeIter
from .mnist import MNISTIter
from .native import MXDataIter
from .prefetching import PrefetchingIter
from .text import CSVIter, LibSVMIter

__all__ = ["CSVIter", "DataBatch", "DataDesc", "DataIter", "ImageDetRecordIter", "ImageRecordInt8Iter",
           "ImageRecordIter", "ImageRecordIter_v1", "ImageRecordUInt8Iter", "ImageRecordUInt8Iter_v1", "LibSVMIter",
           "MNISTIter", "MXDataIter", "NDArrayIter", "PrefetchingIter", "ResizeIter", "io"]
