"""`mx.io`: data iterators, which `Module` reads its batches from. (`gluon.data` has what Gluon programs use.)"""

from . import io
from .arrays import NDArrayIter
from .io import DataBatch, DataDesc, DataIter, ResizeIter
from .mnist import MNISTIter
from .native import MXDataIter
from .prefetching import PrefetchingIter
from .text import CSVIter, LibSVMIter
