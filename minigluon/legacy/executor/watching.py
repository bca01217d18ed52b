"""What a monitor of an executor sees: what goes forward through the graph, and the gradients that come back."""

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
    """A Watcher that makes the tape tell the gradients of each node's inputs, too: 'fc_backward_output0' and so on."""

    HIDDEN = True

    def __call__(self, node: Node, outputs: Sequence[NDArray]) -> None:
        super().__call__(node, outputs)
        entry = outputs[0].entry
        # A loop has left an entry for each of its nodes.
        if not is_recorded(outputs[0]) or isinstance(node.op, ControlOp):
            return
        specs = [(x.shape, x.dtype, x.context) for x in self.inputs_of(node)]
        watched = _WatchedEntry(entry, lambda grads: self._tell(node, grads, specs))
        for y in outputs:
            if y.entry is entry:
                y.entry = watched

    def _tell(self, node, grads, specs):
        """Tell the gradients of the inputs, zeros where there is none; not of those that the operator overwrites."""
        names = node.op.argument_names(len(specs))
        rows = [(grad, spec) for name, grad, spec in zip(names, grads, specs, strict=True)
                if name not in node.op.mutates]
        for number, (grad, (shape, dtype, ctx)) in enumerate(rows):
            name = f"{node.name}_backward_output{number if len(rows) > 1 else ''}"
            self.callback(name, node.op.name, nd.zeros(shape, ctx, dtype) if grad is None else grad)


class _WatchedEntry(Entry):
    """An entry that hands the gradients of its inputs to a function."""

    __slots__ = ("tell", "watched")

    def __init__(self, entry, tell):
        for name in Entry.__slots__:
            if hasattr(entry, name):
                setattr(self, name, getattr(entry, name))
        self.tell, self.watched = tell, entry

    def free(self):
        """Let go of the saved values, here and in the entry itself."""
        self.watched.free()
        super().free()

    def gradients(self, F, out_grads, retain, walk=None):
        """`Entry.gradients`, told."""
        found = self.watched.gradients(F, out_grads, retain, walk)
        found = [grad() if isinstance(grad, FunctionType) else grad for grad in found]
        self.tell(found)
        return found
