"""The open axes of a block's inputs, named batch and time according to the layouts of the layers that read them.

Axis 0 is open and called batch, unless a layer reads the batch along another axis. A recurrent layer with layout TNC
has time along axis 0 and the batch along axis 1, which is also the states' batch axis. In this case both axes are open,
with these names. To find the axes, every input length is left open once. The shapes of a layer's inputs are then
formulas, which reveal the input axis that a length comes from.
"""

from __future__ import annotations

from typing import Any

from ....base import MXNetError
from ....ops.symbolic_dimensions import SymbolicDim
from .dynamic_axes import dynamic_lengths, infer_dynamic

__all__ = ["BY_LAYOUT", "open_axes"]

BY_LAYOUT = "by layout"         # for the argument dynamic of `export_model._model`

BATCH, TIME = "batch", "time"
_TNC, _STATES = (TIME, BATCH), (None, BATCH)
_RECURRENT = {
    "RNN": {"data": _TNC, "state": _STATES, "state_cell": _STATES, "sequence_length": (BATCH,)},
    **dict.fromkeys(["_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_selfatt_valatt"],
                    {"queries_keys_values": _TNC}),
    **dict.fromkeys(["_contrib_interleaved_matmul_encdec_qk", "_contrib_interleaved_matmul_encdec_valatt"],
                    {"queries": _TNC, "keys_values": _TNC})}
_SEQUENCES = {"SequenceMask", "SequenceLast", "SequenceReverse"}


def open_axes(nodes: Any, names: Any, shapes: Any, others: Any) -> list[tuple[Any, ...]]:
    """Returns dynamic_input_shapes for the inputs `names` with `shapes`. others: {name: shape} of parameters."""
    inferred = _inferred(nodes, names, shapes, others)
    if inferred is None:
        return [(BATCH, *shape[1:]) if shape else shape for shape in shapes]
    variables = {node.name: inferred[node, 0] for node in nodes if node.op is None and node.name in names}
    lengths = [variables[name] for name in names]
    roles = _roles(nodes, inferred)
    for shape in lengths:       # an input whose batch axis no layer determines
        if shape and not any(roles.get(_name(n)) == BATCH for n in shape) and _name(shape[0]) is not None:
            roles.setdefault(_name(shape[0]), BATCH)
    return [tuple(_opened(roles.get(_name(n)), axis, length) for axis, (n, length) in enumerate(zip(
        sizes, shape, strict=True))) for sizes, shape in zip(lengths, shapes, strict=True)]


def _opened(role, axis, length):
    """Returns the name of an axis if it is left open, otherwise its length."""
    return role if role == BATCH or (role == TIME and axis == 0) else length


def _inferred(nodes, names, shapes, others):
    """Returns {(node, output): shape} with open lengths, or None if a layer needs numbers.

    A length of 1, such as a number of layers, heads or channels, often stays 1, whereas an open length is at least 2,
    so both variants are tried.
    """
    for is_open in (lambda axis, n: True, lambda axis, n: not axis or n > 1, lambda axis, n: axis or n > 1,
                    lambda axis, n: n > 1):
        dynamic = [tuple(None if is_open(axis, n) else n for axis, n in enumerate(shape)) for shape in shapes]
        try:
            return infer_dynamic(nodes, names, shapes, others, dynamic_lengths(names, shapes, dynamic))[0]
        except MXNetError:
            continue
    return None


def _roles(nodes, inferred):
    """Returns {name of a length: batch or time} according to the layers; recurrent layers take precedence."""
    strong, weak = {}, {}
    for node in nodes:
        if node.op is not None:
            role_of = weak if node.op.name in _WEAK else strong
            for pair, roles in zip(node.inputs, _roles_of(node.op, len(node.inputs)), strict=True):
                for role, length in zip(roles, inferred.get(pair) or (), strict=False):
                    if role is not None and _name(length) is not None:
                        role_of.setdefault(_name(length), role)
    return {**weak, **strong}


_WEAK = {"FullyConnected", "Convolution", "Deconvolution", "Pooling"}      # (N, ...), whatever N means in a network


def _roles_of(op, count):
    """Returns the roles of the first axes of each of `count` inputs."""
    if op.name == "_foreach":
        return [(TIME,) if index < len(op.in_data_locs) else () for index in range(count)]
    roles = _RECURRENT.get(op.name, {})
    if op.name in _SEQUENCES and op.use_sequence_length:
        roles = {"data": (TIME, BATCH) if op.axis == 0 else (BATCH, TIME), "sequence_length": (BATCH,)}
    elif op.name in _WEAK and getattr(op, "flatten", True):
        roles = {"data": (BATCH,)}
    return [roles.get(argument, ()) for argument in op.argument_names(count)]


def _name(length):
    """Returns the name of a length that consists of only one open length; None for numbers and other formulas."""
    terms = length.terms if isinstance(length, SymbolicDim) else {}
    return next(iter(terms))[0] if len(terms) == 1 and list(terms.values()) == [1] and len(next(iter(terms))) == 1 \
        else None
