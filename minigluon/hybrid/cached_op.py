"""CachedOp: a traced graph that is called like a function, through one plan for each signature.

A call looks its plan up by shapes, dtypes, device, train mode, and what wants a gradient. On the tape it leaves one
entry, which runs the plan's backward part.
"""

from ..backend import Spec
from ..base import AutogradError, ContextError
from ..context import current_context
from ..ndarray.ndarray import NDArray
from ..tape import Entry, gradients, state
from .compiler import compile_graph
from .interpret import interpret
from .specs import infer_specs, is_static

__all__ = ["CachedOp"]

MOST_PLANS = 256        # a program with ever new shapes starts over when it has so many


class CachedOp:
    """A graph as a function of arrays.

    symbol: the graph. inputs: names of its variables in the order of the arguments; the first ones change from call to
    call, and the others, parameters, are the arrays `params` until `bind` gives others.
    """

    def __init__(self, symbol, inputs, flags=None):
        self.symbol = symbol
        self.inputs = list(inputs)
        self.flags = dict(flags or {})
        self.last_plan = None           # for those who want to look at it
        self._used = set(symbol.list_inputs())
        self._mutated = set(symbol.list_auxiliary_states())
        self._random = any(n.op is not None and n.op.random for n in symbol.nodes())
        self._plans = {}                # signature -> _Prepared, or None where the graph is interpreted
        self._quick = {}                # what a call looks up first -> _Prepared

    def __call__(self, data, params, quick=None):
        """The outputs as a list of NDArrays. data, params: lists of NDArrays on one device.

        quick: a hashable that tells `params` from others with other specs, such as a counter of replacements.
        Raises what the operators raise, and ContextError.
        """
        recording = state.recording
        if len(data) == 1:
            d = data[0]._data
            key = (d.shape, d.dtype, data[0]._ctx, state.training, quick)
        else:
            key = (*[(x._data.shape, x._data.dtype, x._ctx) for x in data], state.training, quick)
        if recording:
            parents = [(x._entry, x._index) if x._entry is not None else None for x in (*data, *params)]
            if any(parents):
                key = (key, tuple([p is not None for p in parents]))
            else:
                recording = False
        prepared = self._quick.get(key)
        if prepared is None:
            prepared = self._prepare(key, data, params, parents if recording else ())
        return prepared.record(data, params, parents) if recording else prepared.run(data, params)

    def _prepare(self, key, data, params, parents):
        """Find the plan by all that it depends on, or compile it."""
        inputs = [*data, *params]
        ctx = inputs[0].context if inputs else current_context()
        self._require_one_device(inputs, ctx)
        specs = tuple([Spec(x.shape, x._data.dtype) for x in inputs])
        wanted = tuple([n for n, p in zip(self.inputs, parents) if p is not None and n in self._used])
        signature = specs, ctx, state.training, wanted
        if len(self._plans) >= MOST_PLANS or len(self._quick) >= MOST_PLANS:
            self._plans.clear()
            self._quick.clear()
        if signature not in self._plans:
            self._plans[signature] = self._compile(specs, ctx, wanted)
        prepared = self._quick[key] = self._plans[signature]
        return prepared

    def _require_one_device(self, inputs, ctx):
        if any(x.context is not ctx for x in inputs):
            listed = ", ".join(f"{name} {x.shape} on {x.context}" for name, x in zip(self.inputs, inputs, strict=True))
            raise ContextError(f"hybridized block: inputs are on different devices: {listed}. Move them with "
                               f".as_in_context({ctx}).")

    def _compile(self, specs, ctx, wanted, reports=None):
        known = {name: spec for name, spec in zip(self.inputs, specs, strict=True) if name in self._used}
        if not is_static(infer_specs(self.symbol, known)):
            return _Interpreted(self)
        plan, places = compile_graph(self.symbol, known, self.inputs, ctx, state.training, wanted, reports)
        self.last_plan = plan
        return _Prepared(self, plan, dict(zip(wanted, places, strict=True)))

    def interpreted(self, arrays):
        """The outputs computed node by node, each on the tape by itself."""
        return interpret(self.symbol, dict(zip(self.inputs, arrays, strict=True)))


class _Prepared:
    """A plan, and what of the arrays around it concerns the tape."""

    def __init__(self, op, plan, places):
        self.op, self.plan = op, plan
        self.places = [places.get(name) for name in op.inputs]      # of each input's gradient among the plan's
        self.mutated = [i for i, name in enumerate(op.inputs) if name in op._mutated]
        self.needed = [i for i in plan.inputs_of_backward() if i not in self.mutated]
        self.needed_results = plan.results_of_backward()

    def run(self, data, params):
        """The outputs, without a record."""
        plan = self.plan
        ctx = plan.ctx
        values = plan.take()
        buffers = plan.forward(values, _buffers(data, params, ctx))
        plan.give_back(values)
        for i in self.mutated:
            (*data, *params)[i].root()._version += 1
        return [NDArray(buffer, ctx) for buffer in buffers]

    def record(self, data, params, parents):
        """The outputs, and an entry on the tape behind them."""
        plan = self.plan
        values = plan.take()
        buffers = plan.forward(values, _buffers(data, params, plan.ctx))
        for i in self.mutated:
            (*data, *params)[i].root()._version += 1
        outputs = [NDArray(buffer, plan.ctx) for buffer in buffers]
        entry = PlanEntry(self, parents, [*data, *params], outputs, values)
        for index, y in enumerate(outputs):
            y._entry, y._index = entry, index
        return outputs


class _Interpreted:
    """In the place of a plan, for graphs with shapes that depend on values."""

    def __init__(self, op):
        self.op = op

    def run(self, data, params):
        return self.op.interpreted([*data, *params])

    def record(self, data, params, parents):
        return self.op.interpreted([*data, *params])


def _buffers(data, params, ctx):
    for x in data:
        if not x._data.flags.c_contiguous:
            data = [y if y._data.flags.c_contiguous else y.copy() for y in data]
            break
    return [x._data for x in (*data, *params)]


class PlanEntry(Entry):
    """A call of a CachedOp on the tape: one entry for all its operators."""

    __slots__ = ("prepared", "training", "values")

    def __init__(self, prepared, parents, inputs, outputs, values):
        super().__init__(_CALL, parents, inputs, outputs, [(y.shape, y.dtype, y.context) for y in outputs])
        self.inputs = inputs
        self.checked = [*(inputs[i] for i in prepared.needed), *(outputs[i].twin() for i in prepared.needed_results)]
        self.versions = [x.version for x in self.checked]
        self.prepared, self.values, self.training = prepared, values, state.training

    def free(self):
        super().free()
        self._release()

    def _release(self):
        values, self.values = self.values, None
        if values is not None:
            self.prepared.plan.give_back(values)

    def __del__(self):
        self._release()         # the results were dropped without a backward

    def gradients(self, F, out_grads, retain, stored):
        """Run the plan's backward part; with create_graph, differentiate the interpreted graph instead."""
        if state.recording:
            return self._recorded_gradients(F, out_grads)
        plan, ctx = self.prepared.plan, self.prepared.plan.ctx
        out_grads = [F.zeros(shape, dtype=dtype, ctx=c) if g is None else g
                     for g, (shape, dtype, c) in zip(out_grads, self.specs, strict=True)]
        targets, found = [None] * plan.gradient_count, [None] * len(self.parents)
        arrays_of = stored(self.parents)
        for number, place in enumerate(self.prepared.places):
            if place is not None and arrays_of[number] is not None and arrays_of[number]._data.flags.c_contiguous:
                targets[place], found[number] = arrays_of[number]._data, arrays_of[number]
        buffers = plan.backward(self.values, _buffers(out_grads, (), ctx), targets, keep=retain)
        for number, place in enumerate(self.prepared.places):
            if place is None or self.parents[number] is None:
                continue
            if found[number] is not None and buffers[place] is targets[place]:
                found[number].root()._version += 1
            else:
                found[number] = NDArray(buffers[place], ctx)
        return found

    def _recorded_gradients(self, F, out_grads):
        """With the tape on: the forward pass again, operator by operator, and its gradient from the tape."""
        op = self.prepared.op
        if op._random:
            raise AutogradError(
                "grad with create_graph=True cannot go through a hybridized block with random operators, which would "
                "draw other numbers the second time. Call hybridize(False) on the block first.")
        inputs = [x.copy() if i in self.prepared.mutated else x for i, x in enumerate(self.inputs)]
        training, state.training = state.training, self.training
        try:
            outputs = op.interpreted(inputs)
        finally:
            state.training = training
        out_grads = [F.zeros_like(y) if g is None else g for g, y in zip(out_grads, outputs, strict=True)]
        heads = [(y, g) for y, g in zip(outputs, out_grads, strict=True) if y._entry is not None]
        entries = {x._entry for x in inputs if x._entry is not None}
        found = gradients(F, [y for y, _ in heads], [g for _, g in heads], True, entries, stop=entries)
        return [found[x._entry][x._index] if x._entry in found else None for x in inputs]


class _Call:
    """The operator of a `PlanEntry`, as messages name it."""

    name = "hybridized block"
    keeps = ()
    mutates = ()


_CALL = _Call()
