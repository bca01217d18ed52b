"""HybridBlock: a block whose `hybrid_forward(F, x)` runs on arrays (F=nd) and on symbols (F=sym)."""

from __future__ import annotations

import weakref
from typing import Any

from .. import ndarray as nd
from .. import symbol
from ..base import ArgumentError, ShapeError
from ..common.nest import flatten
from ..ndarray.ndarray import NDArray
from ..tape import state as _state
from .hybrid_errors import HybridErrors
from .hybrid_export import HybridExport
from .hybrid_inference import HybridInference
from .hybridize import Hybridize, constant_key
from .parameter import DeferredInitializationError
from .tracing import BlockGraph, trace, tree, variables_like

__all__ = ["HybridBlock"]

MAX_GRAPHS = 256        # if a program keeps passing new numbers, the cache is cleared at this size


class HybridBlock(HybridInference, HybridExport, HybridErrors, Hybridize):
    """A block that can be traced: `hybridize` turns it into a faster graph, and `export` writes the graph to files.

    Subclasses define `hybrid_forward(self, F, x, *args, **params)`: F is `nd` or `sym`, and every parameter that was
    set as an attribute is passed as a keyword argument with that name. The constructor's arguments are Block's.

    >>> class Scale(gluon.HybridBlock):
    ...     def __init__(self, **kwargs):
    ...         super().__init__(**kwargs)
    ...         self.factor = self.params.get("factor", shape=(1,), init=init.Constant(3))
    ...     def hybrid_forward(self, F, x, factor):
    ...         return F.broadcast_mul(x, factor)
    >>> net = Scale()
    >>> net.initialize()
    >>> net.hybridize()
    >>> net(nd.array([1, 2])).asnumpy().tolist()
    [3.0, 6.0]
    >>> net(sym.var("x")).list_arguments()              # the same code on a symbol
    ['x', 'scale0_factor']
    """

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the block's results with functions from F. Subclasses override it.

        F: `nd` if x is an array, `sym` if it is a symbol.
        x, args: the call's arguments.
        kwargs: the block's own parameters, by attribute name.
        """
        raise NotImplementedError(f"{type(self).__name__} has no hybrid_forward method. "
                                  "Write `def hybrid_forward(self, F, x):`.")

    def forward(self, x: Any, *args: Any) -> Any:
        """Run `hybrid_forward` with F=nd on arrays and with F=sym on symbols."""
        if x.__class__ is not NDArray:
            return self._forward_others(x, args)
        if self._active:
            return self._run_graph(x, args)
        try:
            return self.hybrid_forward(nd, x, *args, **self._find_params(x.context, (x, *args)))
        except ShapeError as error:
            self._name_parameter(error)
            raise
        except TypeError:
            self._check_call((x, *args))
            raise

    def _forward_others(self, x, args):
        """Run `forward` if x is a symbol or a list of arrays."""
        self._refuse_mixture((x, *args))
        first = next((a for a in flatten((x, *args))[0] if isinstance(a, (NDArray, symbol.Symbol))), None)
        if isinstance(first, NDArray):
            if self._active:
                return first._to_own_class(self._run_graph(x, args))
            return self.hybrid_forward(nd, x, *args, **self._find_params(first.context, (x, *args)))
        if not isinstance(first, symbol.Symbol):
            raise ArgumentError(f"{type(self).__name__} {self.name!r} takes NDArrays or Symbols, found "
                                f"{type(x).__name__}. Convert it with nd.array(...).")
        return self._trace((x, *args))

    def _find_params(self, ctx, args):
        """Return {attribute: array on ctx}, after deferred initialization if that is due."""
        if not all(p.is_initialized for p in self._reg_params.values()):
            try:
                return {key: p.data(ctx) for key, p in self._reg_params.items()}
            except DeferredInitializationError:
                pass            # continue outside the handler, so that later errors are not chained to this one
            self._finish_deferred(args, self._reg_params.values())
        for param in self._reg_params.values():
            if ctx not in param._visible():
                raise self._elsewhere(param, ctx, args)
        return {key: p.data(ctx) for key, p in self._reg_params.items()}

    def _trace_for(self, args):
        """Return the Trace for arguments such as `args`."""
        return trace(self, args)

    def _trace(self, args):
        with self.name_scope():
            params = variables_like(args, {key: p.var() for key, p in self._reg_params.items()})
            try:
                return self.hybrid_forward(symbol, *args, **params)
            except TypeError:
                self._check_call(args)
                raise

    # -- hybridized ---------------------------------------------------------------------------------------------

    def add_graph_host(self, host: Any) -> None:
        """Call `host.drop_graphs()` when graphs that contain this block become invalid. Does not keep `host` alive."""
        for block in tree(self):
            vars(block)["_hosts"] = weakref.WeakValueDictionary({**block._hosts, id(host): host})

    def _run_graph(self, x, args):
        """Run the graph for these arguments."""
        if args or x.__class__ is not NDArray:
            leaves, structure = flatten((x, *args))
            data = [leaf.as_nd_ndarray() if leaf._to_np else leaf for leaf in leaves if isinstance(leaf, NDArray)]
            constants = tuple([leaf.__class__ is not NDArray and constant_key(leaf) for leaf in leaves])
            key = _state.training, structure, constants
        else:
            data, key = (x,), _state.training
        try:
            graph = self._graphs.get(key)
        except TypeError:
            raise self._untraceable(leaves) from None
        if graph is None:
            graph = self._make_graph((x, *args), key)
        try:
            if self._op_hook is not None:
                return self._watched(graph, data, (x, *args))
            return graph.run(data, (x, *args))
        except ShapeError as error:
            self._name_parameter_of(graph, error)
            raise

    def _refuse_mixture(self, args):
        """Raise ArgumentError if there are both arrays and symbols among the arguments."""
        leaves = flatten(args)[0]
        if any(isinstance(a, symbol.Symbol) for a in leaves) and any(isinstance(a, NDArray) for a in leaves):
            raise ArgumentError(f"{type(self).__name__} {self.name!r}: the arguments are NDArrays as well as Symbols. "
                                "Give it arrays to compute, or symbols to write down a graph.")

    def _make_graph(self, args, key):
        self._refuse_mixture(args)
        graph = BlockGraph(self, args)
        self.add_graph_host(self)
        for block in tree(self):
            if block is not self and (block._forward_hooks or block._forward_pre_hooks):
                self._warn_of_hooks(block)
        if len(self._graphs) >= MAX_GRAPHS:
            self._graphs.clear()
        for mode in graph.modes:
            self._graphs[(mode, *key[1:]) if isinstance(key, tuple) else mode] = graph
        return graph
