"""A block's graph: traced by running `hybrid_forward` with symbols instead of arrays, and ready to run."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from .. import symbol
from ..attribute import in_force
from ..base import ArgumentError, MXNetError
from ..common.nest import flatten, regroup
from ..context import current_context
from ..diagnostics.source_lines import tracing
from ..hybrid import CachedOp
from ..ndarray import NDArray
from ..tape import state
from . import parameter_snapshots as snapshots
from .hybrid_errors import unknown_variable
from .parameter import DeferredInitializationError

__all__ = ["BlockGraph", "Trace", "flatten_symbols", "fresh_subgraph_names", "trace", "trace_function", "tree",
           "variables_like"]


class Trace(NamedTuple):
    """The graph of a block's computation.

    inputs: the variable's name for each leaf of the arguments, in order, or None for a leaf that is not an array.
    outputs: one symbol with all outputs. in_structure, out_structure: the nesting of arguments and outputs.
    """

    inputs: list[str | None]
    outputs: Any
    in_structure: Any
    out_structure: Any


def trace(block: Any, args: Any) -> Trace:
    """Trace a HybridBlock for arguments such as `args`: variables replace arrays, other arguments are unchanged."""
    return trace_function(block._trace, args, f"{type(block).__name__} {block.name!r}: hybrid_forward returned")


def trace_function(function: Callable[[Any], Any], args: Any, what: str) -> Trace:
    """Trace `function(args)`. what: the beginning of the error message for results that are not symbols."""
    leaves, structure = flatten(args)
    names = input_names(leaves)
    variables = [leaf if name is None else symbol.var(name) for name, leaf in zip(names, leaves, strict=True)]
    variables = [x._to_np(v) if getattr(x, "_to_np", None) else v for x, v in zip(leaves, variables, strict=True)]
    with fresh_subgraph_names(), tracing():
        outputs = function(regroup(variables, structure))
    outputs, out_structure = flatten_symbols(outputs, what)
    return Trace(names, symbol.Group(outputs), structure, out_structure)


def variables_like(args: Any, variables: dict[str, Any]) -> dict[str, Any]:
    """Return the variables as `mx.np` symbols if the arguments are such symbols, otherwise unchanged."""
    to_np = next((a._to_np for a in flatten(args)[0] if isinstance(a, symbol.Symbol)), None)
    return variables if to_np is None else {key: to_np(variable) for key, variable in variables.items()}


@contextmanager
def fresh_subgraph_names() -> Generator[None]:
    """Number subgraphs from 0 inside the `with` block, so that a network has the same names in each trace."""
    before: Counter[str] = in_force.subgraphs
    in_force.subgraphs = Counter()
    try:
        yield
    finally:
        in_force.subgraphs = before


def input_names(leaves: list[Any]) -> list[str | None]:
    """Return 'data' for a single array, 'data0', 'data1', ... for several; None for a leaf that is not an array."""
    flags = [isinstance(leaf, (NDArray, symbol.Symbol)) for leaf in leaves]
    if not any(flags):
        raise MXNetError(f"a block cannot be traced without an array among its arguments, found {leaves}")
    numbers = iter(range(len(leaves)))
    return [None if not is_array else "data" if sum(flags) == 1 else f"data{next(numbers)}" for is_array in flags]


def flatten_symbols(value: Any, what: str) -> tuple[list[Any], Any]:
    """Return (individual outputs, structure) for nested lists of symbols; a symbol with several outputs is a list.
    what: the beginning of the error message for anything else, as in "SymbolBlock: outputs holds"."""
    return flatten(_opened(value, what))


def _opened(item: Any, what: str) -> Any:
    if isinstance(item, (list, tuple)):
        return [_opened(inner, what) for inner in cast("list[Any]", item)]
    if not isinstance(item, symbol.Symbol):
        actual = "None" if item is None else f"{type(item).__name__} {item!r}"
        raise ArgumentError(f"{what} {actual}, expected a Symbol or nested lists of Symbols")
    return list(item) if len(item) > 1 else item


class BlockGraph:
    """A block's graph for arguments such as `args`, as a function of arrays.
    modes: the valid train modes: only one if `autograd.is_training()` was called during the trace."""

    def __init__(self, block: Any, args: Any) -> None:
        queried, state.mode_queried = state.mode_queried, False
        try:
            trace = block._trace_for(args)
            self.modes = (state.training,) if state.mode_queried else (False, True)
        finally:
            state.mode_queried = queried or state.mode_queried
        data = [name for name in trace.inputs if name is not None]
        self.block, self.trace = weakref.proxy(block), trace       # weak, because the block refers to this graph
        self.structure = trace.out_structure
        self.params = _parameters(block, trace.outputs, data)
        self.compiled: Any = CachedOp(trace.outputs, data + [p.name for p in self.params], block._flags)
        self.is_computed = any(param.computes_data for param in self.params)
        self.bound: dict[Any, Any] = {}                 # device -> the parameters' arrays there, bound to the graph

    def run(self, data: list[Any], args: Any) -> Any:
        """Return the results, nested as the block returns them. data: the arrays in args, as a flat list."""
        ctx = data[0].device if data else current_context()
        params = self.bound.get(ctx)
        if params is None or params.version != snapshots.number or snapshots.scopes:
            params = self.bind(ctx, args)
        outputs = self.compiled.run(data, params)
        return outputs[0] if self.structure is None else regroup(outputs, self.structure)

    def bind(self, ctx: Any, args: Any) -> Any:
        """Return the parameters' arrays on a device, bound to the graph until one of them is replaced."""
        number = snapshots.number
        if not snapshots.scopes:
            params = self.compiled.bind(self.find_arrays(ctx, args), ctx, version=number)
            if snapshots.number == number and not snapshots.scopes:
                if not self.is_computed:            # otherwise the next call looks up the arrays again
                    self.bound[ctx] = params
                return params
        return snapshots.bind(self, ctx, args)      # some arrays are being replaced, possibly by another thread

    def find_arrays(self, ctx: Any, args: Any) -> list[Any]:
        """Return the parameters' arrays on a device, after deferred initialization if that is due."""
        try:
            return [self._array(param, ctx, args) for param in self.params]
        except DeferredInitializationError:
            pass            # continue outside the handler, so that later errors are not chained to this one
        # only parameters that the graph uses, because nothing determines the others
        self.block._finish_deferred(args, self.params, self.trace)
        return [self._array(param, ctx, args) for param in self.params]

    def _array(self, param: Any, ctx: Any, args: Any) -> Any:
        arrays = param._visible()
        if arrays is not None and ctx not in arrays:
            raise self.block._elsewhere(param, ctx, args)
        return param.data(ctx) if arrays is None or param.computes_data else arrays[ctx]


def _parameters(block: Any, graph: Any, data: list[Any]) -> list[Any]:
    """Return the Parameters of a graph's variables, except `data`."""
    names = [name for name in dict.fromkeys(graph.list_inputs()) if name not in data]
    params = [param for part in tree(block) for param in part._reg_params.values()]
    by_name = {param.name: param for param in params}
    if len(by_name) < len(set(params)) or not by_name.keys() >= set(names):     # duplicate or missing names
        by_name = {param.name: param for param in block.collect_params().values()}
    for name in names:
        if name not in by_name:
            raise unknown_variable(block, graph, name)
    return [by_name[name] for name in names]


def tree(block: Any) -> list[Any]:
    """Return the block and all blocks inside it."""
    blocks: list[Any] = [block]
    for parent in blocks:
        blocks += parent._children.values()
    return blocks
