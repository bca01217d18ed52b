"""CachedOp: a traced graph that is called like a function, through one plan for each signature.

A call looks its plan up by shapes, dtypes, device, train mode, and what wants a gradient. On the tape it leaves one
entry, which runs the plan's backward part.
"""

from ..backend import Spec
from ..base import ContextError
from ..context import current_context
from ..dispatch import keepers
from ..ndarray.ndarray import NDArray
from ..symbol.composition import merge_namesakes
from ..symbol.symbol import Symbol
from ..tape import state
from .compiler import compile_graph
from .entry import PlanEntry, buffers_of
from .interpret import interpret
from .specs import infer_specs, is_static
from .unroll import has_control_flow, unroll

__all__ = ["CachedOp"]

MOST_PLANS = 256        # a program with ever new shapes starts over when it has so many


class CachedOp:
    """A graph as a function of arrays.

    symbol: the graph. inputs: names of its variables in the order of the arguments: first those that change from call
    to call, then the parameters, which `bind` takes.
    """

    def __init__(self, symbol, inputs, flags=None):
        self.symbol = symbol = Symbol(merge_namesakes(symbol._outputs))     # arrays are given by name
        self.inputs = list(inputs)
        self.flags = dict(flags or {})
        self.last_plan = None           # for those who want to look at it
        self.used = set(symbol.list_inputs())
        self.mutated = set(symbol.list_auxiliary_states())
        self._plans = {}                # signature -> _Prepared or _Interpreted
        keepers.add(self)

    def __call__(self, data, params=()):
        """The outputs as a list of NDArrays. data, params: lists of NDArrays on one device."""
        return self.bind(params)(data)

    def forget_kernels(self):
        """Prepare all plans anew when they are needed next."""
        self._plans.clear()

    def bind(self, params):
        """The function of the data that remains when the parameters are given, a list of NDArrays."""
        return BoundOp(self, list(params))

    def prepare(self, arrays, wanted):
        """What runs the graph on such arrays; found by all that it depends on, or compiled.

        wanted: for each array whether it wants a gradient; () for none. Raises what inference raises, ContextError.
        """
        ctx = arrays[0].context if arrays else current_context()
        self._require_one_device(arrays, ctx)
        specs = tuple([Spec(x.shape, x._data.dtype) for x in arrays])
        names = tuple([name for name, is_wanted in zip(self.inputs, wanted) if is_wanted and name in self.used])
        signature = specs, ctx, state.training, names
        found = self._plans.get(signature)
        if found is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()         # another thread may do so at any moment
            found = self._plans[signature] = self._compile(specs, ctx, names)
        return found

    def _require_one_device(self, arrays, ctx):
        if any(x.context is not ctx for x in arrays):
            listed = ", ".join(f"{name} {x.shape} on {x.context}" for name, x in zip(self.inputs, arrays, strict=True))
            raise ContextError(f"hybridized block: inputs are on different devices: {listed}. Move them with "
                               f".as_in_context({ctx}).")

    def _compile(self, specs, ctx, wanted, reports=None):
        known = {name: spec for name, spec in zip(self.inputs, specs, strict=True) if name in self.used}
        graph = unroll(self.symbol, known, reports)
        if has_control_flow(graph) or not is_static(infer_specs(graph, known)):
            return _Interpreted(self.symbol, self.inputs)
        plan, places = compile_graph(graph, known, self.inputs, ctx, state.training, wanted, reports,
                                     recomputed=bool(self.flags.get("recompute")))
        self.last_plan = plan
        return _Prepared(self, plan, dict(zip(wanted, places, strict=True)), _tracked(graph, wanted))


def _tracked(graph, wanted):
    """Numbers of the outputs that the tape would know, because they depend on something that wants a gradient."""
    leads = set()
    for node in graph.nodes():
        if node.op is None:
            leads.update([node] if node.name in wanted else ())
        elif node.op.differentiable and any(parent in leads for parent, _ in node.inputs):
            leads.add(node)
    return [number for number, (node, _) in enumerate(graph._outputs) if node in leads]


class BoundOp:
    """A CachedOp with its parameters. `bound(data)` looks up by shapes, dtypes and train mode what was prepared."""

    def __init__(self, op, params):
        self.op, self.params = op, params
        self.buffers = [x._data for x in params]
        self._prepared = {}
        keepers.add(self)

    def forget_kernels(self):
        """Ask the CachedOp anew."""
        self._prepared.clear()

    def __call__(self, data):
        """The outputs as a list of NDArrays."""
        if len(data) == 1:
            buffer = data[0]._data
            key = (buffer.shape, buffer.dtype, state.training)      # the device is the parameters'
        else:
            key = (*[(x._data.shape, x._data.dtype, x._ctx) for x in data], state.training)
        if state.recording:             # what is on the tape, and so wants a gradient?
            parents = [(x._entry, x._index) if x._entry is not None else None for x in (*data, *self.params)]
            wanted = tuple([p is not None for p in parents])
            if True in wanted:
                prepared = self._prepared.get((key, wanted)) or self._prepare((key, wanted), data, wanted)
                return prepared.record(data, self, parents)
        prepared = self._prepared.get(key) or self._prepare(key, data, ())
        return prepared.run(data, self)

    def _prepare(self, key, data, wanted):
        if len(self._prepared) >= MOST_PLANS:
            self._prepared.clear()
        prepared = self._prepared[key] = self.op.prepare([*data, *self.params], wanted)
        return prepared


class _Interpreted:
    """The graph node by node: where shapes, loops or branches depend on values, and for gradients of gradients."""

    def __init__(self, symbol, inputs):
        self.symbol, self.inputs = symbol, inputs

    def interpreted(self, arrays):
        """The outputs computed node by node, each on the tape by itself."""
        return interpret(self.symbol, dict(zip(self.inputs, arrays, strict=True)))

    def run(self, data, bound):
        """The outputs, without a record."""
        return self.interpreted([*data, *bound.params])

    def record(self, data, bound, parents):
        """The outputs, with what is on the tape behind them."""
        return self.interpreted([*data, *bound.params])


class _Prepared(_Interpreted):
    """A plan, and what of the arrays around it concerns the tape.

    It does not know the CachedOp that keeps it: a cycle would keep the plan's memory until Python looks for cycles.
    """

    def __init__(self, op, plan, places, tracked):
        super().__init__(op.symbol, op.inputs)
        self.plan, self.tracked = plan, tracked
        self.places = [places.get(name) for name in op.inputs]      # of each input's gradient among the plan's
        self.mutated = [i for i, name in enumerate(op.inputs) if name in op.mutated]
        self.needed = [i for i in plan.inputs_of_backward() if i not in self.mutated]
        # What only a second forward pass reads, the one of `create_graph`.
        self.others = [i for i in range(len(op.inputs)) if i not in self.needed and i not in self.mutated]
        self.needed_results = plan.results_of_backward()
        self._reached = {}              # results -> the places of gradients from them alone

    def places_from(self, results):
        """`places` when gradients arrive at these results alone: None for inputs that lead to none of them.

        The tape would not get there, either; the plan would write zeros.
        """
        if results not in self._reached:
            outputs = self.symbol._outputs
            nodes = dict.fromkeys(outputs[number][0] for number in results)
            todo = list(nodes)
            while todo:
                node = todo.pop()
                found = [] if node.op is None or not node.op.differentiable else [p for p, _ in node.inputs]
                todo += [parent for parent in found if parent not in nodes]
                nodes.update(dict.fromkeys(found))
            names = {node.name for node in nodes if node.op is None}
            self._reached[results] = [place if name in names else None
                                      for name, place in zip(self.inputs, self.places, strict=True)]
        return self._reached[results]

    def run(self, data, bound):
        plan = self.plan
        ctx = plan.ctx
        results = plan.call(buffers_of(data) + bound.buffers)
        if self.mutated:
            self._count_writes(data, bound)
        return [NDArray(buffer, ctx) for buffer in results]

    def record(self, data, bound, parents):
        plan = self.plan
        values = plan.take()
        results = plan.forward(values, buffers_of(data) + bound.buffers)
        if self.mutated:
            self._count_writes(data, bound)
        outputs = [NDArray(buffer, plan.ctx) for buffer in results]
        entry = PlanEntry(self, parents, [*data, *bound.params], outputs, values)
        for index in self.tracked:
            y = outputs[index]
            y._entry, y._index = entry, index
        return outputs

    def _count_writes(self, data, bound):
        inputs = [*data, *bound.params]
        for i in self.mutated:
            inputs[i].root()._version += 1
