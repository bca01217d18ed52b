"""Operators on two arrays: each operator is one loop, even if the shapes differ."""

from ..loops import loops, single_loop
from ..registry import kernel_for

_ARITHMETIC = ["add", "sub", "mul", "div"]
_OTHERS = ["mod", "power", "hypot", "maximum", "minimum", "equal", "not_equal", "greater", "greater_equal", "lesser",
           "lesser_equal", "logical_and", "logical_or", "logical_xor"]

_LOOPS = loops({"_grad_add": "add"}
               | {f"broadcast_{name}": name for name in _ARITHMETIC + _OTHERS}
               | {f"elemwise_{name}": name for name in _ARITHMETIC}
               | {f"_{name}": name for name in _OTHERS})


@kernel_for(*_LOOPS)
def broadcast(op, inputs, outputs):
    return single_loop(op, inputs, outputs)
