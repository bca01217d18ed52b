"""Operators on two arrays, and on an array and a number: tables again.

Each row gives both forms. `broadcast_add` stretches axes of length 1 as NumPy does (`+` on arrays);
`elemwise_add` wants equal shapes; `_plus_scalar` takes a number, converted to the array's own dtype.
"""

import numpy as np

from .fields import Shape
from .op import Op
from .registry import define, register
from .shapes import broadcast, merge

__all__ = ["Binary", "Broadcast", "Scalar"]


class Binary(Op):
    """`forward(lhs, rhs)` on equal shapes, and `derivative(F, g, lhs, rhs, out)`: one gradient for each."""

    def gradient(self, F, out_grads, inputs, outputs):
        return list(self.derivative(F, out_grads[0], *inputs, outputs[0]))


class Broadcast(Binary):
    """The same with NumPy's broadcasting. A gradient is summed back to the shape of its input."""

    keeps = ("inputs", "outputs")

    def infer_shape(self, lhs, rhs):
        out = broadcast(lhs, rhs)
        if out is False:
            raise self.shape_clash(f"shapes {lhs} of lhs and {rhs} of rhs cannot be broadcast together; "
                                   "each pair of dimensions, from the right, must be equal or have a 1", "rhs")
        return [lhs, rhs], [out]

    def gradient(self, F, out_grads, inputs, outputs):
        grads = self.derivative(F, out_grads[0], *inputs, outputs[0])
        return [None if g is None else F._sum_like(g, x) for g, x in zip(grads, inputs, strict=True)]


@register("data", "like")
class _sum_like(Op):
    """Sum `data` over the axes that broadcasting stretched, back to the shape of `like`."""

    keeps = ("shapes",)

    def infer_shape(self, data, like):
        return [data, like], [like]

    def forward(self, data, like):
        if data.shape == like.shape:
            return data
        extra = data.ndim - like.ndim
        stretched = [extra + i for i, n in enumerate(like.shape) if n == 1 and data.shape[extra + i] != 1]
        return data.sum(axis=(*range(extra), *stretched), keepdims=True, dtype=data.dtype).reshape(like.shape)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.broadcast_like(out_grads[0], inputs[0]), None]


class Scalar(Op):
    """`compute(data, scalar)` with the scalar in the dtype of data; `derivative(F, g, x, scalar, y)`."""

    scalar: float = 1.0
    is_int: bool = True

    def forward(self, data):
        return self.compute(data, data.dtype.type(self.scalar))

    def gradient(self, F, out_grads, inputs, outputs):
        return self.derivative(F, out_grads[0], inputs[0], self.scalar, outputs[0])


def _no_gradient(F, g, x, y, out):
    return None, None


def binary(name, compute, derivative, doc, elemwise=None, aliases=(), keeps=("inputs",)):
    """Enter `broadcast_<name>` and, with `elemwise`, the operator of that name on equal shapes."""
    derivative = derivative or _no_gradient
    row = {"forward": compute, "derivative": derivative}
    # Summing back needs the inputs' shapes.
    define(f"broadcast_{name}", ["lhs", "rhs"], Broadcast, doc + ", with broadcasting", aliases,
           keeps=tuple(keeps) if "inputs" in keeps else ("shapes", *keeps), **row)
    if elemwise:
        define(elemwise[0], ["lhs", "rhs"], Binary, doc + " (equal shapes)", elemwise[1:], keeps=tuple(keeps), **row)


def scalar(name, compute, derivative, doc, aliases=(), keeps=("inputs",)):
    """Enter an operator of an array and a number. `derivative` None means zero gradient."""
    derivative = derivative or (lambda F, g, x, s, y: F.zeros_like(g))
    define(name, ["data"], Scalar, doc, aliases, compute=compute, derivative=derivative, keeps=tuple(keeps))


binary("add", np.add, lambda F, g, x, y, out: (g, g), "lhs + rhs", keeps=(),
       elemwise=["elemwise_add", "_plus", "_add", "_Plus"], aliases=["broadcast_plus"])
binary("sub", np.subtract, lambda F, g, x, y, out: (g, -g), "lhs - rhs", keeps=(),
       elemwise=["elemwise_sub", "_minus", "_sub", "_Minus"], aliases=["broadcast_minus"])
binary("mul", np.multiply, lambda F, g, x, y, out: (g * y, g * x), "lhs · rhs",
       elemwise=["elemwise_mul", "_mul", "_Mul"])
binary("div", lambda x, y: _divide(x, y), lambda F, g, x, y, out: (g / y, -g * x / F.square(y)), "lhs / rhs",
       elemwise=["elemwise_div", "_div", "_Div"])
binary("maximum", np.maximum, lambda F, g, x, y, out: (g * (x >= y), g * (x < y)), "the larger of lhs and rhs",
       elemwise=["_maximum", "_Maximum"])
binary("minimum", np.minimum, lambda F, g, x, y, out: (g * (x <= y), g * (x > y)), "the smaller of lhs and rhs",
       elemwise=["_minimum", "_Minimum"])
binary("power", np.power,
       lambda F, g, x, y, out: (g * y * F.broadcast_power(x, y - 1), g * out * F.log(x)), "lhs to the power of rhs",
       elemwise=["_power", "_Power"], keeps=("inputs", "outputs"))


def _divide(x, y):
    """True division for floats; C's for integers, where a division by zero gives 0."""
    if x.dtype.kind == "f":
        return np.divide(x, y)
    quotient = np.trunc(np.divide(x, y, where=y != 0, out=np.zeros(np.broadcast(x, y).shape)))
    return quotient.astype(x.dtype)


def _compare(ufunc):
    """MXNet's comparisons give 0 and 1 in the dtype of the inputs."""
    return lambda x, y: ufunc(x, y).astype(x.dtype)


for _name, _ufunc, _short in [
    ("equal", np.equal, "Equal"), ("not_equal", np.not_equal, "Not_Equal"),
    ("greater", np.greater, "Greater"), ("greater_equal", np.greater_equal, "Greater_Equal"),
    ("lesser", np.less, "Lesser"), ("lesser_equal", np.less_equal, "Lesser_Equal"),
]:
    _doc = f"1 where lhs is {_name.replace('_', ' ').replace('lesser', 'less')} to rhs, else 0, in the inputs' dtype"
    binary(_name, _compare(_ufunc), None, _doc, elemwise=[f"_{_name}", f"_{_short}"], keeps=())
    scalar(f"_{_name}_scalar", _compare(_ufunc), None, _doc.replace("lhs", "data").replace("rhs", "scalar"),
           aliases=[f"_{_short.replace('_', '')}Scalar"], keeps=())

scalar("_plus_scalar", np.add, lambda F, g, x, s, y: g, "data + scalar", ["_PlusScalar"], keeps=())
scalar("_minus_scalar", np.subtract, lambda F, g, x, s, y: g, "data - scalar", ["_MinusScalar"], keeps=())
scalar("_rminus_scalar", lambda x, s: np.subtract(s, x), lambda F, g, x, s, y: -g, "scalar - data", ["_RMinusScalar"],
       keeps=())
scalar("_mul_scalar", np.multiply, lambda F, g, x, s, y: g * s, "data · scalar", ["_MulScalar"], keeps=())
scalar("_div_scalar", _divide, lambda F, g, x, s, y: g / s, "data / scalar", ["_DivScalar"], keeps=())
scalar("_rdiv_scalar", lambda x, s: _divide(np.broadcast_to(s, x.shape), x),
       lambda F, g, x, s, y: -s * g / F.square(x), "scalar / data", ["_RDivScalar"])
scalar("_power_scalar", np.power, lambda F, g, x, s, y: g * s * x ** (s - 1), "data to the power of scalar",
       ["_PowerScalar"])
scalar("_rpower_scalar", lambda x, s: np.power(s, x), lambda F, g, x, s, y: g * y * float(np.log(s)),
       "scalar to the power of data", ["_RPowerScalar"], keeps=("outputs",))


@register("lhs", "rhs")
class broadcast_like(Op):
    """Stretch axes of length 1 of lhs to the shape of rhs. With axes given, only those: lhs_axes[i] ↔ rhs_axes[i].

    lhs (1 or d, ...) | rhs (d, ...) | out: the shape of lhs, its axes taken from rhs
    """

    lhs_axes: Shape | None = None
    rhs_axes: Shape | None = None
    keeps = ("shapes",)

    def infer_shape(self, lhs, rhs):
        if lhs is None or rhs is None:
            return [lhs, rhs], [None]
        if self.lhs_axes is None:
            out = rhs
        else:
            out = list(lhs)
            for a, b in zip(self.lhs_axes, self.rhs_axes, strict=True):
                out[self.normalize_axis(a, len(lhs))] = rhs[self.normalize_axis(b, len(rhs))]
        if merge(broadcast(lhs, tuple(out)) or None, tuple(out)) is False or broadcast(lhs, tuple(out)) is False:
            raise self.shape_clash(f"lhs {lhs} cannot be broadcast to {tuple(out)}", "lhs")
        return [lhs, rhs], [tuple(out)]

    def forward(self, lhs, rhs):
        shape = self.infer_shape(lhs.shape, rhs.shape)[1][0]
        return np.broadcast_to(lhs, shape).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._sum_like(out_grads[0], inputs[0]), None]
