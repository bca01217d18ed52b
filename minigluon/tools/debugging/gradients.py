"""Debug mode's checks around the tape: the operator to which an error in `backward` belongs, and lost gradients.

The tape calls the methods of `Observer` (see `tape.Observer`).
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ... import tape
from ...base import MXNetError
from ...diagnostics import strictness
from ...gluon.parameter import Parameter
from ...tape import Entry, Variable
from ...tape.constants import Constant
from . import origins, values

__all__ = ["Observer", "look_for"]

_wanted = True
_reported: set[int] = set()         # ids of the Variables that a warning has named, so that each is named only once
_PASSES_NONE = "does not pass on a gradient"


class _LostGradients(threading.local):
    """Per-thread state. lost: {(entry, parent): how the gradient was lost between them}."""

    lost: dict[tuple[Any, Any], str] | None = None


_walk = _LostGradients()


def look_for(enabled: bool) -> None:
    """Set whether to check for gradients that are zero everywhere."""
    global _wanted
    _wanted = enabled
    _reported.clear()


class Observer:
    """The tape's observer in debug mode."""

    def recorded(self, op: Any, inputs: Sequence[Any], entry: Entry | Constant) -> None:
        """Store in the entry the location of the operator's call; for a constant, that of the first operator before it.
        """
        constants = [x.entry for x in inputs if isinstance(x.entry, Constant)] if isinstance(entry, Constant) else ()
        entry.origin = next(filter(None, map(_origin, constants)), None) or origins.here(op.name)

    def visit(self, entry: Any, F: Any, out_grads: Sequence[Any], retain: bool, walk: Any) -> Sequence[Any]:
        """Add the location of the operator's call to errors, and record if a gradient becomes zero."""
        before = values.state.in_backward, values.state.found
        values.state.in_backward, values.state.found = True, None
        try:
            grads = list(entry.gradients(F, out_grads, retain, walk))
            for i, (parent, grad) in enumerate(zip(entry.parents, grads, strict=True)):
                if isinstance(grad, FunctionType):
                    grads[i] = None if parent is None or isinstance(parent[0], Constant) else grad()
            error = values.state.found
            if error is not None and not all(grad is None or values.is_finite(grad.asnumpy()) for grad in grads):
                raise error
        except MXNetError as error:
            _tell(error, entry)
            raise
        finally:
            values.state.in_backward, values.state.found = before
        if _walk.lost is not None and entry.graph is None and any(g is not None and not _is_zero(g) for g in out_grads):
            for parent, grad in zip(entry.parents, grads, strict=True):
                if parent is not None and (grad is None or _is_zero(grad)):
                    _walk.lost[entry, parent[0]] = _PASSES_NONE if grad is None else "turns it into zeros"
        return grads

    def stored(self, F: Any, heads: Sequence[Any], head_grads: Sequence[Any], retain: bool) -> Any:
        """Warn about variables whose gradient is zero everywhere."""
        if not _wanted:
            return tape.gradients(F, heads, head_grads, retain, store=True)
        children: dict[Any, list[Any]] = {}
        lost: dict[tuple[Any, Any], str] = {}
        entries = {entry for head in heads if head.entry is not None for entry in tape.history(head.entry)}
        for entry in sorted(entries, key=lambda entry: entry.number):
            for parent in filter(None, entry.parents):
                children.setdefault(parent[0], []).append(entry)
                if isinstance(entry, Constant):
                    lost[entry, parent[0]] = _PASSES_NONE
        names = {variable: _name_in_graph(variable, children[variable]) for variable in children
                 if isinstance(variable, Variable)}         # determined now, because the walk frees the entries
        outer, _walk.lost = _walk.lost, lost
        try:
            grads = tape.gradients(F, heads, head_grads, retain, store=True)
            _warn_of_zeros(grads, names, children, lost)
        finally:
            _walk.lost = outer
        return grads


def _warn_of_zeros(grads: dict[Any, list[Any]], names: Mapping[Any, str | None], children: dict[Any, list[Any]],
                   lost: Mapping[tuple[Any, Any], str]) -> None:
    """Warn once about each variable whose gradient is zero everywhere. names: for a graph, the names of its
    variables."""
    dead = [variable for variable, grad in grads.items() if isinstance(variable, Variable)
            and variable.req != "null" and variable.number not in _reported and grad[0].size and _is_zero(grad[0])]
    parameters = _parameters() if dead else {}
    for variable in sorted(dead, key=lambda variable: variable.number):
        name = parameters.get(id(variable.grad)) or names.get(variable) or \
            f"an array of shape {variable.grad.shape} with attach_grad()"
        _reported.add(variable.number)
        reason = _reason(variable, children, lost)
        strictness.warn(f"debug mode: the gradient of {name} is zero everywhere{reason}")


def _tell(error: MXNetError, entry: Entry) -> None:
    """Add the location of the call to the operator whose gradient failed. The innermost entry is the most precise."""
    if not any(line.startswith("in the backward pass of: ") for line in error.details):
        error.add(f"in the backward pass of: {entry.op.name}")
        for line in _lines(entry):
            error.add(line)


def _origin(entry: Any) -> origins.Origin | None:
    return getattr(entry, "origin", None)       # None if debug mode was off


def _lines(entry: Any) -> list[str]:
    origin = _origin(entry)
    return [] if origin is None else origin.lines()


def _reason(variable: Variable, children: dict[Any, list[Any]], lost: Mapping[tuple[Any, Any], str]) -> str:
    """Return where the gradient was lost, on the shortest path from the variable to the heads."""
    todo, seen = [variable], {variable}
    for node in todo:
        for child in children.get(node, ()):
            how = lost.get((child, node))
            if how is not None:
                origin = _origin(child)
                if origin is not None:
                    return f": {origin.operator} {how}\n  " + "\n  ".join(origin.lines())
                return ": it passes through an operator without a gradient"
            if child not in seen:
                seen.add(child)
                todo.append(child)
    return ": the head gradients are zero"


def _parameters() -> dict[int, str]:
    """Return {id of a gradient array: description of its parameter} for all existing Parameters."""
    names: dict[int, str] = {}
    for thing in gc.get_objects():
        if issubclass(type(thing), Parameter) and thing._grad:
            owner = thing._owner() if thing._owner else None
            name = f"parameter {thing.name!r}" + (f" of {type(owner).__name__} {owner.name!r}" if owner else "")
            names.update((id(grad), name) for grad in thing._grad.values())
    return names


def _name_in_graph(variable: Variable, users: Iterable[Any]) -> str | None:
    """Return the name of the graph's variable that a Variable on the tape represents."""
    for user in users:
        origin = None if isinstance(user, Constant) else _origin(user)
        if origin is not None and origin.node is not None:
            for parent, (node, _) in zip(user.parents, origin.node.inputs, strict=False):
                if parent is not None and parent[0] is variable and node.op is None:
                    return repr(node.name)
    return None


def _is_zero(grad: Any) -> bool:
    return not np.any(grad.asnumpy())
