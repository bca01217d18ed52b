"""Hooks of a HybridBlock. A graph does not call its parts, so hooks invalidate graphs or monitor operators instead."""

from __future__ import annotations

from typing import Any

from ..common.nest import regroup
from ..context import current_context
from ..diagnostics import strictness
from ..hybrid import interpret
from ..hybrid.watch import Watcher
from ..symbol import Symbol
from .block import Block
from .hooks import Hook, HookHandle

__all__ = ["HybridHooks"]


class HybridHooks(Block):
    """Mixin for HybridBlock that registers hooks."""

    _active = False         # whether the block is hybridized
    _op_hook = None         # (callback, monitor_all) of `register_op_hook`

    def _forget_graphs(self):
        raise NotImplementedError

    def graph_obstacle(self) -> Any:
        """Return the reason why a call of this block cannot be part of a larger graph, or None."""
        if not self._active:
            return super().graph_obstacle()
        if self._forward_hooks or self._forward_pre_hooks or self._op_hook is not None:
            return f"{type(self).__name__} {self.name!r} has hooks"
        return None

    def _call_with_hooks(self, args):
        """Call the block; run its hooks only for arrays, not for symbols as in traces and shape inference."""
        if any(isinstance(a, Symbol) for a in args):
            return self.forward(*args)
        return super()._call_with_hooks(args)

    def _warn_of_hooks(self, block):
        """Warn about the hooks of a block inside this block. The warning names the line that calls this block."""
        strictness.warn(f"{type(block).__name__} {block.name!r} has hooks, which do not run while the block around it, "
                        f"{type(self).__name__} {self.name!r}, is hybridized: a graph does not call its parts. Call "
                        "hybridize(False) on that, or see register_op_hook.")

    def _watched(self, graph, data, args):
        """Run a BlockGraph node by node with the callback of `register_op_hook`, and return the results."""
        params = graph.bind(data[0].device if data else current_context(), args)
        values = dict(zip(graph.compiled.inputs, [*data, *params.fixed()], strict=True))
        outputs = interpret(graph.compiled.symbol, values, Watcher(values, *self._op_hook))
        return outputs[0] if graph.structure is None else regroup(outputs, graph.structure)

    def register_forward_pre_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs)` before each forward. Inside a hybridized block, the hook is not called, and a
        warning says so.
        """
        self._forget_graphs()           # so that the next trace warns
        return super().register_forward_pre_hook(hook)

    def register_forward_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs, output)` after each forward. Inside a hybridized block it is not called."""
        self._forget_graphs()
        return super().register_forward_hook(hook)

    def register_op_hook(self, callback: Any, monitor_all: bool = False) -> None:
        """Call `callback(name, operator's name, array)` for the outputs of each operator while hybridized.

        monitor_all: if True, also call it for the inputs. With a callback, the graph runs node by node. callback=None
        removes the callback.

        >>> layer = nn.Dense(2, activation="relu", in_units=3)
        >>> layer.initialize()
        >>> layer.hybridize()
        >>> layer.register_op_hook(lambda name, op, array: print(name, op, array.shape))
        >>> out = layer(nd.ones((5, 3)))
        dense0_fwd_output FullyConnected (5, 2)
        dense0_relu_fwd_output Activation (5, 2)
        """
        super().register_op_hook(callback, monitor_all)
        self._op_hook = None if callback is None else (callback, monitor_all)
