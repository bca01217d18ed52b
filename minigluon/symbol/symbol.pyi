"""Written by minigluon.tools.stubs. Do not edit."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NoReturn, TypeVar, overload

import numpy as np

from ..context import Context
from ..ops.op import Op
from ..common.types import DType, Number, Shape
from .array_only import ArrayOnlyAttributes
from .attributes import Attributes
from .composition import Composable
from .graph import Node, Pair
from .inference import Inference
from .outputs import Outputs
from .runnable import Runnable
from .saving import Saving

class Symbol(Outputs, Inference, Attributes, Composable, Saving, Runnable, ArrayOnlyAttributes):
    heads: list[Pair]
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _apply(self, row: Any, other: Any, out: Any=None) -> Any: ...
    def _apply_left(self, row: Any, other: Any) -> Any: ...
    def _product(self, other: Any) -> Symbol: ...
    def _applied(self, op: Op, attrs: dict[str, str]) -> Symbol: ...
    def __abs__(self) -> Symbol: ...
    def __neg__(self) -> Symbol: ...
    def __add__(self, other: Symbol | Number) -> Symbol: ...
    def __radd__(self, other: Symbol | Number) -> Symbol: ...
    def __sub__(self, other: Symbol | Number) -> Symbol: ...
    def __rsub__(self, other: Symbol | Number) -> Symbol: ...
    def __mul__(self, other: Symbol | Number) -> Symbol: ...
    def __rmul__(self, other: Symbol | Number) -> Symbol: ...
    def __truediv__(self, other: Symbol | Number) -> Symbol: ...
    def __rtruediv__(self, other: Symbol | Number) -> Symbol: ...
    def __mod__(self, other: Symbol | Number) -> Symbol: ...
    def __rmod__(self, other: Symbol | Number) -> Symbol: ...
    def __pow__(self, other: Symbol | Number) -> Symbol: ...
    def __rpow__(self, other: Symbol | Number) -> Symbol: ...
    def __eq__(self, other: Any) -> Symbol: ...  # type: ignore[override]    # of objects, a bool
    def __ne__(self, other: Any) -> Symbol: ...  # type: ignore[override]    # of objects, a bool
    def __gt__(self, other: Symbol | Number) -> Symbol: ...
    def __ge__(self, other: Symbol | Number) -> Symbol: ...
    def __lt__(self, other: Symbol | Number) -> Symbol: ...
    def __le__(self, other: Symbol | Number) -> Symbol: ...
    def __matmul__(self, other: Symbol | Number) -> Symbol: ...
    def __hash__(self) -> int: ...
    def abs(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """|x|

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.abs(nd.array([-1, 0, 2])).asnumpy()
        array([1., 0., 2.], dtype=float32)
        """

    def arccos(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """inverse cosine, in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.arccos(nd.array([1, 0])).asnumpy().round(2)
        array([0.  , 1.57], dtype=float32)
        """

    def arccosh(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """inverse hyperbolic cosine

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.arccosh(nd.array([1, 2])).asnumpy().round(2)
        array([0.  , 1.32], dtype=float32)
        """

    def arcsin(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """inverse sine, in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.arcsin(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.57], dtype=float32)
        """

    def arcsinh(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """inverse hyperbolic sine

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.arcsinh(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.88], dtype=float32)
        """

    def arctan(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """inverse tangent, in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.arctan(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.79], dtype=float32)
        """

    def arctanh(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """inverse hyperbolic tangent

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.arctanh(nd.array([0, 0.5])).asnumpy().round(2)
        array([0.  , 0.55], dtype=float32)
        """

    def argmax(self, axis: int | None = None, keepdims: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The position of the largest element along an axis, in the dtype of data.

        data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

        In a tie, the first position is returned, and NaN counts as the largest. There is no gradient.

        axis: the axis to search; None for the flattened array, with a result of shape (1,).
        keepdims: if True, leave the axis in the result, with length 1.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises DTypeError if the positions do not fit in the dtype.

        >>> nd.argmax(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
        array([1., 0.], dtype=float32)
        """

    def argmax_channel(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """argmax along axis 1, in the dtype of data.

        data (N, C, *rest) | out (N, *rest)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.argmax_channel(nd.array([[1, 3, 2], [6, 4, 5]])).asnumpy()
        array([1., 0.], dtype=float32)
        """

    def argmin(self, axis: int | None = None, keepdims: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The position of the smallest element along an axis, in the dtype of data.

        data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

        In a tie, the first position is returned, and NaN counts as the smallest. There is no gradient.

        axis: the axis to search; None for the flattened array, with a result of shape (1,).
        keepdims: if True, leave the axis in the result, with length 1.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises DTypeError if the positions do not fit in the dtype.

        >>> nd.argmin(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
        array([0., 1.], dtype=float32)
        """

    def argsort(self, axis: int | None = -1, is_ascend: bool = True, dtype: DType = 'float32', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Positions along an axis in the order of their elements. No gradient.

        data (any shape) | out like data, or with axis=None (elements of data,), of type `dtype`

        axis: the axis to sort along; None flattens first.
        is_ascend: True for the smallest first, False for the largest.
        dtype: the element type of the positions.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.argsort(nd.array([30, 10, 20])).asnumpy()
        array([1., 2., 0.], dtype=float32)
        """

    def astype(self, dtype: DType) -> Symbol: ...
    def broadcast_axes(self, axis: Shape = (), size: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data with the axes in `axis`, which have length 1, stretched to the lengths in `size`.

        data (any shape) | out: data's shape with these lengths

        axis: the axes, each of length 1.
        size: their new lengths.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.broadcast_axis(nd.array([[1], [2]]), axis=1, size=3).asnumpy()
        array([[1., 1., 1.],
               [2., 2., 2.]], dtype=float32)
        """

    def broadcast_like(self, rhs: Symbol | None = None, *, lhs_axes: Shape | None = None, rhs_axes: Shape | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """lhs with axes of length 1 stretched to the shape of rhs.

        lhs (1 or d, ...) | rhs (d, ...) | out: the shape of lhs with these axes as in rhs

        lhs_axes, rhs_axes: the axes of lhs to stretch, and the axes of rhs with the new lengths; None for all.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.broadcast_like(nd.array([[1], [2]]), nd.zeros((2, 3))).shape
        (2, 3)
        """

    def broadcast_to(self, shape: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data with axes of length 1 stretched. New axes may be added in front.

        data (1 or d, ...) | out (*shape)

        shape: the shape of the result; 0 leaves an axis unchanged.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.broadcast_to(nd.array([[1], [2]]), shape=(2, 3)).asnumpy()
        array([[1., 1., 1.],
               [2., 2., 2.]], dtype=float32)
        """

    def cbrt(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """∛x

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.cbrt(nd.array([1, 8, -0.125])).asnumpy().round(2)
        array([ 1. ,  2. , -0.5], dtype=float32)
        """

    def ceil(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """the smallest integer not below x

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.ceil(nd.array([1.2, -1.2])).asnumpy()
        array([ 2., -1.], dtype=float32)
        """

    def clip(self, a_min: Number, a_max: Number, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data limited to [a_min, a_max]; NaN stays NaN. The gradient passes only where data is within the limits,
        including the bounds.

        data (any shape) | out like data

        a_min, a_max: the lowest and the highest value of the result.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.clip(nd.array([-5, 0, 5]), a_min=-1, a_max=2).asnumpy()
        array([-1.,  0.,  2.], dtype=float32)
        """

    def cos(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """cosine, x in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.cos(nd.array([0, np.pi / 3])).asnumpy().round(2)
        array([1. , 0.5], dtype=float32)
        """

    def cosh(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """hyperbolic cosine

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.cosh(nd.array([0, 1])).asnumpy().round(2)
        array([1.  , 1.54], dtype=float32)
        """

    def degrees(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """radians to degrees

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.degrees(nd.array([1, np.pi])).asnumpy().round(2)
        array([ 57.3, 180. ], dtype=float32)
        """

    def depth_to_space(self, block_size: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Channels spread over the plane in blocks of b · b, with b = block_size.

        data (N, b² · C, H, W) | out (N, C, b · H, b · W)

        block_size: b, the height and width of a block.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.depth_to_space(nd.array([1, 2, 3, 4]).reshape((1, 4, 1, 1)), block_size=2).asnumpy()
        array([[[[1., 2.],
                 [3., 4.]]]], dtype=float32)
        """

    def diag(self, k: int = 0, axis1: int = 0, axis2: int = 1, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The k-th diagonal of a matrix or of the planes spanned by axis1 and axis2; for a vector, the matrix with this
        diagonal.

        data (n,) | out (n + |k|, n + |k|), otherwise data (..., rows, columns) | out (..., length of the diagonal)

        axis1, axis2: the axes for rows and columns, if data has more than two axes.
        k: 0 is the main diagonal, 1 the one above it, -1 the one below.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.diag(nd.array([[1, 2], [3, 4]])).asnumpy()
        array([1., 4.], dtype=float32)
        >>> nd.diag(nd.array([5]), k=1).asnumpy()
        array([[0., 5.],
               [0., 0.]], dtype=float32)
        """

    def exp(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """eˣ

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.exp(nd.array([0, 1])).asnumpy().round(2)
        array([1.  , 2.72], dtype=float32)
        """

    def expand_dims(self, axis: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A new axis of length 1.

        data (*lead, *rest) | out (*lead, 1, *rest)

        axis: its position in the result; -1 is the end.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.expand_dims(nd.array([1, 2]), axis=1).asnumpy()
        array([[1.],
               [2.]], dtype=float32)
        """

    def expm1(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """eˣ - 1, accurate near 0

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.expm1(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.72], dtype=float32)
        """

    def fix(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """the nearest integer towards 0

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.fix(nd.array([1.8, -1.8])).asnumpy()
        array([ 1., -1.], dtype=float32)
        """

    def flatten(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Joins all axes except the first into one.

        data (N, *rest) | out (N, product of rest)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.flatten(nd.array([[[1, 2], [3, 4]]])).asnumpy()
        array([[1., 2., 3., 4.]], dtype=float32)
        """

    def flip(self, axis: Shape, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The elements in reverse order along each axis in `axis`.

        data (any shape) | out like data

        axis: one axis or several; negative numbers count from the end.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.flip(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy()
        array([[3., 2., 1.],
               [6., 5., 4.]], dtype=float32)
        """

    def floor(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """the largest integer not above x

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.floor(nd.array([1.2, -1.2])).asnumpy()
        array([ 1., -2.], dtype=float32)
        """

    def log(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """natural logarithm

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.log(nd.array([1, 10])).asnumpy().round(2)
        array([0. , 2.3], dtype=float32)
        """

    def log10(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """logarithm to base 10

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.log10(nd.array([1, 20, 1000])).asnumpy().round(2)
        array([0. , 1.3, 3. ], dtype=float32)
        """

    def log1p(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """log(1 + x), accurate near 0

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.log1p(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.69], dtype=float32)
        """

    def log2(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """logarithm to base 2

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.log2(nd.array([1, 8, 10])).asnumpy().round(2)
        array([0.  , 3.  , 3.32], dtype=float32)
        """

    def log_softmax(self, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The logarithm of `softmax`, accurate where softmax is close to 0.

        data (any shape) | out like data. Only `softmax` takes a length.

        axis: the axis along which the probabilities sum to 1.
        temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
        dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
        use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> print(nd.log_softmax(nd.array([[0, 1000]])).asnumpy())
        [[-1000.     0.]]
        """

    def max(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Largest element over axes. The gradient goes to every element that equals it.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.max(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
        array([2., 4.], dtype=float32)
        """

    def mean(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Mean over axes.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.mean(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy().round(2)
        array([1.5, 3.5], dtype=float32)
        """

    def min(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Smallest element over axes. The gradient goes to every element that equals it.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.min(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
        array([1., 3.], dtype=float32)
        """

    def nanprod(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Product over axes, NaN taken as 1.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.nanprod(nd.array([[1, 2], [3, np.nan]]), axis=1).asnumpy()
        array([2., 3.], dtype=float32)
        """

    def nansum(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Sum over axes, NaN taken as 0.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.nansum(nd.array([[1, 2], [3, np.nan]]), axis=1).asnumpy()
        array([3., 3.], dtype=float32)
        """

    def norm(self, ord: int = 2, axis: Shape | None = None, out_dtype: DType | None = None, keepdims: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """√(Σ data²) for ord=2, Σ |data| for ord=1. The gradient at a norm of 0 is 0.

        data (any shape) | out: data's shape without the reduced axes, (1,) if none is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        ord: 1 or 2, the norm to compute.
        out_dtype: the type of the result; None for the type of data.
        keepdims: True leaves the reduced axes in the result, with length 1.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.norm(nd.array([[3, 4], [6, 8]]), axis=1).asnumpy()
        array([ 5., 10.], dtype=float32)
        """

    def one_hot(self, depth: int, on_value: Number = 1.0, off_value: Number = 0.0, dtype: DType = 'float32', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A new last axis of length `depth` that is on_value at the index and off_value elsewhere. No gradient.

        indices (any shape) | out (*indices' shape, depth); for an index out of range, off_value everywhere

        depth: the number of classes.
        on_value, off_value: the value at the index, and everywhere else.
        dtype: the element type of the result.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.one_hot(nd.array([1, 0]), depth=3).asnumpy()
        array([[0., 1., 0.],
               [1., 0., 0.]], dtype=float32)
        """

    def ones_like(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """ones in the shape and dtype of x

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.ones_like(nd.array([3, 5])).asnumpy()
        array([1., 1.], dtype=float32)
        """

    def pad(self, mode: Literal['constant', 'edge', 'reflect'], pad_width: Shape, constant_value: Number = 0.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Adds elements around the array. Gradients of added constants are dropped; gradients of copies are added to those
        of the originals.

        data (d1 … dN) | out: each axis longer by its two values in pad_width

        mode: 'constant' adds `constant_value`, 'edge' repeats the outermost element, and 'reflect' mirrors the elements
            next to the outermost one.
        pad_width: how many elements to add before and after each axis, as one flat tuple.
        constant_value: the value that 'constant' adds.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.pad(nd.array([[1, 2, 3]]), mode="reflect", pad_width=(0, 0, 1, 2)).asnumpy()
        array([[2., 1., 2., 3., 2., 1.]], dtype=float32)
        """

    def pick(self, index: Symbol | None = None, *, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The element at the given index along axis `axis`, for each position in the other axes.

        data (*lead, n, *rest) | index (*lead, *rest), or with the axis of length 1 | out like index

        keepdims: if True, leave the axis in the result, with length 1.
        axis: the axis of length n.
        mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([0, 1])).asnumpy()
        array([1., 4.], dtype=float32)
        """

    def prod(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Product over axes.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.prod(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
        array([ 2., 12.], dtype=float32)
        """

    def radians(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """degrees to radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.radians(nd.array([0, 180])).asnumpy().round(2)
        array([0.  , 3.14], dtype=float32)
        """

    def rcbrt(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 / ∛x

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.rcbrt(nd.array([1, 8, 64])).asnumpy().round(2)
        array([1.  , 0.5 , 0.25], dtype=float32)
        """

    def reciprocal(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 / x

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.reciprocal(nd.array([1, 2, 4])).asnumpy().round(2)
        array([1.  , 0.5 , 0.25], dtype=float32)
        """

    def relu(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """max(x, 0); NaN stays NaN

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.relu(nd.array([-1, 0, 2])).asnumpy()
        array([0., 0., 2.], dtype=float32)
        """

    def repeat(self, repeats: int, axis: int | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Each element repeated `repeats` times in a row.

        data (any shape) | out: data's shape with that axis `repeats` times as long; (repeats · elements,) with axis=None

        repeats: how many times each element is repeated.
        axis: the axis to repeat along; None flattens first.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.repeat(nd.array([[1, 2]]), repeats=2, axis=1).asnumpy()
        array([[1., 1., 2., 2.]], dtype=float32)
        """

    def reshape(self, *shape: Shape, **kwargs: Any) -> Symbol: ...
    def reshape_like(self, rhs: Symbol | None = None, *, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The elements of lhs with the shape of rhs. Optionally only some axes of lhs take the shape of some axes of rhs.

        lhs (any shape) | rhs (any shape; only the shape matters) | out like rhs, in these axes

        lhs_begin, lhs_end: the axes lhs_begin:lhs_end of lhs are replaced; all by default.
        rhs_begin, rhs_end: the axes rhs_begin:rhs_end of rhs replace them; all by default.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.reshape_like(nd.arange(4), nd.zeros((2, 2))).asnumpy()
        array([[0., 1.],
               [2., 3.]], dtype=float32)
        """

    def rint(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """the nearest integer, the lower one at a tie

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.rint(nd.array([1.4, 1.5, 1.6])).asnumpy()
        array([1., 1., 2.], dtype=float32)
        """

    def round(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """the nearest integer, away from 0 at a tie

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.round(nd.array([1.4, 1.5, -1.5])).asnumpy()
        array([ 1.,  2., -2.], dtype=float32)
        """

    def rsqrt(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 / √x

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.rsqrt(nd.array([1, 4, 16])).asnumpy().round(2)
        array([1.  , 0.5 , 0.25], dtype=float32)
        """

    def shape_array(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The shape of data as an int64 array.

        data (d1 … dN) | out (N,)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.shape_array(nd.zeros((2, 3))).asnumpy()
        array([2, 3])
        """

    def sigmoid(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 / (1 + e⁻ˣ)

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.sigmoid(nd.array([-2, 0, 2])).asnumpy().round(2)
        array([0.12, 0.5 , 0.88], dtype=float32)
        """

    def sign(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """-1, 0 or 1; 0 for NaN

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.sign(nd.array([-3, 0, 2])).asnumpy()
        array([-1.,  0.,  1.], dtype=float32)
        """

    def sin(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """sine, x in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.sin(nd.array([0, np.pi / 6])).asnumpy().round(2)
        array([0. , 0.5], dtype=float32)
        """

    def sinh(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """hyperbolic sine

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.sinh(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.18], dtype=float32)
        """

    def size_array(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The number of elements of data, as int64.

        data (any shape) | out (1,)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.size_array(nd.zeros((2, 3))).asnumpy()
        array([6])
        """

    def slice(self, begin: Sequence[int | None], end: Sequence[int | None], step: Sequence[int | None] = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data[begin[0]:end[0]:step[0], ...], with Python's slicing rules.

        data (any shape) | out: each axis as long as its slice

        begin, end: where the slice of each axis starts and stops; None and negative values as in Python. Axes not listed
        are not sliced.

        step: the step of each axis, 1 by default; negative steps go backward.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.slice(nd.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3)).asnumpy()
        array([[2., 3.],
               [5., 6.]], dtype=float32)
        """

    def slice_axis(self, axis: int, begin: int, end: int | None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The elements begin to end, exclusive, along one axis.

        data (*lead, n, *rest) | out (*lead, end - begin, *rest)

        axis: the axis of length n; negative numbers count from the end.
        begin, end: negative numbers count from the end; end=None means the end.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.slice_axis(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1, begin=1, end=None).asnumpy()
        array([[2., 3.],
               [5., 6.]], dtype=float32)
        """

    def slice_like(self, shape_like: Symbol | None = None, *, axes: Shape = (), name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data cut along some axes to the lengths of shape_like.

        data (any shape) | shape_like (any shape; only the shape matters) | out: data's shape, cut

        axes: the axes to cut; () for all.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.slice_like(nd.array([[1, 2, 3], [4, 5, 6]]), nd.zeros((1, 2))).asnumpy()
        array([[1., 2.]], dtype=float32)
        """

    def softmax(self, length: Symbol | None = None, *, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """exp(data / temperature) divided by its sum along axis.

        data (any shape) | length (data's shape without axis), only with use_length | out like data

        axis: the axis along which the probabilities sum to 1.
        temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
        dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
        use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> print(nd.softmax(nd.log(nd.array([1, 1, 2]))).asnumpy().round(3))
        [0.25 0.25 0.5 ]
        >>> print(nd.softmax(nd.array([[7, 7, 7]]), nd.array([2]), use_length=True).asnumpy())
        [[0.5 0.5 0. ]]
        """

    def softmin(self, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """softmax(-data): the smallest element has the largest value.

        data (any shape) | out like data. Only `softmax` takes a length.

        axis: the axis along which the probabilities sum to 1.
        temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
        dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
        use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> print(nd.softmin(nd.log(nd.array([1, 2, 2]))).asnumpy().round(3))
        [0.5  0.25 0.25]
        """

    def sort(self, axis: int | None = -1, is_ascend: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The elements in order along an axis. Equal elements keep their order; NaN is last.

        data (any shape) | out like data, or with axis=None (elements of data,)

        axis: the axis to sort along; None flattens first.
        is_ascend: True for the smallest first, False for the largest.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.sort(nd.array([[3, 1, 2], [6, 5, 4]])).asnumpy()
        array([[1., 2., 3.],
               [4., 5., 6.]], dtype=float32)
        """

    def space_to_depth(self, block_size: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Blocks of b · b elements of the plane stacked as channels, with b = block_size.

        data (N, C, b · H, b · W) | out (N, b² · C, H, W)

        block_size: b, the height and width of a block.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.space_to_depth(nd.arange(4).reshape((1, 1, 2, 2)), block_size=2).shape
        (1, 4, 1, 1)
        """

    def split(self, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Splits axis `axis` into `num_outputs` equal parts. A single part is returned as an array, several parts as a
        list.

        data (*lead, n, *rest) | outputs: (*lead, n / num_outputs, *rest) each, or (*lead, *rest) with squeeze_axis

        num_outputs: the number of parts; it must divide n.
        axis: the axis of length n.
        squeeze_axis: if True, remove the axis; the parts must have length 1.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> a, b = nd.split(nd.array([[1, 2, 3, 4]]), num_outputs=2, axis=1)
        >>> a.asnumpy(), b.asnumpy()
        (array([[1., 2.]], dtype=float32), array([[3., 4.]], dtype=float32))
        """

    def split_v2(self, indices_or_sections: Shape, axis: int=0, squeeze_axis: bool=False) -> Symbol: ...
    def sqrt(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """√x

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.sqrt(nd.array([1, 4, 9])).asnumpy()
        array([1., 2., 3.], dtype=float32)
        """

    def square(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """x²

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.square(nd.array([-1, 2, 3])).asnumpy()
        array([1., 4., 9.], dtype=float32)
        """

    def squeeze(self, axis: Shape | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data without its axes of length 1; the result has at least one axis.

        data (any shape) | out: data's shape without these axes

        axis: the axes to remove, which must have length 1; None removes all axes of length 1.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.squeeze(nd.zeros((2, 1, 3, 1))).shape
        (2, 3)
        >>> nd.squeeze(nd.zeros((2, 1, 3, 1)), axis=1).shape
        (2, 3, 1)
        """

    def sum(self, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Sum over axes.

        data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

        axis: the axes to reduce, an integer or a tuple; None or () for all.
        keepdims: True leaves the reduced axes in the result, with length 1.
        exclude: if True, reduce all axes except `axis`.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.sum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
        array([3., 7.], dtype=float32)
        """

    def swapaxes(self, dim1: int = 0, dim2: int = 0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Exchanges the axes dim1 and dim2.

        data (any shape) | out: data's shape with the two lengths exchanged

        dim1, dim2: the two axes; negative numbers count from the end.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.swapaxes(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
        (4, 3, 2)
        """

    def take(self, indices: Symbol | None = None, *, axis: int = 0, mode: Literal['clip', 'raise', 'wrap'] = 'clip', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Slices of a at `indices` along axis `axis`.

        a (*lead, n, *rest) | indices (any shape) | out (*lead, *indices' shape, *rest)

        axis: the axis of length n.
        mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n, 'raise'
        raises an error.

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises OutOfRangeError with mode='raise'.

        >>> nd.take(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([2, 0, 2])).asnumpy()
        array([[5., 6.],
               [1., 2.],
               [5., 6.]], dtype=float32)
        """

    def tan(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """tangent, x in radians

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.tan(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 1.56], dtype=float32)
        """

    def tanh(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """hyperbolic tangent

        data (any shape), x is each of its elements | out like data; integers are truncated

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.tanh(nd.array([0, 1])).asnumpy().round(2)
        array([0.  , 0.76], dtype=float32)
        """

    def tile(self, reps: Shape, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The array repeated reps[i] times along axis i. The shorter of shape and reps is padded with ones at the front.

        data (d1 … dN) | out (d1 · reps[0] … dN · reps[N-1])

        reps: the number of repetitions along each axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.tile(nd.array([[1, 2]]), reps=(2, 2)).asnumpy()
        array([[1., 2., 1., 2.],
               [1., 2., 1., 2.]], dtype=float32)
        """

    def topk(self, axis: int | None = -1, k: int = 1, ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices', is_ascend: bool = False, dtype: DType = 'float32', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The k largest elements along an axis, in order; the smallest with is_ascend=True.

        data (*lead, n, *rest) | out (*lead, k, *rest), or with axis=None (k,); like data with ret_typ='mask'

        k: the number of elements; less than 1 selects all.
        ret_typ: 'indices' as `dtype`, 'value', 'both' (values and indices, which have no gradient), or 'mask', an array
            like data with 1 at the selected elements and 0 elsewhere.
        axis: the axis to sort along; None flattens first.
        is_ascend: True for the smallest first, False for the largest.
        dtype: the element type of the positions.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.topk(nd.array([10, 30, 20]), k=2).asnumpy()
        array([1., 2.], dtype=float32)
        >>> nd.topk(nd.array([10, 30, 20]), k=2, ret_typ="value").asnumpy()
        array([30., 20.], dtype=float32)
        """

    def transpose(self, axes: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The axes in a different order: axis i of the result is axis axes[i] of data.

        data (d0 … dN) | out (d[axes[0]] … d[axes[N]])

        axes: the order; () reverses the axes.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.transpose(nd.array([[1, 2, 3], [4, 5, 6]])).asnumpy()
        array([[1., 4.],
               [2., 5.],
               [3., 6.]], dtype=float32)
        >>> nd.transpose(nd.zeros((2, 3, 4)), axes=(0, 2, 1)).shape
        (2, 4, 3)
        """

    def trunc(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """the nearest integer towards 0

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.trunc(nd.array([1.8, -1.8])).asnumpy()
        array([ 1., -1.], dtype=float32)
        """

    def zeros_like(self, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """zeros in the shape and dtype of x

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.zeros_like(nd.array([1, 2])).asnumpy()
        array([0., 0.], dtype=float32)
        """


def _from_json(text: str) -> Any: ...
def compose(op: Op, inputs: Sequence[Symbol | None], name_: str | None=None, attrs: Mapping[str, str] | None=None, own: Mapping[str, Any] | None=None, hint: str | None=None, keywords: Mapping[str, Any] | None=None) -> Symbol: ...
def Variable(name: str, attr: Any=None, shape: Any=None, lr_mult: float | None=None, wd_mult: float | None=None, dtype: Any=None, init: Any=None, stype: str | None=None, **kwargs: Any) -> Symbol: ...
var = Variable
def Group(symbols: Sequence[Symbol]) -> Symbol: ...
def _with_number(op: Op, operand: Symbol, number: Any) -> Symbol: ...
