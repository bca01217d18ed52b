"""Fused chains of elementwise operators: one program, one pass over memory."""

from . import programs
from .elementwise import write
from .registry import kernel_for, reals


@kernel_for("_fused")
def fused(op, inputs, outputs):
    reason = reals(*inputs, outputs[0])
    if reason:
        return reason
    lines, results = programs.Lines(), []
    for inner, operands in op.program:
        values = [(inputs[k].shape, k) if k >= 0 else results[-1 - k] for k in operands]
        result = write(inner, lines, values)
        if result is None:
            return f"a chain with {inner.name}"
        results.append(result)
    return programs.call(lines, inputs, outputs[0])
