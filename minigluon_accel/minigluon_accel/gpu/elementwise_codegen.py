"""Code generation for elementwise operators and chains: one source for each combination of formula, dtypes, and
broadcast pattern of the operands.

Each thread computes as many elements as fit in 16 bytes. Operands that are not broadcast are read in pieces of this
size if their addresses are aligned. A broadcast operand is read at an offset computed from the element's index, with at
most two divisions for each run of dimensions of the operand.
"""

import functools
import math
import textwrap
from typing import NamedTuple

import numpy as np

from minigluon.backend.wide import wide_dtype

from ..strides import collapse, row_major, stretched
from .formulas import REGISTERS, Value, to_lines
from .launch import THREADS, TYPES, GeneratedSource, In, Launch, Out, Work, blocks, limit_of_32_bits, size

__all__ = ["Formula", "Operand", "elementwise_work"]

BYTES = 16              # the number of bytes that a thread reads at once
SMALL = limit_of_32_bits(2 ** 31)        # with fewer elements, 32-bit indices are used
MAX_ARGUMENTS = 64      # as in launcher.pyx


class Formula(NamedTuple):
    """The computation of one element.

    name: the kernel's name. note: a comment for readers of the source. write: a function that takes Values, one for
    each operand and then one for each scalar, and returns the lines of the body and the result expression. key:
    identifies the formula.
    scalars: numbers that change from launch to launch, as NumPy scalars.
    """

    name: str
    note: str
    write: object
    key: object
    scalars: tuple = ()


class Operand(NamedTuple):
    """An input: its index, its dtype, and the shape to which it is reshaped before it is broadcast to the result's
    shape.

    address: In(number) by default.
    """

    number: int
    dtype: np.dtype
    shape: tuple
    address: object = None


def elementwise_work(formula, operands, out, address=None):
    """Returns the Work that writes the result of a formula to Out(0) or a different address. `out` is the result's
    Spec.

    Returns a string if there are more operands than a kernel takes.
    """
    count = size(out)
    if not count:
        return Work()
    rank, last, pattern, numbers = _layout(out.shape, tuple([o.shape for o in operands]))
    types = (*[o.dtype for o in operands], *[s.dtype for s in formula.scalars])
    width, source = _source(_FormulaKey(formula), types, len(operands), out.dtype, rank, pattern)
    pieces = count // width if rank <= 1 or last % width == 0 else 0
    arguments = [address or Out(0), *[o.address or In(o.number) for o in operands],
                 *[_argument(s) for s in formula.scalars], count, pieces, *numbers]
    if len(arguments) > MAX_ARGUMENTS:
        return f"{len(arguments)} arguments, and a kernel takes {MAX_ARGUMENTS}"
    launch = Launch(source, formula.name, {"INDEX": "unsigned" if count < SMALL else "long long"},
                    blocks(pieces or count), THREADS, arguments)
    return Work(launch)


@functools.lru_cache(4096)
def _layout(out, shapes):
    """Returns (rank, last length, pattern, numbers for the kernel) for operands with these shapes, broadcast to `out`.

    Axes that can be traversed as one axis are merged. pattern: for each operand, the (begin, end) of its runs.
    """
    strides = [stretched(shape, row_major(shape), out) for shape in shapes]
    lengths, strides = collapse(out, [row_major(out), *strides])
    places = [runs(lengths, steps) for steps in strides[1:]]
    index = np.uint32 if math.prod(out) < SMALL else np.int64
    numbers = [index(n) for operand_runs in places for n in _numbers(operand_runs, len(lengths))]
    pattern = tuple(tuple((begin, end) for begin, end, *_ in operand_runs) for operand_runs in places)
    return len(lengths), lengths[-1] if lengths else 1, pattern, numbers


def _argument(scalar):
    """Returns a scalar in the type that the kernel takes: float instead of float16."""
    return np.float32(scalar) if scalar.dtype == np.float16 else scalar


# -- operand offsets --------------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """Axes begin .. end - 1 of the result, along which an operand is not repeated.

    step: elements of the result for which the index along the run remains the same. count: the number of these indices.
    stride: the distance between their elements.
    """

    begin: int
    end: int
    step: int
    count: int
    stride: int


def runs(lengths, strides):
    """Returns the Runs of an operand; along the axes between them, it is repeated and its strides are 0."""
    from_last, end = [], len(lengths)
    while end:
        if strides[end - 1] == 0:
            end -= 1
            continue
        begin = end - 1
        while begin and strides[begin - 1] == strides[begin] * lengths[begin]:
            begin -= 1
        from_last.append(Run(begin, end, math.prod(lengths[end:]), math.prod(lengths[begin:end]), strides[end - 1]))
        end = begin
    return from_last[::-1]


def _numbers(runs, rank):
    """Returns the numbers that a kernel takes for an operand's offset, in the order of `_place`."""
    numbers = []
    for run in runs:
        numbers += [run.step] * (run.end < rank) + [run.count] * (run.begin > 0) + [run.stride] * (run is not runs[-1])
    return numbers


def _place(number, pattern, rank):
    """Returns (C++ expression for an operand's offset, names of its numbers). pattern: [(begin, end)] of its runs."""
    terms, names = [], []
    for run, (begin, end) in enumerate(pattern):
        term, suffix = "i", f"{number}" + (f"_{run}" if len(pattern) > 1 else "")
        for present, sign, name in [(end < rank, "/", "step"), (begin > 0, "%", "count"),
                                    (end < pattern[-1][1], "*", "stride")]:
            if present:
                names.append(name + suffix)
                term = f"{term} {sign} {name}{suffix}"
        terms.append(term)
    return " + ".join(terms) or "0", names


# -- text -------------------------------------------------------------------------------------------------------------


class _FormulaKey:
    """A formula that compares equal to every formula with the same key, whatever its scalars."""

    def __init__(self, formula):
        self.formula = formula

    def __eq__(self, other):
        return self.formula.key == other.formula.key

    def __hash__(self):
        return hash(self.formula.key)


@functools.lru_cache(4096)
def _source(once, dtypes, count, out, rank, pattern):
    """Returns (elements per piece, the kernel's source).

    dtypes: those of the `count` operands, followed by those of the scalars.
    """
    formula, out = once.formula, out.name
    types, scalars = [dtype.name for dtype in dtypes[:count]], [dtype.name for dtype in dtypes[count:]]
    names = [f"in{k}" for k in range(len(types))]
    scalar_names = [f"s{k}" for k in range(len(scalars))]
    values = [Value.named(n, wide_dtype(d), rank) for n, d in zip([*names, *scalar_names], dtypes, strict=True)]
    lines, result = formula.write(*values)
    more, expression = to_lines(result.astype(out))
    body = "\n".join(f"    {line}" for line in [*lines, *more, f"return {expression};"])
    registers = [*zip(types, names, strict=True), *zip(scalars, scalar_names, strict=True)]
    parameters = ", ".join(f"{REGISTERS[t]} {n}" for t, n in registers)
    element = (f"// One element: {formula.note}\n"
               f"__device__ inline {REGISTERS[out]} element({parameters}) {{\n{body}\n}}")
    pieced = [bool(runs) and runs[-1][1] == rank for runs in pattern]
    read = [t for t, whole in zip(types, pieced, strict=True) if whole]
    width = BYTES // max(np.dtype(t).itemsize for t in [out, *read])
    kernel = _kernel(formula.name, types, scalars, out, rank, pattern, pieced, width)
    return width, GeneratedSource(f'#include "math/elementwise.cuh"\n\n{element}\n\n{kernel}\n')


def _kernel(name, types, scalars, out, rank, pattern, pieced, width):
    """Returns the text of the function that loops over all elements."""
    places = [_place(k, runs, rank) for k, runs in enumerate(pattern)]
    out_type = TYPES[out][0]
    parameters = [f"{out_type} *out", *[f"const {TYPES[t][0]} *in{k}" for k, t in enumerate(types)],
                  *[f"{REGISTERS[t]} s{k}" for k, t in enumerate(scalars)], "long long n", "long long pieces",
                  *[f"INDEX {name}" for _, names in places for name in names]]
    tests = [f"aligned<{width}>({x})" for x in ["out", *[f"in{k}" for k, whole in enumerate(pieced) if whole]]]
    reads, of_piece, of_one = [], [], []
    for k, (place, _) in enumerate(places):
        of_one.append(f"in{k}[{place}]")
        if pieced[k]:
            address = f"in{k} + {place}" if place == "i" else f"&in{k}[{place}]"
            reads.append(f"        Packed<{TYPES[types[k]][0]}, {width}> x{k} = packed<{width}>({address});")
            of_piece.append(f"x{k}.at[k]")
        else:
            reads.append(f"        {TYPES[types[k]][0]} x{k} = in{k}[{place}];")
            of_piece.append(f"x{k}")
    named = [f"s{k}" for k in range(len(scalars))]
    lines = [
        _head(name, parameters),
        f"    if (!({' && '.join(tests)})) pieces = 0;",
        "    for_each(piece, pieces) {",
        f"        INDEX i = (INDEX)piece * {width};",
        *reads,
        f"        Packed<{out_type}, {width}> result;",
        f"        for (int k = 0; k < {width}; ++k) result.at[k] = element({', '.join([*of_piece, *named])});",
        "        store(out + i, result);",
        "    }",
        f"    for_each(rest, n - pieces * {width}) {{",
        f"        INDEX i = (INDEX)(pieces * {width} + rest);",
        f"        out[i] = element({', '.join([*of_one, *named])});",
        "    }",
        "}",
    ]
    return "\n".join(lines)


def _head(name, parameters):
    """Returns the first lines of a kernel, wrapped between parameters."""
    head = f'extern "C" __global__ void {name}('
    words = ", ".join(parameter.replace(" ", "\N{NO-BREAK SPACE}") for parameter in parameters)
    lines = textwrap.wrap(f"{words})\N{NO-BREAK SPACE}{{", 120 - len(head))
    return head + ("\n" + " " * len(head)).join(lines).replace("\N{NO-BREAK SPACE}", " ")
