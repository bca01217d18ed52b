"""CompiledGraph: a traced graph that is called like a function, through one plan for each signature.

A call looks its plan up by shapes, dtypes, device, train mode, and what wants a gradient. On the tape it leaves one
entry, which runs the plan's backward part.
"""

from functools import cached_property

from ..backend import Spec, backend_for
from ..backend.registry import keepers
from ..base import ContextError, MXNetError
from ..context import current_context
from ..dispatch import runs_apart
from ..ndarray.ndarray import NDArray
from ..ndarray.sparse import is_sparse
from ..ops.lengths import NeedsNumber
from ..symbol.composition import merge_namesakes
from ..symbol.symbol import Symbol
from ..tape import Cut, cut_off, state
from .compiler import compile_graph
from .entry import PlanEntry, buffers_of
from .families import Family, NamedPlan, with_names
from .interpret import interpret
from .prepared import Kept
from .unroll import has_control_flow, unroll

__all__ = ["CompiledGraph"]

MAX_PLANS = 256         # a program with ever new shapes starts over at this number


class CompiledGraph:
    """A graph as a function of arrays.

    symbol: the graph. inputs: names of its variables in the order of the arguments: first those that change from call
    to call, then the parameters, which `bind` takes.
    """

    def __init__(self, symbol, inputs, flags=None):
        self.symbol = symbol = Symbol(merge_namesakes(symbol.heads))     # arrays are given by name
        self.inputs = list(inputs)
        self.flags = dict(flags or {})
        self.last_plan = None           # for those who want to look at it
        self.used = set(symbol.list_inputs())
        self.mutated = set(symbol.list_auxiliary_states())
        self._makers = {}               # of all plans, see `prepared.py`
        self._runners = {}              # device and specs of the parameters -> {what the rest is like: runner}
        self._families = {}             # the same -> {ranks and dtypes, train mode, what wants a gradient: Family}
        keepers.add(self)

    def __call__(self, data, params=()):
        """The outputs as a list of NDArrays. data, params: lists of NDArrays on one device."""
        arrays = [*data, *params]
        return self.run(data, self.bind(params, arrays[0].context if arrays else current_context()))

    def run(self, data, params):
        """`__call__` with parameters that were bound before, on the device that the data are on."""
        if len(data) == 1:
            buffer = data[0].buffer
            key = (buffer.shape, buffer.dtype, state.training)      # the device is the parameters'
        else:
            key = (*[(x.buffer.shape, x.buffer.dtype, x.device) for x in data], state.training)
        if state.recording:             # what is on the tape, and so wants a gradient?
            parents = [None if (entry := x.entry) is None or entry.versions is None else (entry, x.output_index)
                       for x in (*data, *params.arrays)]        # as tape.is_recorded says
            wanted = tuple([p is not None for p in parents])
            if True in wanted:
                runner = params.runners.get((key, wanted)) or self._runner_for((key, wanted), data, params, wanted)
                return runner.record(data, params, parents)
            if Cut.made and any(x.entry.__class__ is Cut for x in data):
                runner = params.runners.get(key) or self._runner_for(key, data, params, ())
                return runner.record_constants(data, params, parents)
        runner = params.runners.get(key) or self._runner_for(key, data, params, ())
        return runner.run(data, params)

    def bind(self, params, ctx, buffers=None, version=None):
        """The parameters' arrays on a device, prepared for calls. It holds as long as nobody replaces their memory.

        buffers: the memory that counts, that of the arrays now if None. version: for the caller, who knows by it
        whether that is still so.
        """
        buffers = [x.buffer for x in params] if buffers is None else buffers
        kind = (ctx, *[(b.shape, b.dtype, x.device) for b, x in zip(buffers, params, strict=True)])
        runners = self._runners.get(kind)
        if runners is None:
            if len(self._runners) >= MAX_PLANS:
                self._runners.clear()
                self._families.clear()
            runners = self._runners[kind] = {}
        return BoundParameters(list(params), buffers, runners, self._families.setdefault(kind, {}), version)

    def plan_for(self, arrays, wanted):
        """A plan for such arrays, data and parameters, and the gradients of the inputs named; None without one."""
        runner = self._compile([Spec(x.shape, x.buffer.dtype) for x in arrays], arrays[0].context if arrays
                               else current_context(), [name for name in wanted if name in self.used])
        return runner.plan if isinstance(runner, _PlannedRunner) else None

    def signatures(self):
        """What there is a plan for: shapes, dtypes and device, train mode, which inputs want a gradient."""
        return [(kind, key) for kind, runners in list(self._runners.items()) for key in list(runners)]

    def shapes(self):
        """Lines that tell which shapes of the data have one plan in common, and why others have one each."""
        return [line for families in list(self._families.values()) for family in list(families.values())
                for line in family.shapes(self.inputs)]

    def forget_kernels(self):
        """Prepare all plans anew when they are needed next."""
        for runners in list(self._runners.values()):
            runners.clear()
        for families in list(self._families.values()):
            families.clear()

    def _runner_for(self, key, data, params, wanted):
        """Compile the graph for such arrays, and remember what runs it.

        wanted: for each array whether it wants a gradient; () for none. Raises what inference raises, ContextError.
        """
        arrays = [*data, *params.arrays]
        ctx = arrays[0].context if arrays else current_context()
        family = self._family(data, ctx, params, wanted)
        runner = family and family.runner_at([x.buffer.shape for x in data])
        if runner:
            self.last_plan = runner.plan
            return self._remember(key, params, runner)
        self._require_one_device(arrays, ctx)
        buffers = [*[x.buffer for x in data], *params.buffers]
        specs = [Spec(buffer.shape, buffer.dtype) for buffer in buffers]
        names = [name for name, is_wanted in zip(self.inputs, wanted) if is_wanted and name in self.used]
        if runs_apart() or any(map(is_sparse, arrays)) or names and _has_sparse_gradient(self.symbol):
            runner = _NodeByNode(self.symbol, self.inputs)          # memory of a plan is dense; nobody sees into it
        else:
            kept = len(data), self._makers
            runner = (self._with_names(family, specs, ctx, names, kept)
                      or self._compile(specs, ctx, names, kept=kept))
        return self._remember(key, params, runner)

    def _remember(self, key, params, runner):
        if len(params.runners) >= MAX_PLANS:
            params.runners.clear()          # another thread may do so at any moment
        params.runners[key] = runner
        return runner

    def _family(self, data, ctx, params, wanted):
        """The Family of data that differ from these in lengths alone; None for data that no plan takes."""
        if not data or any(x.context is not ctx or is_sparse(x) for x in data):
            return None
        key = (ctx, tuple([(x.buffer.ndim, x.buffer.dtype) for x in data]), state.training, wanted)
        family = params.families.get(key)
        if family is None:
            if len(params.families) >= MAX_PLANS:
                params.families.clear()
            family = params.families[key] = Family(backend_for(ctx).takes_lengths)
        return family

    def _require_one_device(self, arrays, ctx):
        if any(x.context is not ctx for x in arrays):
            listed = ", ".join(f"{name} {x.shape} on {x.context}" for name, x in zip(self.inputs, arrays, strict=True))
            raise ContextError(f"hybridized block: inputs are on different devices: {listed}. Move them with "
                               f".as_in_context({ctx}).")

    def _with_names(self, family, specs, ctx, wanted, kept):
        """The runner of a new plan with names for lengths of the data, or None. kept: see `compile_graph`."""
        if family is None:
            return None
        with family.lock:
            axes = family.names_for(tuple([spec.shape for spec in specs[:kept[0]]]))
            if axes is None:
                return None
            scope, known = with_names(axes, self.inputs, specs, self.used)
            try:
                graph = unroll(self.symbol, known)
                if has_control_flow(graph):
                    raise NeedsNumber("the graph has loops or branches")
                made = NamedPlan.make(scope, graph, known, self.inputs, ctx, state.training, wanted,
                                      bool(self.flags.get("recompute")), kept)
            except (MXNetError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                return family.give_up(str(error))
            if made is None:
                return family.give_up("the shape of a result depends on values")
            indices = dict(zip(wanted, made.indices, strict=True))
            runner = family.add(made, _PlannedRunner(self, made.plan, indices, _tracked(graph, wanted)), axes)
        self.last_plan = runner.plan
        return runner

    def _compile(self, specs, ctx, wanted, reports=None, kept=None):
        known = {name: spec for name, spec in zip(self.inputs, specs, strict=True) if name in self.used}
        graph = unroll(self.symbol, known, reports)
        if has_control_flow(graph):
            return _NodeByNode(self.symbol, self.inputs)
        plan, indices = compile_graph(graph, known, self.inputs, ctx, state.training, wanted, reports,
                                     recomputed=bool(self.flags.get("recompute")), kept=kept)
        if plan is None:
            return _NodeByNode(self.symbol, self.inputs)
        self.last_plan = plan
        return _PlannedRunner(self, plan, dict(zip(wanted, indices, strict=True)), _tracked(graph, wanted))


class BoundParameters:
    """The parameters' arrays and buffers, and the runners for such parameters by the shapes and types of the data.

    families: what the runners of data that differ in lengths alone have in common. kept: what plans have prepared of
    the parameters.
    """

    __slots__ = ("arrays", "buffers", "families", "kept", "runners", "version")

    def __init__(self, arrays, buffers, runners, families, version):
        self.arrays, self.buffers, self.runners, self.families = arrays, buffers, runners, families
        self.version, self.kept = version, Kept(arrays, buffers)

    def is_current(self):
        """Have the arrays still this memory?"""
        return all(x.buffer is buffer for x, buffer in zip(self.arrays, self.buffers, strict=True))

    def fixed(self):
        """The arrays on this memory, whoever replaces it meanwhile."""
        return [x._fixed(buffer) for x, buffer in zip(self.arrays, self.buffers, strict=True)]


def _has_sparse_gradient(symbol):
    """Is there an `Embedding(sparse_grad=True)`?"""
    return any(getattr(node.op, "sparse_grad", False) for node in symbol.nodes() if node.op is not None)


def _tracked(graph, wanted):
    """Numbers of the outputs that the tape would know, because they depend on something that wants a gradient."""
    leads = set()
    for node in graph.nodes():
        if node.op is None:
            leads.update([node] if node.name in wanted else ())
        elif node.op.differentiable and any(parent in leads for parent, _ in node.inputs):
            leads.add(node)
    return [number for number, (node, _) in enumerate(graph.heads) if node in leads]


def _with_cuts(data, parents):
    """The parents of a call, and for its data that are results of operators without a gradient those results."""
    found = [(x.entry, x.output_index) if x.entry.__class__ is Cut else parent
             for x, parent in zip(data, parents, strict=False)]
    return found + parents[len(data):]


class _NodeByNode:
    """The graph node by node: where shapes, loops or branches depend on values, and for gradients of gradients."""

    def __init__(self, symbol, inputs):
        self.symbol, self.inputs = symbol, inputs

    def interpret(self, arrays):
        """The outputs computed node by node: each on the tape by itself, and in memory of its own, as a plan has it."""
        outputs = interpret(self.symbol, dict(zip(self.inputs, arrays, strict=True)))
        taken = {x._root() for x in arrays}
        for i, y in enumerate(outputs):
            if y._root() in taken:
                outputs[i] = y = y.copy()
            taken.add(y._root())
        return outputs

    def run(self, data, params):
        """The outputs, without a record."""
        return self.interpret([*data, *params.fixed()])

    def record(self, data, params, parents):
        """The outputs, with what is on the tape behind them."""
        return self.interpret([*data, *params.fixed()])

    def record_constants(self, data, params, parents):
        """The same where no gradient goes through any input; constants remember what they were computed from."""
        return self.record(data, params, parents)


class _PlannedRunner(_NodeByNode):
    """Runs a plan, and puts the call on the tape.

    It has no reference to its CompiledGraph: in a cycle, the plan's memory would live until the garbage collector runs.
    """

    def __init__(self, graph, plan, indices, tracked):
        super().__init__(graph.symbol, graph.inputs)
        self.plan, self.tracked = plan, tracked
        self.gradient_indices = [indices.get(name) for name in graph.inputs]    # of each input's gradient in the plan
        # Normalizations overwrite statistics while training alone.
        writes = any(step.op.mutates and (plan.train or not step.op.takes_train) for step in plan.steps)
        self.mutated = [i for i, name in enumerate(graph.inputs) if writes and name in graph.mutated]
        self.needed = [i for i in plan.inputs_of_backward() if i not in self.mutated]
        # What only a second forward pass reads, the one of `create_graph`.
        self.others = [i for i in range(len(graph.inputs)) if i not in self.needed and i not in self.mutated]
        self.needed_results = plan.results_of_backward()
        self._reached = {}              # results -> what `gradient_indices_from` says of them

    def like(self, plan):
        """The runner of a plan of the same graph for other sizes."""
        runner = object.__new__(_PlannedRunner)
        runner.__dict__.update(self.__dict__)
        runner.plan = plan
        return runner

    def gradient_indices_from(self, results):
        """`gradient_indices` when gradients arrive at these results alone: None for inputs that lead to none of them.

        The tape would not get there, either; the plan would write zeros. The second value has the numbers of the inputs
        that do lead there, but only through operators without a gradient: the tape gives them zeros.
        """
        if results not in self._reached:
            names = self._names_behind(results)
            rows = list(zip(self.inputs, self.gradient_indices, strict=True))
            self._reached[results] = ([index if name in names else None for name, index in rows],
                                      {i for i, (name, index) in enumerate(rows) if index is None and name in names})
        return self._reached[results]

    def _names_behind(self, results):
        """Names of the variables that these results depend on."""
        nodes = dict.fromkeys(self.symbol.heads[number][0] for number in results)
        todo = list(nodes)
        while todo:
            node = todo.pop()
            found = [] if node.op is None else [parent for parent, _ in node.inputs]
            todo += [parent for parent in found if parent not in nodes]
            nodes.update(dict.fromkeys(found))
        return {node.name for node in nodes if node.op is None}

    @cached_property
    def constants(self):
        """The numbers of the results that no gradient goes through, each with those of the inputs it depends on."""
        found = []
        for number in range(len(self.symbol.heads)):
            if number not in self.tracked:
                names = self._names_behind((number,))
                found.append((number, [i for i, name in enumerate(self.inputs) if name in names]))
        return found

    def run(self, data, params):
        plan = self.plan
        ctx = plan.ctx
        buffers = buffers_of(data) + params.buffers
        if plan.makers is not None:
            buffers += params.kept.of(plan.makers)
        results = plan.call(buffers)
        if self.mutated:
            self._count_writes(data, params)
        return [NDArray(buffer, ctx) for buffer in results]

    def record(self, data, params, parents):
        plan = self.plan
        values = plan.take()
        results = plan.forward(values, buffers_of(data) + params.buffers)
        if self.mutated:
            self._count_writes(data, params)
        outputs = [NDArray(buffer, plan.ctx) for buffer in results]
        behind = _with_cuts(data, parents) if Cut.made else parents
        entry = PlanEntry(self, behind, [*data, *params.arrays], outputs, values)
        for index in self.tracked:
            y = outputs[index]
            y.entry, y.output_index = entry, index
        if self.constants:
            self._remember(data, params, parents, outputs)
        return outputs

    def record_constants(self, data, params, parents):
        outputs = self.run(data, params)
        self._remember(data, params, parents, outputs)
        return outputs

    def _remember(self, data, params, parents, outputs):
        """Have each result that no gradient goes through remember what is on the tape behind it."""
        arrays = [*data, *params.arrays]
        for number, inputs in self.constants:
            cut_off([parents[i] for i in inputs], [arrays[i] for i in inputs], [outputs[number]], [None])

    def _count_writes(self, data, params):
        inputs = [*data, *params.arrays]
        for i in self.mutated:
            inputs[i]._count_write()
