"""Monitoring of an executor: values in the forward pass and gradients in the backward pass."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING

from ... import ndarray as nd
from ...hybrid.watch import Watcher
from ...ops.graph.control import ControlOp
from ...tape import Entry, is_recorded

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...symbol.graph import Node

__all__ = ["GradientWatcher"]


class GradientWatcher(Watcher):
    """A Watcher that also reports the gradients of each node's inputs: 'fc_backward_output0' and so on."""

    HIDDEN = True

    def __call__(self, node: Node, outputs: Sequence[NDArray]) -> None:
        super().__call__(node, outputs)
        entry = outputs[0].entry
        # A loop leaves one entry per node.
        if not is_recorded(outputs[0]) or isinstance(node.op, ControlOp):
            return
        specs = [(x.shape, x.dtype, x.context) for x in self.inputs_of(node)]
        watched = _WatchedEntry(entry, lambda grads: self._tell(node, grads, specs))
        for y in outputs:
            if y.entry is entry:
                y.entry = watched

    def _tell(self, node, grads, specs):
        """Report the gradients of the inputs (zeros if there are none), except for inputs that are overwritten."""
        names = node.op.argument_names(len(specs))
        rows = [(grad, spec) for name, grad, spec in zip(names, grads, specs, strict=True)
                if name not in node.op.mutates]
        for number, (grad, (shape, dtype, ctx)) in enumerate(rows):
            name = f"{node.name}_backward_output{number if len(rows) > 1 else ''}"
            self.callback(name, node.op.name, nd.zeros(shape, ctx, dtype) if grad is None else grad)


class _WatchedEntry(Entry):
    """An entry that passes the gradients of its inputs to a function."""

    __slots__ = ("tell", "watched")

    def __init__(self, entry, tell):
        for name in Entry.__slots__:
            if hasattr(entry, name):
                setattr(self, name, getattr(entry, name))
        self.tell, self.watched = tell, entry

    def free(self):
        """Free the saved values, both here and in the wrapped entry."""
        self.watched.free()
        super().free()

    def gradients(self, F, out_grads, retain, walk=None):
        """Return the result of `Entry.gradients` after reporting it."""
        grads = self.watched.gradients(F, out_grads, retain, walk)
        grads = [grad() if isinstance(grad, FunctionType) else grad for grad in grads]
        self.tell(grads)
        return grads
