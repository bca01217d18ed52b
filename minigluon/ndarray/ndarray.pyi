"""Written by minigluon.tools.stubs. Do not edit."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NoReturn, TypeVar, overload

import numpy as np

from ..context import Context
from ..ops.op import Op
from ..common.types import DType, Number, Shape
from ..base import MXNetError
from ..frontend.binding import Arithmetic

class NDArray:
    buffer: Any
    device: Context
    entry: Any
    output_index: Any
    _base: NDArray | None
    _writes: Any
    _sharers: Any
    _is_detached: Any
    _is_lent: Any
    def __init__(self, data: Any, ctx: Context) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def context(self) -> Context: ...
    ctx = context
    @property
    def stype(self) -> str: ...
    @property
    def _version(self) -> int: ...
    def _view(self, data: Any) -> NDArray: ...
    def _twin(self) -> NDArray: ...
    def _root(self) -> NDArray: ...
    def _overwrite(self, data: Any) -> None: ...
    def _count_write(self) -> None: ...
    def backward(self, out_grad: NDArray | None=None, retain_graph: bool=False, train_mode: bool=True) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def astype(self, dtype: DType, copy: bool=True) -> NDArray:
        """Return the elements converted to `dtype`, or the array itself if copy=False and no conversion is needed.

        >>> nd.array([1.5, -1.5]).astype("int32").asnumpy()
        array([ 1, -1], dtype=int32)
        """
    def copy(self) -> NDArray:
        """Return a copy on the same device.

        >>> x = nd.zeros(1)
        >>> y = x.copy()
        >>> y[:] = 5
        >>> print(x.asnumpy(), y.asnumpy())
        [0.] [5.]
        """
    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy to another NDArray (any dtype and device, the same shape), or to a Context as a new array.

        Returns the target array. Raises ShapeError for a different shape.

        >>> x = nd.zeros(2, dtype="int32")
        >>> print(nd.array([1, 2]).copyto(x).asnumpy(), nd.array([1, 2]).copyto(mx.cpu(1)).context)
        [1 2] cpu(1)
        """
    def as_in_context(self, context: Context) -> NDArray:
        """Return the array itself if it is on the device `context`, otherwise a copy on that device; short: `as_in_ctx`.

        >>> x = nd.zeros(2)
        >>> x.as_in_context(mx.cpu(0)) is x, x.as_in_context(mx.cpu(1)).context
        (True, cpu(1))
        """
    def _to_context(self, ctx: Any) -> NDArray: ...
    def tostype(self, stype: str) -> NDArray:
        """Return the elements in another storage type: an `nd.sparse` array for the stypes 'row_sparse' and 'csr'.

        >>> print(nd.array([[0, 0], [0, 7]]).tostype("row_sparse").indices.asnumpy())
        [1]
        """
    as_in_ctx = as_in_context
    def asnumpy(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Returns a new numpy.ndarray with the same elements.

        >>> nd.array([1, 2]).asnumpy()
        array([1., 2.], dtype=float32)
        """
    def asscalar(self) -> Any:
        """Returns the only element as a NumPy number. Raises ArgumentError unless there is exactly one element.

        >>> print(nd.array([[5]]).asscalar())
        5.0
        """
    def item(self) -> Any:
        """Returns the only element as a Python number.

        >>> nd.array([[5]]).item()
        5.0
        """
    def as_nd_ndarray(self) -> NDArray:
        """Returns the array itself, because there is only one type of array.

        >>> x = nd.zeros(2)
        >>> x.as_nd_ndarray() is x
        True
        """
    def as_np_ndarray(self) -> Any:
        """Returns an `mx.np` array on the same memory, with the same position on the tape.

        >>> x = nd.zeros(2)
        >>> x.as_np_ndarray()[0] = 5
        >>> print(x.asnumpy())
        [5. 0.]
        """
    def wait_to_read(self) -> None:
        """Waits until the elements are computed. `wait_to_write` does the same thing.

        >>> x = nd.zeros(2) + 1
        >>> x.wait_to_read()
        """
    @property
    def writable(self) -> bool:
        """Always returns True. Only `backward` raises an error if an array that it needs has changed.

        >>> nd.zeros(2).writable
        True
        """
    def __dlpack__(self, *, stream: Any=None, max_version: Any=None, dl_device: Any=None, copy: Any=None) -> Any:
        """Returns the array's memory as a DLPack capsule, for `from_dlpack` in other libraries."""
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def to_dlpack_for_read(self) -> Any:
        """Returns a DLPack capsule for reading the array's memory.

        >>> print(nd.from_dlpack(nd.array([1, 2]).to_dlpack_for_read()).asnumpy())
        [1. 2.]
        """
    def to_dlpack_for_write(self) -> Any:
        """Returns a DLPack capsule for writing to the array's memory. The tape counts this call as a write.

        >>> x = nd.zeros(2)
        >>> nd.from_dlpack(x.to_dlpack_for_write())[:] = 5
        >>> print(x.asnumpy())
        [5. 5.]
        """
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __repr__(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> NDArray: ...
    def __deepcopy__(self, memo: Any) -> NDArray: ...
    wait_to_write = wait_to_read
    def __iadd__(self, other: NDArray | Number) -> NDArray: ...
    def __isub__(self, other: NDArray | Number) -> NDArray: ...
    def __imul__(self, other: NDArray | Number) -> NDArray: ...
    def __itruediv__(self, other: NDArray | Number) -> NDArray: ...
    def __imod__(self, other: NDArray | Number) -> NDArray: ...
    def _apply(self, row: Arithmetic, other: Any, out: Any=None) -> Any:
        """Compute self ∘ other for `Operators`."""
    def _apply_left(self, row: Arithmetic, other: Any) -> Any: ...
    def _product(self, other: NDArray) -> NDArray: ...
    def __neg__(self) -> NDArray: ...
    def __abs__(self) -> NDArray: ...
    def _prepare_to_replace(self) -> None:
        """Start keeping track of views, for `replace_memory`.

        >>> nd.zeros(2)._prepare_to_replace()
        """
    def _replace_memory(self, buffer: Any) -> Any:
        """Switch to other memory with the same shape and dtype. Call `prepare_to_replace` before creating the first view.

        Operators in other threads read either the old elements or the new elements. Views are also switched.

        >>> x = nd.zeros(2)
        >>> x._prepare_to_replace()
        >>> part = x[1:]
        >>> x._replace_memory(nd.array([3, 4]).buffer)
        >>> print(part.asnumpy())
        [4.]
        """
    def _fixed(self, buffer: Any) -> Any:
        """Return the array on its earlier memory, with its position on the tape, which does not change.

        >>> x = nd.array([1])
        >>> print(x._fixed(x.buffer).asnumpy())
        [1.]
        """
    @property
    def size(self) -> int:
        """The number of elements.

        >>> nd.zeros((2, 3)).size
        6
        """
    @property
    def ndim(self) -> int:
        """The number of axes.

        >>> nd.zeros((2, 3)).ndim
        2
        """
    def reshape(self, *shape: Shape, **kwargs: Any) -> NDArray:
        """Returns a view in another shape. Writing to it writes to this array. It is recorded as the operator `reshape`.

        shape: integers or a tuple, with the codes 0, -1, -2, -3, -4 of `nd.reshape`.
        kwargs: `shape` by name; reverse=True reads the codes from the right.

        Raises ShapeError.

        >>> x = nd.zeros((2, 3))
        >>> x.reshape((3, -1)).shape, x.reshape(-1).shape
        ((3, 2), (6,))
        """
    def _reshaped(self, op: Any) -> Any: ...
    def expand_dims(self, axis: int, inplace: bool=False) -> NDArray:
        """Returns a copy with an axis of length 1 before `axis`.

        inplace: whether to return a view.

        >>> nd.zeros((2, 3)).expand_dims(axis=1).shape
        (2, 1, 3)
        """
    def squeeze(self, axis: Shape | None=None, inplace: bool=False) -> NDArray:
        """Returns a copy without the axes of length 1, or without those in `axis`.

        inplace: whether to return a view.

        >>> nd.zeros((1, 2, 1)).squeeze().shape, nd.zeros((1, 2, 1)).squeeze(axis=0).shape
        ((2,), (2, 1))
        """
    def flatten(self, inplace: bool=False) -> NDArray:
        """Returns a copy of shape (N, product of the other axes).

        inplace: whether to return a view.

        >>> nd.zeros((2, 3, 4)).flatten().shape
        (2, 12)
        """
    def transpose(self, *axes: Shape, **kwargs: Any) -> NDArray:
        """Returns a copy with the axes in the given order (integers or a tuple), reversed by default. kwargs: `axes`.

        >>> x = nd.zeros((2, 3, 4))
        >>> x.transpose().shape, x.transpose(1, 0, 2).shape
        ((4, 3, 2), (3, 2, 4))
        """
    @property
    def T(self) -> NDArray:
        """The array with its axes reversed.

        >>> print(nd.array([[1, 2, 3]]).T.shape)
        (3, 1)
        """
    def broadcast_to(self, shape: Shape) -> NDArray:
        """Returns a copy with shape `shape`, in which axes of length 1 are repeated and new axes are added in front.

        >>> print(nd.array([1, 2]).broadcast_to((2, 2)).asnumpy())
        [[1. 2.]
         [1. 2.]]
        """
    @property
    def grad(self) -> NDArray:
        """The gradient stored by the last `backward`, or None without `attach_grad`.

        >>> x = nd.array([3])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * x
        >>> y.backward()
        >>> print(x.grad.asnumpy())
        [6.]
        """
    def attach_grad(self, grad_req: str='write', stype: str | None=None) -> None:
        """Makes this array a variable: `backward` will store its gradient in `.grad`.

        grad_req: 'write' replaces the gradient, 'add' adds to it, 'null' ignores it.
        stype: the storage type of the gradient; dense if None. 'row_sparse' stores only the rows that have a gradient.

        >>> x = nd.array([3])
        >>> x.attach_grad()
        >>> print(x.grad.asnumpy())
        [0.]
        """
    def detach(self) -> NDArray:
        """Returns an array on the same memory, detached from the tape: no gradient passes through it.

        >>> x = nd.array([3])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x.detach() * x
        >>> y.backward()
        >>> print(x.grad.asnumpy())
        [3.]
        """
    def _forbid_write_on_tape(self) -> None:
        """Raises MXNetError if the array is part of a graph that is being recorded."""
    def __add__(self, other: NDArray | Number) -> NDArray: ...
    def __radd__(self, other: NDArray | Number) -> NDArray: ...
    def __sub__(self, other: NDArray | Number) -> NDArray: ...
    def __rsub__(self, other: NDArray | Number) -> NDArray: ...
    def __mul__(self, other: NDArray | Number) -> NDArray: ...
    def __rmul__(self, other: NDArray | Number) -> NDArray: ...
    def __truediv__(self, other: NDArray | Number) -> NDArray: ...
    def __rtruediv__(self, other: NDArray | Number) -> NDArray: ...
    def __mod__(self, other: NDArray | Number) -> NDArray: ...
    def __rmod__(self, other: NDArray | Number) -> NDArray: ...
    def __pow__(self, other: NDArray | Number) -> NDArray: ...
    def __rpow__(self, other: NDArray | Number) -> NDArray: ...
    def __eq__(self, other: Any) -> NDArray: ...  # type: ignore[override]    # of objects, a bool
    def __ne__(self, other: Any) -> NDArray: ...  # type: ignore[override]    # of objects, a bool
    def __gt__(self, other: NDArray | Number) -> NDArray: ...
    def __ge__(self, other: NDArray | Number) -> NDArray: ...
    def __lt__(self, other: NDArray | Number) -> NDArray: ...
    def __le__(self, other: NDArray | Number) -> NDArray: ...
    def __matmul__(self, other: NDArray | Number) -> NDArray: ...
    def __hash__(self) -> int: ...
    def __array__(self, dtype: Any=None, copy: bool | None=None) -> np.ndarray[Any, np.dtype[Any]]: ...
    def __getitem__(self, key: Any) -> NDArray: ...
    def __iter__(self) -> Iterator[NDArray]: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def abs(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """|x|

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.abs(nd.array([-1, 0, 2])).asnumpy()
        array([1., 0., 2.], dtype=float32)
        """

    def all(self, axis: Shape | None=None, out: NDArray | None=None, keepdims: bool=False) -> NDArray: ...
    def any(self, axis: Shape | None=None, out: NDArray | None=None, keepdims: bool=False) -> NDArray: ...
    def arccos(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """inverse cosine, in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.arccos(nd.array([1, 0])).asnumpy().round(2)
        array([0.  , 1.57], dtype=float32)
        """

    def arccosh(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """inverse hyperbolic cosine

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.arccosh(nd.array([1, 2])).asnumpy().round(2)
        array([0.  , 1.32], dtype=float32)
        """

    def arcsin(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """inverse sine, in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.arcsin(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.57], dtype=float32)
        """

    def arcsinh(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """inverse hyperbolic sine

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.arcsinh(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.88], dtype=float32)
        """

    def arctan(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """inverse tangent, in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.arctan(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.79], dtype=float32)
        """

    def arctanh(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """inverse hyperbolic tangent

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.arctanh(nd.array([0, 0.5])).asnumpy().round(2)
        array([0.  , 0.55], dtype=float32)
        """

    def argmax(self, axis: int | None = None, keepdims: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The position of the largest element along an axis, in the dtype of data.

        data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

        In a tie, the first position is returned, and NaN counts as the largest. There is no gradient.

        axis: the axis to search; None for the flattened array, with a result of shape (1,).
        keepdims: if True, leave the axis in the result, with length 1.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        Raises DTypeError if the positions do not fit in the dtype.

        >>> nd.argmax(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
        array([1., 0.], dtype=float32)
        """

    def argmax_channel(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """argmax along axis 1, in the dtype of data.

        data (N, C, *rest) | out (N, *rest)

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.argmax_channel(nd.array([[1, 3, 2], [6, 4, 5]])).asnumpy()
        array([1., 0.], dtype=float32)
        """

    def argmin(self, axis: int | None = None, keepdims: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The position of the smallest element along an axis, in the dtype of data.

        data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

        In a tie, the first position is returned, and NaN counts as the smallest. There is no gradient.

        axis: the axis to search; None for the flattened array, with a result of shape (1,).
        keepdims: if True, leave the axis in the result, with length 1.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        Raises DTypeError if the positions do not fit in the dtype.

        >>> nd.argmin(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
        array([0., 1.], dtype=float32)
        """

    def argsort(self, axis: int | None = -1, is_ascend: bool = True, dtype: DType = 'float32', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Positions along an axis in the order of their elements. No gradient.

        data (any shape) | out like data, or with axis=None (elements of data,), of type `dtype`

        axis: the axis to sort along; None flattens first.
        is_ascend: True for the smallest first, False for the largest.
        dtype: the element type of the positions.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.argsort(nd.array([30, 10, 20])).asnumpy()
        array([1., 2., 0.], dtype=float32)
        """

    def broadcast_axes(self, axis: Shape = (), size: Shape = (), *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """data with the axes in `axis`, which have length 1, stretched to the lengths in `size`.

        data (any shape) | out: data's shape with these lengths

        axis: the axes, each of length 1.
        size: their new lengths.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.broadcast_axis(nd.array([[1], [2]]), axis=1, size=3).asnumpy()
        array([[1., 1., 1.],
               [2., 2., 2.]], dtype=float32)
        """

    def broadcast_like(self, rhs: NDArray | None = None, *, lhs_axes: Shape | None = None, rhs_axes: Shape | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """lhs with axes of length 1 stretched to the shape of rhs.

        lhs (1 or d, ...) | rhs (d, ...) | out: the shape of lhs with these axes as in rhs

        lhs_axes, rhs_axes: the axes of lhs to stretch, and the axes of rhs with the new lengths; None for all.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.broadcast_like(nd.array([[1], [2]]), nd.zeros((2, 3))).shape
        (2, 3)
        """

    def cbrt(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """∛x

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.cbrt(nd.array([1, 8, -0.125])).asnumpy().round(2)
        array([ 1. ,  2. , -0.5], dtype=float32)
        """

    def ceil(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """the smallest integer not below x

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.ceil(nd.array([1.2, -1.2])).asnumpy()
        array([ 2., -1.], dtype=float32)
        """

    def clip(self, a_min: Number, a_max: Number, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """data limited to [a_min, a_max]; NaN stays NaN. The gradient passes only where data is within the limits,
        including the bounds.

        data (any shape) | out like data

        a_min, a_max: the lowest and the highest value of the result.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.clip(nd.array([-5, 0, 5]), a_min=-1, a_max=2).asnumpy()
        array([-1.,  0.,  2.], dtype=float32)
        """

    def cos(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """cosine, x in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.cos(nd.array([0, np.pi / 3])).asnumpy().round(2)
        array([1. , 0.5], dtype=float32)
        """

    def cosh(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """hyperbolic cosine

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.cosh(nd.array([0, 1])).asnumpy().round(2)
        array([1.  , 1.54], dtype=float32)
        """

    def degrees(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """radians to degrees

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.degrees(nd.array([1, np.pi])).asnumpy().round(2)
        array([ 57.3, 180. ], dtype=float32)
        """

    def depth_to_space(self, block_size: int, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Channels spread over the plane in blocks of b · b, with b = block_size.

        data (N, b² · C, H, W) | out (N, C, b · H, b · W)

        block_size: b, the height and width of a block.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.depth_to_space(nd.array([1, 2, 3, 4]).reshape((1, 4, 1, 1)), block_size=2).asnumpy()
        array([[[[1., 2.],
                 [3., 4.]]]], dtype=float32)
        """

    def diag(self, k: int = 0, axis1: int = 0, axis2: int = 1, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The k-th diagonal of a matrix or of the planes spanned by axis1 and axis2; for a vector, the matrix with this
        diagonal.

        data (n,) | out (n + |k|, n + |k|), otherwise data (..., rows, columns) | out (..., length of the diagonal)

        axis1, axis2: the axes for rows and columns, if data has more than two axes.
        k: 0 is the main diagonal, 1 the one above it, -1 the one below.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.diag(nd.array([[1, 2], [3, 4]])).asnumpy()
        array([1., 4.], dtype=float32)
        >>> nd.diag(nd.array([5]), k=1).asnumpy()
        array([[0., 5.],
               [0., 0.]], dtype=float32)
        """

    def exp(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """eˣ

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.exp(nd.array([0, 1])).asnumpy().round(2)
        array([1.  , 2.72], dtype=float32)
        """

    def expm1(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """eˣ - 1, accurate near 0

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.expm1(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.72], dtype=float32)
        """

    def fix(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """the nearest integer towards 0

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.fix(nd.array([1.8, -1.8])).asnumpy()
        array([ 1., -1.], dtype=float32)
        """

    def flip(self, axis: Shape, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The elements in reverse order along each axis in `axis`.

        data (any shape) | out like data

        axis: one axis or several; negative numbers count from the end.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.flip(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy()
        array([[3., 2., 1.],
               [6., 5., 4.]], dtype=float32)
        """

    def floor(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """the largest integer not above x

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.floor(nd.array([1.2, -1.2])).asnumpy()
        array([ 1., -2.], dtype=float32)
        """

    def log(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """natural logarithm

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.log(nd.array([1, 10])).asnumpy().round(2)
        array([0. , 2.3], dtype=float32)
        """

    def log10(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """logarithm to base 10

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.log10(nd.array([1, 20, 1000])).asnumpy().round(2)
        array([0. , 1.3, 3. ], dtype=float32)
        """

    def log1p(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """log(1 + x), accurate near 0

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.log1p(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.69], dtype=float32)
        """

    def log2(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """logarithm to base 2

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.log2(nd.array([1, 8, 10])).asnumpy().round(2)
        array([0.  , 3.  , 3.32], dtype=float32)
        """

    def log_softmax(self, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The logarithm of `softmax`, accurate where softmax is close to 0.

        data (any shape) | out like data. Only `softmax` takes a length.

        axis: the axis along which the probabilities sum to 1.
        temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
        dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
        use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> print(nd.log_softmax(nd.array([[0, 1000]])).asnumpy())
        [[-1000.     0.]]
        """

    def max(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Largest element over axes. The gradient goes to every element that equals it.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.max(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
        array([2., 4.], dtype=float32)
        """

    def mean(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Mean over axes.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.mean(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy().round(2)
        array([1.5, 3.5], dtype=float32)
        """

    def min(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Smallest element over axes. The gradient goes to every element that equals it.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.min(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
        array([1., 3.], dtype=float32)
        """

    def nanprod(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Product over axes, NaN taken as 1.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.nanprod(nd.array([[1, 2], [3, np.nan]]), axis=1).asnumpy()
        array([2., 3.], dtype=float32)
        """

    def nansum(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Sum over axes, NaN taken as 0.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.nansum(nd.array([[1, 2], [3, np.nan]]), axis=1).asnumpy()
        array([3., 3.], dtype=float32)
        """

    def norm(self, ord: int = 2, axis: Shape | None = None, out_dtype: DType | None = None, keepdims: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """√(Σ data²) for ord=2, Σ |data| for ord=1. The gradient at a norm of 0 is 0.

        data (any shape) | out: data's shape without the reduced axes, (1,) if none is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        ord: 1 or 2, the norm to compute.
        out_dtype: the type of the result; None for the type of data.
        keepdims: True leaves the reduced axes in the result, with length 1.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.norm(nd.array([[3, 4], [6, 8]]), axis=1).asnumpy()
        array([ 5., 10.], dtype=float32)
        """

    def one_hot(self, depth: int, on_value: Number = 1.0, off_value: Number = 0.0, dtype: DType = 'float32', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """A new last axis of length `depth` that is on_value at the index and off_value elsewhere. No gradient.

        indices (any shape) | out (*indices' shape, depth); for an index out of range, off_value everywhere

        depth: the number of classes.
        on_value, off_value: the value at the index, and everywhere else.
        dtype: the element type of the result.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.one_hot(nd.array([1, 0]), depth=3).asnumpy()
        array([[0., 1., 0.],
               [1., 0., 0.]], dtype=float32)
        """

    def ones_like(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """ones in the shape and dtype of x

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.ones_like(nd.array([3, 5])).asnumpy()
        array([1., 1.], dtype=float32)
        """

    def pad(self, mode: Literal['constant', 'edge', 'reflect'], pad_width: Shape, constant_value: Number = 0.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Adds elements around the array. Gradients of added constants are dropped; gradients of copies are added to those
        of the originals.

        data (d1 … dN) | out: each axis longer by its two values in pad_width

        mode: 'constant' adds `constant_value`, 'edge' repeats the outermost element, and 'reflect' mirrors the elements
            next to the outermost one.
        pad_width: how many elements to add before and after each axis, as one flat tuple.
        constant_value: the value that 'constant' adds.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.pad(nd.array([[1, 2, 3]]), mode="reflect", pad_width=(0, 0, 1, 2)).asnumpy()
        array([[2., 1., 2., 3., 2., 1.]], dtype=float32)
        """

    def pick(self, index: NDArray | None = None, *, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The element at the given index along axis `axis`, for each position in the other axes.

        data (*lead, n, *rest) | index (*lead, *rest), or with the axis of length 1 | out like index

        keepdims: if True, leave the axis in the result, with length 1.
        axis: the axis of length n.
        mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([0, 1])).asnumpy()
        array([1., 4.], dtype=float32)
        """

    def prod(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Product over axes.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.prod(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
        array([ 2., 12.], dtype=float32)
        """

    def radians(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """degrees to radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.radians(nd.array([0, 180])).asnumpy().round(2)
        array([0.  , 3.14], dtype=float32)
        """

    def rcbrt(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """1 / ∛x

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.rcbrt(nd.array([1, 8, 64])).asnumpy().round(2)
        array([1.  , 0.5 , 0.25], dtype=float32)
        """

    def reciprocal(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """1 / x

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.reciprocal(nd.array([1, 2, 4])).asnumpy().round(2)
        array([1.  , 0.5 , 0.25], dtype=float32)
        """

    def relu(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """max(x, 0); NaN stays NaN

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.relu(nd.array([-1, 0, 2])).asnumpy()
        array([0., 0., 2.], dtype=float32)
        """

    def repeat(self, repeats: int, axis: int | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Each element repeated `repeats` times in a row.

        data (any shape) | out: data's shape with that axis `repeats` times as long; (repeats · elements,) with axis=None

        repeats: how many times each element is repeated.
        axis: the axis to repeat along; None flattens first.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.repeat(nd.array([[1, 2]]), repeats=2, axis=1).asnumpy()
        array([[1., 1., 2., 2.]], dtype=float32)
        """

    def reshape_like(self, rhs: NDArray | None = None, *, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The elements of lhs with the shape of rhs. Optionally only some axes of lhs take the shape of some axes of rhs.

        lhs (any shape) | rhs (any shape; only the shape matters) | out like rhs, in these axes

        lhs_begin, lhs_end: the axes lhs_begin:lhs_end of lhs are replaced; all by default.
        rhs_begin, rhs_end: the axes rhs_begin:rhs_end of rhs replace them; all by default.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.reshape_like(nd.arange(4), nd.zeros((2, 2))).asnumpy()
        array([[0., 1.],
               [2., 3.]], dtype=float32)
        """

    def rint(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """the nearest integer, the lower one at a tie

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.rint(nd.array([1.4, 1.5, 1.6])).asnumpy()
        array([1., 1., 2.], dtype=float32)
        """

    def round(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """the nearest integer, away from 0 at a tie

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.round(nd.array([1.4, 1.5, -1.5])).asnumpy()
        array([ 1.,  2., -2.], dtype=float32)
        """

    def rsqrt(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """1 / √x

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.rsqrt(nd.array([1, 4, 16])).asnumpy().round(2)
        array([1.  , 0.5 , 0.25], dtype=float32)
        """

    def shape_array(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The shape of data as an int64 array.

        data (d1 … dN) | out (N,)

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.shape_array(nd.zeros((2, 3))).asnumpy()
        array([2, 3])
        """

    def sigmoid(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """1 / (1 + e⁻ˣ)

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.sigmoid(nd.array([-2, 0, 2])).asnumpy().round(2)
        array([0.12, 0.5 , 0.88], dtype=float32)
        """

    def sign(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """-1, 0 or 1; 0 for NaN

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.sign(nd.array([-3, 0, 2])).asnumpy()
        array([-1.,  0.,  1.], dtype=float32)
        """

    def sin(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """sine, x in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.sin(nd.array([0, np.pi / 6])).asnumpy().round(2)
        array([0. , 0.5], dtype=float32)
        """

    def sinh(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """hyperbolic sine

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.sinh(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.18], dtype=float32)
        """

    def size_array(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The number of elements of data, as int64.

        data (any shape) | out (1,)

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.size_array(nd.zeros((2, 3))).asnumpy()
        array([6])
        """

    def slice(self, begin: Sequence[int | None], end: Sequence[int | None], step: Sequence[int | None] = (), *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """data[begin[0]:end[0]:step[0], ...], with Python's slicing rules.

        data (any shape) | out: each axis as long as its slice

        begin, end: where the slice of each axis starts and stops; None and negative values as in Python. Axes not listed
        are not sliced.

        step: the step of each axis, 1 by default; negative steps go backward.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.slice(nd.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3)).asnumpy()
        array([[2., 3.],
               [5., 6.]], dtype=float32)
        """

    def slice_assign(self, rhs: NDArray | None = None, *, begin: Sequence[int | None], end: Sequence[int | None], step: Sequence[int | None] = (), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """A copy of lhs with the box [begin:end:step] replaced with rhs. `x[1:3] = y` records this operator.

        begin, end, step: the box, as in `slice`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.zeros((4,)).slice_assign(nd.array([1, 2]), begin=(1,), end=(3,), step=(1,)).asnumpy()
        array([0., 1., 2., 0.], dtype=float32)
        """

    def slice_assign_scalar(self, value: Number, begin: Sequence[int | None], end: Sequence[int | None], step: Sequence[int | None]) -> NDArray: ...
    def slice_axis(self, axis: int, begin: int, end: int | None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The elements begin to end, exclusive, along one axis.

        data (*lead, n, *rest) | out (*lead, end - begin, *rest)

        axis: the axis of length n; negative numbers count from the end.
        begin, end: negative numbers count from the end; end=None means the end.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.slice_axis(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1, begin=1, end=None).asnumpy()
        array([[2., 3.],
               [5., 6.]], dtype=float32)
        """

    def slice_like(self, shape_like: NDArray | None = None, *, axes: Shape = (), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """data cut along some axes to the lengths of shape_like.

        data (any shape) | shape_like (any shape; only the shape matters) | out: data's shape, cut

        axes: the axes to cut; () for all.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.slice_like(nd.array([[1, 2, 3], [4, 5, 6]]), nd.zeros((1, 2))).asnumpy()
        array([[1., 2.]], dtype=float32)
        """

    def softmax(self, length: NDArray | None = None, *, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """exp(data / temperature) divided by its sum along axis.

        data (any shape) | length (data's shape without axis), only with use_length | out like data

        axis: the axis along which the probabilities sum to 1.
        temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
        dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
        use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> print(nd.softmax(nd.log(nd.array([1, 1, 2]))).asnumpy().round(3))
        [0.25 0.25 0.5 ]
        >>> print(nd.softmax(nd.array([[7, 7, 7]]), nd.array([2]), use_length=True).asnumpy())
        [[0.5 0.5 0. ]]
        """

    def softmin(self, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """softmax(-data): the smallest element has the largest value.

        data (any shape) | out like data. Only `softmax` takes a length.

        axis: the axis along which the probabilities sum to 1.
        temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
        dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
        use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> print(nd.softmin(nd.log(nd.array([1, 2, 2]))).asnumpy().round(3))
        [0.5  0.25 0.25]
        """

    def sort(self, axis: int | None = -1, is_ascend: bool = True, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The elements in order along an axis. Equal elements keep their order; NaN is last.

        data (any shape) | out like data, or with axis=None (elements of data,)

        axis: the axis to sort along; None flattens first.
        is_ascend: True for the smallest first, False for the largest.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.sort(nd.array([[3, 1, 2], [6, 5, 4]])).asnumpy()
        array([[1., 2., 3.],
               [4., 5., 6.]], dtype=float32)
        """

    def space_to_depth(self, block_size: int, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Blocks of b · b elements of the plane stacked as channels, with b = block_size.

        data (N, C, b · H, b · W) | out (N, b² · C, H, W)

        block_size: b, the height and width of a block.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.space_to_depth(nd.arange(4).reshape((1, 1, 2, 2)), block_size=2).shape
        (1, 4, 1, 1)
        """

    def split(self, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
        """Splits axis `axis` into `num_outputs` equal parts. A single part is returned as an array, several parts as a
        list.

        data (*lead, n, *rest) | outputs: (*lead, n / num_outputs, *rest) each, or (*lead, *rest) with squeeze_axis

        num_outputs: the number of parts; it must divide n.
        axis: the axis of length n.
        squeeze_axis: if True, remove the axis; the parts must have length 1.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> a, b = nd.split(nd.array([[1, 2, 3, 4]]), num_outputs=2, axis=1)
        >>> a.asnumpy(), b.asnumpy()
        (array([[1., 2.]], dtype=float32), array([[3., 4.]], dtype=float32))
        """

    def split_v2(self, indices_or_sections: Shape, axis: int=0, squeeze_axis: bool=False) -> list[NDArray]: ...
    def sqrt(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """√x

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.sqrt(nd.array([1, 4, 9])).asnumpy()
        array([1., 2., 3.], dtype=float32)
        """

    def square(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """x²

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.square(nd.array([-1, 2, 3])).asnumpy()
        array([1., 4., 9.], dtype=float32)
        """

    def sum(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Sum over axes.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.sum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
        array([3., 7.], dtype=float32)
        """

    def swapaxes(self, dim1: int = 0, dim2: int = 0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Exchanges the axes dim1 and dim2.

        data (any shape) | out: data's shape with the two lengths exchanged

        dim1, dim2: the two axes; negative numbers count from the end.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.swapaxes(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
        (4, 3, 2)
        """

    def take(self, indices: NDArray | None = None, *, axis: int = 0, mode: Literal['clip', 'raise', 'wrap'] = 'clip', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Slices of a at `indices` along axis `axis`.

        a (*lead, n, *rest) | indices (any shape) | out (*lead, *indices' shape, *rest)

        axis: the axis of length n.
        mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n, 'raise'
        raises an error.

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        Raises OutOfRangeError with mode='raise'.

        >>> nd.take(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([2, 0, 2])).asnumpy()
        array([[5., 6.],
               [1., 2.],
               [5., 6.]], dtype=float32)
        """

    def tan(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """tangent, x in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.tan(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.56], dtype=float32)
        """

    def tanh(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """hyperbolic tangent

        data (any shape), x is each of its elements | out like data; integers are truncated

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.tanh(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.76], dtype=float32)
        """

    def tile(self, reps: Shape, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The array repeated reps[i] times along axis i. The shorter of shape and reps is padded with ones at the front.

        data (d1 … dN) | out (d1 · reps[0] … dN · reps[N-1])

        reps: the number of repetitions along each axis.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.tile(nd.array([[1, 2]]), reps=(2, 2)).asnumpy()
        array([[1., 2., 1., 2.],
               [1., 2., 1., 2.]], dtype=float32)
        """

    @overload
    def topk(self, axis: int | None = -1, k: int = 1, *, ret_typ: Literal['both'], is_ascend: bool = False, dtype: DType = 'float32', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
        """The k largest elements along an axis, in order; the smallest with is_ascend=True.

        data (*lead, n, *rest) | out (*lead, k, *rest), or with axis=None (k,); like data with ret_typ='mask'

        k: the number of elements; less than 1 selects all.
        ret_typ: 'indices' as `dtype`, 'value', 'both' (values and indices, which have no gradient), or 'mask', an array
            like data with 1 at the selected elements and 0 elsewhere.
        axis: the axis to sort along; None flattens first.
        is_ascend: True for the smallest first, False for the largest.
        dtype: the element type of the positions.
        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.topk(nd.array([10, 30, 20]), k=2).asnumpy()
        array([1., 2.], dtype=float32)
        >>> nd.topk(nd.array([10, 30, 20]), k=2, ret_typ="value").asnumpy()
        array([30., 20.], dtype=float32)
        """
    @overload
    def topk(self, axis: int | None = -1, k: int = 1, ret_typ: Literal['indices', 'mask', 'value'] = 'indices', is_ascend: bool = False, dtype: DType = 'float32', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray: ...

    def trunc(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """the nearest integer towards 0

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.trunc(nd.array([1.8, -1.8])).asnumpy()
        array([ 1., -1.], dtype=float32)
        """

    def zeros_like(self, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
        """zeros in the shape and dtype of x

        data (any shape), x is each of its elements | out like data

        out: an array that the result is written into. Without it a new array is made.
        name: changes nothing; in a graph it is the name of the node.

        >>> nd.zeros_like(nd.array([1, 2])).asnumpy()
        array([0., 0.], dtype=float32)
        """


Member = TypeVar('Member', bound=Callable[..., Any] | property)
def _unpickle(array: Any, ctx: Any) -> NDArray: ...
def _stand_in(spec: Any) -> Any: ...
def method(function: Member) -> Member: ...
