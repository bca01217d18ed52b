"""Checks for defects in a file that would crash ONNX's C++ code, performed before ONNX sees the file.

ONNX's shape inference crashes the process on a negative length and evaluates constants without a limit; its inliner
expands recursive functions until memory runs out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ....base import FileFormatError
from .tensors import MAX_RANK

__all__ = ["count_nodes", "forget_negative_lengths", "may_propagate", "require_axes", "require_tensors",
           "require_inlinable"]

MAX_AXIS = 1 << 16
MAX_PROPAGATED = 1 << 12        # the maximum number of elements in a value that shape inference may compute
ROW_BYTES = 256                 # the number of bytes that shape inference needs per element of such a value
SEEN = 64                       # the maximum depth of nested graphs; ONNX's own parser stops earlier


def _graphs(graph: Any, depth: int = 0) -> Iterator[Any]:
    """Yield a graph and the graphs in its nodes."""
    if depth > SEEN:
        raise FileFormatError("the graphs of the ONNX file are nested too deeply")
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                yield from _graphs(inner, depth + 1)


def _holders(model: Any) -> Iterator[Any]:
    """Yield everything that contains nodes: the graphs and the functions."""
    yield from _graphs(model.graph)
    for function in model.functions:
        yield function
        for node in function.node:
            for attribute in node.attribute:
                for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                    yield from _graphs(inner)


def count_nodes(model: Any) -> int:
    """Return the number of nodes in a file, including those in nested graphs and functions."""
    return sum(len(holder.node) for holder in _holders(model))


def forget_negative_lengths(model: Any) -> None:
    """Turn negative dimensions into unknown dimensions."""
    for holder in _holders(model):
        entries = [*getattr(holder, "input", ()), *getattr(holder, "output", ()), *holder.value_info]
        for entry in entries:
            if hasattr(entry, "type"):          # the inputs of functions are only names
                _forget(entry.type)
        for node in holder.node:
            for attribute in node.attribute:
                for kind in [*([attribute.tp] if attribute.HasField("tp") else []), *attribute.type_protos]:
                    _forget(kind)


def _forget(kind: Any) -> None:
    which = kind.WhichOneof("value")
    if which in ("tensor_type", "sparse_tensor_type"):
        for dim in getattr(kind, which).shape.dim:
            if dim.HasField("dim_value") and dim.dim_value < 0:
                dim.ClearField("dim_value")
    elif which in ("sequence_type", "optional_type"):
        _forget(getattr(kind, which).elem_type)
    elif which == "map_type":
        _forget(kind.map_type.value_type)


def require_tensors(model: Any) -> None:
    """Raise FileFormatError for a tensor with an impossible shape, anywhere in the file."""
    for holder in _holders(model):
        tensors, sparse = [*getattr(holder, "initializer", ())], [*getattr(holder, "sparse_initializer", ())]
        for node in holder.node:
            for attribute in node.attribute:
                tensors += [*([attribute.t] if attribute.HasField("t") else []), *attribute.tensors]
                sparse += [*([attribute.sparse_tensor] if attribute.HasField("sparse_tensor") else []),
                           *attribute.sparse_tensors]
        named = [(tensor.name, tensor.dims) for tensor in tensors]
        for tensor in sparse:
            named += [(tensor.values.name, dims) for dims in (tensor.values.dims, tensor.indices.dims, tensor.dims)]
        for name, dims in named:
            if len(dims) > MAX_RANK or any(n < 0 for n in dims):
                raise FileFormatError(f"tensor {name!r} has the shape {tuple(dims[:MAX_RANK])}")


def require_axes(model: Any) -> None:
    """Raise FileFormatError for a value of axis or axes that no array can have: ONNX's inference counts up to it."""
    for holder in _holders(model):
        for node in holder.node:
            for attribute in node.attribute:
                numbers = [attribute.i, *attribute.ints] if attribute.name in ("axis", "axes") else []
                if any(abs(n) > MAX_AXIS for n in numbers):
                    raise FileFormatError(f"the attribute {attribute.name} of a {node.op_type} is out of range: "
                                          f"{numbers}")


# -- functions ------------------------------------------------------------------------------------------------------

def require_inlinable(model: Any, budget: Any) -> None:
    """Take from the budget the nodes that the file will contain after its functions are inlined.

    Raises FileFormatError for a function that calls itself, directly or through others.
    """
    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    sizes: dict[Any, int | None] = {}

    def size(key: Any) -> int:
        if key not in functions:
            return 1
        if key not in sizes:
            sizes[key] = None
            sizes[key] = 1 + sum(of_node(node) for node in functions[key].node)
        count = sizes[key]
        if count is None:
            raise FileFormatError(f"the function {key[1]!r} of the file calls itself")
        return count

    def of_node(node: Any) -> int:
        inner = [graph for attribute in node.attribute
                 for graph in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]]
        return size((node.domain, node.op_type, node.overload)) + sum(
            of_node(other) for graph in inner for other in graph.node)
    budget.take_nodes(sum(of_node(node) for node in model.graph.node))


# -- values that shape inference computes ---------------------------------------------------------------------------

def may_propagate(inferred: Any, arrays: dict[str, Any], budget: Any) -> bool:
    """Return whether ONNX may compute known numbers in its shape inference: only if there cannot be too many of them.

    inferred: the model with the shapes inferred without these numbers. arrays: the known arrays in the file, by name.
    budget: the budget of the import. For each row of numbers that may be known, ONNX keeps a list of the same length,
        and a value may become longer than its inputs. Therefore each value gets bounds for its number of elements and
        for their size; a value without bounds is not computed.
    """
    rows, longest = _rows(inferred)
    bounds: dict[str, tuple[int, int]] = {}
    for name, array in arrays.items():
        whole = array.dtype.kind in "iu" and array.size        # other values are not computed
        bounds[name] = array.size, max(abs(int(array.max())), abs(int(array.min()))) if whole else 1
    total = 0
    for graph in _graphs(inferred.graph):
        for node in graph.node:
            input_bounds = [bounds.get(name, (1, longest)) for name in node.input if name]
            count, largest = _bound(node, input_bounds, longest)
            if node.op_type in PASSED or node.op_type in COMPUTED:
                total += count + sum(rows.get(name, 1) for name in (*node.input, *node.output))
            if count > MAX_PROPAGATED or total > budget.bytes // ROW_BYTES:
                return False
            bounds.update({name: (count, min(largest, 1 << 80)) for name in node.output if name})
    return True


def _rows(model: Any) -> tuple[dict[str, int], int]:
    """Return the lengths of a model's rows, by name, and the largest length."""
    rows: dict[str, int] = {}
    longest = 1
    for graph in _graphs(model.graph):
        for entry in (*graph.input, *graph.output, *graph.value_info):
            lengths = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
            longest = max([longest, *lengths])
            if len(lengths) == 1:
                rows[entry.name] = max(rows.get(entry.name, 0), *lengths)
    return rows, longest


def _bound(node: Any, bounds: list[tuple[int, int]], longest: int) -> tuple[int, int]:
    counts, sizes = [count for count, _ in bounds] or [1], [size for _, size in bounds] or [longest]
    kind = node.op_type
    if kind == "Shape":
        return MAX_RANK, longest
    if kind == "Range":
        return 2 * max(sizes) + 1, 2 * max(sizes)
    if kind == "Concat":
        return sum(counts), max(sizes)
    if kind in COMPUTED:
        return max(counts), sizes[0] * sizes[-1] if kind == "Mul" else sum(sizes)
    if kind == "Constant":
        return _constant_bound(node)
    return (max(counts), max(*sizes, longest)) if kind in PASSED else (1, longest)


COMPUTED = {"Mul", "Add", "Sub", "Div"}
PASSED = {"Gather", "Slice", "Squeeze", "Unsqueeze", "Cast", "Identity", "Reshape", "Neg", "Abs", "Max", "Min", "Size",
          "Shape", "Range", "Concat", "ConstantOfShape", "Expand"}


def _constant_bound(node: Any) -> tuple[int, int]:
    """Return the bound of a Constant; a small Constant counts as the largest number of its type, whatever its value."""
    for attribute in node.attribute:
        if attribute.name == "value_int":
            return 1, abs(attribute.i)
        if attribute.name == "value_ints":
            return len(attribute.ints), max(map(abs, attribute.ints), default=0)
        if attribute.HasField("t"):
            tensor = attribute.t
            count = math.prod(tensor.dims)
            if tensor.data_type == tensor.INT64 and count <= SEEN:
                held = tensor.int64_data or [int.from_bytes(tensor.raw_data[8 * k:8 * k + 8], "little", signed=True)
                                             for k in range(count)]
                return count, max(map(abs, held), default=0)
            return min(count, MAX_PROPAGATED), 1 << 62 if tensor.data_type in (tensor.INT32, tensor.INT64) else 1
    return 1, 1
