"""Translation of NumPy formulas to CUDA C++: an operator's `forward` runs on stand-ins that record what it does.

    >>> x = Value.named("x", "float32")
    >>> written(np.maximum(1 - np.exp(x), 0))
    ([], 'larger(1.0f - expf(x), 0.0f)')

NumPy itself decides in which dtype to compute and when to convert (`ufunc.resolve_dtypes`), so that integers wrap
around, and booleans count, as in the reference. A formula sees float16 as float32, as in the reference; the reader of
the result rounds it.
"""

import math
import re

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["REGISTERS", "UntraceableError", "Value", "cost_of", "to_lines"]

# NumPy dtype name -> the C++ type in which such a number is computed
REGISTERS = {"float32": "float", "float64": "double", "float16": "float", "int8": "signed char",
             "uint8": "unsigned char", "int32": "int", "int64": "long long", "bool": "bool"}

# Ufuncs with their C functions; for float, an f is appended to the name.
_OF_C = ("exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh sqrt cbrt ceil floor trunc rint hypot "
         "copysign")
FUNCTIONS = {
    **{getattr(np, name): name for name in _OF_C.split()},
    **{getattr(np, f"arc{name}"): f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    np.power: "pow",
}
# Ufuncs with C++ text; {0} and {1} are operands. The names are those of functions in kernels/elementwise.cuh and
# common.cuh.
TEXTS = {
    np.add: "{0} + {1}", np.subtract: "{0} - {1}", np.multiply: "{0} * {1}", np.divide: "{0} / {1}",
    np.negative: "-{0}", np.square: "{0} * {0}", np.reciprocal: "1 / {0}",
    np.equal: "{0} == {1}", np.not_equal: "{0} != {1}", np.greater: "{0} > {1}", np.greater_equal: "{0} >= {1}",
    np.less: "{0} < {1}", np.less_equal: "{0} <= {1}",
    np.logical_and: "{0} && {1}", np.logical_or: "{0} || {1}", np.logical_xor: "{0} != {1}", np.logical_not: "!{0}",
    np.bitwise_and: "{0} && {1}", np.bitwise_or: "{0} || {1}", np.invert: "!{0}",
    np.abs: "magnitude({0})", np.maximum: "larger({0}, {1})", np.minimum: "smaller({0}, {1})",
    np.remainder: "modulo({0}, {1})", np.floor_divide: "floor_quotient({0}, {1})",
    np.logaddexp: "log_of_sum({0}, {1})",
    np.isnan: "is_nan({0})", np.isinf: "is_infinite({0})", np.isfinite: "is_finite({0})",
}
LOGICAL = {np.logical_and, np.logical_or, np.logical_xor, np.logical_not}       # their operands become bool
BITS = {np.bitwise_and, np.bitwise_or, np.invert}
SCALED = {np.degrees: 180 / math.pi, np.radians: math.pi / 180}


class UntraceableError(Exception):
    """The error for a formula that uses an operation without C++ text in this module."""


class Value(NDArrayOperatorsMixin):
    """A stand-in for an array: an expression for its elements.

    text: C++ text with {0}, {1} ... for the operands, which are other Values. dtype: NumPy's dtype. is_leaf: whether
    text is a name or a number.
    """

    shape, ndim, size = (), 0, 1

    def __init__(self, text, dtype, operands=(), is_leaf=False):
        self.text, self.dtype, self.operands, self.is_leaf = text, np.dtype(dtype), tuple(operands), is_leaf
        if self.dtype.name not in REGISTERS:
            raise UntraceableError(f"dtype {self.dtype}")

    @classmethod
    def named(cls, name, dtype, ndim=0):
        """Returns a variable in the text. ndim: the number of axes that a formula sees."""
        value = cls(name, dtype, is_leaf=True)
        value.ndim, value.shape = ndim, (1,) * ndim
        return value

    @classmethod
    def number(cls, number, dtype):
        """Returns a number as a Value."""
        return cls(literal(number, np.dtype(dtype)), dtype, is_leaf=True)

    def astype(self, dtype, copy=True):
        dtype = np.dtype(dtype)
        if REGISTERS.get(dtype.name) == self.register:
            return self.with_dtype(dtype)
        if self.is_leaf and self.text in ("0", "1", "true", "false"):
            return Value.number({"true": 1, "false": 0}.get(self.text) or int(self.text == "1"), dtype)
        if dtype.kind == "b":
            return Value("{0} != 0", dtype, [self])
        if dtype == np.float16 and self.dtype == np.float64:
            return Value("rounded({0})", dtype, [self])
        if self.dtype.kind == "f" and dtype.kind in "iu":
            return Value(f"convert<{REGISTERS[dtype.name]}>({{0}})", dtype, [self])
        return Value(f"({REGISTERS.get(dtype.name)}){{0}}", dtype, [self])

    def with_dtype(self, dtype):
        """Returns the same value, relabeled as a different dtype with the same C++ type."""
        return self if dtype == self.dtype else Value("{0}", dtype, [self])

    @property
    def register(self):
        """The C++ type of the value."""
        return REGISTERS[self.dtype.name]

    def copy(self):
        return self.with_dtype(self.dtype)

    def reshape(self, *shape):
        return self             # formulas do not depend on the location of an operand's elements

    def __bool__(self):
        raise UntraceableError("a branch that depends on values")

    def become(self, other):
        """Becomes another Value, like an array that is overwritten."""
        other = other.astype(self.dtype)
        old = Value(self.text, self.dtype, self.operands, self.is_leaf)
        operands = [old if operand is self else operand for operand in other.operands]
        if other is not self:
            self.text, self.operands, self.is_leaf = other.text, tuple(operands), other.is_leaf
        return self

    # -- NumPy's functions ------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, dtype=None):
        if method != "__call__":
            raise UntraceableError(f"{ufunc.__name__}.{method}")
        if dtype is not None:
            inputs = [as_value(x, np.dtype(dtype)).astype(dtype) for x in inputs]
        result = _applied(ufunc, inputs)
        return result if out is None else out[0].become(result)

    def __array_function__(self, function, types, args, kwargs):
        if function not in _FUNCTIONS_OF_ARRAYS:
            raise UntraceableError(f"numpy.{function.__name__}")
        return _FUNCTIONS_OF_ARRAYS[function](*args, **kwargs)


def _is_plain(x):
    """Returns whether an operand is a plain Python number, not NumPy's float64, which is also a float."""
    return type(x) in (bool, int, float)


def as_value(x, dtype):
    """Returns an operand as a Value. A Python number takes the dtype of the other operands, as in NumPy."""
    if isinstance(x, Value):
        return x
    if np.ndim(x):
        raise UntraceableError("an array in the formula")
    return Value.number(x, dtype if _is_plain(x) else x.dtype)


def _applied(ufunc, inputs):
    if ufunc in SCALED:
        return inputs[0] * inputs[0].dtype.type(SCALED[ufunc])
    if ufunc is np.power and _is_plain(inputs[1]) and inputs[1] == 2:
        return np.square(inputs[0])
    dtypes = [type(x) if _is_plain(x) else x.dtype for x in inputs]
    *operand_dtypes, result = ufunc.resolve_dtypes((*dtypes, None))
    if ufunc in LOGICAL:
        operand_dtypes = [np.dtype(bool)] * len(operand_dtypes)
    if ufunc in BITS and any(d.kind != "b" for d in operand_dtypes):
        raise UntraceableError(f"numpy.{ufunc.__name__} on {operand_dtypes[0]}")
    operands = [as_value(x, d).astype(d) for x, d in zip(inputs, operand_dtypes, strict=True)]
    if ufunc in FUNCTIONS:
        name = FUNCTIONS[ufunc] + ("f" if REGISTERS[result.name] == "float" else "")
        return Value(f"{name}({', '.join(f'{{{k}}}' for k in range(len(operands)))})", result, operands)
    if ufunc not in TEXTS:
        raise UntraceableError(f"numpy.{ufunc.__name__}")
    if ufunc is np.maximum and operand_dtypes[0].kind == "b":
        return Value("{0} || {1}", result, operands)
    return Value(TEXTS[ufunc], result, operands)


def _common(*arrays):
    """Returns the arrays as Values with a common dtype."""
    dtype = np.result_type(*[x if _is_plain(x) else x.dtype for x in arrays])
    return [as_value(x, dtype).astype(dtype) for x in arrays]


def _where(condition, x, y):
    x, y = _common(x, y)
    return Value("{0} ? {1} : {2}", x.dtype, [as_value(condition, np.dtype(bool)).astype(bool), x, y])


def _clip(x, low, high, out=None):
    x, low, high = _common(x, low, high)        # of the equal numbers 0 and -0, NumPy returns the first here
    result = Value("first_smaller(first_larger({0}, {1}), {2})", x.dtype, [x, low, high])
    return result if out is None else out.become(result)


def _polyval(coefficients, x):
    total = Value.number(0, x.dtype)
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


_FUNCTIONS_OF_ARRAYS = {
    np.where: _where, np.clip: _clip, np.polyval: _polyval, np.copy: lambda x: x.copy(),
    np.zeros_like: lambda x: Value.number(0, x.dtype), np.ones_like: lambda x: Value.number(1, x.dtype),
    np.empty_like: lambda x: Value.number(0, x.dtype), np.ndim: lambda x: x.ndim,
}


# -- text -------------------------------------------------------------------------------------------------------------


def literal(number, dtype):
    """Returns a number as C++ text."""
    number = np.array(number).astype(dtype)[()]
    if dtype.kind == "b":
        return "true" if number else "false"
    if dtype.kind in "iu":
        if number == np.iinfo(np.int64).min:
            return "(-9223372036854775807LL - 1)"
        return f"{number}{'LL' if dtype.itemsize == 8 else ''}"
    suffix = "" if dtype == np.float64 else "f"
    if np.isfinite(number):
        return f"{number if dtype == np.float64 else np.float32(number)!s}{suffix}"
    text = "MINIGLUON_NAN" if np.isnan(number) else f"{'-' if number < 0 else ''}MINIGLUON_INFINITY"
    return text if suffix else f"(double){text}"


# How tightly texts bind: an operand that binds more loosely is put in parentheses.
LOOSE, PREFIXED, WHOLE = 1, 2, 3
_CALL = re.compile(r"\w[\w<> ]*\(.*\)$")
_PREFIX = re.compile(r"(-|!|\([\w ]+\))\{0\}$|-")


def _firmness(template):
    if _PREFIX.match(template):
        return PREFIXED
    return LOOSE if " " in template and not _CALL.match(template) else WHOLE


def to_lines(value, name="t"):
    """Returns (lines, expression). Each value that is used several times gets a line and a name: t0, t1, ..."""
    lines, texts = [], {}           # id of a Value -> (text, binding)
    uses, order = _uses(value)
    for node in order:
        operands = [texts[id(operand)] for operand in node.operands]
        text, firmness = _composed(node, operands)
        if uses[id(node)] > 1 and node.operands and node.text != "{0}":
            lines.append(f"{node.register} {name}{len(lines)} = {text};")
            text, firmness = f"{name}{len(lines) - 1}", WHOLE
        texts[id(node)] = text, firmness
    return lines, texts[id(value)][0]


def _composed(node, operands):
    """Returns (text, binding) of a Value, given the (text, binding) pairs of its operands."""
    template, firmness = node.text, _firmness(node.text)
    if template == "{0}":
        return operands[0]
    needed = {LOOSE: PREFIXED, PREFIXED: PREFIXED if template[0] == "(" else WHOLE, WHOLE: LOOSE}[firmness]
    text = template.format(*[text if own >= needed else f"({text})" for text, own in operands])
    if operands and node.dtype.kind in "iu" and node.dtype.itemsize == 1 and not template.startswith(("(", "conv")):
        return f"({node.register})({text})", PREFIXED       # C uses int for these types
    return text, firmness


def cost_of(value):
    """Returns the approximate cost of a formula in additions: a C function counts as eight."""
    names = {*FUNCTIONS.values(), "whole_power", "erf", "tgamma", "lgamma", "log_of_sum", "modulo", "polygamma"}
    return sum(8 if node.text.partition("(")[0].removesuffix("f") in names else 1
               for node in _uses(value)[1] if node.operands)


def _uses(value):
    """Returns ({id: how often a Value is an operand}, all Values, operands first).

    Works at any depth, because it is not recursive.
    """
    uses, order, stack = {}, [], [(value, False)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
            continue
        uses[id(node)] = uses.get(id(node), 0) + 1
        if uses[id(node)] == 1:
            stack.append((node, True))
            stack.extend((operand, False) for k, operand in enumerate(node.operands)
                         for _ in range(node.text.count(f"{{{k}}}")))
    return uses, order
