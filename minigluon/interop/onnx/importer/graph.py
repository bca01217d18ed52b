"""Translation of an ONNX graph to symbols, node by node; all problems are collected and reported together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import name as names
from .... import symbol as sym
from ....base import FileFormatError, MXNetError
from . import folding
from .budget import BudgetError, require_simple
from .call import Call
from .table import ELEMENTWISE, TABLE, NotRepresentableError
from .tensors import DTYPES, dtype_of
from .values import Facts, Sequence, Value, same_length

if TYPE_CHECKING:
    from ....common.types import DType
    from ....symbol import Symbol

__all__ = ["Graph", "ImportProblems"]

MAX_TOLD = 40


class ImportProblems(MXNetError):
    """Raised for an ONNX file with nodes that do not have a counterpart in minigluon.

    problems: a description of each problem. inputs: names of inputs that must be known when the file is read.
    """

    inputs: list[Any]
    problems: list[Any]

    def __init__(self, problems: Any, inputs: Any = ()):
        self.problems, self.inputs = list(problems), list(dict.fromkeys(inputs))
        text = "this file has parts that have no counterpart in minigluon:\n  " + "\n  ".join(self.problems[:MAX_TOLD])
        if len(self.problems) > MAX_TOLD:
            text += f"\n  and {len(self.problems) - MAX_TOLD} more"
        if self.inputs:
            text += ("\nPass inputs that decide shapes when reading the file: constants={"
                     + ", ".join(f"{name!r}: ..." for name in self.inputs) + "}")
        super().__init__(text)


class _NestedNames(dict):
    """The names in a subgraph; missing names are looked up in the enclosing graph."""

    def __init__(self, around: Any):
        super().__init__()
        self.around = around

    def __missing__(self, name: str) -> Any:
        return self.around[name]

    def __contains__(self, name: str) -> bool:
        return super().__contains__(name) or name in self.around


class Graph:
    """The reader of one model.

    tensors: reads TensorProtos. opsets: {domain: version}. budget: a `budget.Budget`. rank_zero: names of values that
    have rank 0 according to ONNX's own inference.
    """

    budget: Any
    opsets: Any
    rank_zero: set[Any]
    tensors: Any
    auxiliary: dict[Any, Any]
    parameters: dict[Any, Any]
    inputs: list[Any]
    problems: list[Any]
    scalars: set[Any]
    needed: list[Any]
    values: _NestedNames | dict[Any, Any]

    def __init__(self, tensors: Any, opsets: Any, budget: Any, rank_zero: Any = ()):
        self.tensors, self.opsets, self.budget, self.rank_zero = tensors, opsets, budget, set(rank_zero)
        self.facts: Facts = Facts()
        self.values, self.parameters, self.auxiliary = {}, {}, {}
        self.inputs, self.scalars, self.problems, self.needed = [], set(), [], []
        self.states: set[Any] = set()             # names of tensors used by a BatchNormalization
        self.wholes: dict[Any, Any] = {}          # (node, output) of real numbers -> the integers they come from
        self._failed = set()            # names of values that a rejected node would have produced

    # -- names and parameters ---------------------------------------------------------------------------------------

    def add_input(self, name: str, shape: Any, dtype: DType) -> None:
        """Creates a variable for an input of the model."""
        what = f"input {name!r}"
        if str(dtype) not in DTYPES:
            self.problems.append(f"{what}: arrays of {dtype} are not supported")
        variable = sym.var(name, dtype=None if dtype == np.float32 or str(dtype) not in DTYPES else dtype)
        self.facts.set(variable, (1,) if shape == () else shape, dtype)
        self.values[name] = Value(name, symbol=variable, shape=shape, dtype=dtype, scalar=shape == ())
        self.inputs.append(name)

    def add_constant(self, name: str, array: Any, parameter: bool = False) -> None:
        """Adds known numbers under a name."""
        self.values[name] = Value(name, array=array, parameter=parameter)

    def symbol(self, value: Any) -> Any:
        """Returns the symbol of a Value; numbers become a parameter with its name."""
        if isinstance(value, Sequence):
            raise NotRepresentableError(f"{value.name!r} is a sequence, but an array is expected")
        if value.symbol is None:
            if value.array.dtype == object:
                raise NotRepresentableError(f"{value.name!r} uses lengths that the file leaves open as data")
            value.symbol = self.parameter(value.name, value.array)
        return value.symbol

    def parameter(self, name: str, array: Any) -> Symbol:
        """Adds a variable and its numbers; an array of rank 0 has shape (1,)."""
        if str(array.dtype) not in DTYPES:
            raise NotRepresentableError(f"{name!r}: arrays of {array.dtype} are not supported")
        array = np.ascontiguousarray(array.reshape(array.shape or (1,)))
        while name in self.parameters or name in self.inputs:
            name += "_"
        self.parameters[name] = array
        variable = sym.var(name, dtype=None if array.dtype == np.float32 else array.dtype)
        self.facts.set(variable, array.shape, array.dtype)
        return variable

    def dtype_of(self, number: Any) -> np.dtype[Any]:
        """Returns the dtype for ONNX's code of an element type."""
        return dtype_of(number, "an attribute")

    def source_of(self, length: int) -> tuple[Any, int]:
        """Returns (symbol, axis) of an input with this open length."""
        for name in self.inputs:
            value = self.values[name]
            for axis, n in enumerate(value.shape or ()):
                if same_length(n, length):
                    return value.symbol, axis
        raise NotRepresentableError(f"no input has the length {length}, which it needs")

    def value_of(self, symbol: Symbol, name: str = "", scalar: bool = False) -> Value:
        """Returns the Value of an intermediate symbol."""
        shape, dtype = self.facts.of(symbol)
        return Value(name, symbol=symbol, shape=shape, dtype=dtype, scalar=scalar or symbol.heads[0] in self.scalars)

    def whole_inputs(self, value: Any) -> list[Any]:
        """Returns the inputs that a value depends on, if all intermediate values are integers (like shapes) or scalars.

        The inputs themselves may contain anything.
        """
        names = [] if value.symbol is None else value.symbol.list_inputs()
        inputs = [self.values[name] for name in self.inputs if name in names]
        small = value.name in self.inputs or all(
            source.scalar or source.shape == (1,) or (source.dtype.kind in "iu" and len(source.shape or ()) < 2)
            for source in inputs)
        return [source.name for source in inputs] if small else []

    def rank_of(self, symbol: Symbol) -> int:
        """Returns the rank of a symbol, which must be known."""
        shape = self.facts.of(symbol)[0]
        if shape is None:
            raise NotRepresentableError("the number of axes of its input does not follow from the file")
        return len(shape)

    # -- reading ----------------------------------------------------------------------------------------------------

    def add_tensors(self, graph: Graph) -> None:
        """Adds the tensors stored in a graph."""
        for tensor in graph.initializer:
            if tensor.name not in dict.keys(self.values):
                self.add_constant(tensor.name, self.tensors.read(tensor), parameter=True)
        if graph.sparse_initializer:
            raise NotRepresentableError("sparse tensors of the file")

    def run(self, graph: Graph) -> list[Any]:
        """Reads all nodes and returns the Values of the outputs. Problems are collected in `problems`."""
        for node in graph.node:
            self._run_node(node)
        return [self._value_of(output.name) for output in graph.output]

    def _value_of(self, name):
        return self.values[name] if name in self.values else None      # noqa: SIM401 -- .get ignores __missing__

    def _run_node(self, node):
        self.budget.take_nodes()
        missing = [name for name in node.input if name and name not in self.values]
        if any(name in self._failed for name in missing):
            self._failed.update(node.output)
            return
        if missing:
            raise FileFormatError(f"{_described(node)} has the input {missing[0]!r}, which no earlier node computes")
        try:
            results = self._results(node)
        except BudgetError:
            raise
        except NotRepresentableError as problem:
            self._refuse(node, str(problem), problem.inputs)
        except MXNetError as error:
            self._refuse(node, str(error))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self._refuse(node, f"its attributes or inputs do not fit: {type(error).__name__} {error}")
        else:
            self.values.update({value.name: value for value in results})

    def _refuse(self, node, reason, inputs=()):
        opset = self.opsets.get(node.domain or "", "?")
        self.problems.append(f"{_described(node)}, opset {opset}: {reason}")
        self.needed += inputs
        self._failed.update(name for name in node.output if name)

    def _results(self, node):
        """Returns the Values of a node's outputs."""
        domain = "" if node.domain == "ai.onnx" else node.domain
        if domain not in self.opsets:
            raise NotRepresentableError(f"the file does not say which version of the domain {domain!r} it uses")
        inputs = [self.values[name] if name else None for name in node.input]
        attributes = {a.name: self._attribute(a) for a in node.attribute}
        call = Call(self, node, inputs, attributes, self.opsets[domain])
        arrays = folding.fold(call, self.budget)
        if arrays is not None:
            return [Value(name, array=array) for name, array in zip(node.output, arrays, strict=False) if name]
        if (domain, node.op_type) not in TABLE:
            raise NotRepresentableError("this operator is not implemented")
        label = node.name or (call.outputs[0] if call.outputs else node.op_type)
        with names.Prefix(label + "_"):
            results = TABLE[domain, node.op_type](call)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        all_scalars = ((domain, node.op_type) in ELEMENTWISE
                       and all(value.scalar for value in inputs if value is not None))
        self._name_node(results, label, call.outputs)
        return [self._value(name, result, all_scalars)
                for name, result in zip(call.outputs, results, strict=False) if name]

    def _name_node(self, symbols, label, outputs):
        """Names a new node as in the file or, if it has several outputs, so that these keep their names."""
        if not symbols or not all(isinstance(part, sym.Symbol) for part in symbols):
            return
        nodes = {part.heads[0][0] for part in symbols}
        node = symbols[0].heads[0][0]
        if len(nodes) > 1 or node.op is None or not node.name.startswith(label + "_"):
            return
        if len(symbols) == 1:
            node.name = label if len(symbols[0]) == 1 and node.num_visible_outputs == 1 else node.name
            return
        base = outputs[0].removesuffix("0") if outputs else label
        if all(name == f"{base}{number}" for number, name in enumerate(outputs)):
            node.name = base

    def _value(self, name, result, scalar):
        if isinstance(result, np.ndarray):
            return Value(name, array=result)
        if isinstance(result, Sequence):
            return Sequence(result.items, name)
        if isinstance(result, Value):
            return Value(name, result.array, result.symbol, result.shape, result.dtype, result.scalar)
        value = self.value_of(result, name, scalar or name in self.rank_zero)
        require_simple(value.shape)
        return value

    def _attribute(self, attribute):
        from onnx import AttributeProto as Kind
        if attribute.type == Kind.TENSOR:
            return self.tensors.read(attribute.t)
        if attribute.type == Kind.STRING:
            return attribute.s.decode("utf-8", "replace")
        if attribute.type == Kind.STRINGS:
            return [text.decode("utf-8", "replace") for text in attribute.strings]
        if attribute.type == Kind.FLOAT:
            return attribute.f
        if attribute.type == Kind.INT:
            return attribute.i
        if attribute.type == Kind.FLOATS:
            return list(attribute.floats)
        if attribute.type == Kind.INTS:
            return list(attribute.ints)
        return attribute.g if attribute.type == Kind.GRAPH else attribute

    # -- subgraphs --------------------------------------------------------------------------------------------------

    @contextmanager
    def inside(self):
        """Opens a scope for the names of a subgraph, which also sees the names of the enclosing graph."""
        around, self.values = self.values, _NestedNames(self.values)
        try:
            yield
        finally:
            self.values = around

    def run_inside(self, graph: Graph) -> list[Any]:
        """Returns the Values of a subgraph's outputs. Raises NotRepresentableError if a node cannot be translated."""
        before = len(self.problems)
        self.add_tensors(graph)
        results = self.run(graph)
        if len(self.problems) > before or None in results:
            inner = self.problems[before:]
            del self.problems[before:]
            raise NotRepresentableError("; ".join(inner) or f"the graph {graph.name!r} lacks an output", self.needed)
        return results


def _described(node):
    output = next((name for name in node.output if name), "")
    domain = f"{node.domain}." if node.domain else ""
    return f"node {node.name or output!r} ({domain}{node.op_type})"
