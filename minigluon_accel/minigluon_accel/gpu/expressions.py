"""Elementwise operators: kernels generated from the operators' own NumPy formulas.

`formulas.py` runs an operator's `forward` on symbolic stand-ins to obtain its expression in C++. This module also
contains the operators for which C has a function of its own, and the operands' broadcast shapes.
"""

import numpy as np

from minigluon.backend.wide import wide_dtype
from minigluon.ops.math import special
from minigluon.ops.math.scalar import Scalar
from minigluon.ops.nn.activation import DENSITY, channel_shape
from minigluon.ops.numeric import cast, in_floats

from .elementwise_codegen import Formula, Operand, elementwise_work
from .formulas import REGISTERS, Value

__all__ = ["applied", "elementwise", "identity_of", "reason_against", "scalars_of"]

# -- formulas ---------------------------------------------------------------------------------------------------------

_own = {}               # name of an operator -> function(op, *values)


def formula(*names):
    """Decorates a function that defines what operators compute, in place of their `forward`."""
    def enter(function):
        _own.update(dict.fromkeys(names, function))
        return function
    return enter


def _of_c(name):
    """Returns a function from C's math library, in float64."""
    return lambda x: Value(f"{name}({{0}})", np.float64, [x.astype(np.float64)])


def _in_float64(compute):
    return lambda op, x: compute(x.astype(np.float64)).astype(x.dtype)


formula("gamma")(_in_float64(_of_c("tgamma")))
formula("gammaln")(_in_float64(_of_c("lgamma")))
formula("erfinv")(_in_float64(special.erfinv))


@formula("erf")
def erf(op, x):
    return in_floats(lambda x: Value("erf({0})" if x.dtype == np.float64 else "erff({0})", x.dtype, [x]))(x)


def _normal_distribution(x):
    """Computes erfc(-x / √2) / 2, because (1 + erf) / 2 would lose digits of small results."""
    y = x * x.dtype.type(-(0.5 ** 0.5))
    return x.dtype.type(0.5) * Value("erfc({0})" if x.dtype == np.float64 else "erfcf({0})", x.dtype, [y])


@formula("LeakyReLU")
def leaky(op, x, *gamma):
    if op.act_type == "gelu":
        return in_floats(lambda x: np.maximum(x, x.dtype.type(-200)) * _normal_distribution(x))(x)
    return op.forward(x, *gamma)


@formula("_gelu_slope")
def gelu_slope(op, x):
    def slope(x):
        limited = np.minimum(np.maximum(x, x.dtype.type(-200)), x.dtype.type(200))     # infinity times 0 is NaN
        return _normal_distribution(x) + limited * np.exp(x * x * x.dtype.type(-0.5)) * x.dtype.type(DENSITY)
    return in_floats(slope)(x)


@formula("_polygamma")
def polygamma(op, x):
    x64 = x.astype(np.float64)
    return (Value(f"polygamma({op.n}, {{0}})", np.float64, [x64]) if op.n else special.digamma(x64)).astype(x.dtype)


@formula("BlockGrad", "make_loss", "MakeLoss", "identity", "_copyto", "_identity_with_attr_like_rhs", "broadcast_to",
         "broadcast_axis", "broadcast_like", "_stretch_like", "_along_channels", "_spread_like")
def same(op, x, *like):
    return x.copy()


@formula("Cast", "_cast_like", "amp_cast")
def converted(op, x, *like):
    return x                # the operator that reads the value converts it


@formula("clip")
def clip(op, x):
    return in_floats(lambda x: np.clip(x, x.dtype.type(op.a_min), x.dtype.type(op.a_max)))(x)


@formula("_power", "broadcast_power")
def power(op, x, y):
    return op.forward(x, y) if x.dtype.kind == "f" else whole_power(x, y)


def whole_power(x, y):
    """Returns x to the power of y for integers."""
    whole = [value.astype(np.int64) for value in (x, y)]
    return Value("whole_power({0}, {1})", np.float64, whole).astype(x.dtype)


QUICK_POWERS = {-1.0: lambda x: 1 / x, 1.0: lambda x: x.copy(), 2.0: np.square,
                3.0: lambda x: np.square(x) * x}


def applied(op, values, scalars):
    """Returns the Value of an operator's result. scalars: the result of `scalars_of`."""
    if op.name in _own:
        return _own[op.name](op, *values)
    if not isinstance(op, Scalar):
        return op.forward(*values)
    x = values[0].astype("int64") if values[0].dtype.kind == "b" else values[0]
    if op.name == "_power_scalar" and x.dtype.kind == "f" and op.scalar in QUICK_POWERS:
        return QUICK_POWERS[op.scalar](x)
    if op.name in ("_power_scalar", "_rpower_scalar") and x.dtype.kind != "f":
        return whole_power(*(x, scalars[0])[::1 if op.name == "_power_scalar" else -1])
    return op.compute(x, scalars[0])


def scalars_of(op, dtype):
    """Returns an operator's scalars that may change between steps, such as a learning rate, for data of this dtype."""
    if not isinstance(op, Scalar):
        return ()
    return (cast(np.array(op.scalar), np.dtype("int64") if dtype.kind == "b" else wide_dtype(dtype))[()],)


def identity_of(op):
    """Returns a key that identifies an operator's formula."""
    if isinstance(op, Scalar):
        return op.name, op.scalar if op.name == "_power_scalar" and op.scalar in QUICK_POWERS else None
    return op.name, *[str(value) for value in op.attributes.values()]


# -- operands ---------------------------------------------------------------------------------------------------------


def stretches(op, inputs, out):
    """Returns [each input's shape for broadcasting to `out`], with None for an input whose elements are not read.
    """
    shapes = [None if name in op.shape_only else spec.shape
              for name, spec in zip(op.argument_names(len(inputs)), inputs, strict=True)]
    if op.name == "where":
        shapes[0] += (1,) * (len(out) - len(shapes[0]))
    elif op.name == "_identity_with_attr_like_rhs":
        shapes[1] = None
    elif op.name == "_along_channels" or (op.name == "LeakyReLU" and op.act_type == "prelu"):
        last = len(shapes) - 1 if op.name == "LeakyReLU" else 0
        shapes[last] = channel_shape(shapes[last], out)
    return shapes


_KNOWN = {np.dtype(name) for name in REGISTERS}


def reason_against(*specs):
    """Returns the reason why there is no kernel for these dtypes, or None."""
    unknown = [str(spec.dtype) for spec in specs if spec.dtype not in _KNOWN]
    return f"dtype {unknown[0]}" if unknown else None


def elementwise(op, inputs, outputs):
    """Returns the Work of an operator with a known formula, or a string that says why there is none."""
    reason = reason_against(*inputs, outputs[0])
    if reason:
        return reason
    shapes = stretches(op, inputs, outputs[0].shape)
    operands = [Operand(k, spec.dtype, shape) for k, (spec, shape) in enumerate(zip(inputs, shapes, strict=True))
                if shape is not None]
    return elementwise_work(formula_of(op, inputs, shapes), operands, outputs[0])


def formula_of(op, inputs, shapes):
    """Returns the Formula of one operator."""
    scalars = scalars_of(op, inputs[0].dtype)
    read = sum(shape is not None for shape in shapes)

    def write(*values):
        return (), applied(op, values[:read], values[read:])
    names = [name for name, shape in zip(op.argument_names(len(inputs)), shapes, strict=True) if shape is not None]
    note = ", ".join([*[f"in{k} is {name}" for k, name in enumerate(names)], *["s0 the scalar"] * len(scalars)])
    return Formula(f"{op.name.lstrip('_')}_kernel", f"{op.name}; {note}", write, identity_of(op), scalars)
