"""CompiledGraph: a traced graph that is called like a function, through one plan for each signature.

A call looks its plan up by shapes, dtypes, device, train mode, and what wants a gradient. On the tape it leaves one
entry, which runs the plan's backward part.
"""

from ..backend import Spec, backend_for
from ..backend.registry import keepers, times_forgotten
from ..base import ContextError, MXNetError
from ..context import current_context
from ..dispatch import runs_apart
from ..ndarray.sparse import is_sparse
from ..ops.lengths import NeedsNumber
from ..symbol.composition import merge_namesakes
from ..symbol.symbol import Symbol
from ..tape import Cut, state
from .budget import saving
from .compiler import compile_graph
from .families import Families, Family, NamedPlan, with_names
from .parameter_constants import Kept
from .registered_passes import passes_for
from .runners import NodeByNode, PlannedRunner
from .unroll import has_control_flow, unrolled

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
        self._last_runner = None
        self.used = set(symbol.list_inputs())
        self.mutated = set(symbol.list_auxiliary_states())
        self._makers = {}               # of all plans, see `parameter_constants.py`
        self._runners = {}              # device and specs of the parameters -> {what the rest is like: runner}
        self._families = {}             # the same -> {ranks and dtypes, train mode, what wants a gradient: Family}
        keepers.add(self)

    @property
    def last_plan(self):
        """The plan that was made last, for those who want to look at it; None before the first."""
        return None if self._last_runner is None else self._last_runner.plan

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
        return BoundParameters(list(params), buffers, runners, self._families.setdefault(kind, Families()), version)

    def plan_for(self, arrays, wanted):
        """A plan for such arrays, data and parameters, and the gradients of the inputs named; None without one."""
        runner = self._compile([Spec(x.shape, x.buffer.dtype) for x in arrays], arrays[0].context if arrays
                               else current_context(), [name for name in wanted if name in self.used])
        return runner.plan if isinstance(runner, PlannedRunner) else None

    def signatures(self):
        """What there is a plan for: shapes, dtypes and device, train mode, which inputs want a gradient."""
        return [(kind, key) for kind, runners in list(self._runners.items()) for key in list(runners)]

    def shapes(self):
        """Lines that tell which shapes of the data have one plan in common, and why others have one each."""
        lines = [line for families in list(self._families.values()) for family in list(families.values())
                 for line in family.shapes(self.inputs)]
        return list(dict.fromkeys(lines))       # other train modes and other conditions have the same names

    def forget_kernels(self):
        """Prepare all plans anew when they are needed next."""
        for runners in list(self._runners.values()):
            runners.clear()
        for families in list(self._families.values()):
            families.clear()

    def _runner_for(self, key, data, params, wanted):
        """What runs such a call, which is remembered: from a plan with names for lengths, or compiled for it.

        wanted: for each array whether it wants a gradient; () for none. Raises what inference raises, ContextError.
        """
        for variant in params.families.variants:
            runner = variant.runner_at(key)
            if runner is not None:
                self._last_runner = runner
                return self._remember(key, params, runner)
        arrays, times = [*data, *params.arrays], times_forgotten()
        ctx = arrays[0].context if arrays else current_context()
        family = self._family(data, ctx, params, wanted)
        self._require_one_device(arrays, ctx)
        buffers = [*[x.buffer for x in data], *params.buffers]
        specs = [Spec(buffer.shape, buffer.dtype) for buffer in buffers]
        names = [name for name, is_wanted in zip(self.inputs, wanted) if is_wanted and name in self.used]
        if runs_apart() or any(map(is_sparse, arrays)) or names and _has_sparse_gradient(self.symbol):
            runner = NodeByNode(self.symbol, self.inputs)          # memory of a plan is dense; nobody sees into it
        else:
            kept = len(data), self._makers
            runner = (self._with_names(family, key, specs, ctx, names, kept)
                      or self._compile(specs, ctx, names, kept=kept))
        if times != times_forgotten():      # another thread has chosen another backend or other passes meanwhile
            self.forget_kernels()
            return runner
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
            family = params.families[key] = Family(backend_for(ctx).takes_lengths, params.families.variants)
            if self.flags.get("memory") is not None:
                family.reason = "hybridize(memory=...) lays out the plans of each shape to choose one"
        return family

    def _require_one_device(self, arrays, ctx):
        if any(x.context is not ctx for x in arrays):
            listed = ", ".join(f"{name} {x.shape} on {x.context}" for name, x in zip(self.inputs, arrays, strict=True))
            raise ContextError(f"hybridized block: inputs are on different devices: {listed}. Move them with "
                               f".as_in_context({ctx}).")

    def _with_names(self, family, key, specs, ctx, wanted, kept):
        """The runner of a new plan with names for lengths of the data, or None. kept: see `compile_graph`."""
        if family is None:
            return None
        with family.lock:
            axes = family.names_for(tuple([spec.shape for spec in specs[:kept[0]]]))
            if axes is None:
                return None
            scope, known = with_names(axes, self.inputs, specs, self.used)
            try:
                graph = unrolled(self.symbol, known)
                if has_control_flow(graph):
                    raise NeedsNumber("the graph has loops or branches")
                made = NamedPlan.make(scope, graph, known, self.inputs, ctx, state.training, wanted,
                                      bool(self.flags.get("recompute")), kept,
                                      passes=passes_for(self.flags))
            except (MXNetError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                return family.give_up(str(error))
            if made is None:
                return family.give_up("the shape of a result depends on values")
            indices = dict(zip(wanted, made.indices, strict=True))
            runner = family.add(made, PlannedRunner(self, made.plan, indices, _tracked(graph, wanted)), axes, key)
        self._last_runner = runner
        return runner

    def _compile(self, specs, ctx, wanted, reports=None, kept=None):
        known = {name: spec for name, spec in zip(self.inputs, specs, strict=True) if name in self.used}
        graph = unrolled(self.symbol, known)
        if has_control_flow(graph):
            return NodeByNode(self.symbol, self.inputs)
        plan, indices = compile_graph(graph, known, self.inputs, ctx, state.training, wanted, reports,
                                      recomputed=saving(self.flags), kept=kept, passes=passes_for(self.flags))
        if plan is None:
            return NodeByNode(self.symbol, self.inputs)
        self._last_runner = PlannedRunner(self, plan, dict(zip(wanted, indices, strict=True)), _tracked(graph, wanted))
        return self._last_runner


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
