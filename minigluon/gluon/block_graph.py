"""A hybridized block's graph, ready to run, with the arrays for its variables."""

import weakref

from ..common.nest import regroup
from ..context import current_context
from ..hybrid import CachedOp
from ..tape import state
from . import parameter_snapshots as snapshots
from .hybrid_errors import unknown_variable
from .parameter import DeferredInitializationError

__all__ = ["BlockGraph", "tree"]


class BlockGraph:
    """The graph of a block for arguments such as `args`, as a function of arrays.

    modes: the valid train modes: only one if `autograd.is_training()` was called during the trace.
    """

    def __init__(self, block, args):
        queried, state.mode_queried = state.mode_queried, False
        try:
            trace = block._trace_for(args)
            self.modes = (state.training,) if state.mode_queried else (False, True)
        finally:
            state.mode_queried = queried or state.mode_queried
        data = [name for name in trace.inputs if name is not None]
        self.block, self.trace = weakref.proxy(block), trace       # weak: the block refers to this graph
        self.structure = trace.out_structure
        self.params = _parameters(block, trace.outputs, data)
        self.compiled = CachedOp(trace.outputs, data + [p.name for p in self.params], block._flags)
        self.is_computed = any(param.computes_data for param in self.params)
        self.bound = {}                 # device -> the parameters' arrays there, bound to the graph

    def run(self, data, args):
        """Return the results, nested as the block returns them. data: the arrays among args, as a flat list."""
        ctx = data[0].device if data else current_context()
        params = self.bound.get(ctx)
        if params is None or params.version != snapshots.number or snapshots.scopes:
            params = self.bind(ctx, args)
        outputs = self.compiled.run(data, params)
        return outputs[0] if self.structure is None else regroup(outputs, self.structure)

    def bind(self, ctx, args):
        """Return the parameters' arrays on a device, bound to the graph until one of them is replaced."""
        number = snapshots.number
        if not snapshots.scopes:
            params = self.compiled.bind(self.find_arrays(ctx, args), ctx, version=number)
            if snapshots.number == number and not snapshots.scopes:
                if not self.is_computed:            # otherwise the next call looks up the arrays again
                    self.bound[ctx] = params
                return params
        return snapshots.bind(self, ctx, args)      # some are being replaced, possibly by another thread

    def find_arrays(self, ctx, args):
        """Return the parameters' arrays on a device, after deferred initialization if that is due."""
        try:
            return [self._array(param, ctx, args) for param in self.params]
        except DeferredInitializationError:
            pass            # outside the handler, so that later errors are not chained to this one
        # only parameters that the graph uses, because nothing determines the others
        self.block._finish_deferred(args, self.params, self.trace)
        return [self._array(param, ctx, args) for param in self.params]

    def _array(self, param, ctx, args):
        arrays = param._visible()
        if arrays is not None and ctx not in arrays:
            raise self.block._elsewhere(param, ctx, args)
        return param.data(ctx) if arrays is None or param.computes_data else arrays[ctx]


def _parameters(block, graph, data):
    """Return the Parameters of a graph's variables, except `data`."""
    names = [name for name in dict.fromkeys(graph.list_inputs()) if name not in data]
    params = [param for part in tree(block) for param in part._reg_params.values()]
    known = {param.name: param for param in params}
    if len(known) < len(set(params)) or not known.keys() >= set(names):     # equal names, or not an attribute
        known = {param.name: param for param in block.collect_params().values()}
    for name in names:
        if name not in known:
            raise unknown_variable(block, graph, name)
    return [known[name] for name in names]


def tree(block):
    """Return the block and all blocks inside it."""
    blocks = [block]
    for parent in blocks:
        blocks += parent._children.values()
    return blocks
