"""The reader for a complete model, whose inputs, tensors and outputs become a symbol and two dicts of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .... import ndarray as nd
from .... import symbol as sym
from ....base import FileFormatError, MXNetError
from ....diagnostics.source_lines import current_line, fixed_line
from .budget import Budget
from .checks import count_nodes, forget_negative_lengths, may_propagate, require_axes, require_tensors
from .graph import Graph, ImportProblems
from .reading import functions_inlined, opsets_of, read_model
from .table import NotRepresentableError
from .tensors import Tensors, dtype_of

if TYPE_CHECKING:
    from ....ndarray import NDArray
    from ....symbol import Symbol

__all__ = ["ImportedModel", "import_file"]

SMALL = 256             # tensors with more elements are hidden from ONNX's inference


class ImportedModel:
    """The contents of a file: `symbol`, `inputs` (names), `arguments` and `auxiliary` ({name: NumPy array})."""

    arguments: Any
    auxiliary: Any
    inputs: Any
    symbol: Symbol

    def __init__(self, symbol: Symbol, inputs: Any, arguments: Any, auxiliary: Any, scalars: Any):
        self.symbol, self.inputs, self.arguments, self.auxiliary = symbol, inputs, arguments, auxiliary
        self.scalars = scalars          # whether each output has rank 0 in ONNX

    def params(self) -> tuple[dict[Any, NDArray], ...]:
        """Returns (arg_params, aux_params) as NDArrays."""
        return tuple({name: nd.array(array, dtype=array.dtype) for name, array in part.items()}
                     for part in (self.arguments, self.auxiliary))


def import_file(file: Any, constants: Any = None) -> ImportedModel:
    """Reads a file, bytes or a ModelProto. Raises MXNetError, and FileFormatError for a damaged file.

    constants: {input: array} for inputs that are the same in every run.
    """
    try:
        with fixed_line(current_line()):        # the call's line, which then need not be searched for at each node
            return _imported(file, constants)
    except MemoryError:
        raise MXNetError("reading the ONNX file needs more memory than is available") from None
    except RecursionError:
        raise FileFormatError("the graphs of the ONNX file are nested too deeply") from None


def _imported(file, constants):
    model, folder, size = read_model(file)
    opsets = opsets_of(model)
    require_tensors(model)
    require_axes(model)
    forget_negative_lengths(model)
    tensors, budget = Tensors(folder), Budget(size, count_nodes(model))
    arrays = {tensor.name: tensors.read(tensor) for tensor in model.graph.initializer}
    model = functions_inlined(model, budget)
    opsets = {**opsets_of(model), **opsets}
    constants = {name: np.asarray(value) for name, value in (constants or {}).items()}
    unknown = [name for name in constants if name not in {i.name for i in model.graph.input}]
    if unknown:
        raise MXNetError(f"constants: the model has no input {unknown[0]!r}")
    ranks = _rank_zero(model, {**arrays, **constants}, budget)
    graph = Graph(tensors, opsets, budget, ranks)
    if model.graph.sparse_initializer:
        graph.problems.append("sparse tensors of the file are not read")
    for name, array in arrays.items():
        graph.add_constant(name, array, parameter=True)
    for name, array in constants.items():
        graph.add_constant(name, array)
    for entry in model.graph.input:
        if entry.name not in arrays and entry.name not in constants:
            _add_input(graph, entry)
    outputs = graph.run(model.graph)
    return _finished(graph, model.graph, outputs)


def _add_input(graph, entry):
    from onnx import TensorProto
    kind = entry.type.WhichOneof("value")
    if kind != "tensor_type":
        graph.problems.append(f"input {entry.name!r} is a {(kind or 'thing without a type').removesuffix('_type')}; "
                              "inputs must be arrays")
        graph._failed.add(entry.name)
        return
    if entry.type.tensor_type.elem_type == TensorProto.STRING:
        graph.problems.append(f"input {entry.name!r} holds strings; arrays must hold numbers")
        graph._failed.add(entry.name)
        return
    graph.add_input(entry.name, _shape_of(graph, entry),
                    dtype_of(entry.type.tensor_type.elem_type, f"input {entry.name!r}"))


def _shape_of(graph, entry):
    """Returns the shape in the file, with a SymbolicDim for each open axis; None if the file has no shape."""
    declared = entry.type.tensor_type
    if not declared.HasField("shape"):
        return None
    shape = []
    for axis, dim in enumerate(declared.shape.dim):
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            shape.append(dim.dim_value)
        else:
            shape.append(graph.facts.length(dim.dim_param or (entry.name, axis)))
    return tuple(shape)


def _rank_zero(model, arrays, budget):
    """Returns the names of values that have rank 0 according to ONNX's inference, from which large tensors are hidden.
    """
    from onnx import helper, numpy_helper, shape_inference
    graph = model.graph
    del graph.initializer[:]
    declared, constants = {entry.name: entry for entry in graph.input}, {}
    for name, array in arrays.items():
        if array.size <= SMALL and array.dtype.kind in "iufb":
            constants[name] = array
            graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        if name not in declared:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            graph.input.append(helper.make_tensor_value_info(name, kind, array.shape))
    try:
        inferred = shape_inference.infer_shapes(model)
        if may_propagate(inferred, constants, budget):
            inferred = shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:      # raised by C++ for any error in the file
        raise FileFormatError(f"the shapes in the file do not fit: {error}") from error
    names = set()
    _gather_ranks(inferred.graph, names)
    return names


def _gather_ranks(graph, names):
    for entry in [*graph.value_info, *graph.output]:
        kind = entry.type.tensor_type
        if entry.type.HasField("tensor_type") and kind.HasField("shape") and not kind.shape.dim:
            names.add(entry.name)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _gather_ranks(attribute.g, names)


def _finished(graph, proto, outputs):
    """Returns the symbol of all outputs and the arrays it uses."""
    symbols, scalars = [], []
    if not proto.output:
        raise FileFormatError("the model has no outputs")
    for entry, value in zip(proto.output, outputs, strict=True):
        if value is None:
            if not graph.problems:
                raise FileFormatError(f"no node computes the output {entry.name!r}")
            continue
        try:
            symbols.append(_own_node(graph.symbol(value), entry.name, graph))
            scalars.append(value.scalar)
        except NotRepresentableError as problem:
            graph.problems.append(f"output {entry.name!r}: {problem}")
    if graph.problems:
        raise ImportProblems(graph.problems, [name for name in graph.needed if name in graph.inputs])
    symbol = sym.Group(symbols) if len(symbols) > 1 else symbols[0]
    used = set(symbol.list_inputs())
    auxiliary = set(symbol.list_auxiliary_states())
    arguments = {name: array for name, array in graph.parameters.items() if name in used and name not in auxiliary}
    return ImportedModel(symbol, [name for name in graph.inputs if name in used], arguments,
                         {name: array for name, array in graph.parameters.items() if name in auxiliary}, scalars)


def _own_node(symbol, name, graph):
    """Copies an output that is an input or a parameter, so that it is produced by an operator."""
    return sym.identity(symbol, name=name) if symbol.heads[0][0].op is None else symbol
