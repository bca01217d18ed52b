"""`mx.onnx.export_model`: writes a graph with its parameters to a file."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .... import autograd
from .... import ndarray as nd
from .... import symbol as sym
from ....base import MXNetError, listed
from ....common.dtypes import as_dtype
from ....common.nest import flatten
from ....gluon import HybridBlock
from ....gluon.export import parameters_of
from ....gluon.parameter_snapshots import parameter_snapshot
from ....gluon.tracing import trace_function
from ....hybrid.expand import expanded, has_composites
from ....ndarray import NDArray
from ....ops.graph.interpreted_op import Composite
from ....ops.shapes import Spec
from ....symbol import Symbol
from ....symbol.infer import infer_dtypes, infer_shapes
from ..package import onnx_package
from . import table
from .dynamic_axes import dynamic_lengths, infer_dynamic
from .files import model_message, write
from .layouts import BY_LAYOUT, open_axes
from .table import NEWEST, OLDEST
from .translation import data_inputs, require_all, translate
from .values import Builder, Value

__all__ = ["DEFAULT_OPSET", "export_block", "export_model", "get_operator_support"]

DEFAULT_OPSET = 17


def export_model(sym: Symbol, params: Any, in_shapes: Any = None, in_types: np.number[Any] = np.float32,
                 onnx_file_path: str = "model.onnx", verbose: bool = False, dynamic: bool = False,
                 dynamic_input_shapes: Any = None, run_shape_inference: bool = False, input_type: Any = None,
                 input_shape: Any = None, opset_version: int | None = None) -> str:
    """Writes a network for inference as an ONNX file. Returns the path.

    sym: a Symbol, the path of a symbol file, or a HybridBlock.
    params: {name: NDArray} with or without 'arg:' and 'aux:', [arg_params, aux_params], or the path of a file. None for
        a block, which contains its own parameters.
    in_shapes: the shapes of the inputs, such as [(1, 3, 224, 224)], in the order of the graph, without labels.
    in_types: the inputs' dtypes, one for all or a list.
    onnx_file_path: the path of the file; weights of more than 2 GB are written next to it.
    verbose: True logs each node.
    dynamic: True leaves the input lengths named in dynamic_input_shapes open, or all lengths if it is None.
    dynamic_input_shapes: like in_shapes, with None or a name such as 'batch' for each open length.
    run_shape_inference: True adds the shapes of all intermediate arrays, as inferred by the package onnx.
    input_type, input_shape: older names of in_types and in_shapes.
    opset_version: 13 to 23; None is 17.

    Raises TranslationError, which names every node that cannot be expressed in ONNX. Raises MXNetError for inconsistent
    arguments, in training mode, and if the package onnx is not installed.

    >>> net = nn.Dense(2, in_units=3, prefix="dense0_")
    >>> net.initialize()
    >>> mx.onnx.export_model(net, None, [(1, 3)], np.float32, "dense.onnx")
    'dense.onnx'
    """
    onnx = onnx_package()
    opset = DEFAULT_OPSET if opset_version is None else opset_version
    if not OLDEST <= opset <= NEWEST:
        raise MXNetError(f"export_model: opset_version must be from {OLDEST} to {NEWEST}, found {opset!r}")
    if autograd.is_training():
        raise MXNetError("export_model: an ONNX file is for inference, but this is train mode. Call it outside "
                         "autograd.record() and autograd.train_mode().")
    symbol, arrays = _network(sym, params)
    shapes = input_shape if in_shapes is None else in_shapes
    types = in_types if input_type is None else input_type
    if dynamic_input_shapes is not None and not dynamic:
        raise MXNetError("export_model: dynamic_input_shapes needs dynamic=True")
    order = sym.trace.inputs if isinstance(sym, _TracedBlock) else None
    model, weights = _model(symbol, arrays, shapes, types, dynamic_input_shapes if dynamic else False, opset, verbose,
                            order)
    if run_shape_inference:
        model = _with_inferred_shapes(onnx, model)
        by_name = {tensor.name: tensor for tensor in model.graph.initializer}
        weights = [(by_name[tensor.name], array) for tensor, array in weights]
    write(model, weights, onnx_file_path)
    logging.info("Exported ONNX file %s", onnx_file_path)
    return onnx_file_path


def export_block(block: Any, path: str, args: Any, dynamic: bool = True, **options: Any) -> str:
    """Exports a block (`HybridBlock.export_onnx`) with the shapes in args.

    dynamic: True leaves open the axes that `layouts.open_axes` finds.
    """
    leaves = flatten(args)[0]
    with autograd.predict_mode():
        trace = trace_function(lambda symbols: block(*symbols), args, f"{type(block).__name__} {block.name!r} returned")
        if any(param.is_deferred for param in block.collect_params().values()):
            block(*args)                # initializes deferred parameters
    read = {node.name for node in trace.outputs.nodes()}
    used = [name in read for name, leaf in zip(trace.inputs, leaves, strict=True) if isinstance(leaf, NDArray)]
    arrays = [leaf for leaf in leaves if isinstance(leaf, NDArray)]
    if dynamic:
        shapes = options.get("dynamic_input_shapes")
        options["dynamic_input_shapes"] = list(itertools.compress(shapes, used)) if shapes else BY_LAYOUT
    arrays = list(itertools.compress(arrays, used))
    return export_model(_TracedBlock(block, trace), None, [x.shape for x in arrays], [x.dtype for x in arrays], path,
                        dynamic=dynamic, **options)


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """Returns the names of the operators that can be exported to this opset.

    opset_version: 13 to 23; None is 17.

    >>> "FullyConnected" in mx.onnx.get_operator_support(13)
    True
    """
    opset = DEFAULT_OPSET if opset_version is None else opset_version
    table.load()
    return sorted(name for name, translation in table.TRANSLATIONS.items() if translation.since <= opset)


# -- arguments ------------------------------------------------------------------------------------------------------

class _TracedBlock:
    """A block and its trace."""

    def __init__(self, block, trace):
        self.block, self.trace = block, trace

    def network(self):
        with parameter_snapshot():
            arrays = parameters_of(self.block, self.trace)
        return self.trace.outputs, _plain(arrays)


def _network(network, params):
    """Returns (Symbol, {name: array}) for any network that export_model accepts."""
    if isinstance(network, HybridBlock):
        network = _TracedBlock(network, network._trace_to_export())
    if isinstance(network, _TracedBlock):
        if params is not None:
            raise MXNetError("export_model: a block has its own parameters; params must be None")
        return network.network()
    if isinstance(network, (str, os.PathLike)):
        network = sym.load(network)
    if not isinstance(network, Symbol):
        raise MXNetError("export_model: sym must be a Symbol, the path of a symbol file, or a HybridBlock, found "
                         f"{type(network).__name__}")
    return network, _arrays(params)


def _arrays(params):
    """Returns {name: array} for params in any accepted form."""
    if params is None:
        return {}
    if isinstance(params, (str, os.PathLike)):
        return _plain(nd.load(params))
    if isinstance(params, (list, tuple)):
        return {name: array for part in params for name, array in _plain(part).items()}
    if isinstance(params, Mapping):
        return _plain(params)
    raise MXNetError("export_model: params must be a dict, a list of two, or the path of a file, found "
                     f"{type(params).__name__}")


def _plain(params):
    """Strips 'arg:' and 'aux:' from the names.

    An empty list, which a file without arrays yields, is also accepted.
    """
    if not isinstance(params, Mapping):
        if not params:
            return {}
        raise MXNetError("export_model: parameters need names, but these are a list")
    return {name.removeprefix("arg:").removeprefix("aux:"): array for name, array in params.items()}


# -- the model ------------------------------------------------------------------------------------------------------

def _model(symbol, arrays, shapes, types, dynamic, opset, verbose, order=None):
    """Returns (ModelProto, its weights).

    dynamic: False, dynamic_input_shapes, or BY_LAYOUT. order: names of the inputs; None: the graph's order.
    """
    table.load()
    data, labels = data_inputs(symbol.nodes(), arrays)
    if order is not None:
        data.sort(key=lambda node: order.index(node.name))
    shapes, types = _inputs(data, labels, shapes, types)
    names = [node.name for node in data]
    array_shapes = {name: array.shape for name, array in arrays.items()}
    nodes = symbol.nodes()
    if dynamic == BY_LAYOUT:
        dynamic = open_axes(nodes, names, shapes, array_shapes)
    lengths = [] if dynamic is False else dynamic_lengths(names, shapes, dynamic)
    shapes_of, places = infer_dynamic(nodes, names, shapes, array_shapes, lengths)
    input_types = {**{name: as_dtype(array.dtype) for name, array in arrays.items()},
                   **dict(zip(names, types, strict=True))}
    dtypes = infer_dtypes(nodes, input_types)
    if has_composites(symbol):
        symbol, shapes_of = _without_composites(symbol, shapes_of, dtypes)
        nodes = symbol.nodes()
        dtypes = infer_dtypes(nodes, input_types)
    g = Builder(opset)
    values = {}
    for node in nodes:
        if node.op is None:
            values[node, 0] = _variable(g, node, arrays, shapes_of[node, 0], dtypes[node, 0], node in labels)
    inputs = [values[node, 0] for node in data]
    by_name = {value.name: value for value in inputs}
    g.inputs = {length: (by_name[names[number]], axis) for length, (number, axis) in places.items()}
    if verbose:
        for node in nodes:
            logging.info("export_model: %s %r", "input" if node.op is None else node.op.name, node.name)
    heads = translate(g, nodes, symbol.heads, values, shapes_of, dtypes)
    require_all(g.problems, opset)
    return model_message(g, inputs, heads, _output_names(symbol))


def _without_composites(symbol, shapes, dtypes):
    """Returns (the graph with plain operators instead of composite ones, the shapes of all its results)."""
    variables = [node for node in symbol.nodes() if node.op is None]
    specs = {node.name: Spec(shapes[node, 0], dtypes[node, 0]) for node in variables}
    graph = expanded(symbol, specs)
    left = next((node for node in graph.nodes() if isinstance(node.op, Composite)), None)
    if left is not None:
        raise MXNetError(f"export_model: {left.op.name} {left.name!r} is computed by NumPy, or after a shape that "
                         "depends on values, and has no form in an ONNX file")
    return graph, infer_shapes(graph.nodes(), {name: spec.shape for name, spec in specs.items()})


def _variable(g, node, arrays, shape, dtype, is_label):
    """Returns the Value of a variable: a constant if it has an array."""
    if node.name in arrays:
        array = arrays[node.name]
        return g.constant(array.asnumpy() if isinstance(array, NDArray) else np.asarray(array), name=node.name)
    if shape is None and not is_label:
        raise MXNetError(f"export_model: the shape of {node.name!r} does not follow from in_shapes")
    return Value(g, shape, np.float32 if dtype is None else dtype, node.name)


def _inputs(data, labels, shapes, types):
    """Returns (shapes, types), each with one element per input."""
    names = [node.name for node in data]
    if shapes is None:
        shapes = [node.shape for node in data]
    shapes = [tuple(shapes)] if shapes and all(isinstance(n, int) for n in shapes) else [tuple(s) for s in shapes]
    if len(shapes) == len(data) + len(labels):          # the shapes include those of labels, which come last
        shapes = shapes[:len(data)]
    if len(shapes) != len(data):
        raise MXNetError(f"export_model: in_shapes has {len(shapes)} shapes, but the graph has {len(data)} inputs that "
                         f"are not among params: {listed(names)}")
    types = list(types) if isinstance(types, (list, tuple)) else [types] * len(data)
    if len(types) < len(data):
        raise MXNetError(f"export_model: in_types has {len(types)} types, but there are {len(data)} inputs: "
                         f"{listed(names)}")
    return shapes, [as_dtype(dtype) for dtype in types[:len(data)]]


def _output_names(symbol):
    """Returns MXNet's name for each output: the node's name, with an index if it has several outputs."""
    return [node.name if node.num_visible_outputs == 1 else f"{node.name}{index}" for node, index in symbol.heads]


def _with_inferred_shapes(onnx, model):
    """Returns the model with the shapes that the package onnx infers."""
    try:
        return onnx.shape_inference.infer_shapes(model)
    except onnx.shape_inference.InferenceError as error:
        raise MXNetError(f"export_model: run_shape_inference: {error}") from error
