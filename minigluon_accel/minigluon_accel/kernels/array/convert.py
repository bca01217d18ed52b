"""Conversions between dtypes, and losses that pass their data through."""

import numpy as np

from ...engine import Call, Phase
from .. import wide
from ..loops import loops, single_loop, writes
from ..movement import copy, fill
from ..registry import kernel_for, parts, size
from ..wide import is_narrow

CASTS = {np.dtype(name) for name in ("float32", "float64", "uint8", "int8", "int32", "int64")}


@kernel_for("Cast", "_cast_like", "amp_cast")
def converted(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if data.dtype == out.dtype:
        return copy(inputs, out)
    if is_narrow(data.dtype) and out.dtype == np.float32:
        return Call(wide.converted(data, 0, len(inputs)))
    if is_narrow(out.dtype) and data.dtype == np.float32:
        return Call(wide.converted(data, 0, len(inputs), out.dtype))
    source = np.dtype("uint8") if data.dtype == bool else data.dtype        # a boolean is a byte, 0 or 1
    if source not in CASTS or out.dtype not in CASTS and out.dtype != bool:
        return f"from {data.dtype} to {out.dtype}"
    return Call(Phase(f"{source}_to_{out.dtype}", None, parts(size(out)), size=size(out), target=len(inputs)))


@kernel_for("_make_loss_grad")
def make_loss_grad(op, inputs, outputs):
    if op.normalization == "valid":
        return "the divisor depends on the values"
    return fill(outputs[0], op.value(inputs[0].shape, np.dtype("float64")), 1)


loops({"MakeLoss": "identity"})


@writes("add_n")
def write_sum(op, lines, operands):
    total, *rest = operands
    if not rest:
        return lines.add("identity", total)
    for operand in rest:
        total = lines.add("add", total, operand)
    return total


@kernel_for("MakeLoss", "add_n")
def passed_on(op, inputs, outputs):
    return single_loop(op, inputs, outputs)
