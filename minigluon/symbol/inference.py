"""Inference of a Symbol's shapes and types from given shapes and types, in the forms that programs use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import ArgumentError, MXNetError, ShapeError, listed, nearest
from ..common.dtypes import as_dtype
from ..common.shape_semantics import read, write
from ..diagnostics import strictness
from ..ops.shapes import fill, is_known
from . import infer
from .graph import Handle, Node, Pair, variables

__all__ = ["Inference", "infer_given_shapes"]


class Inference(Handle):
    """Mixin for Symbol that infers shapes and types."""

    def infer_shape(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Returns (argument shapes, output shapes, auxiliary shapes) from known shapes, given by name or in order.

        args: shapes of arguments in the order of `list_arguments`; None for unknown shapes.
        kwargs: shapes by the names of variables.

        A given shape overrides the declared one. A length of 0 is unknown; if nothing determines it, it stays 0.
        If a shape cannot be inferred, returns (None, None, None) and warns. Raises ShapeError with the node's name if
        shapes contradict each other.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4).infer_shape(x=(2, 3))
        ([(2, 3), (4, 3), (4,)], [(2, 4)], [])
        """
        groups, problem = self._infer_shape(args, kwargs)
        if problem:
            strictness.warn(problem)
            return None, None, None
        return groups

    def _require_shape(self, **shapes: Any) -> tuple[Any, Any, Any]:
        """Infers shapes for internal use. Raises MXNetError if a shape cannot be inferred."""
        groups, problem = self._infer_shape((), shapes)
        if problem:
            raise MXNetError(problem)
        return groups

    def _infer_shape(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str | None]:
        """Returns (argument, output and auxiliary shapes, a message about shapes that cannot be inferred, or None)."""
        nodes = self.nodes()
        groups = self._grouped(nodes, infer_given_shapes(nodes, _by_name(nodes, args, kwargs)))
        unknown = [n for n, s in zip(self.list_arguments(), groups[0], strict=True) if not is_known(s)]
        whole = not unknown and all(map(is_known, groups[1]))
        return groups, None if whole else (f"the shapes of {listed(unknown, none='the outputs')} do not follow from "
                                           "the given ones")

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Returns the shapes as far as they can be inferred: 0 for an unknown length, () for an unknown shape.

        Under `mx.np_shape` these are -1 and None, here and in the arguments.

        args, kwargs: as in `infer_shape`.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4, no_bias=True).infer_shape_partial(x=(2, 0))
        ([(2, 0), (4, 0)], [(2, 4)], [])
        """
        nodes = self.nodes()
        shapes = {name: read(shape) for name, shape in _by_name(nodes, args, kwargs).items()}
        groups = self._grouped(nodes, infer.infer_shapes(nodes, shapes))
        arguments, outputs, auxiliary = ([write(shape) for shape in group] for group in groups)
        return arguments, outputs, auxiliary

    def infer_type(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """Returns (argument types, output types, auxiliary types) from known types, given by name or in order.

        args: types of arguments in the order of `list_arguments`; None for unknown types.
        kwargs: types by the names of variables.

        >>> arguments, outputs, _ = sym.exp(sym.var("x")).infer_type(x="float16")
        >>> outputs == [np.float16]
        True
        """
        nodes = self.nodes()
        dtypes = {key: as_dtype(t) for key, t in _by_name(nodes, args, kwargs).items()}
        groups = self._grouped(nodes, infer.infer_dtypes(nodes, dtypes))
        arguments, outputs, auxiliary = ([None if t is None else t.type for t in group] for group in groups)
        return arguments, outputs, auxiliary

    infer_type_partial = infer_type         # in MXNet, only this method returns partial results

    def _grouped(self, nodes: Sequence[Node], values: Mapping[Pair, Any]) -> tuple[list[Any], list[Any], list[Any]]:
        arguments, auxiliary = variables(nodes)
        by_name = {n.name: values[n, 0] for n in (*arguments, *auxiliary)}
        return ([by_name[n.name] for n in arguments], [values[pair] for pair in self.heads],
                [by_name[n.name] for n in auxiliary])


def infer_given_shapes(nodes: Sequence[Node], requests: Mapping[str, Any]) -> dict[Pair, Any]:
    """Calls `infer_shapes` with shapes in the program's notation (see `numpy_shape`).

    A length written as 0 or a shape written as () is taken literally if nothing determines it and the graph accepts it.
    """
    input_shapes = {name: read(shape) for name, shape in requests.items()}
    shapes = infer.infer_shapes(nodes, input_shapes)
    inferred = {node.name: shapes[node, 0] for node in nodes if node.op is None and node.name in requests}
    literal = {name: fill(inferred[name], tuple([0 if n == 0 else None for n in requests[name]])) for name in inferred}
    if literal == inferred:
        return shapes
    try:
        return infer.infer_shapes(nodes, literal)
    except ShapeError:
        return shapes           # for example, if a kernel is applied to an image of height 0


def _by_name(nodes: Sequence[Node], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns {name: the given value of this variable} from values in the order of the arguments and by name."""
    names, arguments = [n.name for n in nodes if n.op is None], [n.name for n in variables(nodes)[0]]
    if len(args) > len(arguments):
        raise ArgumentError(f"{len(args)} are given in order, but the symbol has {len(arguments)} arguments: "
                            f"{listed(arguments)}")
    for key in kwargs:
        if key not in names:
            raise ArgumentError(f"the symbol has no input {key!r}; its inputs are {listed(names)}."
                                + nearest(key, names))
    values = dict(zip(arguments, args, strict=False), **kwargs)
    return {key: value for key, value in values.items() if value is not None}
