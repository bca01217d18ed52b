"""Operators on an array and a number.

A loop's name ends in _r if the number is on the right, and in _l if it is on the left.
"""

from ..loops import loops, single_loop, writes
from ..registry import kernel_for

_SAME_NAME = ["mod", "hypot", "maximum", "minimum", "equal", "not_equal", "greater", "greater_equal", "lesser",
              "lesser_equal", "logical_and", "logical_or", "logical_xor"]

_OF_NUMBER = {f"_{name}_scalar": f"{name}_r" for name in _SAME_NAME} | {
    "_plus_scalar": "add_r",
    "_minus_scalar": "sub_r",
    "_mul_scalar": "mul_r",
    "_div_scalar": "div_r",
    "_rminus_scalar": "sub_l",
    "_rdiv_scalar": "div_l",
    "_rmod_scalar": "mod_l",
    "_rpower_scalar": "power_l",
}

_LOOPS = loops({name: (loop, lambda op: op.scalar) for name, loop in _OF_NUMBER.items()})

POWERS = {-1.0: "reciprocal", 0.5: "root", 1.0: "identity", 2.0: "square", 3.0: "cube"}


@writes("_power_scalar")
def write_power(op, lines, operands):
    return lines.add(POWERS.get(op.scalar, "power_r"), *operands, p=op.scalar)


@kernel_for("_power_scalar", *_LOOPS)
def scalar(op, inputs, outputs):
    return single_loop(op, inputs, outputs)
