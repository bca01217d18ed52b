"""The node for a fused chain of elementwise operators, and NumPy's kernel for it."""

from __future__ import annotations

import math

from ..backend import Spec
from ..backend.numpy import Writer, forward_for, kernel_for, writer_for
from ..ops.kinds import Elementwise
from .program import getter

__all__ = ["BLOCK", "FusedChain"]

BLOCK = 2 ** 16         # the elements of each operand processed at a time: a few operands fit into the second-level
                        # cache, and the calls per block take little time compared with the work. benchmarks/NOTES.md
                        # discusses smaller blocks.


class FusedChain(Elementwise):
    """Several elementwise operators in sequence.

    program: a tuple of (op, operands). An operand k >= 0 is input k, and -1 - k is the result of line k. The
    last line's result is the output. All inputs and results have the same shape and dtype.
    """

    name = "_fused"
    arguments = ("inputs",)
    variadic = True
    fields = {"program": None}
    gradient = None             # gradients are derived before fusion

    @classmethod
    def complete(cls, attributes):
        return attributes

    @property
    def in_place(self):
        """Returns all inputs except those that the last operator must not overwrite."""
        op, operands = self.program[-1]
        names = zip(operands, op.argument_names(len(operands)), strict=True)
        not_in_place = {k for k, name in names if name not in op.in_place}
        return tuple(name for k, name in enumerate(self.argument_names(self.num_inputs)) if k not in not_in_place)

    @property
    def num_inputs(self):
        return 1 + max((k for _, operands in self.program for k in operands), default=-1)

    def forward(self, *inputs):
        """Computes line by line on entire arrays; the kernel does this in blocks."""
        results = []
        for op, operands in self.program:
            values = [inputs[k] if k >= 0 else results[-1 - k] for k in operands]
            results.append(forward_for(op, *[v.dtype for v in values])(*values))
        return results[-1]

    def registers(self):
        """Returns the register for each line's result, or None for the last line, which writes the output.

        A result may reuse the register of an operand that is read for the last time if the operator allows it.
        """
        last_use = {-1 - k: number for number, (_, operands) in enumerate(self.program) for k in operands if k < 0}
        free, used, registers = [], 0, []
        for number, (op, operands) in enumerate(self.program[:-1]):
            names = zip(operands, op.argument_names(len(operands)), strict=True)
            not_in_place = {k for k, name in names if name not in op.in_place}
            dying = [k for k in set(operands) if k < 0 and last_use[-1 - k] == number]
            free += [registers[-1 - k] for k in dying if k not in not_in_place]
            if not free:
                free, used = [used], used + 1
            registers.append(free.pop())
            free += [registers[-1 - k] for k in dying if k in not_in_place]
        return [*registers, None]


@kernel_for(FusedChain)
def fused(op, inputs, outputs):
    """Prepares the blockwise kernel; its scratch memory holds the registers, for results that later lines read."""
    lines, registers = _lines(op, inputs[0].dtype), max(op.registers()[:-1], default=-1) + 1
    shape, dtype = outputs[0]
    size = math.prod(shape)

    def run_whole(inputs, targets):
        values = (*inputs, *targets)
        for write, operands, target in lines:
            write(operands(values), target(values))

    if size < BLOCK:
        return Writer(run_whole, [Spec(shape, dtype)] * registers)
    return Writer(_in_blocks(lines, size), [Spec((BLOCK,), dtype)] * registers)


def _in_blocks(lines, size):
    """Returns `run(inputs, targets)`, which runs the lines on arrays of that size; targets are the output, then the
    registers."""
    def run(inputs, targets):
        arrays = [x.reshape(-1) for x in (*inputs, targets[0])]
        registers = targets[1:]
        for start in range(0, size, BLOCK):
            values = [x[start:start + BLOCK] for x in arrays]
            values += registers if len(values[0]) == BLOCK else [r[:len(values[0])] for r in registers]
            for write, operands, target in lines:
                write(operands(values), target(values))
    return run


def _lines(op, dtype):
    """Returns (kernel, operands, target) for each line; operands and target are getters from the list of values."""
    one = Spec((BLOCK,), dtype)
    count, registers = op.num_inputs, op.registers()
    slots = [count + 1 + r if r is not None else count for r in registers]
    lines = []
    for number, (line, operands) in enumerate(op.program):
        writer = writer_for(line, [one] * len(operands), [one])
        alone = writer is None or writer.scratch       # a chain has registers but no scratch memory per line
        run = _copying(forward_for(line, *[dtype] * len(operands))) if alone else writer.run
        lines.append((run, getter([k if k >= 0 else slots[-1 - k] for k in operands]), getter([slots[number]])))
    return lines


def _copying(forward):
    """Returns a kernel that allocates one block, for an operator that has no kernel for chains."""
    def run(inputs, targets):
        targets[0][...] = forward(*inputs)
    return run
