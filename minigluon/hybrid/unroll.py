"""The unrolling pass, which replaces a `foreach` of known length with its steps.

The resulting graph has only plain operators, so that all other passes, including differentiation, need not know about
loops. `while_loop` and `cond` depend on values: a graph with one of them is interpreted (`control.py`).
"""

from ..ops import REGISTRY
from ..ops.graph.control import ControlOp
from ..ops.graph.interpreted_op import Composite, InterpretedOp
from ..symbol.graph import Node, position_in_program
from ..symbol.rewrite import Rewriter
from .conditions import only_with
from .expand import expanded
from .specs import has_control_flow, infer_specs

__all__ = ["unroll", "unrolled"]

# The maximum number of operators in all steps. Compiling more takes so long that few programs would benefit.
MAX_OPERATORS = 4096


@only_with("_foreach", Composite)
def unroll(draft):
    """Unrolls each `foreach`, unless the graph has to be interpreted."""
    input_specs = draft.input_specs
    graph, loops = _unrolled(draft.graph, input_specs)
    if graph is draft.graph:
        return draft
    specs = {}
    if draft.reports is not None:
        specs = {**infer_specs(draft.graph, input_specs), **infer_specs(graph, input_specs)}
    return draft.after("unroll", graph, [f"loops written out: {loops}"], specs=specs)


def unrolled(graph, input_specs):
    """Returns the graph without `foreach`; the graph itself if it has none or has to be interpreted.

    input_specs: {variable name: Spec}.
    """
    return _unrolled(graph, input_specs)[0]


def _unrolled(graph, input_specs):
    """Returns (the graph without `foreach`, the number of unrolled loops)."""
    loops, before = 0, graph
    graph = expanded(graph, input_specs)
    while has_control_flow(graph):          # unrolling an outer loop exposes the inner ones
        specs = infer_specs(graph, input_specs)
        if not _can_be_unrolled(graph, specs):
            return before, 0
        loops += sum(isinstance(node.op, ControlOp) for node in graph.nodes())
        graph = expanded(Unrolling(graph, specs).rewritten(), input_specs)
    return graph, loops


def _length(node, specs):
    """Returns the number of steps of a loop, or None if unknown."""
    shape = specs[node.inputs[0]].shape
    return None if shape is None else shape[0]


def _can_be_unrolled(graph, specs):
    """Returns whether all loops have known lengths and not too many steps."""
    total = 0
    for node in graph.nodes():
        if not isinstance(node.op, InterpretedOp):
            continue
        if node.op.name != "_foreach" or _length(node, specs) is None or _holds_others(node.op.body):
            return False
        total += _length(node, specs) * sum(n.op is not None for n in node.op.body.nodes)
    return total <= MAX_OPERATORS


def _holds_others(graph):
    """Returns whether an operator inside the loop has to be interpreted."""
    for node in graph.nodes:
        if isinstance(node.op, Composite) and node.op.has_graph(()):
            continue
        if isinstance(node.op, InterpretedOp) and (node.op.name != "_foreach" or _holds_others(node.op.body)):
            return True
    return False


class Unrolling(Rewriter):
    """The graph with each `foreach` unrolled; loops inside a body are copied with it."""

    def visit(self, node):
        """Unrolls a loop; copies other nodes."""
        if not isinstance(node.op, ControlOp):
            super().visit(node)
            return
        outputs = _steps(node, [self.where[pair] for pair in node.inputs], self.specs)
        self.where.update(((node, i), pair) for i, pair in enumerate(outputs))


def _steps(node, inputs, specs):
    """Returns the outputs of a loop, assembled from those of its steps."""
    op, length = node.op, _length(node, specs)
    data, states = len(op.in_data_locs), len(op.in_state_locs)
    slices = [_slices(pair, length, f"{node.name}_slices{i}") for i, pair in enumerate(inputs[:data])]
    before, closure = inputs[data:data + states], inputs[data + states:]
    results = []
    for step in range(length):
        values = [*(parts[step] for parts in slices), *before, *closure]
        outputs = _copy_of(op.body, [values[p] for p in op.wiring[0][1]], node, step)
        results.append(outputs[:op.num_out_data])
        before = outputs[op.num_out_data:]
    if not length:
        return [*_empty(node, specs), *before]
    stacked = [Node(REGISTRY["stack"](axis=0, num_args=length), f"{node.name}_output{i}", steps,
                    place=node.place) for i, steps in enumerate(zip(*results, strict=True))]
    return [*((stack, 0) for stack in stacked), *before]


def _slices(pair, length, name):
    """Returns data[0], data[1], ... as outputs of one node."""
    op = REGISTRY["SliceChannel"](num_outputs=max(length, 1), axis=0, squeeze_axis=True)
    parts = Node(op, name, [pair])
    return [(parts, i) for i in range(length)]


def _empty(node, specs):
    """Returns the results of a loop without steps."""
    for index in range(node.op.num_out_data):
        shape, dtype = specs[node, index]
        yield Node(REGISTRY["_zeros"](shape=shape, dtype=dtype.name), f"{node.name}_output{index}"), 0


def _copy_of(graph, inputs, loop, step):
    """Copies the body with new inputs to form one step, and returns its outputs."""
    copies = {(node, 0): pair for node, pair in zip(graph.inputs, inputs, strict=True)}
    for node in graph.nodes:
        if node.op is not None:
            name = f"{loop.name}_step{step}_{node.name}"
            clone = Node(node.op, name, [copies[pair] for pair in node.inputs], node.attrs, place=node.place)
            clone.number = (*position_in_program(loop), step, *position_in_program(node))
            copies.update(((node, i), (clone, i)) for i in range(node.op.num_outputs))
    return [copies[pair] for pair in graph.symbol.heads]
