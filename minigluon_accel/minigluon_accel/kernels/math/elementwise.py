"""Elementwise operators: each is written as lines of loops, alone or as part of a fused chain."""

import math

from minigluon.ops.nn.activation import SELU_SCALE, SELU_SLOPE

from .. import programs
from ..registry import kernel_for, reals

__all__ = ["write", "writes"]

_writers = {}       # name of an operator -> write(op, lines, operands), which returns what stands for the result


def write(op, lines, operands):
    """Write an operator's lines; what stands for its result, or None if it has none."""
    writer = _writers.get(op.name)
    return writer and writer(op, lines, operands)


def writes(*names):
    """Decorator: the function writes the lines of the operators of these names."""
    def enter(function):
        for name in names:
            _writers[name] = function
        return function
    return enter


def _loop(names, loop, p=0.0, q=0.0):
    """Operators that are a loop. p, q: numbers, or functions of the operator."""
    def write_loop(op, lines, operands):
        return lines.add(loop, *operands, p=p(op) if callable(p) else p, q=q(op) if callable(q) else q)
    writes(*names)(write_loop)


def _scalar(op):
    return op.scalar


# -- the table ------------------------------------------------------------------------------------------------------

for _name in ["identity", "negative", "abs", "sign", "rint", "round", "ceil", "floor", "trunc", "logical_not",
              "reciprocal", "square", "sqrt", "rsqrt", "cbrt", "rcbrt", "exp", "expm1", "log", "log2", "log10",
              "log1p", "sin", "cos", "tan", "tanh", "relu", "sigmoid", "softsign", "erf", "gamma", "gammaln",
              "where"]:
    _loop([_name], _name)
_loop(["fix"], "trunc")
_loop(["BlockGrad", "make_loss", "MakeLoss"], "identity")
_loop(["zeros_like"], "constant")
_loop(["ones_like"], "constant", 1.0)
_loop(["degrees"], "mul_r", 180 / math.pi)
_loop(["radians"], "mul_r", math.pi / 180)
_loop(["_relu_grad"], "relu_grad")
for _name in ["isnan", "isinf", "isfinite"]:
    _loop([f"_contrib_{_name}"], _name)

for _name in ["add", "sub", "mul", "div"]:
    _loop([f"elemwise_{_name}", f"broadcast_{_name}"], _name)
_loop(["_grad_add"], "add")
for _name in ["mod", "power", "hypot", "maximum", "minimum", "equal", "not_equal", "greater", "greater_equal",
              "lesser", "lesser_equal", "logical_and", "logical_or", "logical_xor"]:
    _loop([f"_{_name}", f"broadcast_{_name}"], _name)
    if _name != "power":
        _loop([f"_{_name}_scalar"], f"{_name}_r", _scalar)
_loop(["_plus_scalar"], "add_r", _scalar)
_loop(["_minus_scalar"], "sub_r", _scalar)
_loop(["_mul_scalar"], "mul_r", _scalar)
_loop(["_div_scalar"], "div_r", _scalar)
_loop(["_rminus_scalar"], "sub_l", _scalar)
_loop(["_rdiv_scalar"], "div_l", _scalar)
_loop(["_rmod_scalar"], "mod_l", _scalar)
_loop(["_rpower_scalar"], "power_l", _scalar)

_loop(["hard_sigmoid"], "hard_sigmoid", lambda op: op.alpha, lambda op: op.beta)
_loop(["smooth_l1"], "smooth_l1", lambda op: op.scalar ** 2)
_loop(["clip"], "clip", lambda op: op.a_min, lambda op: op.a_max)
_loop(["_clip_grad"], "clip_grad", lambda op: op.a_min, lambda op: op.a_max)

POWERS = {-1.0: "reciprocal", 0.5: "root", 1.0: "identity", 2.0: "square", 3.0: "cube"}


@writes("_power_scalar")
def _write_power(op, lines, operands):
    return lines.add(POWERS.get(op.scalar, "power_r"), *operands, p=op.scalar)


@writes("Activation")
def _write_activation(op, lines, operands):
    return lines.add(op.act_type, *operands)


@writes("LeakyReLU")
def _write_leaky(op, lines, operands):
    if op.act_type in ("prelu", "rrelu"):
        return None
    p, q = {"selu": (SELU_SCALE, SELU_SLOPE)}.get(op.act_type, (op.slope, 0.0))
    return lines.add(op.act_type, *operands, p=p, q=q)


@writes("add_n")
def _write_sum(op, lines, operands):
    total, *rest = operands
    if not rest:
        return lines.add("identity", total)
    for operand in rest:
        total = lines.add("add", total, operand)
    return total


# -- single operators -----------------------------------------------------------------------------------------------

@kernel_for(*_writers)
def elementwise(op, inputs, outputs):
    reason = reals(*inputs, outputs[0])
    if reason:
        return reason
    lines = programs.Lines()
    shapes = [_aligned(op, spec.shape, outputs[0].shape) for spec in inputs]
    if write(op, lines, list(zip(shapes, range(len(inputs)), strict=True))) is None:
        return f"act_type {op.act_type}"
    return programs.call(lines, inputs, outputs[0])


def _aligned(op, shape, out):
    """The shape with dimensions where those of the output are: the condition of `where` may stand for rows."""
    return shape + (1,) * (len(out) - len(shape)) if op.name == "where" else shape
