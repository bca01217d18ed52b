"""Inference of a HybridBlock's parameter shapes and types from example inputs, without running it."""

# The part of HybridBlock that handles its parameters.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from ..common.nest import flatten
from ..symbol import infer
from .parameter import Parameter

__all__ = ["HybridInference"]

_initializing = threading.RLock()


class HybridInference:
    """Mixin for HybridBlock that infers its parameters' shapes and types."""

    def infer_shape(self, *args: Any) -> None:
        """Fill in the unknown shapes of all parameters from example inputs, by tracing with symbols.

        args: a call's arguments, as arrays or symbols.

        Shapes that do not follow from the inputs stay unknown.

        >>> layer = nn.Dense(4)
        >>> layer.infer_shape(nd.ones((5, 3)))
        >>> layer.weight.shape
        (4, 3)
        """
        self._infer(infer.infer_shapes, "shape", args)

    def infer_type(self, *args: Any) -> None:
        """Set the element types of all parameters from example inputs.

        args: as in `infer_shape`.

        >>> layer = nn.Dense(4, dtype="float64")
        >>> layer.infer_type(nd.ones((5, 3), dtype="float64"))
        >>> layer.weight.dtype
        <class 'numpy.float64'>
        """
        self._infer(infer.infer_dtypes, "dtype", args)

    def _infer(self, infer_all: Callable[[Any, Any], Any], attribute: str, args: Any, traced: Any = None) -> None:
        """Infer `attribute` for the parameters. traced: the block's Trace for args, if there is one."""
        traced = traced or self._trace_for(args)
        nodes = traced.outputs.nodes()
        variables = [node for node in nodes if node.op is None]
        used = {node.name for node in variables}
        values = {n: getattr(x, attribute) for n, x in zip(traced.inputs, flatten(args)[0], strict=True) if n in used}
        inferred = infer_all(nodes, values)
        by_name = {node.name: inferred[node, 0] for node in variables}
        for param in self.collect_params().values():
            if by_name.get(param.name) is not None:
                setattr(param, attribute, by_name[param.name])

    def _finish_deferred(self, args: Any, params: Iterable[Parameter] | None = None, traced: Any = None) -> None:
        """Create the deferred `params`, by default all of them, for arguments such as these. traced: as in `_infer`."""
        with _initializing:         # if several threads run a new net, the first one creates its parameters
            if traced is None or type(self).infer_shape is not HybridInference.infer_shape:
                self.infer_shape(*args)
            else:
                self._infer(infer.infer_shapes, "shape", args, traced)
            for param in self.collect_params().values() if params is None else params:
                param._finish_deferred_init()
