"""The images of graphs: symbols, the propagation of shapes, and the results of passes. `make_images.py` draws them."""

from textwrap import wrap

import numpy as np
from drawing import Drawing, text_width

from minigluon import cpu, gluon, nd
from minigluon import symbol as sym
from minigluon.backend import Spec
from minigluon.gluon import nn
from minigluon.hybrid import compile_graph
from minigluon.symbol import infer

__all__ = ["IMAGES"]


def symbols():
    """Draw a graph of eight nodes, and symbols that refer to some of their outputs."""
    data = sym.var("data")
    fc1 = sym.FullyConnected(data, num_hidden=4, name="fc1")
    relu1 = sym.Activation(fc1, act_type="relu", name="relu1")
    fc2 = sym.FullyConnected(relu1, num_hidden=2, name="fc2")
    handles = {"data": data, "fc1": fc1, "fc2": fc2, "Group([fc2, relu1])": sym.Group([fc2, relu1])}

    drawing = Drawing(1000, 0, "A graph, and symbols that refer to its outputs")
    for x, heading in zip((30, 320, 690), ("variables", "nodes of operators", "symbols: lists of (node, output)")):
        drawing.text(x, 36, heading, 14, bold=True)
    place, y = {}, 76           # node -> (x, y, width)
    for node in fc2.nodes():
        if node.op is None:
            continue
        variables = [parent for parent, _ in node.inputs if parent.op is None]
        height = max(50, 44 * len(variables))
        drawing.labelled(320, y, 260, "symbol", node.name, _call(node), size=12)
        place[node] = 320, y + 25, 260
        for number, variable in enumerate(variables):
            line = y + 44 * number
            drawing.box(30, line, 200, 32, "gluon" if variable.name != "data" else "array")
            drawing.text(42, line + 21, variable.name, 12, bold=True)
            drawing.arrow(230, line + 16, 320, y + 25 + 8 * (number - (len(variables) - 1) / 2))
            place[variable] = 30, line + 16, 200
        for parent, _ in node.inputs:
            if parent.op is not None:
                drawing.arrow(450, place[parent][1] + 25, 450, y)
        y += height + 40
    for number, (label, handle) in enumerate(handles.items()):
        line = 76 + 84 * number
        listed = ", ".join(f"({node.name}, {index})" for node, index in handle.heads)
        drawing.labelled(690, line, 280, "tape", label, f"[{listed}]", size=12)
        for node, _ in handle.heads:
            x, target, width = place[node]
            if node.op is None:
                drawing.path(f"M 690 {line + 25} C 620 {line - 40}, 320 {target - 40}, {x + width} {target - 6}",
                             "tape", dashed=True)
            else:
                drawing.arrow(690, line + 25, x + width, target, "tape", dashed=True)
    drawing.height = max(y, 76 + 84 * len(handles)) + 10
    return drawing


def _call(node):
    return f"{node.op.name}({', '.join(f'{key}={text}' for key, text in node.attrs.items())})"


def rounds_of(graph, known):
    """Return the shapes known before inference and after each of its rounds, [{(node, output): shape}]."""
    nodes = graph.nodes()
    operators = [node for node in nodes if node.op is not None]
    seen = []

    def complete(node, inputs, outputs):
        inputs, outputs = infer._complete_shapes(node, inputs, outputs)
        seen.append({**dict(zip(node.inputs, inputs, strict=True)),
                     **{(node, i): shape for i, shape in enumerate(outputs)}})
        return inputs, outputs

    start = {(n, 0): infer.merge(known.get(n.name), n.shape) for n in nodes if n.op is None}
    infer._fixed_point(nodes, start, complete)
    states = [start]
    for first in range(0, len(seen), len(operators)):
        state = dict(states[-1])
        for told in seen[first:first + len(operators)]:
            state.update((pair, infer.merge(state.get(pair), shape)) for pair, shape in told.items())
        states.append(state)
    return states


def inference_rounds():
    """Draw the shapes known after each round if inference starts from the end of the graph."""
    a, b = sym.var("a"), sym.var("b")
    graph = sym.elemwise_add(sym.relu(a, name="relu"), b, name="total")
    states = rounds_of(graph, {"b": (2, 3)})
    pairs = [(node, 0) for node in graph.nodes()]

    headings = ["given", *(f"round {i}" for i in range(1, len(states)))]
    drawing = Drawing(330 + 180 * len(states), 110 + 48 * len(pairs), "Which shapes are known after each round")
    for column, heading in enumerate(headings):
        way = "" if column == 0 else "  \u2193" if column % 2 else "  \u2191"
        drawing.text(310 + 180 * column, 40, heading + way, 14, bold=True)
    for row, pair in enumerate(pairs):
        node, y = pair[0], 62 + 48 * row
        drawing.box(30, y, 240, 36, "array" if node.op is None else "symbol")
        drawing.text(44, y + 23, node.name if node.op is None else f"{node.name}: {node.op.name}", 13, bold=True)
        for column, state in enumerate(states):
            shape, before = state.get(pair), states[column - 1].get(pair) if column else None
            x = 310 + 180 * column
            if shape is not None and shape != before:
                drawing.box(x - 10, y + 3, text_width(shape, 13) + 20, 30, "ops")
            drawing.text(x, y + 23, "?" if shape is None else str(shape), 13, "ink" if shape else "muted")
    drawing.text(30, drawing.height - 20, "\u2193 from the first node to the last   \u2191 back   "
                 "framed: new in this round. Inference ends with a round that changes nothing.", 12, "muted")
    return drawing


class Gated(gluon.HybridBlock):
    """The network in chapter 9."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.hidden = nn.Dense(4, in_units=3)
            self.out = nn.Dense(2, in_units=4)

    def hybrid_forward(self, F, x):
        h = self.hidden(x)
        return self.out(F.Flatten(h * F.sigmoid(h)))


def hybridize():
    """Draw the stages between hybrid_forward and the results, with the outcome of each."""
    graph = Gated(prefix="net_")(sym.var("data"))
    names = graph.list_arguments()
    shapes = dict(zip(names, graph.infer_shape(data=(8, 3))[0], strict=True))
    known = {name: Spec(shape, np.dtype("float32")) for name, shape in shapes.items()}
    reports = []
    plan, _ = compile_graph(graph, known, names, cpu(), train=True, grad_names=names[1:], reports=reports)
    files = {"infer": "hybrid/specs.py", "simplify": "hybrid/simplify.py",
             "differentiate": "hybrid/differentiate.py", "fuse": "hybrid/fuse.py"}
    forward = sum(step.phase == "forward" for step in plan.steps)
    memory = plan.memory
    stops = [("trace", "gluon/tracing.py", "hybrid_forward with F=sym\n" + _listed(graph), "symbol"),
             *((report.name, files[report.name], _told(report), "symbol") for report in reports),
             ("lay out memory", "hybrid/layout.py  hybrid/memory.py",
              f"{len([b for b in memory.buffers if b.offset is not None])} buffers in one block of {memory.size} bytes",
              "backend"),
             ("prepare", "hybrid/layout.py  hybrid/plan.py",
              f"{forward} steps forward, {len(plan.steps) - forward} backward: a kernel and its slots for each",
              "backend"),
             ("run", "cached_op.py  plan.py",
              "for kernel, operands, targets in steps:\n    kernel(operands(values), targets(values))", "array")]

    drawing = Drawing(1060, 0, "From hybrid_forward to a plan")
    drawing.text(30, 36, "once for each block and signature", 15, bold=True)
    y, above = 60, None
    for title, file, told, kind in stops:
        if title == "run":
            y += 26
            drawing.text(30, y, "on every call", 15, bold=True)
            y += 24
        lines = told.split("\n")
        drawing.labelled(30, y, 300, kind, title, file, size=13)
        drawing.text(360, y + 20, told, 12)
        if above is not None:
            drawing.arrow(60, above, 60, y if title != "run" else y - 42, "muted")
        above = y + 51
        y += max(51, 12 * 1.4 * len(lines) + 14) + 22
    drawing.height = y
    return drawing


def _listed(graph):
    """Return a graph's operators as lines of text."""
    operators = [node.op.name for node in graph.nodes() if node.op is not None]
    return "\n".join(wrap(f"{len(operators)} operators: " + " ".join(operators), 90))


def _told(report):
    if report.name == "infer":
        return report.notes[0]
    return _listed(report.after)


class Noted(gluon.HybridBlock):
    """A block that records the Python statements that run; a wrapper or the plan's steps record the operators."""

    def __init__(self, events):
        super().__init__(prefix="net_")
        self.events = events

    def hybrid_forward(self, F, x):
        self.events.append("print(type(x).__name__)")
        self.events.append("if self.training_wheels:")
        h = _noting(self.events, F.tanh)(x)
        self.events.append("for layer in self.layers:")
        return _noting(self.events, F.exp)(h)


def _noting(events, function):
    def call(x):
        if isinstance(x, nd.NDArray):
            events.append(f"{function.__name__}: a kernel")
        else:
            events.append(f"{function.__name__}: a node")
        return function(x)
    return call


def frozen():
    """Return the events in five calls of one block: two imperative calls, then three hybridized calls."""
    events = []
    net = Noted(events)
    x = nd.ones((4, 4))
    columns = []
    for number in range(5):
        if number == 2:
            net.hybridize()
        events.clear()
        net(x)
        told = list(events)
        if number >= 2:
            (graph,) = set(net._graphs.values())
            told += [f"{step.node.op.name.strip('_')}: the plan's step" for step in graph.compiled.last_plan.steps]
        columns.append(told)

    headings = ["call 1", "call 2", "call 3, after hybridize()", "call 4", "call 5"]
    drawing = Drawing(60 + 5 * 234, 92 + 38 * max(map(len, columns)), "What a block does in each of five calls")
    for column, (heading, told) in enumerate(zip(headings, columns, strict=True)):
        left = 30 + 234 * column
        drawing.text(left, 36, heading, 13, bold=True)
        for row, event in enumerate(told):
            kind = "array" if "kernel" in event or "step" in event else "symbol" if "node" in event else "base"
            drawing.box(left, 54 + 38 * row, 218, 30, kind)
            drawing.text(left + 10, 54 + 38 * row + 20, event, 11.5, bold=kind == "array")
    drawing.text(30, drawing.height - 16, "Grey: Python statements. They run in imperative calls and during the trace, "
                 "and never again. tanh and exp became one fused step.", 12, "muted")
    return drawing


IMAGES = {"frozen": frozen, "hybridize": hybridize, "symbols": symbols, "inference-rounds": inference_rounds}
