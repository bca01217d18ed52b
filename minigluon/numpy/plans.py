"""Plans of the functions of `mx.np`: the operators that a row runs for arguments like those of earlier calls.

A row decides, based on shapes, types and attributes, which operators of `nd` it runs, and this takes longer than a
small operator. After several calls with the same shapes, types and attributes, the row is expanded to a graph, as in
`composite.py`; from then on, the operators in that graph run directly. The tape records the same operators either way.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any, NamedTuple

import numpy as onp

from .. import tape
from ..ops import REGISTRY
from ..ops.graph.interpreted_op import Composite
from ..symbol.graph import Node
from ..symbol.symbol import Symbol
from .array import ndarray, run_operator
from .traced_symbols import Written, writing

__all__ = ["OFTEN", "Plan", "Plans", "run"]

OFTEN = 16              # the number of calls with the same shapes, types and attributes before a row is expanded
_MOST = 4096            # the maximum number of plans and counts per function
# Parameters whose value affects the result: as keys of a dict, 1, 1.0 and True are equal, and so are 0.0 and -0.0.
_VALUES = frozenset(["a_max", "a_min", "append", "constant_values", "dx", "fill_value", "initial", "max", "min",
                     "nan", "neginf", "obj", "posinf", "prepend", "to_begin", "to_end", "values"])
_RESHAPE, _CAST, _COPY = REGISTRY["Reshape"], REGISTRY["Cast"], REGISTRY["_copy"]()
_OF_AMP = REGISTRY["amp_cast"], REGISTRY["amp_multicast"]


class Plan(NamedTuple):
    """The operators that a row runs for certain arguments.

    op: the only operator, which takes the arrays in order; None if there are several.
    last: the shape or element type to which its result is converted; None if it is not converted.
    steps: (operator, positions of its inputs among the arrays and earlier results) for all operators.
    heads: the positions of the results; a single position for a list that one operator returns.
    kind: list or tuple, or None for a single result or such a list.
    """

    op: Any
    last: Any
    steps: list[tuple[Any, list[int]]]
    heads: list[int]
    kind: Any


class Plans:
    """The plans of one function.

    call: the row's function. parameters: the names of its parameters, without F.
    typed: whether keys must contain the types of the attributes, because the second parameter is such a value.
    """

    def __init__(self, call: Callable[..., Any], parameters: list[str]) -> None:
        self.call, self.parameters = call, parameters
        self.typed = not _VALUES.isdisjoint(parameters[1:2])
        self.by_key: dict[Any, Plan] = {}
        self._counts: dict[Any, int] = {}

    def count(self, key: Any, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        """Count a call, and create a plan for such calls after a certain number of them.

        key: the plan's key, which must not contain arrays, because it would keep them alive. args, kwargs, result:
        those of the call.
        """
        try:
            count = self._counts.get(key, 0) + 1
        except TypeError:               # an argument is a list
            return
        if len(self._counts) >= _MOST:
            self._counts.clear()
            self.by_key.clear()
        self._counts[key] = count
        if count == OFTEN and not self._is_ambiguous(args, kwargs):
            plan = _planned(self.call, args, kwargs, result)
            if plan is not None:
                self.by_key[key] = plan

    def _is_ambiguous(self, args, kwargs):
        """Return whether a call with an equal key may have a different result."""
        named = {**dict(zip(self.parameters, args, strict=False)), **kwargs}
        return any(_equals_another(value, self.typed) for name, value in named.items() if name in _VALUES)


def _equals_another(value, typed=False):
    """Return whether a value, or a part of it, equals a number of another sign or, unless typed, of another type."""
    if isinstance(value, (list, tuple)):
        return any(map(_equals_another, value))
    if not isinstance(value, Number):
        return False
    return isinstance(value, float) and value == 0 if typed else (
        isinstance(value, (onp.generic, complex)) or value % 1 == 0)


def run(plan: Plan, arrays: list[Any]) -> Any:
    """Return the result of a plan for arrays of `mx.np`."""
    values = list(arrays)
    for op, places in plan.steps:
        values.append(run_operator(op, [values[i] for i in places]))
    found = [values[i] for i in plan.heads]
    return found[0] if plan.kind is None else getattr(plan.kind, "_make", plan.kind)(found)


def _planned(call, args, kwargs, result):
    """Return the plan for a call, or None if its row cannot be expanded to a plan."""
    results = result if isinstance(result, (list, tuple)) else [result]
    if not all(x.__class__ is ndarray for x in results) or kwargs.get("out") is not None:
        return None
    variables: list[Node] = []
    try:
        written = call(writing, *[_placed(x, variables) for x in args],
                       **{key: _placed(x, variables) for key, x in kwargs.items()})
    except (TypeError, ValueError, AttributeError):     # a graph cannot contain this row (also an MXNetError)
        return None
    outputs = written if isinstance(written, (list, tuple)) else [written]
    if not all(isinstance(x, Symbol) for x in outputs):
        return None
    graph = Symbol([head for output in outputs for head in output.heads])
    steps, heads = _steps(graph, variables)
    is_whole = len(heads) < len(results)        # the only step returns the list
    if steps is None or len(graph.heads) != len(results) or is_whole and type(result) is not list:
        return None
    kind = type(result) if isinstance(result, (list, tuple)) and not is_whole else None
    plan = Plan(*_direct(steps, heads, len(variables), results), steps, heads, kind)
    return plan if _computes(plan, args, kwargs, results) else None


def _placed(x, variables):
    """Return an argument with a symbol in place of each array."""
    if x.__class__ is ndarray:
        variables.append(Node(None, f"input{len(variables)}", (), {}, x.buffer.shape, x.buffer.dtype))
        return Written([(variables[-1], 0)])
    return type(x)([_placed(part, variables) for part in x]) if x.__class__ in (list, tuple) else x


def _steps(graph, variables):
    """Return the steps of a graph and the positions of its results; the steps are None if a plan cannot have them."""
    places = {(variable, 0): i for i, variable in enumerate(variables)}
    steps: list[Any] = []

    def add(op, inputs):
        steps.append((op, inputs))
        return len(variables) + len(steps) - 1

    for node in graph.nodes():
        if node.op is None:
            if (node, 0) not in places:
                return None, []
            continue
        cls = type(node.op)             # an operator between symbols is a subclass of the one for arrays
        op = cls.__mro__[1]() if getattr(cls, "between_symbols", None) is cls else node.op
        is_whole = op.num_outputs > 1 and list(graph.heads) == [(node, i) for i in range(op.num_outputs)]
        if not (is_whole or op.num_outputs == 1) or op.mutates or op.takes_train or not node.inputs or isinstance(
                op, (Composite, *_OF_AMP)):
            return None, []
        place = places[node, 0] = add(op, [places[pair] for pair in node.inputs])
        if is_whole:
            return steps, [place]
    # a result is new: neither an argument nor another result
    heads: list[int] = []
    for pair in graph.heads:
        place = places[pair]
        heads.append(add(_COPY, [place]) if place < len(variables) or place in heads else place)
    return steps, heads


def _direct(steps, heads, count, results):
    """Return (the only operator, the shape or type to which its result is converted), or (None, None)."""
    if len(heads) != 1 or not steps or steps[0][1] != list(range(count)) or not count:
        return None, None
    if len(steps) == 1:
        return steps[0][0], None
    if len(steps) == 2 and steps[1][1] == [count]:
        first, second = steps[0][0], steps[1][0]
        if isinstance(second, _RESHAPE):
            return first, results[0].shape
        if isinstance(second, _CAST) and (results[0].dtype == bool or first.name in ("argmax", "argmin")):
            return first, results[0].dtype
    return None, None


def _computes(plan, args, kwargs, results):
    """Return whether a plan produces results like those of the row."""
    arrays: list[Any] = []
    for x in (*args, *kwargs.values()):
        arrays += [x] if x.__class__ is ndarray else [part for part in x if part.__class__ is ndarray] \
            if x.__class__ in (list, tuple) else []
    with tape.Scope(False, None):
        made = run(plan, arrays)
    made = made if isinstance(made, (list, tuple)) else [made]
    return all(x.shape == y.shape and x.dtype == y.dtype and x.ctx == y.ctx for x, y in zip(made, results, strict=True))
