"""Operators that return their input with a different type, on a different device, or without its gradient."""

from typing import Literal

import numpy as np

from ...common.dtypes import is_float, is_narrow
from ..fields import DType
from ..kinds import Elementwise, View
from ..math.elementwise import unary
from ..numeric import cast
from ..op import Op
from ..registry import register
from ..shapes import size_of

__all__ = ["Cast", "MakeLoss", "add_n", "amp_cast", "amp_multicast"]

unary("BlockGrad", np.copy, None,
      "x; no gradient passes", "[1, 2] -> [1., 2.]", aliases=["stop_gradient"], keeps=(), integers=True, is_view=True)
unary("make_loss", np.copy, lambda F, g, x, y: F.ones_like(g),
      "x, the end of a graph: its gradient is 1, whatever head gradient comes in", "[1, 2] -> [1., 2.]",
      keeps=(), integers=True, is_view=True, output_names=("loss",))


@register("data", aliases=["cast"])
class Cast(Op):
    """data converted to the element type `dtype`. Floats are truncated to integers; the gradient has the type of data.

    data (any shape) | out like data, of type `dtype`

    dtype: the element type of the result.

    >>> nd.cast(nd.array([1.7, -1.7]), dtype="int32").asnumpy()
    array([ 1, -1], dtype=int32)
    """

    dtype: DType
    keeps = ("shapes",)

    def infer_dtype(self, data):
        return [data], [np.dtype(self.target(data))]

    def target(self, dtype):
        """Returns the element type of the result for data of type `dtype`."""
        return self.dtype

    def forward(self, data):
        dtype = np.dtype(self.target(data.dtype))
        return data.copy() if dtype == data.dtype else cast(data, dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._cast_like(out_grads[0], inputs[0])


@register("data")
class amp_cast(Cast):
    """Cast for mixed precision: floats become `dtype`; other types are unchanged.

    data (any shape) | out like data

    dtype: the floating-point type of the result.

    >>> nd.amp_cast(nd.array([1.5]), dtype="float16").asnumpy()
    array([1.5], dtype=float16)
    """

    dtype: DType

    def target(self, dtype):
        return self.dtype if dtype is None or is_float(np.dtype(dtype)) else dtype


@register("data", "like")
class _cast_like(Op):
    """data converted to the element type of like."""

    keeps = ("shapes",)
    shape_only = ("like",)

    def infer_shape(self, data, like):
        return [data, like], [data]

    def infer_dtype(self, data, like):
        return [data, like], [like]

    def forward(self, data, like):
        return data.copy() if data.dtype == like.dtype else cast(data, like.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._cast_like(out_grads[0], inputs[0]), None]


@register("*data")
class amp_multicast(Op):
    """All inputs, float32 or narrower floats, converted to the widest of their types. Returns one output per input.

    data (any shapes) | outputs: one like each input, of the common type

    num_outputs: the number of inputs.
    cast_narrow: if True, take the narrowest type instead.

    >>> a, b = nd.amp_multicast(nd.array([1.5], dtype="float16"), nd.array([2.5]), num_outputs=2)
    >>> a.asnumpy(), b.asnumpy()
    (array([1.5], dtype=float32), array([2.5], dtype=float32))
    """

    num_outputs: int
    cast_narrow: bool = False
    keeps = ("shapes",)

    @property
    def num_inputs(self):
        return self.num_outputs

    def require_count(self, count, absent=()):
        if count != self.num_outputs or absent:
            raise self.shape_clash(f"num_outputs={self.num_outputs}, but {count} arrays were given")

    def infer_shape(self, *shapes):
        self.require_count(len(shapes))
        return list(shapes), list(shapes)

    def infer_dtype(self, *dtypes):
        if any(d is None for d in dtypes):       # not `None in`: numpy.dtype equals None when it is float64
            return list(dtypes), [None] * len(dtypes)
        takes_part = [np.dtype(d) == np.float32 or is_narrow(np.dtype(d)) for d in dtypes]
        floats = [d for d, takes in zip(dtypes, takes_part, strict=True) if takes]
        pick = min if self.cast_narrow else max
        chosen = pick(floats, key=lambda d: np.dtype(d).itemsize, default=None)
        return list(dtypes), [chosen if takes else d for d, takes in zip(dtypes, takes_part, strict=True)]

    def infer_inputs(self, shapes, outputs):
        names = self.argument_names(len(shapes))
        return [self.require(name, shape, other) for name, shape, other in zip(names, shapes, outputs, strict=True)]

    def forward(self, *data):
        dtypes = self.infer_dtype(*[x.dtype for x in data])[1]
        cast = tuple(np.array(x, dtype) for x, dtype in zip(data, dtypes, strict=True))
        return cast if len(cast) > 1 else cast[0]

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._cast_like(g, x) for g, x in zip(out_grads, inputs, strict=True)]


@register("data")
class _copyto(View):
    """data copied from the device `source` to the device `target`; both are text, such as 'cpu(1)'.

    The caller moves the buffer (in `nd`, `NDArray.as_in_context`); if both devices are the same, this is a plain copy.
    """

    source: str = ""
    target: str = ""
    keeps = ()

    def forward(self, data):
        return data.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F._copyto(out_grads[0], source=self.target, target=self.source)


@register("lhs", "rhs")
class _identity_with_attr_like_rhs(View):
    """A copy of lhs. If its shape or dtype is unknown, that of rhs is used."""

    keeps = ()

    def forward(self, lhs, rhs):
        return lhs.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [out_grads[0], None]


@register("data")
class MakeLoss(View):
    """data as the loss at the end of a graph: its gradient is grad_scale, regardless of the head gradient.

    data (any shape) | out like data

    grad_scale: the gradient of each element, before normalization.
    valid_thresh: the threshold for normalization='valid'.
    normalization: 'batch' divides by the rows of data as a matrix (N, last axis), 'valid' by the number of elements
        above `valid_thresh`; 'null' does not divide.

    >>> x = nd.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.MakeLoss(3 * x, grad_scale=10)
    >>> y.backward()
    >>> x.grad.asnumpy()
    array([30., 30.], dtype=float32)
    """

    grad_scale: float = 1.0
    valid_thresh: float = 0.0
    normalization: Literal["batch", "null", "valid"] = "null"
    keeps = ("inputs",)

    def forward(self, data):
        return data.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F._make_loss_grad(inputs[0], **self.attributes)


@register("data")
class _make_loss_grad(MakeLoss):
    """The constant gradient of MakeLoss."""

    keeps = ()
    is_view = False

    def forward(self, data):
        above = np.count_nonzero(data > self.valid_thresh) if self.normalization == "valid" else 0
        return np.full(data.shape, self.value(data.shape, data.dtype, above))

    def value(self, shape, dtype, above=0):
        """Returns the gradient of each element; `above` is the number of elements above valid_thresh."""
        divisor = {"null": 1, "batch": size_of(shape[:-1]), "valid": above}[self.normalization]
        return cast(np.array(self.grad_scale / max(1, divisor)), dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F.zeros_like(out_grads[0])


@register("*args", aliases=["ElementWiseSum"])
class add_n(Elementwise):
    """The sum of any number of arrays of the same shape.

    args (any shape, the same for all) | out (the same)

    >>> nd.add_n(nd.array([1, 2]), nd.array([10, 20]), nd.array([100, 200])).asnumpy()
    array([111., 222.], dtype=float32)
    """

    num_args: int = 1
    keeps = ()

    @property
    def in_place(self):
        return tuple(self.argument_names(self.num_args))

    def forward(self, *args):
        total = args[0].copy() if len(args) == 1 else args[0] + args[1]
        for x in args[2:]:
            total += x
        return total

    def gradient(self, F, out_grads, inputs, outputs):
        return [out_grads[0]] * len(inputs)


# -- properties of an entire array ------------------------------------------------------------------------------------


@register("data")
class shape_array(Op):
    """The shape of data as an int64 array.

    data (d1 … dN) | out (N,)

    >>> nd.shape_array(nd.zeros((2, 3))).asnumpy()
    array([2, 3])
    """

    keeps = ()
    gradient = None

    def infer_shape(self, data):
        return [data], [None if data is None else (len(data),)]

    def infer_dtype(self, data):
        return [data], [np.dtype(np.int64)]

    def forward(self, data):
        return np.array(data.shape, np.int64)


@register("data")
class size_array(shape_array):
    """The number of elements of data, as int64.

    data (any shape) | out (1,)

    >>> nd.size_array(nd.zeros((2, 3))).asnumpy()
    array([6])
    """

    def infer_shape(self, data):
        return [data], [(1,)]

    def forward(self, data):
        return np.array([data.size], np.int64)


class _Finite(Op):
    """1 if no element is infinite or NaN, else 0, as float32.

    data (any shape) | out (1,)

    init_output: no effect; in MXNet, False combines the result with the value already in `out=`.
    """

    keeps = ()
    gradient = None

    def infer_shape(self, *shapes):
        return list(shapes), [(1,)]

    def infer_dtype(self, *dtypes):
        return list(dtypes), [np.dtype(np.float32)]

    def forward(self, *data):
        return np.array([all(bool(np.isfinite(x).all()) for x in data)], np.float32)


@register("data")
class all_finite(_Finite):
    """1 if no element is infinite or NaN, else 0, as float32.

    >>> nd.all_finite(nd.array([1, np.inf])).asnumpy()
    array([0.], dtype=float32)
    """

    init_output: bool = True


@register("*data")
class multi_all_finite(_Finite):
    """1 if no element of any of the arrays is infinite or NaN, else 0, as float32.

    data (any shapes) | out (1,)

    num_arrays: the number of arrays; it has no effect.

    >>> nd.multi_all_finite(nd.array([1, 2]), nd.array([3]), num_arrays=2).asnumpy()
    array([1.], dtype=float32)
    """

    num_arrays: int = 1
    init_output: bool = True
