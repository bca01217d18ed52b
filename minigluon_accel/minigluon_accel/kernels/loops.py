"""Elementwise operators as lines that run the loops in `csrc/math/elementwise_loops.h`, individually or in a fused
chain.

With `loops`, a family declares which of its operators consist of one loop; with `writes`, it declares how to write the
others; `single_loop` is the kernel function for all of them.
"""

from . import programs
from .registry import reals

__all__ = ["loops", "single_loop", "write", "writes", "operator_names"]

_writers = {}       # name of an operator -> write(op, lines, operands), which returns the operand for its result


def operator_names():
    """Returns the names of all operators that can be written as lines."""
    return sorted(_writers)


def write(op, lines, operands):
    """Writes an operator's lines; returns the operand for its result, or None if it cannot be written."""
    writer = _writers.get(op.name)
    return writer and writer(op, lines, operands)


def writes(*names):
    """Decorates the function that writes the lines for the operators with these names."""
    def enter(function):
        for name in names:
            _writers[name] = function
        return function
    return enter


def loops(table):
    """Registers operators that consist of one loop, and returns their names.

    table: {operator name: the loop, or (loop, p) or (loop, p, q)}. p, q: numbers, or functions of the operator.
    """
    for name, row in table.items():
        writes(name)(_one_loop(*([row] if isinstance(row, str) else row)))
    return list(table)


def _one_loop(loop, p=0.0, q=0.0):
    def write_loop(op, lines, operands):
        return lines.add(loop, *operands, p=p(op) if callable(p) else p, q=q(op) if callable(q) else q)
    return write_loop


def single_loop(op, inputs, outputs):
    """Returns the Call of an operator outside a chain: its lines, with the inputs broadcast to the output's shape."""
    reason = reals(*inputs, outputs[0])
    if reason:
        return reason
    lines = programs.LineProgram()
    shapes = [_aligned(op, spec.shape, outputs[0].shape) for spec in inputs]
    if write(op, lines, list(zip(shapes, range(len(inputs)), strict=True))) is None:
        return f"act_type {op.act_type}"
    return programs.call(lines, inputs, outputs[0])


def _aligned(op, shape, out):
    """Returns the shape with its axes aligned to those of the output, because `where`'s condition may select rows."""
    return shape + (1,) * (len(out) - len(shape)) if op.name == "where" else shape
