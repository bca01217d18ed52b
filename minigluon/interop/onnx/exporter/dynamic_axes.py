"""Inputs with symbolic dimensions, and shape inference with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ....base import MXNetError, ShapeError
from ....ops.symbolic_dimensions import LEAST, ConcreteSizeError, Scope, SymbolicDim
from ....symbol.infer import infer_shapes

__all__ = ["dynamic_lengths", "infer_dynamic"]

_IS_NUMBER = re.compile(r"\((-?\d+) \+ (\w+)\) == 0|\((\w+) \+ (-?\d+)\) == 0")
_IS_OTHER = re.compile(r"\((?:-1\*(\w+) \+ (\w+)|(\w+) \+ -1\*(\w+))\) == 0")


def dynamic_lengths(names: Sequence[str], shapes: Any, dynamic_shapes: Any) -> list[Any]:
    """Returns [(length's name, input's index, axis)] for the lengths that dynamic_input_shapes leaves open.

    An open length is given as None or as a name, which may occur several times. If dynamic_shapes is None, every length
    is open.
    """
    lengths = []
    for number, (name, shape) in enumerate(zip(names, shapes, strict=True)):
        dynamic = (None,) * len(shape) if dynamic_shapes is None else tuple(dynamic_shapes[number])
        if len(dynamic) != len(shape):
            raise MXNetError(f"export_model: dynamic_input_shapes has {dynamic} for {name!r}, whose shape is {shape}")
        for axis, (n, length) in enumerate(zip(shape, dynamic, strict=True)):
            if isinstance(length, str) and not length.isidentifier():
                raise MXNetError(f"export_model: {length!r}, a length of {name!r}, must be a name such as 'batch'")
            if length is None or isinstance(length, str):
                lengths.append((length or re.sub(r"\W", "_", f"{name}_{axis}"), number, axis))
            elif length not in (n, -1):
                raise MXNetError(f"export_model: {name!r} has shape {shape}, but dynamic_input_shapes says {dynamic}")
            elif length == -1:
                lengths.append((re.sub(r"\W", "_", f"{name}_{axis}"), number, axis))
    return lengths


def infer_dynamic(nodes: Any, inputs: Any, shapes: Any, others: Any, lengths: Any) -> tuple[Any, dict[Any, Any]]:
    """Infers shapes with formulas for open lengths: ({(node, output): shape}, {length's name: (input's index, axis)}).

    A length that the graph determines, such as a weight's number of channels, becomes that number; two lengths that
    must be equal become one length. inputs: names of the variables with `shapes`. others: {name: shape} of parameters.
    """
    fixed, same = {}, {}
    while True:
        places, scope = {}, None
        values = {}
        for name, number, axis in lengths:
            name = _root(name, same)
            if name not in fixed:
                places.setdefault(name, (number, axis))
                values.setdefault(name, max(shapes[number][axis], LEAST))
        scope = Scope(values)
        named_shapes = {name: list(shape) for name, shape in zip(inputs, shapes, strict=True)}
        for name, number, axis in lengths:
            name = _root(name, same)
            named_shapes[inputs[number]][axis] = fixed[name] if name in fixed else scope.length(name)
        try:
            inferred = infer_shapes(nodes, {**others, **{name: tuple(shape) for name, shape in named_shapes.items()}})
        except ConcreteSizeError as error:
            raise ShapeError(f"export_model: with lengths left open: {error}. Give dynamic_input_shapes that leave "
                             "open what varies, such as [(None, 3, 224, 224)].") from error
        if not _learn(scope, fixed, same):
            return inferred, places


def _root(name, same):
    while name in same:
        name = same[name]
    return name


def _learn(scope, fixed, same):
    """Records which lengths the conditions fix or equate. Returns False if there are no such lengths."""
    learned = False
    for condition in scope.conditions:
        if number := _IS_NUMBER.fullmatch(condition):
            constant, name, other, second = number.groups()
            fixed[name or other] = -int(constant or second)
            learned = True
        elif pair := _IS_OTHER.fullmatch(condition):
            first, second = [name for name in pair.groups() if name]
            if first != second and _root(first, same) != _root(second, same):
                same[_root(second, same)] = _root(first, same)
                learned = True
    return learned


def is_open(shape: Sequence[int]) -> bool:
    """Returns whether the shape has an open length."""
    return any(isinstance(n, SymbolicDim) for n in shape)
