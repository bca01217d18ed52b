"""`mx.io`: data iterators, which `Module` reads its batches from. (`gluon.data` has what Gluon programs use.)"""

from . import io
from .arrays import NDArrayIter
from .io import DataBatch, DataDesc, DataIter, ResizeIter
from .prefetching import PrefetchingIter
