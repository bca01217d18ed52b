"""Functions that write a builder's calls as an ONNX file. Weights too large for it are written to a separate file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....common.version import __version__
from ....ops.symbolic_dimensions import SymbolicDim
from ....serialization.atomic_write import replacing, together
from ..package import onnx_package
from .types import onnx_type
from .values import Body

__all__ = ["model_message", "write"]

MOST_BYTES = 2 ** 31 - 2 ** 24          # bytes of weights: a protocol buffer, including the graph, is limited to 2 GiB
SMALL = 1024                            # in bytes; a constant up to this size is always in the main file
ALIGNED = 4096                          # external data starts at multiples of this size, so that a reader can mmap it


def model_message(g: Any, inputs: Any, heads: Any, names: Sequence[str]) -> tuple[Any, list[tuple[Any, Any]]]:
    """Returns (ModelProto without the bytes of large constants, [(TensorProto, array)] for these constants).

    inputs: Values of the inputs. heads: Values of the outputs, which get the names `names`.
    """
    onnx = onnx_package()
    body = Body(g, inputs, heads)
    body.own_heads(names)
    namer = _Names(value.name for value in inputs)
    for value, name in zip(body.heads, names, strict=True):
        value.name = namer.take(name)
    constants = _used_constants(g, body)
    for value in constants:
        value.name = namer.take(value.name or "constant")
    graph = _graph(body, names[0], namer, [_tensor(value) for value in constants])
    opset = onnx.helper.make_operatorsetid("", g.opset)
    model = onnx.helper.make_model(graph, opset_imports=[opset], producer_name="minigluon",
                                   producer_version=__version__)
    model.ir_version = onnx.helper.find_min_ir_version_for([opset])
    both = zip(model.graph.initializer, constants, strict=True)
    return model, [(tensor, value.array) for tensor, value in both if value.array.nbytes >= SMALL]


class _Names:
    """Unique names for Values in a graph and its subgraphs."""

    def __init__(self, names):
        self.taken, self.counts = set(names), {}

    def take(self, stem):
        name = stem
        while name in self.taken:
            self.counts[stem] = self.counts.get(stem, 0) + 1
            name = f"{stem}_{self.counts[stem]}"
        self.taken.add(name)
        return name


def _used_constants(g, body):
    """Returns the constants that calls read, including calls inside loops, in order of creation."""
    read = {id(value) for value in body.reads()}
    return [value for value in g.constants.values() if id(value) in read]


def _graph(body, name, names, tensors=()):
    """Returns the GraphProto of a body. names: the names already in use."""
    onnx = onnx_package()
    heads = {id(value) for value in body.heads}
    calls = body.needed()
    for call in calls:
        for output in call.outputs:
            if id(output) not in heads:
                output.name = names.take(output.name or f"{call.prefix}/{call.op_type}")
    nodes = [_node(call, names) for call in calls]
    return onnx.helper.make_graph(nodes, name, [_info(value) for value in body.inputs],
                                  [_info(value) for value in body.heads], list(tensors))


def _node(call, names):
    """Returns the NodeProto of a call."""
    onnx = onnx_package()
    node = onnx.NodeProto()
    node.op_type, node.name = call.op_type, call.outputs[0].name
    node.input.extend("" if value is None else value.name for value in call.inputs)
    node.output.extend(value.name for value in call.outputs)
    for key, value in call.attributes.items():
        if isinstance(value, Body):
            value.own_heads([f"{call.outputs[0].name}/{key}"] * len(value.heads))
            for inner in (*value.inputs, *value.heads):
                inner.name = names.take(inner.name or f"{call.outputs[0].name}/{key}")
            value = _graph(value, f"{call.outputs[0].name}/{key}", names)
        elif isinstance(value, np.ndarray):
            value = onnx.numpy_helper.from_array(value)
        node.attribute.append(onnx.helper.make_attribute(key, value))
    return node


def _info(value):
    """Returns the ValueInfoProto of an input or output; an open length is named after its formula."""
    shape = None if value.shape is None else [str(n) if isinstance(n, SymbolicDim) else n for n in value.shape]
    return onnx_package().helper.make_tensor_value_info(value.name, onnx_type(value.dtype), shape)


def _tensor(value):
    """Returns the TensorProto of a constant, without the bytes of a large one."""
    tensor = onnx_package().TensorProto()
    tensor.name, tensor.data_type = value.name, onnx_type(value.dtype)
    tensor.dims.extend(value.array.shape)
    if value.array.nbytes < SMALL:
        tensor.raw_data = _bytes(value.array)
    return tensor


def write(model: Any, weights: Any, path: str) -> None:
    """Writes the model. Weights too large for a protocol buffer are written to '<path>.data' next to it.

    weights: [(TensorProto in the model, array)]. A crash leaves old files intact.
    """
    path = os.fspath(path)
    total = sum(array.nbytes for _, array in weights)
    if total <= MOST_BYTES:
        for tensor, array in weights:
            tensor.raw_data = _bytes(array)
        with replacing(path) as file:
            file.write(model.SerializeToString())
        return
    onnx = onnx_package()
    with together():
        with replacing(path + ".data") as file:
            position = 0
            for tensor, array in weights:
                file.write(b"\0" * (-position % ALIGNED))
                position += -position % ALIGNED
                for key, text in (("location", os.path.basename(path) + ".data"), ("offset", str(position)),
                                  ("length", str(array.nbytes))):
                    tensor.external_data.add(key=key, value=text)
                tensor.data_location = onnx.TensorProto.EXTERNAL
                file.write(memoryview(_little(array)).cast("B"))
                position += array.nbytes
        with replacing(path) as file:
            file.write(model.SerializeToString())


def _little(array):
    """Returns the array in C order and little-endian byte order, as ONNX stores it."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _bytes(array):
    return _little(array).tobytes()
