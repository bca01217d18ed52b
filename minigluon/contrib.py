"""`mx.contrib.nd` and `mx.contrib.sym`: what programs for older versions call `nd.contrib` and `sym.contrib`."""

from .ndarray import contrib as ndarray
from .symbol import contrib as symbol

__all__ = ["nd", "ndarray", "sym", "symbol"]

nd, sym = ndarray, symbol
