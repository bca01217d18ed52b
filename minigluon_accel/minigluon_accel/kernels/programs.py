"""Programs for the loops in `csrc/math/elementwise_loops.h`: lines, their registers, and the Call that runs them."""

import collections
import functools
import struct

from .. import engine
from ..engine import Call, Phase
from ..strides import collapse, row_major, stretched
from .registry import parts, reals, size

__all__ = ["LineProgram", "call", "cost", "stretch"]

MAX_DIMS, MAX_PLACES, KEPT = 8, 64, -1      # as in elementwise.c and elementwise_fused.h
CACHE = 2 ** 14                     # the total number of bytes in a block's registers: half of the first-level cache
UNIT = 64                           # elements

# The cost of a loop, in additions.
COSTS = dict.fromkeys(["exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "sigmoid", "erf",
                       "gelu", "elu", "selu", "softrelu"], 6)
COSTS["gelu_slope"] = 10
COSTS |= dict.fromkeys(["mod", "power", "hypot", "cbrt", "rcbrt", "gamma", "gammaln"], 60)

Line = collections.namedtuple("Line", "loop operands p q")


class LineProgram:
    """The lines of a program that is being written. An operand is (shape, index of an input) or the index of a line."""

    def __init__(self):
        self.lines = []

    def add(self, loop, *operands, p=0.0, q=0.0):
        """Writes a line; returns the operand for its result."""
        self.lines.append(Line(loop, operands, p, q))
        return len(self.lines) - 1


@functools.cache
def _numbers(isa):
    """Returns {name of a loop: its id}."""
    return {name: number for number, name in enumerate(engine.loops())}


@functools.cache
def _short(isa):
    """Returns the names of the loops that can be joined."""
    return frozenset(engine.loops("short_loops"))


def cost(lines):
    """Returns the cost of lines, in additions."""
    return sum(COSTS.get(line.loop.removesuffix("_r").removesuffix("_l"), 1) for line in lines)


def call(lines, inputs, output, saved=()):
    """Returns the Call of lines on inputs with these Specs, or the reason why there is none. All results have the shape
    of `output`.

    saved: indices of the lines whose results are extra outputs, in this order, after the last line's result.
    """
    count, dtype = size(output), output.dtype
    divided = parts(count * (2 + cost(lines.lines)) // 3)
    plain = all(size(spec) == count for spec in inputs)
    if len(lines.lines) == 1 and plain and not saved:
        loop, operands, p, q = lines.lines[0]
        if [number for _, number in operands] == list(range(len(inputs))):
            return Call(Phase("elementwise", dtype, divided, size=count, loop=_numbers(engine.isa())[loop],
                              inputs=len(inputs), p=p, q=q))
    return _program(lines.lines, inputs, output, divided, saved)


def stretch(inputs, shape, out):
    """Returns the Call that reshapes the first input to `shape`, and repeats it along its axes of length 1."""
    if reals(inputs[0], out):
        return reals(inputs[0], out)
    lines = LineProgram()
    lines.add("identity", (shape, 0))
    return call(lines, inputs, out)


def _program(lines, inputs, output, divided, saved):
    count, outputs = len(inputs), 1 + len(saved)
    base = count + outputs         # array indices; spreads and registers follow them
    shapes = {}                     # the shape of each input, according to its operands
    for line in lines:
        for operand in line.operands:
            if isinstance(operand, tuple):
                shape, number = operand
                if shapes.setdefault(number, shape) != shape:
                    return "one input in two shapes"
    spreads = [number for number in shapes if size(inputs[number]) != size(output)]
    lengths, strides = collapse(output.shape, [
        stretched(shapes[number], row_major(shapes[number]), output.shape) for number in spreads])
    if len(lengths) > MAX_DIMS:
        return f"{len(lengths)} dimensions"
    place_of_spread = {number: base + i for i, number in enumerate(spreads)}
    groups = _joined(lines, saved)
    own = {len(lines) - 1: count, **{number: count + 1 + i for i, number in enumerate(saved)}}
    places, used = _places(lines, groups, own, base + len(spreads))
    if used > MAX_PLACES:
        return f"{used} operands"

    def place(operand):
        if isinstance(operand, tuple):
            return place_of_spread.get(operand[1], operand[1])
        return places[operand]

    pad = [0] * MAX_DIMS
    code = []
    for number, steps in zip(spreads, strides, strict=True):
        code += [number, place_of_spread[number], *[*steps, *pad][:MAX_DIMS]]
    for group in groups:
        group_lines = [lines[number] for number in group]
        read = [[place(operand) for operand in line.operands] for line in group_lines]
        code += _code(group_lines, read, places[group[-1]])
    registers = used - base
    block = CACHE // output.dtype.itemsize // max(registers, 4) // UNIT * UNIT
    return Call(Phase(
        "program", output.dtype, divided, size=size(output), block=max(block, UNIT), inputs=count,
        outputs=outputs, registers=registers, lines=len(lines), spreads=len(spreads), dims=len(lengths),
        lengths=[*lengths, *pad][:MAX_DIMS], code=code))


def _joined(lines, saved=()):
    """Returns the line indices in groups.

    If only the next line reads a line's result, both lines are in the same group and the result is passed on in a
    register.

    `elementwise_fused.h` runs the groups.
    """
    short = _short(engine.isa())
    readers = collections.Counter([*saved, *[operand for line in lines for operand in line.operands]])
    groups = {}                     # {last line of a group: its lines}, in an order in which operands come before their
                                    # readers
    for number, line in enumerate(lines):
        before = [k for k in line.operands if k in groups and readers[k] == 1 and lines[k].loop in short]
        group = groups.pop(before[0]) if before and line.loop in short else []
        groups[number] = [*group, number]
    return list(groups.values())


def _code(lines, operands, result):
    """Returns the encoded lines of a group with these operands and this result."""
    code = []
    for line, read in zip(lines, operands, strict=True):
        loop, a, b, c = _numbers(engine.isa())[line.loop], *(read * 3)[:3]
        if len(lines) > 1:
            loop, a, b = _handed_on(loop, a, b, result)
        out = result if line is lines[-1] else KEPT
        code += [loop, out, a, b, c, *struct.unpack("2q", struct.pack("2d", line.p, line.q))]
    return code


def _handed_on(loop, a, b, result):
    """Returns a joined line's loop and operands in the form that `elementwise_fused.h` expects.

    The value that is passed on is x, or y if only b is KEPT.
    """
    if a == KEPT:
        return 2 * loop, a, result if b == KEPT else b
    return 2 * loop + (b == KEPT), a, a if b == KEPT else b


def _places(lines, groups, own, first):
    """Returns ([place of each line's result], number of places). A register becomes free after its last reader.

    own: {line: place} for the lines whose results are outputs. first: the place of the first register.
    """
    last = {operand: group for group, numbers in enumerate(groups) for k in numbers for operand in lines[k].operands}
    places, free, used = [KEPT] * len(lines), [], first
    for group, numbers in enumerate(groups):
        read = {operand for k in numbers for operand in lines[k].operands if isinstance(operand, int)}
        free += [places[k] for k in read.difference(numbers) if last[k] == group and k not in own]
        result = numbers[-1]
        if result in own:
            places[result] = own[result]
        elif free:
            places[result] = free.pop()
        else:
            places[result] = used
            used += 1
    return places, used
