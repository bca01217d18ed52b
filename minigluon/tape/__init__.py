"""The tape: `record()`, the record of each operator inside it, and the walk that computes gradients from the record.

While recording, `record_op` attaches an `Entry` to each result: the operator, its parents, and only the values that the
operator's `gradient` reads (`Op.keeps`). `backward` visits the entries from newest to oldest. The tape is independent
of NumPy: values are the caller's arrays, and gradients are computed with the caller's `F`.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Iterable, Sequence
from operator import attrgetter
from types import FunctionType
from typing import Any, cast

from ..base import GraphFreedError
from .checks import match_heads, require_version
from .constants import Constant, next_number, record_constant, with_constants
from .head_gradients import unrecorded
from .observers import Observer, Operation, observing
from .variables import Variable, mark_variables

__all__ = ["Constant", "Entry", "Observer", "Scope", "Variable", "Walk", "backward", "gradients", "history",
           "is_recorded", "mark_variables", "observing", "record", "record_op", "state"]


class _State(threading.local):
    """Per-thread state of `record()` and `train_mode()`, and whether the program has queried the train mode."""

    recording = False
    training = False
    mode_queried = False


state = _State()


class Scope:
    """A context manager that sets recording and training and restores them afterward. None leaves a flag unchanged."""

    def __init__(self, recording: bool | None, training: bool | None):
        self.entering = recording, training

    def __enter__(self) -> None:
        self.before = state.recording, state.training
        recording, training = self.entering
        if recording is not None:
            state.recording = recording
        if training is not None:
            state.training = training

    def __exit__(self, *exc_info: object) -> None:
        state.recording, state.training = self.before


def record(train_mode: bool = True) -> Scope:
    """Record operators for `backward` inside the `with` block.

    train_mode: True for training mode, in which Dropout drops; False for prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())
    [6.]
    """
    return Scope(True, train_mode)


_number = attrgetter("number")

Array = Any                                         # an NDArray; the tape does not know its class
ArraySpec = tuple[tuple[int, ...], Any, Any]        # shape, dtype, device

_ONE: Any = (None,)     # the specs of a single output, which always has a gradient when its entry is visited


class Entry:
    """A single run of an operator. `parents` contains (entry, output index) for each input; None if untracked."""

    __slots__ = ("checked", "input_specs", "inputs", "number", "op", "origin", "outputs", "parents", "specs",
                 "versions")     # origin is set only by debug mode
    graph: Any = None       # for an entry with many operators: (symbol, names of the inputs)

    def __init__(self, op: Operation, parents: Sequence[Pair | None], inputs: Sequence[Array],
                 outputs: Sequence[Array], specs: Sequence[ArraySpec]):
        keeps = op.keeps
        self.op, self.parents = op, parents
        # An entry that kept its own output would keep itself alive, so it keeps a twin that shares its memory.
        self.outputs: Sequence[Array] = [y._twin() for y in outputs] if "outputs" in keeps else ()
        self.inputs: Sequence[Array] = inputs if "inputs" in keeps else ()
        # (shape, dtype, ctx) of each input, if the gradient reads no elements, so that the arrays may be freed.
        self.input_specs: Sequence[ArraySpec] = [(x.buffer.shape, x.buffer.dtype, x.device) for x in inputs] \
            if "shapes" in keeps else ()
        self.specs = specs          # the same for each output, for outputs without a gradient
        self.checked: Sequence[Array] = [*self.inputs, *self.outputs] if self.inputs and self.outputs else \
            self.inputs or self.outputs
        if op.mutates:      # the gradient does not read values that the operator itself overwrites
            own = [x for x, name in zip(inputs, op.list_arguments(), strict=True) if name in op.mutates]
            self.checked = [x for x in self.checked if all(x is not y for y in own)]
        # The number of writes to each so far (`_version` inlined for arrays that are not views); None if freed.
        self.versions: list[int] | None = []
        for x in self.checked:          # a comprehension is a call, which would take too long here
            self.versions.append(x._writes if x._base is None else x._version)
        self.number = next_number()

    def free(self) -> None:
        """Release the saved values. A later visit raises GraphFreedError."""
        self.inputs = self.outputs = self.checked = self.parents = ()
        self.versions = None

    def gradients(self, F: Any, out_grads: Sequence[Array | None], retain: bool,
                  walk: Walk | None = None) -> Sequence[Any]:
        """Return the gradient for each input, as a list; an item may be a function that computes it.

        out_grads: the gradient of each output, None if there is none. retain: whether another backward may follow.
        walk: for entries with many operators, which may write a gradient directly to its destination.
        """
        if self.specs is not _ONE and not getattr(self.op, "takes_none", False):
            out_grads = [F.zeros(spec[0], dtype=spec[1], ctx=spec[2]) if g is None else g
                         for g, spec in zip(out_grads, self.specs, strict=True)]
        inputs = [x.as_nd_ndarray() for x in self.inputs] if self.inputs and self.inputs[0]._to_np else \
            self.inputs or self._stand_ins(F) or (None,) * len(self.parents)
        # With create_graph, the gradient also depends on the outputs' history.
        outputs = [_on_tape(y, self, i) for i, y in enumerate(self.outputs)] if state.recording else self.outputs
        result = self.op.gradient(F, out_grads, inputs, outputs or (None,) * len(self.specs))
        return cast("Sequence[Any]", result) if isinstance(result, (list, tuple)) else [result]

    def _stand_ins(self, F: Any) -> list[Array]:
        """Return stand-ins for the inputs: arrays like them, but without elements."""
        arrays = [F._stand_in(spec) for spec in self.input_specs]
        if arrays and state.recording:
            arrays = [x if parent is None or isinstance(parent[0], Constant) else _on_tape(x, *parent)
                      for x, parent in zip(arrays, self.parents, strict=True)]
        return arrays

    def check(self) -> None:
        """Raise an error if the graph was freed or a saved value was overwritten."""
        if self.versions is None:
            raise GraphFreedError(
                f"the graph behind this array was freed by an earlier backward (at operator {self.op.name}). To "
                "differentiate it twice, pass retain_graph=True to the first backward.")
        if self.checked:
            for x, version in zip(self.checked, self.versions, strict=True):
                require_version(x, version, self.op)


Node = Entry | Variable | Constant                 # the tape's nodes
Pair = tuple[Node, int]                            # an array on the tape: an entry, and the index of its output
Grads = dict[Node, list[Array | None]]             # the gradients of each output


class Walk:
    """The nodes that a backward pass will visit, and gradients so far. `hybrid.write_targets` stores in `targets`."""

    def __init__(self, order: Sequence[Node], grads: Grads, head_grads: Sequence[Array | None]):
        self.order, self.heads, self.grads, self.head_grads = order, list(grads), grads, head_grads
        self.targets: dict[Node, Array] | None = None


def is_recorded(array: Array) -> bool:
    """Return whether the array is on the tape. Once `backward` has freed its graph, the array counts as detached."""
    return array.entry is not None and array.entry.versions is not None


def record_op(op: Any, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    """Record an operator (an Operation) as the origin of `outputs`, if any of `inputs` is on the tape."""
    parents: list[Pair | None] = []
    tracked = False
    for x in inputs:                    # a comprehension is a call, which would take longer than the loop
        entry = x.entry
        if entry is None or entry.versions is None:         # as in is_recorded
            parents.append(None)
        else:
            parents.append((entry, x.output_index))
            tracked = True
    if not (tracked or Constant.made) or (op.mutates and not op.differentiable):
        return
    if Constant.made and None in parents:
        parents = with_constants(parents, inputs)
    specs = _ONE if len(outputs) == 1 else [(y.shape, y.dtype, y.context) for y in outputs]
    if tracked and op.differentiable:
        entry = Entry(op, parents, inputs, outputs, specs)
        for index, y in enumerate(outputs):
            y.entry, y.output_index = entry, index
    elif not record_constant(parents, outputs, specs):
        return
    if observing.observer is not None:
        observing.observer.recorded(op, inputs, outputs[0].entry)


def backward(F: Any, heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
    """Differentiate `heads` for `autograd.backward`; store the gradients in the variables according to their `req`."""
    heads, head_grads = match_heads(heads, head_grads)
    with Scope(False, train_mode):
        observer = observing.observer
        by_entry = gradients(F, heads, head_grads, retain_graph, store=True) if observer is None else observer.stored(
            F, heads, head_grads, retain_graph)
        for entry, grads in by_entry.items():
            assert isinstance(entry, Variable)          # only variables are requested
            if entry.req == "write":
                if grads[0] is not entry.grad:
                    entry.grad._overwrite(cast(Any, grads[0]).buffer)
            elif entry.req == "add":
                entry.grad[...] = entry.grad + grads[0]
            entry.fresh = True


def gradients(F: Any, heads: Sequence[Array], head_grads: Sequence[Array | None], retain_graph: bool,
              entries: Container[Node] = (), store: bool = False,
              stop: Container[Node] = ()) -> Grads:
    """Return {entry: [gradient of each output]} for the sum of `heads`, weighted with head gradients (ones if None).

    The dict contains the variables, and the entries in `entries`, even if they are not variables. With `store`, a
    gradient may be computed directly in its variable's array. The walk ends at the entries in `stop`.

    If every path to the heads contains an operator without a gradient, a variable gets zeros, and other entries None.
    """
    grads: Grads = {}
    reached: set[Node] = set()  # parents for which a child has no gradient
    for head, grad in zip(heads, head_grads, strict=True):
        if head.entry is None:
            raise unrecorded(head)
        if state.recording and grad is not None:        # create_graph: even a gradient of 0 depends on the heads
            grad = F._identity_with_attr_like_rhs(grad, head)
        _add(F, grads, (head.entry, head.output_index), F.ones_like(head) if grad is None else grad)
    order = _newest_first(grads)
    walk = Walk(order, grads, head_grads) if store else None
    observer = observing.observer
    for entry in order:
        if entry not in grads:
            if entry in reached:
                reached.update(parent[0] for parent in entry.parents if parent is not None)
                if entry in entries or (store and isinstance(entry, Variable) and entry.req != "null"):
                    grads[entry] = [F.zeros_like(entry.grad)] if isinstance(entry, Variable) else [
                        None] * len(entry.specs)
            continue
        if isinstance(entry, Variable) or entry in stop:
            continue
        out_grads = grads[entry] if entry in entries else grads.pop(entry)
        entry.check()
        input_grads = entry.gradients(F, out_grads, retain_graph, walk) if observer is None else observer.visit(
            entry, F, out_grads, retain_graph, walk)
        for parent, grad in zip(entry.parents, input_grads, strict=True):
            if parent is None:
                continue
            if grad is not None and not isinstance(parent[0], Constant):
                _add(F, grads, parent, grad() if isinstance(grad, FunctionType) else grad)
            else:
                reached.add(parent[0])
        if not retain_graph:
            entry.free()
    return grads


def history(entry: Node) -> list[Node]:
    """Return an entry and all entries that it depends on, oldest first."""
    return _newest_first([entry])[::-1]


def _newest_first(heads: Iterable[Node]) -> list[Node]:
    """Return all entries that the heads depend on, newest first."""
    seen, todo = set(heads), list(heads)
    while todo:
        for parent in todo.pop().parents:
            if parent is not None and parent[0] not in seen:
                seen.add(parent[0])
                todo.append(parent[0])
    return sorted(seen, key=_number, reverse=True)


def _on_tape(array: Array, entry: Node, index: int) -> Array:
    """Return a view that is on the tape. The array itself is not, because an entry that keeps it would form a cycle."""
    view = array._view(array.buffer)
    view.entry, view.output_index = entry, index
    return view


def _add(F: Any, grads: Grads, target: Pair, grad: Array) -> None:
    """Accumulate a gradient for output `index` of an entry. Gradients of booleans stop there and are not added."""
    entry, index = target
    slots = grads.get(entry)
    if slots is None:
        slots = grads[entry] = [None] * (1 if isinstance(entry, Variable) else len(entry.specs))
    slots[index] = grad if slots[index] is None or grad.buffer.dtype == bool else F.elemwise_add(slots[index], grad)
