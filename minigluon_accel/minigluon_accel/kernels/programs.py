"""Programs for the loops of `csrc/math/loops.h`: lines, their registers, and the Call that runs them."""

import functools
import struct
from collections import namedtuple

from .. import engine
from ..engine import Call, Phase
from ..geometry import collapse, row_major, stretched
from .registry import parts, reals, size

__all__ = ["Lines", "call", "cost", "stretch"]

MAX_DIMS, MAX_PLACES = 8, 64      # as in elementwise.c
CACHE = 2 ** 14                     # bytes of all registers of a block, half of the first-level cache
UNIT = 64                           # elements

# How long a loop takes beside an addition.
COSTS = dict.fromkeys(["exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "sigmoid", "erf",
                       "gelu", "elu", "selu", "softrelu"], 6)
COSTS["gelu_slope"] = 10
COSTS |= dict.fromkeys(["mod", "power", "hypot", "cbrt", "rcbrt", "gamma", "gammaln"], 60)

Line = namedtuple("Line", "loop operands p q")


class Lines:
    """Lines that are being written. An operand is (shape, number of an input) or the number of a line."""

    def __init__(self):
        self.lines = []

    def add(self, loop, *operands, p=0.0, q=0.0):
        """Write a line; returns what stands for its result."""
        self.lines.append(Line(loop, operands, p, q))
        return len(self.lines) - 1


@functools.cache
def _numbers(isa):
    """{name of a loop: its number}."""
    return {name: number for number, name in enumerate(engine.loops())}


def cost(lines):
    """How long lines take beside an addition."""
    return sum(COSTS.get(line.loop.removesuffix("_r").removesuffix("_l"), 1) for line in lines)


def call(lines, inputs, output):
    """The Call of lines on inputs of these Specs, or why there is none. All results have the shape of `output`."""
    count, dtype = size(output), output.dtype
    divided = parts(count * (2 + cost(lines.lines)) // 3)
    plain = all(size(spec) == count for spec in inputs)
    if len(lines.lines) == 1 and plain:
        loop, operands, p, q = lines.lines[0]
        if [number for _, number in operands] == list(range(len(inputs))):
            return Call(Phase("elementwise", dtype, divided, size=count, loop=_numbers(engine.isa())[loop],
                              inputs=len(inputs), p=p, q=q))
    return _program(lines.lines, inputs, output, divided)


def stretch(inputs, shape, out):
    """The Call that repeats the first input, seen in `shape`, along its axes of length 1."""
    if reals(inputs[0], out):
        return reals(inputs[0], out)
    lines = Lines()
    lines.add("identity", (shape, 0))
    return call(lines, inputs, out)


def _program(lines, inputs, output, divided):
    count = len(inputs)
    shapes = {}                     # of each input, as its operands say
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
    place_of_spread = {number: count + 1 + i for i, number in enumerate(spreads)}
    places, used = _places(lines, count, count + 1 + len(spreads))
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
    for number, (loop, operands, p, q) in enumerate(lines):
        a, b, c = ([place(operand) for operand in operands] * 3)[:3]
        code += [_numbers(engine.isa())[loop], places[number], a, b, c, *struct.unpack("2q", struct.pack("2d", p, q))]
    registers = used - count - 1
    block = CACHE // output.dtype.itemsize // max(registers, 4) // UNIT * UNIT
    return Call(Phase(
        "program", output.dtype, divided, size=size(output), block=max(block, UNIT), inputs=count,
        registers=registers, lines=len(lines), spreads=len(spreads), dims=len(lengths),
        lengths=[*lengths, *pad][:MAX_DIMS], code=code))


def _places(lines, output, first):
    """([place of each line's result], number of places). A register is free again after its last reader."""
    last = {operand: number for number, line in enumerate(lines) for operand in line.operands}
    places, free, used = [], [], first
    for number, line in enumerate(lines):
        free += [places[k] for k in set(line.operands) if isinstance(k, int) and last[k] == number]
        if number == len(lines) - 1:
            places.append(output)
        elif free:
            places.append(free.pop())
        else:
            places.append(used)
            used += 1
    return places, used
