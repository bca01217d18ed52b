"""The reader that turns a file into a trusted ModelProto: parsed, with known versions and inlined functions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....base import FileFormatError, MXNetError
from ....serialization.atomic_write import unreadable
from ....serialization.reading import refuse_pointer
from ..package import onnx_package
from .checks import require_inlinable
from .table import TABLE

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["FIRST_OPSET", "functions_inlined", "opsets_of", "read_model"]

FIRST_OPSET = 1
MAX_INLINING = 4
_PLACED = "minigluon.placed"       # the domain of function bodies


def read_model(file: Any) -> tuple[Any, ...]:
    """Returns (ModelProto, folder, size of the file) for a path, bytes or a ModelProto. Raises MXNetError."""
    onnx = onnx_package()
    from google.protobuf.message import DecodeError
    if isinstance(file, onnx.ModelProto):
        model = onnx.ModelProto()
        model.CopyFrom(file)
        return model, None, model.ByteSize()
    if isinstance(file, (bytes, bytearray, memoryview)):
        content, folder, what = bytes(file), None, "these bytes"
    else:
        try:
            path = os.fspath(file)
            with open(path, "rb") as opened:
                content = opened.read()
        except TypeError:
            raise MXNetError(f"the model must be a path, bytes or a ModelProto, found {type(file).__name__}") from None
        except (OSError, ValueError) as error:
            if isinstance(error, OSError):
                raise unreadable(path, error) from error
            raise MXNetError(f"cannot read {path!r}: {error}") from None
        folder, what = os.path.dirname(os.path.abspath(path)), repr(path)
    refuse_pointer(content, what)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError:
        raise FileFormatError(f"{what} is not an ONNX file, or is truncated") from None
    if not model.HasField("graph"):
        raise FileFormatError(f"{what} is not an ONNX file: it has no graph")
    _require_texts(model, what)
    return model, folder, len(content)


def _require_texts(model, what):
    """Raises FileFormatError if a name is not valid text."""
    graphs = [model.graph]
    names = [entry.domain for entry in model.opset_import]
    for graph in graphs:
        names += [entry.name for part in (graph.input, graph.output, graph.initializer) for entry in part]
        for node in graph.node:
            names += [node.name, node.op_type, node.domain, *node.input, *node.output]
            for attribute in node.attribute:
                names.append(attribute.name)
                graphs += [attribute.g] if attribute.HasField("g") else []
                graphs += attribute.graphs
    if not all(isinstance(name, str) for name in names):
        raise FileFormatError(f"{what} has a name that is not text")


def opsets_of(model: Any) -> dict[Any, Any]:
    """Returns {domain: version}. Raises MXNetError for opsets that are too old or too new."""
    from onnx import defs
    versions = {}
    for entry in model.opset_import:
        versions["" if entry.domain == "ai.onnx" else entry.domain] = entry.version
    newest = defs.onnx_opset_version()
    if "" in versions and not FIRST_OPSET <= versions[""] <= newest:
        raise MXNetError(f"the file is written for opset {versions['']} of ONNX; opsets {FIRST_OPSET} to {newest} are "
                         "read, with the package onnx that is installed")
    if not versions:
        raise FileFormatError("the file does not say for which opsets it is written")
    return versions


def functions_inlined(model: Any, budget: Any) -> Any:
    """Returns the model with functions inlined, both its own and those that define operators missing from TABLE.

    ONNX defines many operators as functions of other operators. budget: the limits of the import, from which the nodes
    in the functions' bodies are taken before they are inlined.
    """
    from onnx import inliner
    if not model.functions and not _function_operators(model):
        return model
    require_inlinable(model, budget)
    try:
        if model.functions:
            model = inliner.inline_local_functions(model, False)
        for _ in range(MAX_INLINING):
            operators = _function_operators(model)
            if not operators:
                break
            model = _with_bodies(_with_defaults(model, operators), operators)
            require_inlinable(model, budget)
            model = inliner.inline_local_functions(model, False)
            if not _function_operators(model):
                break
            model = inliner.inline_selected_functions(model, operators, inline_schema_functions=True)
    except MXNetError:
        raise
    except Exception as error:      # raised by C++ for any error in the file
        raise FileFormatError(f"the functions of the file cannot be inlined: {error}") from error
    return model


def _with_defaults(model, operators):
    """Returns the model with all default attributes written out, which ONNX's inliner omits from the bodies."""
    from onnx import defs
    opsets = {entry.domain: entry.version for entry in model.opset_import}
    for node in all_nodes(model.graph):
        if (node.domain, node.op_type) in operators:
            names = {attribute.name for attribute in node.attribute}
            schema = defs.get_schema(node.op_type, opsets[node.domain], node.domain)
            node.attribute.extend(attribute.default_value for name, attribute in schema.attributes.items()
                                  if name not in names and attribute.default_value.name)
    return model


def _with_bodies(model, operators):
    """Returns the model with a separate function for each node with omitted inputs, which ONNX's inliner cannot type.
    """
    from onnx import defs, helper, shape_inference
    nodes = [node for node in model.graph.node if (node.domain, node.op_type) in operators and "" in node.input]
    if not nodes:
        return model
    graph, opsets = model.graph, {entry.domain: entry.version for entry in model.opset_import}
    inferred = shape_inference.infer_shapes(model).graph
    types = {entry.name: entry.type
             for part in (inferred.value_info, inferred.input, inferred.output) for entry in part}
    for tensor in graph.initializer:
        types[tensor.name] = helper.make_tensor_type_proto(tensor.data_type, tensor.dims)
    for number, node in enumerate(nodes):
        schema = defs.get_schema(node.op_type, opsets[node.domain], node.domain)
        if not schema.has_context_dependent_function or any(name and name not in types for name in node.input):
            continue
        input_types = [types[name].SerializeToString() if name else b"" for name in node.input]
        body = model.functions.add()
        body.ParseFromString(schema.get_context_dependent_function(node.SerializeToString(), input_types))
        body.domain, body.name = _PLACED, f"{node.op_type}{number}"
        node.domain, node.op_type = body.domain, body.name
        del node.attribute[:]
    if model.functions:
        model.opset_import.append(helper.make_opsetid(_PLACED, 1))
    return model


def _function_operators(model):
    from onnx import defs
    opsets = {entry.domain: entry.version for entry in model.opset_import}
    used = {(node.domain, node.op_type) for node in all_nodes(model.graph)}
    operators = []
    for domain, name in sorted(used):
        if ("" if domain == "ai.onnx" else domain, name) in TABLE or domain not in opsets:
            continue
        try:
            schema = defs.get_schema(name, opsets[domain], domain)
        except defs.SchemaError:
            continue
        if schema.has_function or schema.has_context_dependent_function:
            operators.append((domain, name))
    return operators


def all_nodes(graph: Graph) -> Iterator[Any]:
    """Yields all nodes, including those in subgraphs."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from all_nodes(attribute.g)
            for inner in attribute.graphs:
                yield from all_nodes(inner)
