"""ONNX files as symbols and blocks: `import_model`, `import_to_gluon`, `get_model_metadata`.

    reading, tensors    the file: anything damaged, too large or outside the model's folder is refused here
    model, graph        its nodes, in order; all problems are reported together
    budget, checks      the limits of an entire import, and the checks before ONNX's own C++ runs
    folding, values     values known when the file is read: numbers, shapes, symbolic dimensions
    call, table         a node as seen by the function that translates it; the table of these functions
    array, control, linalg, math, nn, quantized, rnn, vision   the functions, by the categories of `minigluon.ops`
"""

from __future__ import annotations

from typing import Any

from ....context import cpu
from . import array, control, linalg, math, nn, quantized, rnn, vision
from .graph import ImportProblems
from .model import import_file
from .reading import opsets_of, read_model

__all__ = ["ImportProblems", "get_model_metadata", "import_model", "import_to_gluon"]

STREETS = array, control, linalg, math, nn, quantized, rnn, vision


def import_model(model_file: Any, constants: Any = None) -> Any:
    """Returns (symbol, arg_params, aux_params) from an ONNX file, like `mx.model.load_checkpoint`.

    The model's inputs become variables, and tensors in the file become parameters with the same names. A result of rank
    0 has shape (1,).

    model_file: a path, bytes or a ModelProto.
    constants: {input: array} for inputs whose values determine shapes, such as the shape of a Reshape.

    Raises ImportProblems, which lists all nodes without a counterpart, FileFormatError for a damaged file, and
    MXNetError if the package onnx is not installed.

    >>> from onnx import parser
    >>> text = '<ir_version: 8, opset_import: ["": 17]> graph (float[2] x) => (float[2] y) { y = Relu(x) }'
    >>> symbol, arg_params, aux_params = mx.onnx.import_model(parser.parse_model(text))
    >>> print(symbol.eval(x=nd.array([-1, 2]))[0].asnumpy())
    [0. 2.]
    """
    imported = import_file(model_file, constants)
    return (imported.symbol, *imported.params())


def import_to_gluon(model_file: Any, ctx: Any = None, constants: Any = None) -> Any:
    """Returns a SymbolBlock with the parameters of an ONNX file, which trains, hybridizes and exports like any block.

    model_file, constants: as in `import_model`.
    ctx: the device or devices for the parameters; the CPU if None.

    >>> from onnx import parser
    >>> text = '<ir_version: 8, opset_import: ["": 17]> graph (float[2] x) => (float[2] y) { y = Relu(x) }'
    >>> net = mx.onnx.import_to_gluon(parser.parse_model(text))
    >>> print(net(nd.array([-1, 2])).asnumpy())
    [0. 2.]
    """
    from .... import symbol as sym
    from ....gluon import SymbolBlock
    imported = import_file(model_file, constants)
    variables = {node.name: node for node in imported.symbol.nodes() if node.op is None}
    block = SymbolBlock(imported.symbol, [sym.Symbol([(variables[name], 0)]) for name in imported.inputs])
    params = block.collect_params()
    arrays, states = imported.params()
    for name, array_ in {**arrays, **states}.items():
        if array_.asnumpy().dtype.kind not in "fV":
            params[name].grad_req = "null"
    params.load_dict({**arrays, **states}, cpu() if ctx is None else ctx, cast_dtype=True, dtype_source="saved")
    return block


def get_model_metadata(model_file: Any) -> Any:
    """Returns the inputs and outputs of an ONNX file: {'input_tensor_data': [...], 'output_tensor_data': [...]}.

    An input is (name, shape, ONNX's code for the element type), and an output is (name, shape).

    A length that the file leaves open is 0. Inputs with a tensor in the file are omitted.

    model_file: as in `import_model`.

    >>> from onnx import parser
    >>> text = '<ir_version: 8, opset_import: ["": 17]> graph (float[2] x) => (float[2] y) { y = Relu(x) }'
    >>> mx.onnx.get_model_metadata(parser.parse_model(text))
    {'input_tensor_data': [('x', (2,), 1)], 'output_tensor_data': [('y', (2,))]}
    """
    model, _, _ = read_model(model_file)
    opsets_of(model)
    initializers = {tensor.name for tensor in model.graph.initializer}
    return {"input_tensor_data": [(*_described(entry), entry.type.tensor_type.elem_type)
                                  for entry in model.graph.input if entry.name not in initializers],
            "output_tensor_data": [_described(entry) for entry in model.graph.output]}


def _described(entry):
    return entry.name, tuple(dim.dim_value for dim in entry.type.tensor_type.shape.dim)
