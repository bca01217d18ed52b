"""Fused chains of elementwise operators: one program, one pass over memory."""

from . import programs
from .loops import write, writes
from .registry import kernel_for, reals


@kernel_for("_fused")
def fused(op, inputs, outputs):
    reason = reals(*inputs, outputs[0])
    if reason:
        return reason
    shapes = getattr(op, "shapes", None) or [spec.shape for spec in inputs]
    lines = programs.Lines()
    if write_chain(op, lines, list(zip(shapes, range(len(inputs)), strict=True))) is None:
        return "a chain with " + ", ".join(sorted({inner.name for inner, _ in op.program}))
    return programs.call(lines, inputs, outputs[0])


@writes("_fused")
def write_chain(op, lines, inputs):
    """The lines of all operators; what stands for the result of the last, or None."""
    results = []
    for inner, operands in op.program:
        results.append(write(inner, lines, [inputs[k] if k >= 0 else results[-1 - k] for k in operands]))
        if results[-1] is None:
            return None
    return results[-1]
