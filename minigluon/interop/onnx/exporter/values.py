"""What translations write with: arrays of the file with arithmetic, and a builder that notes down operators.

    y = 0.5 * x * (1 + g.Erf(x / math.sqrt(2)))         # notes Div, Erf, Add, Mul, Mul
    y = g.Softmax(x, axis=-1)                           # any operator of ONNX by its name

A `Value` knows its shape, in which a length that the file leaves open is a `Length` with a formula, so a translation
decides by shapes as a shape rule does. `Helpers` has what is written differently by opset or by what is known.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ops.shapes import broadcast, is_known
from ....ops.symbolic_dimensions import Length
from .helpers import Helpers

__all__ = ["Body", "Builder", "Call", "Untranslatable", "Value"]

_BOOL = {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor", "Not", "IsNaN", "IsInf"}
_INT64 = {"Shape", "Size", "NonZero", "ArgMax", "ArgMin", "NonMaxSuppression"}
_SAME_SHAPE = {"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cast", "Ceil", "Clip", "Cos", "Cosh",
               "CumSum", "Elu", "Erf", "Exp", "Floor", "HardSigmoid", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Log",
               "LogSoftmax", "Neg", "Not", "Reciprocal", "Relu", "Round", "ScatterElements", "ScatterND", "Selu",
               "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "Trilu"}
_BROADCAST = {"Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mod",
              "Mul", "Or", "Pow", "PRelu", "Sub", "Where", "Xor"}


class Untranslatable(Exception):
    """Why a node has no form in ONNX. The exporter collects these, and names all nodes at once."""


class Value:
    """An array in the file.

    shape: numbers and Lengths, None where it is not known. name: '' until the file is written. array: a constant's.
    before: the Value that it was cast from if it has the same numbers, or None.
    """

    array: Any
    builder: Builder
    dtype: np.dtype[Any]
    name: str
    shape: Any

    __slots__ = ("array", "before", "builder", "dtype", "name", "shape")
    __array_ufunc__ = None          # a NumPy number on the left lets the methods below answer

    def __init__(self, builder: Builder, shape: Any, dtype: Any, name: str = "", array: Any = None):
        self.builder, self.shape, self.dtype, self.name, self.array = builder, shape, np.dtype(dtype), name, array
        self.before: Value | None = None

    @property
    def rank(self) -> int:
        """How many axes it has. Raises Untranslatable where that is not known."""
        if self.shape is None:
            raise Untranslatable("the number of axes is not known")
        return len(self.shape)

    def _with(self, op_type, other, left=False):
        other = self.builder.like(other, self)
        # a constant is of the whole file: where the other one is computed in a loop, the result is, too
        builder = self.builder if self.array is None else other.builder
        return builder.call(op_type, *((other, self) if left else (self, other)))

    def __add__(self, other: Any) -> Any:
        return self._with("Add", other)

    def __sub__(self, other: Any) -> Any:
        return self._with("Sub", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("Sub", other, left=True)

    def __mul__(self, other: Any) -> Any:
        return self._with("Mul", other)

    def __truediv__(self, other: Any) -> Any:
        return self._with("Div", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("Div", other, left=True)

    def __pow__(self, other: Any) -> Any:
        return self._with("Pow", other)

    def __rpow__(self, other: Any) -> Any:
        return self._with("Pow", other, left=True)

    def __lt__(self, other: Any) -> Any:
        return self._with("Less", other)

    def __le__(self, other: Any) -> Any:
        return self._with("LessOrEqual", other)

    def __gt__(self, other: Any) -> Any:
        return self._with("Greater", other)

    def __ge__(self, other: Any) -> Any:
        return self._with("GreaterOrEqual", other)

    def __neg__(self) -> Any:
        return self.builder.call("Neg", self)

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self) -> str:
        return f"<Value {self.name!r} {self.shape} {self.dtype}>"


class Call:
    """One operator that is noted down. outputs: its Values. prefix: the node of the graph that it comes from."""

    inputs: Any
    op_type: Any
    outputs: Any
    attributes: Any
    prefix: str

    __slots__ = ("attributes", "inputs", "op_type", "outputs", "prefix")

    def __init__(self, op_type: Any, inputs: Any, outputs: Any, attributes: Any, prefix: str):
        self.op_type, self.inputs, self.outputs = op_type, inputs, outputs
        self.attributes, self.prefix = attributes, prefix


class Builder(Helpers):
    """Notes down operators, in order. Constants are kept once.

    opset: of the file. outer: the builder of the graph around this one; its constants are used here, too.
    prefix: names what is written now.
    """

    def __init__(self, opset: int, outer: Builder | None = None):
        self.opset = opset
        self.outer = outer
        self.calls: list[Call] = []
        self.prefix = ""
        self.wanted: list[Any] = []             # (shape, dtype) of each output of the node that is written now
        self.problems: list[Any] = [] if outer is None else outer.problems
        root = self if outer is None else outer.root
        self.root: Builder = root
        if outer is None:
            self.constants: dict[Any, Value] = {}
            self.inputs: dict[str, tuple[Value, int]] = {}      # name of a length -> (input of the file, axis)
            self.lengths: dict[str, Value] = {}                 # formula -> a vector of one element

    def __getattr__(self, op_type: str) -> Any:
        if not op_type[:1].isupper():
            raise AttributeError(op_type)
        return lambda *inputs, **keywords: self.call(op_type, *inputs, **keywords)

    def call(self, op_type: str, *inputs: Any, outputs: int = 1, dtype: Any = None, shape: Any = None,
             **attributes: Any) -> Any:
        """Note an operator down. Returns its Value, or a list where `outputs` is more than 1.

        inputs: Values, None for one that is left out, numbers and arrays for constants. attributes that are None are
        left out. dtype, shape: of the outputs, where they are not those that follow from the inputs.
        """
        first = next((value for value in inputs if isinstance(value, Value)), None)
        values = [value if value is None or isinstance(value, Value) else self.like(value, first) for value in inputs]
        while values and values[-1] is None:
            values.pop()
        if dtype is None:
            dtype = (np.bool_ if op_type in _BOOL else np.int64 if op_type in _INT64 else
                     values[1].dtype if op_type == "Where" else values[0].dtype)
        if shape is None and op_type in _SAME_SHAPE:
            shape = values[0].shape
        if shape is None and op_type in _BROADCAST:
            shape = self.broadcast(value.shape for value in values)
        made = [Value(self, shape, dtype) for _ in range(outputs)]
        attributes = {name: value for name, value in attributes.items() if value is not None}
        self.calls.append(Call(op_type, values, made, attributes, self.prefix))
        return made[0] if outputs == 1 else made

    # -- constants ----------------------------------------------------------------------------------------------

    def constant(self, array: Any, dtype: Any = None, name: str = "") -> Value:
        """An array that stands in the file. One of a few elements is there once."""
        array = np.asarray(array, dtype)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 64 and not name else None
        found = self.root.constants.get(key)
        if found is None:
            found = Value(self.root, array.shape, array.dtype, name, array)
            self.root.constants[key if key is not None else id(found)] = found
        return found

    def like(self, value: Any, other: Value | None) -> Value:
        """A number as a constant of the other Value's type; a Value is what it is."""
        if isinstance(value, Value):
            return value
        return self.constant(value, None if other is None else other.dtype)

    def ints(self, *numbers: Any) -> Value:
        """A vector of int64: axes, sizes. Lengths among the numbers are computed when the file runs."""
        return self.sizes(numbers)

    def sizes(self, numbers: Any) -> Value:
        """The same of a tuple."""
        numbers = tuple(numbers)
        if not any(isinstance(n, Length) for n in numbers):
            return self.constant(np.array(numbers, np.int64))
        parts = []
        for is_length, group in itertools.groupby(numbers, lambda n: isinstance(n, Length)):
            together = list(group)
            parts += map(self.length, together) if is_length else [self.constant(np.array(together, np.int64))]
        return parts[0] if len(parts) == 1 else self.call("Concat", *parts, axis=0, shape=(len(numbers),))

    def length(self, length: Any) -> Value:
        """A Length, computed from the shapes of the file's inputs: a vector of one element."""
        root = self.root
        text = str(length)
        if text not in root.lengths:
            from .formulas import written
            outer_prefix, root.prefix = root.prefix, "lengths"
            root.lengths[text] = written(root, text)
            root.prefix = outer_prefix
        return root.lengths[text]

    def broadcast(self, shapes: Any) -> Any:
        """The shape of shapes that are broadcast, as far as it is known."""
        result: Any = ()
        for shape in shapes:
            if shape is None or result is None:
                return None
            result = broadcast(result, shape)
            if result is False or not is_known(result):
                return None
        return result

    def require_opset(self, opset: int, what: str) -> None:
        """Raise Untranslatable where the file's opset is older."""
        if self.opset < opset:
            raise Untranslatable(f"{what} needs opset {opset} or newer, and this is {self.opset}")

    def unknown(self, shape: Any, dtype: Any) -> Value:
        """A Value in place of one that could not be translated, so that the rest can be looked at."""
        return Value(self, shape, np.float32 if dtype is None else dtype)


class Body:
    """A graph: what a builder has noted down, with its inputs and outputs. Also that of a loop or branch."""

    builder: Builder
    heads: list[Value]
    inputs: list[Value]

    def __init__(self, builder: Builder, inputs: Sequence[Value], heads: Sequence[Value]):
        self.builder, self.inputs, self.heads = builder, list(inputs), list(heads)

    def own_heads(self, names: Sequence[str]) -> None:
        """Make each head the output of an operator of this graph, and of no other head: ONNX asks for it."""
        made = {id(value) for call in self.builder.calls for value in call.outputs}
        for number, (value, name) in enumerate(zip(self.heads, names, strict=True)):
            if id(value) not in made:
                self.builder.prefix = name
                self.heads[number] = self.builder.call("Identity", value)
            made.discard(id(value))

    def needed(self) -> list[Call]:
        """The calls that lead to the heads."""
        wanted = {id(value) for value in self.heads}
        kept = []
        for call in reversed(self.builder.calls):
            if any(id(output) in wanted for output in call.outputs):
                kept.append(call)
                wanted.update(id(value) for value in _reads(call))
        return kept[::-1]

    def reads(self) -> list[Value]:
        """All that the needed calls read, those of graphs inside of them included, and the heads."""
        return [*self.heads, *(value for call in self.needed() for value in _reads(call))]


def _reads(call):
    """What a call reads, also from inside of its graphs."""
    values = [value for value in call.inputs if value is not None]
    for attribute in call.attributes.values():
        if isinstance(attribute, Body):
            values += attribute.reads()
    return values
