"""Operators on two arrays: a table of names, expressions, pairs of derivatives, and docstrings.

Each row defines two operators. `broadcast_add` stretches axes of length 1 as NumPy does (`+` on arrays); `elemwise_add`
requires equal shapes. A single example documents both and `nd.add`: "[1, 2, 3], 10 -> [11., 12., 13.]".

`a + b` on two symbols is `broadcast_add.between_symbols`, the same operator except for its `assume_equal_shapes`.
"""


import numpy as np

from ..docstrings import example
from ..kinds import Elementwise
from ..numeric import in_floats
from ..registry import define
from ..remedies import to_broadcast
from ..shapes import broadcast, fill

__all__ = ["Binary", "Broadcast", "compare", "divide", "for_reals", "modulo", "power"]


class Binary(Elementwise):
    """`forward(lhs, rhs)` on equal shapes, and `derivative(F, g, lhs, rhs, out)`: one gradient per input."""

    arithmetic = False          # True if not defined for booleans
    numbers = ()                # the example's numbers

    def infer_dtype(self, lhs, rhs):
        if self.arithmetic:
            self.require_numbers(lhs, rhs)
        return super().infer_dtype(lhs, rhs)

    def gradient(self, F, out_grads, inputs, outputs):
        return list(self.derivative(F, out_grads[0], *inputs, outputs[0]))


class Broadcast(Binary):
    """Binary with NumPy's broadcasting. Each gradient is summed to the shape of its input.

    between_symbols: the class of Python's operator between two symbols, which has `assume_equal_shapes`: an operand of
    unknown shape takes the shape of the other. MXNet's `+` on symbols requires equal shapes, and programs rely on that.
    Here `+` broadcasts on symbols as it does on arrays, so `symbol/infer.py` assumes equal shapes only if nothing else
    in the graph determines the shape.
    """

    assume_equal_shapes = False
    between_symbols = None

    def infer_shape(self, lhs, rhs):
        out = broadcast(lhs, rhs)
        if out is False:
            axis, n, m = _first_clash(lhs, rhs)
            raise self.shape_clash(f"shapes {lhs} of lhs and {rhs} of rhs cannot be broadcast together: axes are "
                                   f"paired from the right, and axis {axis} has length {n} in lhs and {m} in rhs; they "
                                   "must be equal, or one of them 1", "rhs", to_broadcast(lhs, rhs))
        return [lhs, rhs], [out]

    def gradient(self, F, out_grads, inputs, outputs):
        grads = self.derivative(F, out_grads[0], *inputs, outputs[0])
        return [None if g is None else F._sum_like(g, x) for g, x in zip(grads, inputs, strict=True)]

    @staticmethod
    def as_equal(lhs, rhs, out):
        """Returns the shapes [lhs, rhs]. Unknown lengths are completed from the result or each other, assuming that
        nothing is stretched.
        """
        return [fill(fill(lhs, out), rhs), fill(fill(rhs, out), lhs)]


def _first_clash(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> tuple[int, int, int]:
    """Return (axis, length in a, length in b) where two shapes do not broadcast; the last axis is -1.

    >>> _first_clash((2, 3), (2,))
    (-1, 3, 2)
    """
    return next((-i, x, y) for i, (x, y) in enumerate(zip(a[::-1], b[::-1], strict=False), 1)
                if x is not None and y is not None and x != y and 1 not in (x, y))


def _no_gradient(F, g, x, y, out):
    return None, None


SHAPES = "lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)"
ARITHMETIC = {"add", "sub", "mul", "div", "mod", "power", "hypot"}


def binary(name, compute, derivative, doc, numbers, elemwise=None, aliases=(), keeps=("inputs",)):
    """Registers `broadcast_<name>` and, if `elemwise` is set, the operator of that name for equal shapes.

    numbers: an example, "[lhs], value of all elements of rhs -> [out]".
    """
    inputs, out = numbers.split(" -> ")
    lhs, number = inputs.rsplit(", ", 1)
    equal = ", ".join([number] * len(lhs.split(", ")))
    derivative = derivative or _no_gradient
    row = {"forward": compute, "derivative": derivative, "arithmetic": name in ARITHMETIC,
           "numbers": (lhs, number, out)}
    # Summing to the inputs' shapes requires knowing these shapes.
    cls = define(
        f"broadcast_{name}", ["lhs", "rhs"], Broadcast, f"{doc}\n\n{SHAPES}"
        + example(f"nd.broadcast_{name}(nd.array({lhs}), nd.array([{number}]))", out), aliases,
        keeps=tuple(keeps) if "inputs" in keeps else ("shapes", *keeps), **row)
    cls.between_symbols = type(cls.__name__, (cls,), {
        "__doc__": cls.__doc__, "__module__": cls.__module__, "assume_equal_shapes": True})
    if elemwise:
        define(elemwise[0], ["lhs", "rhs"], Binary, f"{doc}\n\nlhs, rhs (one shape) | out (the same)"
               + example(f"nd.{elemwise[0]}(nd.array({lhs}), nd.array([{equal}]))", out), elemwise[1:],
               keeps=tuple(keeps), **row)


def divide(x, y):
    """Divides floats exactly, and integers as in C, rounding toward zero, with 0 where the divisor is 0."""
    if x.dtype.kind == "f":
        return np.divide(x, y)
    nonzero = np.where(y == 0, np.ones_like(y), y)
    quotient = np.floor_divide(x, nonzero)
    towards_zero = quotient + ((quotient < 0) & (quotient * nonzero != x))
    return np.where(y == 0, 0, towards_zero).astype(x.dtype)


divide.ufunc = np.divide, "f"


def modulo(x, y):
    """Returns the remainder with the sign of the divisor, and 0 where the divisor is 0."""
    nonzero = np.where(y == 0, np.ones_like(y), y)
    return np.where(y == 0, np.zeros_like(y), np.mod(x, nonzero))


def power(x, y):
    """Returns x to the power of y. Integers are computed in float64 unless the result has more digits than that."""
    near = in_floats(np.power)(x, y)
    if x.dtype.kind == "f" or x.dtype.itemsize < 8:
        return near
    size = np.abs(np.power(x.astype(np.float64), y))
    return np.where((size >= 2.0 ** 53) & (size < 2.0 ** 63), np.power(x, np.maximum(y, 0)), near)


power.ufunc = np.power, "f"


def for_reals(g):
    """Returns the gradient, or zeros if it has an integer dtype, in which the factor 0.5 would be 0."""
    return g * 0.5 * 2


def _modulo_derivative(F, g, x, y, out):
    g = for_reals(g)
    return g, -g * F.floor(x / y)


def compare(ufunc):
    """Returns MXNet's form of a comparison, with 0 and 1 in the inputs' dtype."""
    def forward(x, y):
        return ufunc(x, y).astype(x.dtype)
    forward.ufunc = ufunc, "fiub"       # the ufunc writes 0 and 1 to memory of that dtype
    return forward


binary("add", np.add, lambda F, g, x, y, out: (g, g), "lhs + rhs", "[1, 2, 3], 10 -> [11., 12., 13.]", keeps=(),
       elemwise=["elemwise_add", "_plus", "_add", "_Plus"], aliases=["broadcast_plus"])
binary("sub", np.subtract, lambda F, g, x, y, out: (g, -g), "lhs - rhs", "[1, 2, 3], 10 -> [-9., -8., -7.]", keeps=(),
       elemwise=["elemwise_sub", "_minus", "_sub", "_Minus"], aliases=["broadcast_minus"])
binary("mul", np.multiply, lambda F, g, x, y, out: (g * y, g * x), "lhs · rhs", "[1, 2, 3], 10 -> [10., 20., 30.]",
       elemwise=["elemwise_mul", "_mul", "_Mul"])
binary("div", divide, lambda F, g, x, y, out: (g / y, -g / y * x / y),
       "lhs / rhs", "[1, 2, 3], 4 -> [0.25, 0.5 , 0.75]", elemwise=["elemwise_div", "_div", "_Div"])
binary("mod", modulo, _modulo_derivative,
       "the remainder of lhs / rhs, with the sign of rhs, 0 where rhs is 0", "[5, 6, -7], 4 -> [1., 2., 1.]",
       elemwise=["_mod", "_Mod"])
binary("power", power,
       lambda F, g, x, y, out: (g * y * F.broadcast_power(x, y - 1), g * out * F.log(x)),
       "lhs to the power of rhs", "[1, 3, 0.5], 2 -> [1.  , 9.  , 0.25]",
       elemwise=["_power", "_Power"], keeps=("inputs", "outputs"))
binary("maximum", np.maximum, lambda F, g, x, y, out: (g * (x >= y), g * (x < y)),
       "the larger of lhs and rhs; at a tie the gradient goes to lhs", "[1, 2, 3], 2 -> [2., 2., 3.]",
       elemwise=["_maximum", "_Maximum"])
binary("minimum", np.minimum, lambda F, g, x, y, out: (g * (x <= y), g * (x > y)),
       "the smaller of lhs and rhs; at a tie the gradient goes to lhs", "[1, 2, 3], 2 -> [1., 2., 2.]",
       elemwise=["_minimum", "_Minimum"])
binary("hypot", in_floats(np.hypot), lambda F, g, x, y, out: (x / out * g, y / out * g),
       "√(lhs² + rhs²)", "[5, 9, 0.5], 12 -> [13.  , 15.  , 12.01]",
       elemwise=["_hypot", "_Hypot"], keeps=("inputs", "outputs"))
# The sum of two gradients of the same array
define("_grad_add", ["lhs", "rhs"], Binary, "lhs + rhs, two gradients of one array", forward=np.add,
       derivative=lambda F, g, x, y, out: (g, g), keeps=())

COMPARISONS = [     # name, ufunc, older spelling, meaning, example
    ("equal", np.equal, "Equal", "lhs is equal to rhs", "[1, 2, 3], 2 -> [0., 1., 0.]"),
    ("not_equal", np.not_equal, "Not_Equal", "lhs is not equal to rhs", "[1, 2, 3], 2 -> [1., 0., 1.]"),
    ("greater", np.greater, "Greater", "lhs is greater than rhs", "[1, 2, 3], 2 -> [0., 0., 1.]"),
    ("greater_equal", np.greater_equal, "Greater_Equal", "lhs is greater than or equal to rhs",
     "[1, 2, 3], 2 -> [0., 1., 1.]"),
    ("lesser", np.less, "Lesser", "lhs is less than rhs", "[1, 2, 3], 2 -> [1., 0., 0.]"),
    ("lesser_equal", np.less_equal, "Lesser_Equal", "lhs is less than or equal to rhs", "[1, 2, 3], 2 -> [1., 1., 0.]"),
    ("logical_and", np.logical_and, "Logical_And", "neither lhs nor rhs is 0", "[0, 1, 2], 1 -> [0., 1., 1.]"),
    ("logical_or", np.logical_or, "Logical_Or", "lhs or rhs is not 0", "[0, 1, 2], 0 -> [0., 1., 1.]"),
    ("logical_xor", np.logical_xor, "Logical_Xor", "one of lhs and rhs is 0, not both", "[0, 1, 2], 1 -> [1., 0., 0.]"),
]
for _name, _ufunc, _old, _says, _numbers in COMPARISONS:
    binary(_name, compare(_ufunc), None, f"1 where {_says}, else 0, in the inputs' dtype", _numbers,
           elemwise=[f"_{_name}", f"_{_old}"], keeps=())
