"""Symbols in MXNet 1.9.1's JSON format, character for character.

    {
      "nodes": [{"op": "null" for a variable, "name", "attrs": {name: text}, "inputs": [[node, output, version]]}],
      "arg_nodes": [indices of the variables],
      "node_row_ptr": [the number of outputs of all nodes before each],
      "heads": [[node, output, version]],
      "attrs": {"mxnet_version": ["int", 10901]}        with `np_shape` also "is_np_shape": ["int", 1]
    }

Nodes of `_foreach`, `_while_loop` and `_cond` also have "subgraphs": objects like this one but without "attrs".

A node created by Python arithmetic between symbols (`Broadcast.between_symbols`) is "broadcast_add" or a similar
operator, with the attribute "__operands__": "alike", which MXNet ignores.

A variable's version counts the operators that have overwritten it: 1 in the inputs of the BatchNorm that updates a
moving mean. `json_load` reads this form and the older ones.
"""

from __future__ import annotations

import os
from typing import Any

from ..base import MXNetError
from ..common.shape_semantics import is_np_shape, write
from ..ops.graph.holder import GraphHolder
from ..serialization.atomic_write import replacing

__all__ = ["EQUAL_SHAPES", "FILE_NAMES", "Unversioned", "save", "tojson"]

VERSION = 10901

# Operators whose names in files differ from their names here.
FILE_NAMES = {"identity": "_copy"}
EQUAL_SHAPES = {"__operands__": "alike"}


class Unversioned(tuple[Any, ...]):
    """A (node, output) pair from a file without versions, as in MXNet before 0.9.4. It is written without a version."""


def tojson(symbol: Any, remove_amp_cast: bool = True) -> str:
    """Returns a graph's text. remove_amp_cast: if True, omit conversions of automatic mixed precision."""
    switch = {"is_np_shape": ["int", 1]} if is_np_shape() else {}
    return _layout({**_graph(symbol, remove_amp_cast), "attrs": {**switch, "mxnet_version": ["int", VERSION]}})


def _graph(symbol, remove_amp_cast, unused=()):
    """Returns the object for a graph; in a file, it also contains the version. unused: variables without users."""
    heads = {node for node, _ in symbol.heads}
    skipped = {node for node in symbol.nodes() if remove_amp_cast and _is_amp_cast(node)}
    nodes = [node for node in symbol.nodes() if node not in skipped or node in heads] + list(unused)
    numbers = {node: number for number, node in enumerate(nodes)}
    versions = {}

    def entry(pair):
        node, index = _behind(pair, skipped)
        return [numbers[node], index, versions.get(node, 0)]

    row_ptr = [0]
    for node in nodes:
        row_ptr.append(row_ptr[-1] + _count_outputs(node))
    return {
        "nodes": [_node(node, entry, versions, remove_amp_cast) for node in nodes],
        "arg_nodes": [number for number, node in enumerate(nodes) if node.op is None],
        "node_row_ptr": row_ptr,
        "heads": [[numbers[node], index, 0] for node, index in symbol.heads],
    }


def save(symbol: Any, path: str | os.PathLike[str], remove_amp_cast: bool = True) -> None:
    """Writes the text to a file, safely even if the process crashes (see `files.replacing`)."""
    text = tojson(symbol, remove_amp_cast)
    with replacing(path) as file:
        file.write(text.encode())


def _node(node, entry, versions, remove_amp_cast):
    """Returns one object of "nodes". Updates `versions` of the variables that the node overwrites."""
    for argument in node.op.mutates if node.op else ():
        pair = node.inputs[node.op.argument_names(len(node.inputs)).index(argument)]
        variable = pair[0]
        if variable.op is None and not isinstance(pair, Unversioned):
            versions[variable] = versions.get(variable, 0) + 1
    fields = {"op": "null" if node.op is None else FILE_NAMES.get(node.op.name, node.op.name), "name": node.name}
    attrs = {**node.attrs, **EQUAL_SHAPES} if getattr(node.op, "assume_equal_shapes", False) else node.attrs
    if is_np_shape() and node.shape is not None:            # the variable may have been declared before
        attrs = {**attrs, "__shape__": str(write(node.shape))}
    if attrs:
        fields["attrs"] = dict(sorted(attrs.items()))
    fields["inputs"] = [entry(pair) for pair in node.inputs]
    if isinstance(node.op, GraphHolder):
        fields["subgraphs"] = [_graph(graph.symbol, remove_amp_cast, graph.unused) for graph in node.op.subgraphs]
    return fields


def _is_amp_cast(node):
    return node.op is not None and node.op.name in ("amp_cast", "amp_multicast")


def _behind(pair, skipped):
    """Returns the output that an omitted conversion, or a chain of omitted conversions, would have converted."""
    node, index = pair
    while node in skipped:
        node, index = node.inputs[index]
    return node, index


def _count_outputs(node):
    """Returns the number of outputs that a node has in MXNet, including hidden ones."""
    op = node.op
    if op is None:
        return 1
    if op.name == "topk":
        return 2 if op.ret_typ in ("value", "both") else 1      # the second output: indices, which the gradient needs
    if op.name == "Pooling":                                    # the positions of maxima, which oneDNN keeps
        return 2 if op.pool_type == "max" and op.kernel and op.layout in (None, "NCW", "NCHW", "NCDHW") else 1
    if op.name == "RNN":
        return op.num_visible_outputs
    return _COUNTS.get(op.name, op.num_outputs)


# Operators that save other values for their gradients in MXNet.
_COUNTS = {"BatchNorm": 3, "BatchNorm_v1": 3, "LRN": 2, "CTCLoss": 2, "sort": 2, "_linalg_det": 3, "_linalg_slogdet": 4,
           "_contrib_SyncBatchNorm": 3, "GridGenerator": 2, "BilinearSampler": 2, "SpatialTransformer": 3,
           "Correlation": 3, "_npi_norm": 4, **{f"_npi_{name}": 2 for name in (
               "average", "exponential", "gumbel", "logistic", "normal", "normal_n", "pareto", "rayleigh", "std", "var",
               "weibull")}}


# -- text -----------------------------------------------------------------------------------------------------------

_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_MAX_ON_A_LINE = 10


def _layout(value, depth=0):
    """Returns JSON in MXNet's layout: objects with one entry and arrays of up to ten elements are on one line."""
    if isinstance(value, str):
        return f'"{value.translate(_ESCAPES)}"'
    if isinstance(value, dict):
        items = [f'"{key.translate(_ESCAPES)}": {_layout(item, depth + 1)}' for key, item in value.items()]
        return _enclosed("{", items, "}", len(items) > 1, depth)
    if isinstance(value, list):
        items = [_layout(item, depth + 1) for item in value]
        return _enclosed("[", items, "]", len(items) > _MAX_ON_A_LINE or isinstance((*value, 0)[0], dict), depth)
    if isinstance(value, int):
        return str(value)
    raise MXNetError(f"{type(value).__name__} {value!r} cannot be written to a symbol file")


def _enclosed(opening, items, closing, in_lines, depth):
    if not in_lines:
        return opening + ", ".join(items) + closing
    margin = "\n" + "  " * (depth + 1)
    return opening + margin + f", {margin}".join(items) + margin[:-2] + closing
