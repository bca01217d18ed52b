"""Array functions that are not operators: joining, splitting, moving axes, and counting; and `waitall`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..backend import backend_for
from ..base import ArgumentError, ShapeError, integer_types
from ..common.gpu_queries import device_waiters
from ..common.types import Shape
from ..context import Context
from ..ops import REGISTRY
from .creation import from_host, refusing
from .imperative import invoke
from .ndarray import NDArray

__all__ = ["concatenate", "histogram", "moveaxis", "onehot_encode", "split_v2", "waitall"]


@refusing
def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Returns arrays joined along an axis.

    arrays: a list of arrays with equal lengths along the other axes.
    axis: the axis to join along.
    always_copy: whether to copy the array even if there is only one.

    >>> print(nd.concatenate([nd.array([[1, 2]]), nd.array([[3, 4]])]).asnumpy())
    [[1. 2.]
     [3. 4.]]
    """
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    return invoke(REGISTRY["Concat"](num_args=len(arrays), dim=axis), list(arrays))


@refusing
def moveaxis(tensor: NDArray, source: Shape, destination: Shape) -> NDArray:
    """Returns an array with some axes moved to other positions; the other axes keep their order.

    tensor: the array.
    source: an axis, or a tuple of axes.
    destination: their positions in the result.

    >>> nd.moveaxis(nd.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    source, destination = [(a,) if isinstance(a, integer_types) else tuple(a) for a in (source, destination)]
    if len(source) != len(destination):
        raise ArgumentError(f"moveaxis: {len(source)} axes to move, but {len(destination)} positions")
    ndim = tensor.ndim
    for axis in (*source, *destination):
        if not -ndim <= axis < ndim:
            raise ShapeError(f"moveaxis: axis {axis} is out of range for {ndim} dimensions")
    source, destination = [[axis % ndim for axis in axes] for axes in (source, destination)]
    if len({*source}) < len(source) or len({*destination}) < len(destination):
        raise ArgumentError("moveaxis: an axis is named twice")
    order = [axis for axis in range(ndim) if axis not in source]
    for position, axis in sorted(zip(destination, source, strict=True)):
        order.insert(position, axis)
    return tensor.transpose(order)


@refusing
def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Writes the one-hot rows of `indices` (n,) to `out` (n, classes). `nd.one_hot` is the newer form.

    >>> print(nd.onehot_encode(nd.array([2, 0]), out=nd.zeros((2, 3))).asnumpy())
    [[0. 0. 1.]
     [1. 0. 0.]]
    """
    out[:] = invoke(REGISTRY["one_hot"](depth=out.shape[1]), [indices])
    return out


@refusing
def split_v2(ary: NDArray, indices_or_sections: Shape, axis: int = 0, squeeze_axis: bool = False) -> list[NDArray]:
    """Returns a list of parts along an axis.

    ary: the array.
    indices_or_sections: an integer, the number of equal parts; or a tuple of indices at which to cut.
    axis: the axis to cut.
    squeeze_axis: whether to remove the axis from parts whose length is 1.

    Raises ShapeError if the parts would not be equal.

    >>> [part.asnumpy().tolist() for part in nd.split_v2(nd.arange(5), (1, 3))]
    [[0.0], [1.0, 2.0], [3.0, 4.0]]
    """
    length = ary.shape[axis]
    if isinstance(indices_or_sections, integer_types):
        sections = indices_or_sections
        if sections < 1 or length % sections:
            raise ShapeError(f"split_v2: axis {axis} of length {length} cannot be split into {sections} equal parts")
        begins = [length // sections * i for i in range(sections)]
    else:
        begins = [0, *indices_or_sections]
    parts = invoke(REGISTRY["_split_v2"](indices=begins, axis=axis, squeeze_axis=squeeze_axis), [ary])
    return parts if isinstance(parts, list) else [parts]


@refusing
def histogram(a: NDArray, bins: NDArray | int = 10, range: tuple[float, float] | None = None) -> list[NDArray]:
    """Returns [counts, edges]: the number of elements in each bin.

    a: the array.
    bins: the number of bins, or their edges as an array.
    range: (low, high), by default the minimum and the maximum.

    >>> counts, edges = nd.histogram(nd.array([0, 1, 1, 4]), bins=2, range=(0, 4))
    >>> print(counts.asnumpy(), edges.asnumpy())
    [3 1] [0. 2. 4.]
    """
    if isinstance(bins, NDArray):
        return list(invoke(REGISTRY["_histogram"](), [a, bins]))
    if range is not None:
        return list(invoke(REGISTRY["_histogram"](bin_cnt=bins, range=range), [a]))
    # MXNet returns integer counts only if the edges are given; otherwise it returns float32 for any type of `a`.
    return [from_host(part.astype("float32"), a.context) for part in np.histogram(a.asnumpy(), bins)]


def waitall() -> None:
    """Waits until all devices have finished their work.

    >>> nd.waitall()
    """
    for ctx in list(Context._interned.values()):
        if ctx.kernels:
            backend_for(ctx).synchronize(ctx)
    for wait in device_waiters:
        wait()
