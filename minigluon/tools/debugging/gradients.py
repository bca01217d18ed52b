"""What debug mode looks for around the tape: which operator an error in `backward` belongs to, and lost gradients.

The three functions run in the places of the tape's own: see `tape.watch`.
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
from ...tape import Cut, Entry, Variable
from . import origins, values

__all__ = ["look_for", "record", "visit", "walk"]

_wanted = True
_told: set[int] = set()         # numbers of the Variables that a warning has named: each is named once
_plain = tape.plain
_PASSES_NONE = "passes no gradient on"


class _Walk(threading.local):
    """Per thread: lost says of (entry, parent) how the gradient at this entry was lost on its way to this parent."""

    lost: dict[tuple[Any, Any], str] | None = None


_walk = _Walk()


def look_for(wanted: bool) -> None:
    """Look for gradients that are zero everywhere, from now on?"""
    global _wanted
    _wanted = wanted
    _told.clear()


def record(op: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """`tape.record_op`; the new entries remember where the operator was called."""
    before = [y.entry for y in outputs]
    cut = next((origin for x in inputs if isinstance(x.entry, Cut) and (origin := _origin(x.entry))), None)
    _plain.record_op(op, inputs, outputs)
    origin = origins.here(op.name)._replace(cut=cut)
    for y, old in zip(outputs, before, strict=True):
        if y.entry is not None and y.entry is not old:
            y.entry.origin = cut if cut is not None and isinstance(y.entry, Cut) else origin


def visit(entry: Entry, F: Any, out_grads: Sequence[Any], retain: bool, targets_of: Any) -> Sequence[Any]:
    """`Entry.gradients`; an error tells where the operator was called, and a gradient that becomes zero is noted."""
    before = values.state.in_backward, values.state.found
    values.state.in_backward, values.state.found = True, None
    try:
        found = list(_plain.entry_gradients(entry, F, out_grads, retain, targets_of))
        for i, (parent, grad) in enumerate(zip(entry.of_inputs(), found, strict=False)):
            if isinstance(grad, FunctionType):
                found[i] = None if parent is None else grad()
        error = values.state.found
        if error is not None and not all(grad is None or values.is_finite(grad.asnumpy()) for grad in found):
            raise error
    except MXNetError as error:
        _tell(error, entry)
        raise
    finally:
        values.state.in_backward, values.state.found = before
    if _walk.lost is not None and any(g is not None and not _is_zero(g) for g in out_grads):
        for parent, grad in zip(entry.of_inputs(), found, strict=False):
            if parent is not None and (grad is None or _is_zero(grad)):
                _walk.lost[entry, parent[0]] = _PASSES_NONE if grad is None else "makes zeros of it"
    return found


def walk(F: Any, heads: Sequence[Any], *args: Any, store: bool = False, **kwargs: Any) -> Any:
    """`tape.gradients`; warns of variables whose gradient is zero everywhere, if it is to be stored."""
    if not (store and _wanted):
        return _plain.gradients(F, heads, *args, store=store, **kwargs)
    children: dict[Any, list[Any]] = {}
    lost: dict[tuple[Any, Any], str] = {}
    entries = {entry for head in heads if head.entry is not None for entry in tape.history(head.entry)}
    for entry in sorted(entries, key=lambda entry: entry.number):
        passed = len(entry.of_inputs()) if isinstance(entry, Entry) else 0      # to parents behind it, none is
        for i, parent in enumerate(entry.parents):
            if parent is not None:
                children.setdefault(parent[0], []).append(entry)
                if i >= passed:
                    lost[entry, parent[0]] = _PASSES_NONE
    names = {variable: _name_in_graph(variable, children[variable]) for variable in children
             if isinstance(variable, Variable)}         # now, as the walk frees the entries
    outer, _walk.lost = _walk.lost, lost
    try:
        grads = _plain.gradients(F, heads, *args, store=store, **kwargs)
        dead = [variable for variable, found in grads.items() if isinstance(variable, Variable)
                and variable.req != "null" and variable.number not in _told and found[0].size and _is_zero(found[0])]
        parameters = _parameters() if dead else {}
        for variable in sorted(dead, key=lambda variable: variable.number):
            name = parameters.get(id(variable.grad)) or names.get(variable) or \
                f"an array of shape {variable.grad.shape} with attach_grad()"
            _told.add(variable.number)
            reason = _reason(variable, children, lost)
            strictness.warn(f"debug mode: the gradient of {name} is zero everywhere{reason}")
    finally:
        _walk.lost = outer
    return grads


def _tell(error: MXNetError, entry: Entry) -> None:
    """Add where the operator was called whose gradient has failed; the innermost entry knows best."""
    if not any(line.startswith("in the backward pass of: ") for line in error.details):
        error.add(f"in the backward pass of: {entry.op.name}")
        for line in _lines(entry):
            error.add(line)


def _origin(entry: Any) -> origins.Origin | None:
    return getattr(entry, "origin", None)       # None where debug mode was off


def _lines(entry: Any) -> list[str]:
    origin = _origin(entry)
    return [] if origin is None else origin.lines()


def _reason(variable: Variable, children: dict[Any, list[Any]], lost: Mapping[tuple[Any, Any], str]) -> str:
    """Where the gradient was lost, on the shortest way from the variable to the heads."""
    todo, seen = [variable], {variable}
    for node in todo:
        for child in children.get(node, ()):
            how = lost.get((child, node))
            if how is not None:
                origin = _origin(child)
                if how is _PASSES_NONE and origin is not None and origin.cut is not None:
                    origin = origin.cut
                if origin is not None:
                    return f": {origin.operator} {how}\n  " + "\n  ".join(origin.lines())
                return ": it passes through an operator without a gradient"
            if child not in seen:
                seen.add(child)
                todo.append(child)
    return ": what arrives at the heads is zero"


def _parameters() -> dict[int, str]:
    """{id of an array for gradients: what its parameter is called}, of all Parameters that there are."""
    found: dict[int, str] = {}
    for thing in gc.get_objects():
        if issubclass(type(thing), Parameter) and thing._grad:
            owner = thing._owner() if thing._owner else None
            name = f"parameter {thing.name!r}" + (f" of {type(owner).__name__} {owner.name!r}" if owner else "")
            found.update((id(grad), name) for grad in thing._grad.values())
    return found


def _name_in_graph(variable: Variable, users: Iterable[Any]) -> str | None:
    """The name of the variable of a graph that a Variable of the tape stands for."""
    for user in users:
        origin = getattr(user, "origin", None)
        if origin is not None and origin.node is not None:
            for parent, (node, _) in zip(user.parents, origin.node.inputs, strict=False):
                if parent is not None and parent[0] is variable and node.op is None:
                    return repr(node.name)
    return None


def _is_zero(grad: Any) -> bool:
    return not np.any(grad.asnumpy())
