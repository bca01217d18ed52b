"""Fused chains of elementwise operators: one program, one pass over memory."""

from . import programs
from .loops import write, writes
from .registry import kernel_for, reals


@kernel_for("_fused")
def fused(op, inputs, outputs):
    reason = reals(*inputs, *outputs)
    if reason:
        return reason
    shapes = getattr(op, "shapes", None) or [spec.shape for spec in inputs]
    lines = programs.LineProgram()
    results = _results(op, lines, list(zip(shapes, range(len(inputs)), strict=True)))
    if results is None:
        return "a chain with " + ", ".join(sorted({inner.name for inner, _ in op.program}))
    return programs.call(lines, inputs, outputs[0], [results[number] for number in getattr(op, "saved", ())])


@writes("_fused")
def write_chain(op, lines, inputs):
    """Writes the lines of all operators; returns the operand for the last result, or None."""
    results = _results(op, lines, inputs)
    return results and results[-1]


def _results(op, lines, inputs):
    """Returns the operands for all operators' results, after writing their lines, or None if one cannot be written."""
    results, saved = [], getattr(op, "saved", ())
    for number, (inner, operands) in enumerate(op.program):
        result = write(inner, lines, [inputs[k] if k >= 0 else results[-1 - k] for k in operands])
        if result is None:
            return None
        if number in saved and (not isinstance(result, int) or result in results):
            result = lines.add("identity", result)      # an output needs its own line
        results.append(result)
    return results
