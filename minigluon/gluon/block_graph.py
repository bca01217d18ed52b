"""A hybridized block's graph, ready to run, with the arrays that belong to its variables."""

import weakref

from ..base import MXNetError
from ..common.nest import regroup
from ..context import current_context
from ..hybrid import CompiledGraph, interpret
from ..hybrid.watch import Watcher
from ..symbol.subgraph import MARK
from ..tape import state
from . import versions
from .parameter import DeferredInitializationError

__all__ = ["BlockGraph"]


class BlockGraph:
    """The graph of a block for arguments such as `args`, as a function of arrays.

    modes: the train modes that it holds for; only one if the program asked `autograd.is_training()` while it was
    traced.
    """

    def __init__(self, block, args):
        asked, state.asked = state.asked, False
        try:
            trace = block._trace_for(args)
            self.modes = (state.training,) if state.asked else (False, True)
        finally:
            state.asked = asked or state.asked
        data = [name for name in trace.inputs if name is not None]
        self.block, self.trace = weakref.proxy(block), trace       # the block keeps this, and a cycle would keep both
        self.structure = trace.out_structure
        self.params = _parameters(block, trace.outputs, data)
        self.compiled = CompiledGraph(trace.outputs, data + [p.name for p in self.params], block.hybrid_flags)
        self._computed = any(param.computes_data for param in self.params)
        self._bound = {}                # device -> the parameters' arrays there, bound to the graph

    def run(self, data, args):
        """The results, nested as the block returns them. data: the arrays among args, flat."""
        bound = self._bound.get(data[0].device if data else current_context())
        if bound is None or bound.version != versions.number or versions.scopes:
            bound = self._bind(data, args)
        outputs = self.compiled.run(data, bound)
        return outputs[0] if self.structure is None else regroup(outputs, self.structure)

    def watched(self, data, args, callback, monitor_all):
        """The same node by node, with a callback; see `HybridBlock.register_op_hook`."""
        values = dict(zip(self.compiled.inputs, [*data, *self._bind(data, args).fixed()], strict=True))
        outputs = interpret(self.compiled.symbol, values, Watcher(values, callback, monitor_all))
        return outputs[0] if self.structure is None else regroup(outputs, self.structure)

    def _bind(self, data, args):
        """The parameters of one version: the newest, or that of the snapshot in which this thread is."""
        ctx = data[0].device if data else current_context()
        if versions.replacing():            # it sees what it has replaced so far
            return self._bind_to(versions.Snapshot(), ctx, self._find_arrays(ctx, args))
        snapshot = versions.snapshot()
        known, number = (self._bound, versions.number) if snapshot is None else \
            (snapshot.graphs.setdefault(self, {}), snapshot.number)
        bound = known.get(ctx)
        if bound is not None and bound.version == number:
            return bound
        arrays = self._find_arrays(ctx, args)
        if snapshot is not None:
            bound = self._bind_to(snapshot, ctx, arrays)
        else:
            with versions.Snapshot() as newest:
                bound = self._bind_to(newest, ctx, arrays)
        if not self._computed:              # otherwise the next call asks for the arrays again
            known[ctx] = bound
        return bound

    def _bind_to(self, snapshot, ctx, arrays):
        """Bind the parameters as they were in a snapshot. arrays: those that are computed, or had no value then."""
        pairs = [(x, x.buffer) if param.computes_data else snapshot.pairs(param).get(ctx, (x, x.buffer))
                 for param, x in zip(self.params, arrays, strict=True)]
        return self.compiled.bind([x for x, _ in pairs], ctx, [buffer for _, buffer in pairs], snapshot.number)

    def _find_arrays(self, ctx, args):
        """The parameters' arrays on a device, after deferred initialization where that is due."""
        try:
            arrays = [self._array(param, ctx, args) for param in self.params]
        except DeferredInitializationError:
            arrays = None           # what follows is not inside the handler, so that its errors are not chained to this
        if arrays is None:
            # only what the graph uses: nothing determines the rest
            self.block._finish_deferred(args, self.params, self.trace)
            arrays = [self._array(param, ctx, args) for param in self.params]
        return arrays

    def _array(self, param, ctx, args):
        found = versions.seen(param)
        if found is not None and ctx not in found:
            raise self.block._elsewhere(param, ctx, args)
        return param.data(ctx)

    def find_parameter(self, error):
        """The Parameter that a ShapeError of inference is about, None if it is about something else."""
        return next((param for param in self.params if param.name == error.variable), None)


def _parameters(block, graph, data):
    """The Parameters of a graph's variables, `data` left out."""
    known = {param.name: param for param in block.collect_params().values()}
    names = [name for name in dict.fromkeys(graph.list_inputs()) if name not in data]
    for name in names:
        if name not in known:
            loop = next(node.attrs.get(MARK) for node in graph.nodes() if node.name == name)
            if loop is not None:
                raise MXNetError(f"{type(block).__name__} {block.name!r}: {name!r}, a slice or state inside of "
                                 f"{loop!r}, or what its body made of it, is used outside. Let the body return it, as "
                                 "an output or as a state.")
            raise MXNetError(f"{type(block).__name__} {block.name!r}: its graph has a variable {name!r}, which is "
                             "neither an argument of hybrid_forward nor a parameter of the block or of its children. "
                             "Make it a parameter with self.params.get(...).")
    return [known[name] for name in names]
