"""`sym.zeros`, `sym.arange`, ...: graphs that make arrays without inputs, and functions made of several operators."""

from ..base import ArgumentError, integer_types
from ..dtypes import as_dtype
from ..ops import REGISTRY
from .register import make_function
from .symbol import Symbol

__all__ = ["arange", "eye", "full", "histogram", "linspace", "ones", "split_v2", "zeros"]


def zeros(shape, dtype=None, **kwargs):
    """Zeros. shape: an integer or a tuple; 0 is a dimension that inference fills in."""
    return _source("_zeros", shape=shape, dtype=dtype, **kwargs)


def ones(shape, dtype=None, **kwargs):
    """Ones. shape: an integer or a tuple."""
    return _source("_ones", shape=shape, dtype=dtype, **kwargs)


def full(shape, val, dtype=None, **kwargs):
    """An array filled with one value. shape: an integer or a tuple."""
    return _source("_full", shape=shape, value=val, dtype=dtype, **kwargs)


def arange(start, stop=None, step=1.0, repeat=1, infer_range=False, name=None, dtype=None):
    """Numbers from start up to stop (from 0 to start without it), each `repeat` times."""
    return _source("_arange", start=start, stop=stop, step=step, repeat=repeat, infer_range=infer_range, name=name,
                   dtype=dtype)


def linspace(start, stop, num, endpoint=True, name=None, dtype=None):
    """`num` numbers at equal distances from start to stop, stop included unless endpoint=False."""
    return _source("_linspace", start=start, stop=stop, num=num, endpoint=endpoint, name=name, dtype=dtype)


def eye(N, M=0, k=0, dtype=None, **kwargs):
    """N x M (N x N when M is 0), ones on diagonal number k."""
    return _source("_eye", N=N, M=M, k=k, dtype=dtype, **kwargs)


def histogram(a, bins=10, range=None):
    """(counts, edges) as one symbol. bins: how many in `range` (low, high), or a symbol of their edges.

    Without edges a range is needed: it cannot be taken from values that are not there yet.
    """
    function = make_function(REGISTRY["_histogram"])
    if isinstance(bins, Symbol):
        return function(a, bins)
    if range is None:
        raise ArgumentError("histogram of a symbol needs range=(low, high): the least and the greatest element are not "
                            "known while a graph is written")
    return function(a, bin_cnt=bins, range=range)


def split_v2(ary, indices_or_sections, axis=0, squeeze_axis=False):
    """Parts along an axis: this many equal ones, or cut before each of the indices in a tuple."""
    sections = indices_or_sections if isinstance(indices_or_sections, integer_types) else 0
    indices = [] if sections else [0, *indices_or_sections]
    return make_function(REGISTRY["_split_v2"])(ary, indices=indices, axis=axis, squeeze_axis=squeeze_axis,
                                                sections=sections)


def _source(operator, dtype, **kwargs):
    return make_function(REGISTRY[operator])(dtype=as_dtype(dtype).name, **kwargs)
