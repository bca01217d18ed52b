"""Values (arrays in the file that support arithmetic) and the builder that records operators for translations.

    y = 0.5 * x * (1 + g.Erf(x / math.sqrt(2)))         # records Div, Erf, Add, Mul, Mul
    y = g.Softmax(x, axis=-1)                           # any ONNX operator by name

A `Value` knows its shape, in which an open length is a `SymbolicDim` with a formula, so a translation can branch on
shapes as a shape rule does. `Helpers` contains the methods whose output depends on the opset or on the known shapes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ops.shapes import broadcast, is_known
from ....ops.symbolic_dimensions import SymbolicDim
from .helpers import Helpers

__all__ = ["Body", "Builder", "Call", "UntranslatableError", "Value"]

_BOOL = {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor", "Not", "IsNaN", "IsInf"}
_INT64 = {"Shape", "Size", "NonZero", "ArgMax", "ArgMin", "NonMaxSuppression"}
_SAME_SHAPE = {"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cast", "Ceil", "Clip", "Cos", "Cosh",
               "CumSum", "Elu", "Erf", "Exp", "Floor", "HardSigmoid", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Log",
               "LogSoftmax", "Neg", "Not", "Reciprocal", "Relu", "Round", "ScatterElements", "ScatterND", "Selu",
               "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "Trilu"}
_BROADCAST = {"Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mod",
              "Mul", "Or", "Pow", "PRelu", "Sub", "Where", "Xor"}


class UntranslatableError(Exception):
    """Raised with the reason that a node cannot be exported.

    The exporter collects these errors and reports all nodes.
    """


class Value:
    """An array in the file.

    shape: numbers and SymbolicDims, None if unknown. name: '' until the file is written. array: the constant, if it is
    one.
    before: the Value from which it was cast, if the cast did not change any values, otherwise None.
    real: the Value of the real numbers that integers with a range stand for, if they were computed, otherwise None.
    """

    array: Any
    builder: Builder
    dtype: np.dtype[Any]
    name: str
    shape: Any

    __slots__ = ("array", "before", "builder", "dtype", "name", "real", "shape")
    __array_ufunc__ = None          # makes a NumPy number on the left defer to the methods below

    def __init__(self, builder: Builder, shape: Any, dtype: Any, name: str = "", array: Any = None):
        self.builder, self.shape, self.dtype, self.name, self.array = builder, shape, np.dtype(dtype), name, array
        self.before: Value | None = None
        self.real: Value | None = None

    @property
    def rank(self) -> int:
        """The number of axes. Raises UntranslatableError if it is unknown."""
        if self.shape is None:
            raise UntranslatableError("the number of axes is not known")
        return len(self.shape)

    def _with(self, op_type, other, left=False):
        other = self.builder.like(other, self)
        # constants belong to the entire file; if the other operand is computed in a loop, so is the result
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
    """One recorded operator. outputs: its Values. prefix: the graph node that it comes from."""

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
    """Recorder of operators, in order. Equal constants are stored once.

    opset: the opset of the file. outer: the builder of the enclosing graph, whose constants are shared.
    prefix: the prefix for the names of new calls.
    """

    def __init__(self, opset: int, outer: Builder | None = None):
        self.opset = opset
        self.outer = outer
        self.calls: list[Call] = []
        self.prefix = ""
        self.specs: list[Any] = []              # (shape, dtype) of each output of the current node
        self.problems: list[Any] = [] if outer is None else outer.problems
        root = self if outer is None else outer.root
        self.root: Builder = root
        if outer is None:
            self.constants: dict[Any, Value] = {}
            self.inputs: dict[str, tuple[Value, int]] = {}      # name of a length -> (input of the file, axis)
            self.lengths: dict[str, Value] = {}                 # formula -> a vector with one element

    def __getattr__(self, op_type: str) -> Any:
        if not op_type[:1].isupper():
            raise AttributeError(op_type)
        return lambda *inputs, **keywords: self.call(op_type, *inputs, **keywords)

    def call(self, op_type: str, *inputs: Any, outputs: int = 1, dtype: Any = None, shape: Any = None,
             **attributes: Any) -> Any:
        """Records an operator. Returns the output's Value, or a list of Values if `outputs` is greater than 1.

        inputs: Values, None for an omitted input, numbers and arrays for constants. Attributes that are None are
        omitted. dtype, shape: the outputs' dtype and shape, unless they can be inferred from the inputs.
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
        outs = [Value(self, shape, dtype) for _ in range(outputs)]
        attributes = {name: value for name, value in attributes.items() if value is not None}
        self.calls.append(Call(op_type, values, outs, attributes, self.prefix))
        return outs[0] if outputs == 1 else outs

    # -- constants ----------------------------------------------------------------------------------------------

    def constant(self, array: Any, dtype: Any = None, name: str = "") -> Value:
        """Returns a constant in the file. Equal small constants are shared."""
        array = np.asarray(array, dtype)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 64 and not name else None
        value = self.root.constants.get(key)
        if value is None:
            value = Value(self.root, array.shape, array.dtype, name, array)
            self.root.constants[key if key is not None else id(value)] = value
        return value

    def like(self, value: Any, other: Value | None) -> Value:
        """Converts a number to a constant of the other Value's dtype; returns a Value unchanged."""
        if isinstance(value, Value):
            return value
        return self.constant(value, None if other is None else other.dtype)

    def ints(self, *numbers: Any) -> Value:
        """Returns an int64 vector: axes or sizes. SymbolicDims among the numbers are computed when the model runs."""
        return self.sizes(numbers)

    def sizes(self, numbers: Any) -> Value:
        """Returns the result of `ints` for a tuple."""
        numbers = tuple(numbers)
        if not any(isinstance(n, SymbolicDim) for n in numbers):
            return self.constant(np.array(numbers, np.int64))
        parts = []
        for is_length, group in itertools.groupby(numbers, lambda n: isinstance(n, SymbolicDim)):
            together = list(group)
            parts += map(self.length, together) if is_length else [self.constant(np.array(together, np.int64))]
        return parts[0] if len(parts) == 1 else self.call("Concat", *parts, axis=0, shape=(len(numbers),))

    def length(self, length: Any) -> Value:
        """Returns a SymbolicDim, computed from the shapes of the file's inputs, as a vector with one element."""
        root = self.root
        text = str(length)
        if text not in root.lengths:
            from .formulas import translate_formula
            outer_prefix, root.prefix = root.prefix, "lengths"
            root.lengths[text] = translate_formula(root, text)
            root.prefix = outer_prefix
        return root.lengths[text]

    def length_of(self, length: Any) -> Value:
        """Returns a number or a SymbolicDim as an int64 of rank 0."""
        if isinstance(length, SymbolicDim):
            return self.root.squeeze(self.length(length), 0)
        return self.constant(np.array(length, np.int64))

    def broadcast(self, shapes: Any) -> Any:
        """Returns the broadcast shape, to the extent that it is known."""
        result: Any = ()
        for shape in shapes:
            if shape is None or result is None:
                return None
            result = broadcast(result, shape)
            if result is False or not is_known(result):
                return None
        return result

    def require_opset(self, opset: int, what: str) -> None:
        """Raises UntranslatableError if the file's opset is older."""
        if self.opset < opset:
            raise UntranslatableError(f"{what} needs opset {opset} or newer, and this is {self.opset}")

    def unknown(self, shape: Any, dtype: Any) -> Value:
        """Returns a placeholder for a Value that could not be translated, so that later nodes can be checked."""
        return Value(self, shape, np.float32 if dtype is None else dtype)


class Body:
    """A graph, possibly the body of a loop or branch: a builder's calls with inputs and outputs."""

    builder: Builder
    heads: list[Value]
    inputs: list[Value]

    def __init__(self, builder: Builder, inputs: Sequence[Value], heads: Sequence[Value]):
        self.builder, self.inputs, self.heads = builder, list(inputs), list(heads)

    def own_heads(self, names: Sequence[str]) -> None:
        """Makes each head the output of a separate operator in this graph, as ONNX requires."""
        own = {id(value) for call in self.builder.calls for value in call.outputs}
        for number, (value, name) in enumerate(zip(self.heads, names, strict=True)):
            if id(value) not in own:
                self.builder.prefix = name
                self.heads[number] = self.builder.call("Identity", value)
            own.discard(id(value))

    def needed(self) -> list[Call]:
        """Returns the calls that the heads depend on."""
        needed_ids = {id(value) for value in self.heads}
        calls = []
        for call in reversed(self.builder.calls):
            if any(id(output) in needed_ids for output in call.outputs):
                calls.append(call)
                needed_ids.update(id(value) for value in _reads(call))
        return calls[::-1]

    def reads(self) -> list[Value]:
        """Returns everything that the required calls read, including calls in subgraphs, and the heads."""
        return [*self.heads, *(value for call in self.needed() for value in _reads(call))]


def _reads(call):
    """Returns the Values that a call reads, including those read in its subgraphs."""
    values = [value for value in call.inputs if value is not None]
    for attribute in call.attributes.values():
        if isinstance(attribute, Body):
            values += attribute.reads()
    return values
