"""`sym.zeros`, `sym.arange`, ...: graphs that create arrays without inputs, and compositions of several operators."""

from __future__ import annotations

from typing import Any

from ..base import ArgumentError, integer_types
from ..common.dtypes import as_dtype
from ..common.types import DType, Number, Shape
from ..ops import REGISTRY
from .register import make_function
from .symbol import Symbol

__all__ = ["arange", "eye", "full", "histogram", "linspace", "ones", "split_v2", "zeros"]


def zeros(shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Symbol:
    """Return a symbol for an array of zeros.

    shape: an integer or a tuple; 0 stands for a dimension to be inferred.
    dtype: float32 if None.
    kwargs: `name` and `ctx`, as for all operators.

    >>> print(sym.zeros((1, 2)).eval()[0].asnumpy())
    [[0. 0.]]
    """
    return _source("_zeros", shape=shape, dtype=dtype, **kwargs)


def ones(shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Symbol:
    """Return a symbol for an array of ones.

    shape: an integer or a tuple; 0 stands for a dimension to be inferred.
    dtype: float32 if None.
    kwargs: `name` and `ctx`, as for all operators.

    >>> print((sym.var("x") + sym.ones(2)).eval(x=nd.array([1, 2]))[0].asnumpy())
    [2. 3.]
    """
    return _source("_ones", shape=shape, dtype=dtype, **kwargs)


def full(shape: Shape, val: Number, dtype: DType | None = None, **kwargs: Any) -> Symbol:
    """Return a symbol for an array filled with one value.

    shape: an integer or a tuple.
    val: the value.
    dtype: float32 if None.
    kwargs: `name` and `ctx`, as for all operators.

    >>> print(sym.full((1, 2), 7).eval()[0].asnumpy())
    [[7. 7.]]
    """
    return _source("_full", shape=shape, value=val, dtype=dtype, **kwargs)


def arange(start: Number, stop: Number | None = None, step: Number = 1.0, repeat: int = 1, infer_range: bool = False,
           name: str | None = None, dtype: DType | None = None) -> Symbol:
    """Return a symbol for start, start + step, ... below stop, each repeated `repeat` times. If only one number n is
    given, the range is from 0 to n.

    start: the first value.
    stop: the exclusive upper bound.
    step: the difference between neighboring values.
    repeat: how many times each value is repeated.
    infer_range: if True and stop is None, infer the length from the uses of the array.
    name: the name of the node.
    dtype: float32 if None.

    >>> print(sym.arange(2, 8, 3, repeat=2).eval()[0].asnumpy())
    [2. 2. 5. 5.]
    """
    return _source("_arange", start=start, stop=stop, step=step, repeat=repeat, infer_range=infer_range, name=name,
                   dtype=dtype)


def linspace(start: Number, stop: Number, num: int, endpoint: bool = True, name: str | None = None,
             dtype: DType | None = None) -> Symbol:
    """Return a symbol for evenly spaced values.

    start: the first value.
    stop: the last value if `endpoint`; otherwise the value that would follow.
    num: the number of values.
    endpoint: if True, include `stop`.
    name: the name of the node.
    dtype: float32 if None.

    >>> print(sym.linspace(0, 1, 5).eval()[0].asnumpy())
    [0.   0.25 0.5  0.75 1.  ]
    """
    return _source("_linspace", start=start, stop=stop, num=num, endpoint=endpoint, name=name, dtype=dtype)


def eye(N: int, M: int = 0, k: int = 0, dtype: DType | None = None, **kwargs: Any) -> Symbol:
    """Return a symbol for an array (N, M) with ones on a diagonal and zeros elsewhere.

    N: the number of rows.
    M: the number of columns; 0 for N.
    k: the index of the diagonal; 0 is the main diagonal, positive indices are above it.
    dtype: float32 if None.
    kwargs: `name` and `ctx`, as for all operators.

    >>> print(sym.eye(2, 3, k=1).eval()[0].asnumpy())
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    return _source("_eye", N=N, M=M, k=k, dtype=dtype, **kwargs)


def histogram(a: Symbol, bins: Symbol | int = 10, range: tuple[float, float] | None = None) -> Symbol:
    """Return (counts, edges) as one symbol: the number of elements in each bin.

    a: a symbol.
    bins: the number of bins in `range`, or a symbol with their edges.
    range: (low, high). Required unless edges are given, because the values are not known yet.

    >>> counts, edges = sym.histogram(sym.var("a"), bins=2, range=(0, 4)).eval(a=nd.array([0, 1, 1, 4]))
    >>> print(counts.asnumpy(), edges.asnumpy())
    [3 1] [0. 2. 4.]
    """
    function = make_function(REGISTRY["_histogram"])
    if isinstance(bins, Symbol):
        return function(a, bins)
    if range is None:
        raise ArgumentError("histogram of a symbol needs range=(low, high): the least and the greatest element are not "
                            "known while a graph is written")
    return function(a, bin_cnt=bins, range=range)


def split_v2(ary: Symbol, indices_or_sections: Shape, axis: int = 0, squeeze_axis: bool = False) -> Symbol:
    """Return the parts of an array along an axis as one symbol.

    ary: a symbol.
    indices_or_sections: an integer, the number of equal parts; or a tuple of indices at which to cut.
    axis: the axis to cut.
    squeeze_axis: if True, remove the axis from parts with length 1.

    >>> [part.asnumpy().tolist() for part in sym.split_v2(sym.var("x"), (1, 3)).eval(x=nd.arange(5))]
    [[0.0], [1.0, 2.0], [3.0, 4.0]]
    """
    sections = indices_or_sections if isinstance(indices_or_sections, integer_types) else 0
    indices = [] if sections else [0, *indices_or_sections]
    return make_function(REGISTRY["_split_v2"])(ary, indices=indices, axis=axis, squeeze_axis=squeeze_axis,
                                                sections=sections)


def _source(operator, dtype, **kwargs):
    return make_function(REGISTRY[operator])(dtype=as_dtype(dtype).name, **kwargs)
