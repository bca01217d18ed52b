"""Storage types of an executor's arrays and gradients, as declared by the variables."""

from __future__ import annotations

from typing import Any

from ...base import ArgumentError

__all__ = ["storage_types"]

_NAMES = {"0": "default", "1": "row_sparse", "2": "csr"}       # the codes that `sym.var(stype=)` stores


def storage_types(symbol: Any, stypes: dict[Any, Any]) -> tuple[dict[Any, Any], dict[Any, str]]:
    """Return ({variable: stype}, {variable: stype of its gradient}) from declarations and `stypes`, {name: stype}.

    A gradient is row_sparse if the variable is row_sparse and all operators that read it have gradients with few rows:
    an `Embedding(sparse_grad=True)`, or a product with csr data.
    """
    for name, stype in stypes.items():
        if stype not in _NAMES.values():
            raise ArgumentError(f"simple_bind: stype_dict has {stype!r} for {name!r}, expected one of "
                                f"{', '.join(map(repr, _NAMES.values()))}")
    nodes = symbol.nodes()
    own = {node.name: stypes.get(node.name, _NAMES.get(node.attrs.get("__storage_type__", "0"), "default"))
           for node in nodes if node.op is None}
    in_few_rows = {}            # variable -> whether all its readers have gradients with few rows
    for node in nodes:
        for position, (parent, _) in enumerate(node.inputs):
            if parent.op is None:
                few = position == 1 and _leaves_few_rows(node, own)
                in_few_rows[parent.name] = in_few_rows.get(parent.name, True) and few
    gradients = {name: "row_sparse" if stype == "row_sparse" or in_few_rows.get(name, False) else "default"
                 for name, stype in own.items()}
    return own, gradients


def _leaves_few_rows(node, stypes):
    """Return whether the gradient of the node's second input is row_sparse."""
    if node.op.name == "Embedding":
        return node.op.sparse_grad
    first = node.inputs[0][0]
    return (node.op.name == "dot" and not node.op.transpose_a and not node.op.transpose_b
            and first.op is None and stypes[first.name] == "csr")
