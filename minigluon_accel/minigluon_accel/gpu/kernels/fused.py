"""Fused chains of elementwise operators: one generated kernel, one pass over memory."""

import numpy as np

from ..elementwise_codegen import Formula, Operand, elementwise_work
from ..expressions import applied, identity_of, reason_against, scalars_of
from ..formulas import Value, to_lines
from .registry import kernel_for

__all__ = ["line_by_line"]


def line_by_line(program, count, dtype):
    """Returns a Formula's `write` for a program of operators, as in `minigluon.hybrid.fused_chain.FusedChain`.

    count, dtype: the number of the program's inputs, and their dtype. Each result is rounded to this dtype, so a chain
    produces the same bits as its separate operators.
    """
    def write(*values):
        inputs, scalars = values[:count], list(values[count:])
        lines, results = [], []
        for number, (op, operands) in enumerate(program):
            arguments = [inputs[k] if k >= 0 else results[-1 - k] for k in operands]
            own = [scalars.pop(0) for _ in scalars_of(op, arguments[0].dtype)]
            value = applied(op, arguments, own).astype(arguments[-1].dtype)
            more, text = to_lines(value, f"t{number}_")
            if dtype == np.float16:
                text = f"rounded({text})"
            line = f"{value.register} v{number} = {text};"
            lines += [*more, f"{line:58}  // {getattr(op, 'act_type', op.name)}"]
            results.append(Value.named(f"v{number}", value.dtype, arguments[0].ndim))
        return lines, results[-1]
    return write


@kernel_for("_fused")
def fused(op, inputs, outputs):
    reason = reason_against(*inputs, outputs[0])
    if reason:
        return reason
    shapes = getattr(op, "shapes", None) or [spec.shape for spec in inputs]
    dtype = outputs[0].dtype
    scalars = tuple(s for inner, _ in op.program for s in scalars_of(inner, dtype))
    key = ("_fused", *[(identity_of(inner), operands) for inner, operands in op.program])
    formula = Formula("chain_kernel", f"a chain of {len(op.program)} operators",
                      line_by_line(op.program, len(inputs), dtype), key, scalars)
    operands = [Operand(k, dtype, shape) for k, shape in enumerate(shapes)]
    return elementwise_work(formula, operands, outputs[0])
