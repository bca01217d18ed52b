"""Everything that the page shows, as plain data: sources, graphs after each pass, memory, steps, measurements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ... import autograd
from ... import ndarray as nd
from ...backend import Spec
from ...base import MXNetError
from ...common.hardware import blas, cores, processor
from ...common.nest import flatten
from ...common.version import __version__
from ...gluon.hybrid_block import HybridBlock
from ...hybrid import compile_graph
from ...hybrid.flags import saving
from ...hybrid.registered_passes import passes_for
from ...hybrid.specs import infer_specs, is_static
from ...hybrid.unroll import unrolled
from ...ndarray.ndarray import NDArray
from ...ops.graph.control import ControlOp
from ...ops.graph.custom import Custom
from .graphs import DrawingContext, bytes_of, describe, differences, family_of, spec_text, title_of
from .measure import measure, undisturbed
from .memory import Memory, memory_of
from .origins import trace_with_origins
from .sources import operators_of, sources_of

if TYPE_CHECKING:
    from ...gluon.block import Block

__all__ = ["Page", "Pass", "StepRow", "gather"]

WHAT = {        # a sentence about each pass
    "trace": "hybrid_forward ran once with F=sym: each call recorded a node instead of computing.",
    "unroll": "Loops of known length are unrolled.",
    "infer": "The shape and dtype of every value are inferred from those of the inputs and parameters.",
    "simplify": "Nothing unnecessary is computed, and nothing is computed twice.",
    "slice pushdown": "Slices move up past row-wise operators, so rows that nobody reads are not computed.",
    "fuse attention": "Products, masks and softmax of attention become one operator, which stores no scores.",
    "differentiate": "The gradient graph, built by the operators' own rules with F=sym.",
    "pooling argmax": "Max pooling saves the position of each window's largest element, not its input.",
    "recompute": "Values of the forward part that are cheap to recompute are not kept for the backward part.",
    "budget": "The backward part recomputes only as much as the memory budget requires, the cheapest values first.",
    "recompute normalized": "Large normalized values that a clip reads are recomputed in the backward part.",
    "fuse neighbours": "Convolutions and normalizations absorb the activation or the pooling that follows them.",
    "prepack convolution": "Filters are rearranged into the kernel's own order once for many calls.",
    "blocked layout": "Images stay in a layout of channel blocks from one convolution to the next.",
    "prepack matrix": "Weights of layers are rearranged into the kernel's own order once for many calls.",
    "prepack rnn": "Weights of recurrent layers are rearranged into the kernel's own order once for many calls.",
    "tile batch": "Each thread takes its share of the batch through several layers.",
    "split rnn parameters": "Recurrent layers read each parameter directly, instead of a concatenated copy.",
    "fuse elementwise": "Chains of elementwise operators, also of different shapes, become one step each.",
    "fuse": "Chains of elementwise operators become one step each, which passes through memory once.",
    "parameter constants": "Rearranged weights become inputs: they are computed again only after weights have changed.",
}


@dataclass
class Pass:
    """A pass. before, after: ids of graphs; before is None for the trace. The lists contain ids of nodes; changed:
    nodes with new inputs. """

    name: str
    what: str
    notes: list
    before: str | None
    after: str
    removed: list = field(default_factory=list)
    added: list = field(default_factory=list)
    changed: list = field(default_factory=list)


@dataclass
class StepRow:
    """One step of the plan. how: where its result is stored. seconds is None for a view, which takes no time."""

    number: int
    name: str
    title: str
    family: str
    phase: str
    how: str
    result: str
    seconds: float | None
    node: str | None


@dataclass
class Page:
    """The page's content."""

    title: str
    structure: str          # the net's repr
    train: bool             # whether the net is in training mode
    backward: bool          # whether there is a backward pass
    inputs: list            # (name, spec)
    shapes: list            # lines that say which shapes have shared a plan so far
    parameters: tuple       # their number, and their size in bytes
    parameter_specs: dict   # their names in the block, as in a file of parameters, and their specs
    sources: list
    operators: list         # the sources of the operators' classes
    graphs: list
    passes: list
    memory: Memory
    rearranged: tuple       # the number of weights that are rearranged for kernels, and the results' size in bytes
    steps: list
    measured: list
    machine: str
    symbol: str             # the traced graph as a symbol file
    compared: list = field(default_factory=list)        # comparing.Sections, if there is another net


def gather(net: Block, inputs: Any, train: bool = False, progress: Any = None) -> Page:
    """Return the Page for a HybridBlock called with inputs like these NDArrays. train=True includes the backward pass.

    If no parameter needs a gradient, train=True shows the forward pass in training mode. States, gradients and
    random generators are not changed. progress: see `explain`.
    Raises MXNetError if the net cannot be traced, and errors raised by the operators.
    """
    _check(net, inputs)
    progress = progress or (lambda what: None)
    progress("tracing and running the passes")
    leaves = [x for x in flatten(inputs)[0] if x is not None]
    ctx = leaves[0].context
    with autograd.predict_mode():
        net(*inputs)                # deferred initialization
    with undisturbed(net, ctx, train):
        graph, origins = trace_with_origins(net, inputs)
        data = [name for name in graph.inputs if name is not None]
        used = set(graph.outputs.list_inputs())
        params = [p for p in net.collect_params().values() if p.name in used]
        arrays = [*leaves, *(p.data(ctx) for p in params)]
        names = [*data, *(p.name for p in params)]
        grad_names = tuple(p.name for p in params if train and p.grad_req != "null")
        input_specs = {name: Spec(x.shape, x.buffer.dtype) for name, x in zip(names, arrays, strict=True)
                       if name in used}
        reports = []
        _require_plan(net, graph.outputs, input_specs)
        plan, indices = compile_graph(graph.outputs, input_specs, names, ctx, train, grad_names, reports,
                                     recomputed=saving(net.hybrid_flags), passes=passes_for(net.hybrid_flags),
                                     packing=(len(data), {}))
        if plan is None:
            raise _no_plan(net, "a gradient's shape depends on values")
        look = _look(net, graph.outputs, data, grad_names, indices, origins)
        drawn = _DrawnGraphs(look)
        passes = _passes(graph.outputs, reports, drawn)
        specs = reports[-1].specs
        progress("timing the steps")
        kept = _kept(plan, [p.data(ctx).buffer for p in params])
        profile = _profile(plan, [*(x.buffer for x in arrays), *kept], specs, bool(grad_names))
        progress("comparing imperative and hybridized")
        measured = measure(net, inputs, train, bool(grad_names))
    last = drawn.ids[reports[-1].after]
    return Page(
        title=type(net).__name__, structure=repr(net), train=train, backward=bool(grad_names),
        inputs=[(name, spec_text(Spec(x.shape, x.buffer.dtype))) for name, x in zip(data, leaves, strict=True)],
        shapes=[line for graph in set(net.block_graphs.values()) for line in graph.compiled.shapes()],
        parameters=(len(params), sum(bytes_of(input_specs[p.name]) for p in params)),
        parameter_specs=_parameter_specs(net, input_specs),
        sources=sources_of(net), operators=operators_of(drawn.graphs), graphs=drawn.graphs, passes=passes,
        memory=memory_of(plan, specs, look, last),
        rearranged=(len(kept), sum(bytes_of(Spec(x.shape, x.dtype)) for x in kept)),
        steps=_steps(plan, specs, profile, look, last), measured=measured,
        machine=f"minigluon {__version__}, {processor()}, {cores()} cores, {blas()}", symbol=graph.outputs.tojson())


def _parameter_specs(net, input_specs):
    """Return {name in the block, such as '0.weight': spec} of the parameters that the graph uses."""
    return {name: spec_text(input_specs[p.name]) for name, p in net._collect_params_with_prefix().items()
            if p.name in input_specs}


def _check(net, inputs):
    if not isinstance(net, HybridBlock):
        raise MXNetError(f"explain shows the graph of a HybridBlock, found {type(net).__name__}. A plain Block has "
                         "no graph; explain its hybrid children one by one.")
    leaves = flatten(inputs)[0]
    wrong = next((x for x in leaves if x is not None and not isinstance(x, NDArray)), None)
    if wrong is not None or not any(isinstance(x, NDArray) for x in leaves):
        raise MXNetError(f"explain needs NDArrays to call {type(net).__name__} {net.name!r} with, found "
                         f"{'none' if wrong is None else type(wrong).__name__}. Give inputs such as "
                         "mx.nd.zeros((1, 512)).")


def _require_plan(net, symbol, input_specs):
    """Raise MXNetError if the graph can only be run node by node."""
    symbol = unrolled(symbol, input_specs)
    what = next((f"{n.name!r} is a loop or a branch that depends on values" for n in symbol.nodes()
                 if isinstance(n.op, ControlOp)), None)
    what = next((f"{n.name!r} is an operator in Python" for n in symbol.nodes()
                 if isinstance(n.op, Custom)), what)
    if what is None:
        specs = infer_specs(symbol, input_specs)
        if is_static(specs):
            return
        node = next(n for (n, _), s in specs.items() if s.shape is None or None in s.shape)
        what = f"the shape of {node.name!r} depends on values"
    raise _no_plan(net, what)


def _no_plan(net, what):
    return MXNetError(f"{type(net).__name__} {net.name!r}: {what}, so there is no plan to explain: such a graph is run "
                      "node by node.")


def _look(net, symbol, data, grad_names, indices, origins):
    count = len(symbol)
    heads = {f"_head_grad{i}": "gradient of the result" if count == 1 else f"gradient of result {i}"
             for i in range(count)}
    differentiated = [name for name, index in zip(grad_names, indices, strict=True) if index is not None]
    return DrawingContext({*data, *heads}, count, differentiated, net.prefix, heads, origins)


class _DrawnGraphs:
    """The drawn graphs. Each graph is drawn once, although it is the result of one pass and the input to the next."""

    def __init__(self, look):
        self.look, self.graphs, self.ids, self._known = look, [], {}, {}

    def id_of(self, symbol, specs):
        if symbol not in self._known:
            graph, ids = describe(symbol, specs, self.look, f"g{len(self.graphs)}")
            self.graphs.append(graph)
            self._known[symbol], self.ids[symbol] = graph, ids
        return self._known[symbol].id

    def graph(self, id):
        return self.graphs[int(id[1:])]


def _passes(symbol, reports, drawn):
    """Return the passes. The trace has no shapes yet, so it is described without them."""
    traced, _ = describe(symbol, {}, drawn.look, "g0")
    drawn.graphs.append(traced)
    passes = [Pass("trace", WHAT["trace"], [f"{traced.operators} operators"], None, "g0")]
    for number, report in enumerate(reports):
        before = "g0" if number == 0 else drawn.id_of(report.before, report.specs)
        after = drawn.id_of(report.after, report.specs)
        passes.append(Pass(report.name, WHAT.get(report.name, ""), list(report.notes), before, after,
                           *differences(drawn.graph(before), drawn.graph(after))))
    return passes


# -- the plan -------------------------------------------------------------------------------------------------------

def _kept(plan, parameters):
    """Return the plan's last inputs, which its Prepackers compute from the parameters."""
    return [prepacker.run([parameters[number] for number in prepacker.numbers])[0]
            for prepacker in plan.prepackers or ()]


def _profile(plan, buffers, specs, backward):
    """Return {node: seconds}. The results' head gradients are ones, as in `backward()`."""
    heads = None
    if backward:
        results = [specs[pair] for pair in plan.graph.heads[:len(plan.graph) - plan.gradient_count]]
        heads = [nd.ones(s.shape, dtype=s.dtype, ctx=plan.ctx).buffer for s in results]
    once = sum(seconds for _, seconds in plan.profile(buffers, heads, 1))
    rounds = max(1, min(100, int(0.3 / max(once, 1e-6))))         # the first run was the warm-up
    return {step.node: seconds for step, seconds in plan.profile(buffers, heads, rounds)}


_WHERE = {"value": "in the block", "result": "the caller's result", "gradient": "the parameter's gradient",
          "own": "allocated by the kernel"}


def _steps(plan, specs, profile, look, ids):
    rows, kinds = [], {name: b.kind for b in plan.memory.buffers for name in (b.name, *b.shared_by)}
    for number, step in enumerate(plan.steps):
        how = "view" if step.kernel is None else _WHERE.get(kinds.get(step.node.output_name(0)), "outside the block")
        rows.append(StepRow(number, look.short(step.node.name), title_of(step.node.op), family_of(step.node.op),
                            step.phase, how, spec_text(specs[step.node, 0]), profile.get(step.node),
                            ids.get(step.node)))
    return rows
