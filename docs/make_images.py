"""Draw the images in this folder from the objects that they show: `python docs/make_images.py`.

A test draws them again and compares them, so an image cannot become outdated.
"""

import os
import sys
from pathlib import Path

os.environ["MINIGLUON_BACKEND"] = "numpy"       # the images show the reference

import call_images
import gpu_images
import graph_images
import kernel_images
import landing_image
import numpy_images
import readme_image
import training_images
import whole_images
from drawing import Drawing, text_width
from minigluon.explain import layout
from minigluon.explain.svg import graph_svg, memory_svg

from minigluon import autograd, nd, tape
from minigluon import symbol as sym
from minigluon.backend import Spec
from minigluon.dispatch import infer
from minigluon.frontend.binding import bind
from minigluon.gluon import Block, nn
from minigluon.symbol.infer import infer_shapes
from minigluon.tools.explain.page_data import gather
from minigluon.tools.explain.render import standalone_svg

# -- the layers -------------------------------------------------------------------------------------------------------

LAYERS = [          # (kind, layer, its contents, its purpose); two layers side by side share a row
    [("gluon", "tools, interop", "cli  explain  learn  onnx  mxnet", "commands, instruments, other formats")],
    [("gluon", "gluon, legacy", "Block  Parameter  nn  loss  Trainer  Module", "networks and their training")],
    [("backend", "hybrid", "compile_graph  Plan  CachedOp  interpret", "from a graph to a plan that runs")],
    [("array", "ndarray, autograd", "NDArray  invoke", "run now"),
     ("symbol", "symbol", "Symbol  compose  infer", "build a graph")],
    [("tape", "tape", "Variable  Entry  gradients", "what ran, and the backward pass; without NumPy")],
    [("backend", "dispatch, backend", "find_kernel  Spec  ReferenceBackend", "where an operator meets a kernel")],
    [("ops", "ops", "Op  register  fields  infer_shape  forward  gradient", "what each operator is")],
    [("base", "base, common, diagnostics", "MXNetError  Context  dtypes  nest", "what everyone needs")],
]


def layers():
    """Draw which layer may import which: always a lower one."""
    drawing = Drawing(860, 670, "The layers of minigluon: imports point down only")
    y = 24
    for row, below in zip(LAYERS, [*LAYERS[1:], None]):
        width = (800 - 20 * (len(row) - 1)) / len(row)
        for column, (kind, name, members, purpose) in enumerate(row):
            left = 30 + column * (width + 20)
            drawing.box(left, y, width, 62, kind)
            drawing.text(left + 14, y + 25, name, 15, kind, bold=True)
            drawing.text(left + 14, y + 47, members, 12)
            drawing.text(left + width - 14, y + 25, purpose, 12, "muted", anchor="end")
        if below is not None:
            for x in (430,) if len(row) == len(below) == 1 else (225, 635)[:len(below)]:
                drawing.arrow(x, y + 62, x, y + 78)
            if len(row) == 2:
                drawing.path(f"M 635 {y + 62} L 635 {y + 70} L 845 {y + 70} L 845 {y + 265} L 832 {y + 265}")
        y += 80
    return drawing


# -- chapter 1: the path of a call ------------------------------------------------------------------------------------

def one_operator():
    """Draw every stop of nd.FullyConnected(x, w, b, num_hidden=4), with the values at that point."""
    arrays = nd.ones((2, 3)), nd.ones((4, 3)), nd.ones((4,))
    op, inputs = bind(nd.FullyConnected.op, arrays, {"num_hidden": 4}, lambda a: isinstance(a, nd.NDArray))
    out = nd.FullyConnected(*arrays, num_hidden=4)
    specs = [Spec(a.shape, a.buffer.dtype) for a in inputs]
    shapes = " ".join(str(s.shape) for s in specs)
    (result,) = infer(op, specs)
    name = op.name

    drawing = Drawing(1080, 690, f"The path of one call of nd.{name}")
    left, right, wide, narrow = 30, 590, 450, 460
    drawing.text(left, 36, "on every call", 15, bold=True)
    drawing.text(right, 36, "once for new attributes, once for new shapes", 15, bold=True)
    stops = [
        (54, "array", f"nd.{name}(x, w, b, num_hidden=4)", "x (2, 3)   w (4, 3)   b (4,)   float32 on cpu(0)"),
        (146, "array", "the function built by make_function",
         "memo[...]?  key = number of arrays, attributes\nas written: (3, ('num_hidden', 4))"),
        (256, "array", "invoke(op, [x, w, b])",
         f"ctx.kernels[key]?  key = operator, mode,\n{shapes} {result.dtype}"),
        (366, "backend", "kernel([x.buffer, w.buffer, b.buffer])", "buffers in, buffers out"),
        (458, "ops", f"{name}.forward(data, weight, bias)", "np.dot(data, weight.T) + bias"),
        (550, "array", "NDArray(result, ctx)", f"{out.shape} {out.buffer.dtype} on {out.context}"),
    ]
    for (y, kind, title, lines), following in zip(stops, [*stops[1:], None]):
        height = drawing.labelled(left, y, wide, kind, title, lines)
        if following:
            drawing.arrow(left + 60, y + height, left + 60, following[0], "muted")
    drawing.labelled(left, 632, wide, "tape", "tape.record_op   only inside record()", dashed=True)
    drawing.arrow(left + 60, 601, left + 60, 632, "muted", dashed=True)

    drawing.labelled(right, 132, narrow, "ops", "bind, Field.parse, Op.__new__",
                     f"inputs [x, w, b]\none object: {name}(num_hidden=4,\n  no_bias=False, flatten=True)")
    drawing.labelled(right, 256, narrow, "backend", "find_kernel",
                     f"infer_shape  {shapes} -> {result.shape}\ninfer_dtype  {specs[0].dtype} -> {result.dtype}\n"
                     "backend.prepare(op, specs, specs) -> kernel")
    for y in (171, 281):
        drawing.arrow(left + wide, y, right, y, "muted", dashed=True)
        drawing.text((left + wide + right) / 2, y - 8, "new?", 12, "muted", anchor="middle")
        drawing.arrow(right, y + 31, left + wide, y + 31, "muted", dashed=True)
        drawing.text((left + wide + right) / 2, y + 48, "cached", 12, "muted", anchor="middle")
    for y, (kind, module) in zip((450, 486, 522, 558),
                                 [("array", "minigluon.ndarray"), ("ops", "minigluon.ops"),
                                  ("backend", "minigluon.dispatch, minigluon.backend"), ("tape", "minigluon.tape")]):
        drawing.box(right, y - 15, 22, 20, kind, radius=4)
        drawing.text(right + 34, y, module, 13)
    return drawing


# -- chapter 3: a tape ------------------------------------------------------------------------------------------------

def tape_of_an_expression():
    """Draw the entries behind a loss: values go to the right, and gradients go back to the left."""
    x, w = nd.array([1, 2]), nd.array([0.5, -1])
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        product = x * w
        bent = nd.tanh(product)
        moved = bent + x
        loss = moved.sum()
    values = {"x": x, "w": w, "x * w": product, "tanh(...)": bent, "... + x": moved, "loss": loss}
    arrays = {array.entry: (label, array) for label, array in values.items()}
    order = tape._newest_first([loss.entry])[::-1]
    grads = tape.gradients(nd, [loss], [None], True, set(order))

    drawing = Drawing(1110, 440, "The tape of loss = (tanh(x * w) + x).sum()")
    drawing.text(30, 36, "loss = (tanh(x * w) + x).sum()", 15, bold=True)
    drawing.text(30, 60, "recorded from left to right: values", 12, "muted")
    drawing.text(30, 420, "visited from right to left, newest first: gradients. x gets two, which are added", 12,
                 "tape")
    place = {entry: 30 + 180 * i for i, entry in enumerate(order)}
    width, top, bottom = 150, 130, 270
    for number, entry in enumerate(order):
        label, array = arrays[entry]
        is_variable = isinstance(entry, tape.Variable)
        keeps = "grad_req " + entry.req if is_variable else "keeps " + (", ".join(entry.op.keeps) or "nothing")
        drawing.labelled(place[entry], top, width, "array" if is_variable else "ops",
                         f"{number} {'variable' if is_variable else entry.op.name}",
                         f"{label}\n= {_row(array)}\n{keeps}", size=12)
        parts = [part for child, part in _contributions(order, grads).get(entry, ())]
        sums = "\n= " + _row(parts[0]) + "".join(f"\n+ {_row(part)}" for part in parts[1:]) if len(parts) > 1 else ""
        drawing.labelled(place[entry], bottom, width, "tape", "gradient", _row(grads[entry][0]) + sums, size=12)
        for parent, _ in () if is_variable else entry.parents:
            child_x, parent_x = place[entry] + width / 2, place[parent] + width / 2
            _join(drawing, parent_x, child_x, width, top, top, "muted")
            _join(drawing, child_x, parent_x, width, bottom + 50, bottom + 80, "tape")
    return drawing


def _contributions(order, grads):
    """Return {entry: [(the child that it comes from, gradient)]} in the order of the walk."""
    found = {}
    for child in reversed(order):
        if isinstance(child, tape.Variable):
            continue
        for parent, part in zip(child.parents, child.gradients(nd, grads[child], True)):
            if parent is not None:
                found.setdefault(parent[0], []).append((child, part() if callable(part) else part))
    return found


def _join(drawing, start, end, width, y_start, y_end, kind):
    """Draw an arrow between the centers of two boxes: straight between neighbors, otherwise an arc above or below.

    y_start, y_end: the edges where an arc starts and ends. Longer arcs are higher, so that arcs do not cross.
    """
    side, up = (1 if end > start else -1), kind == "muted"
    if abs(end - start) < 2 * width:
        middle = y_start + 46 if up else y_start - 25
        drawing.arrow(start + side * width / 2, middle, end - side * width / 2, middle, kind)
        return
    far = abs(end - start) > 3 * width
    if up:
        start, end = start + width * (0.1 if far else 0.3), end - width * 0.3
    else:
        start, end = start - width * 0.1, end + width * (0.1 if far else 0.3)
    reach = (70 if far else 38) * (-1 if up else 1)
    drawing.path(f"M {start:g} {y_start} C {start + side * 50:g} {y_start + reach}, "
                 f"{end - side * 50:g} {y_end + reach}, {end:g} {y_end}", kind)


def _row(array):
    return "[" + "  ".join(f"{v:.2f}" for v in array.asnumpy().ravel()) + "]"


# -- chapter 4: shapes and names --------------------------------------------------------------------------------------

def shapes_filled_in():
    """Draw the traced graph of two Dense layers, with the declared shapes and those inferred from data."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    graph = net(sym.var("data"))
    nodes = graph.nodes()
    found = infer_shapes(nodes, {"data": (5, 3)})

    drawing = Drawing(1000, 620, "Shapes filled in by infer_shape")
    for x, heading in zip((30, 360, 690), ("parameters", "the graph, traced with F=sym", "what each rule infers")):
        drawing.text(x, 36, heading, 14, bold=True)
    y, above = 60, None
    for node in nodes:
        if node.op is None and node.name != "data":
            continue
        params = [parent for parent, _ in node.inputs if parent.op is None and parent.name != "data"]
        start, height = y, 50
        for param in params:
            declared, full = _shape(param.shape), _shape(found[param, 0])
            grown = declared != full
            drawing.labelled(30, y, 250, "gluon", param.name,
                             f"declared {declared}" + (f"  ->  {full}" if grown else ""), size=12)
            drawing.arrow(280, y + 25, 360, start + 25 + 12 * (y > start), "gluon")
            y += 62
        kind, lines = ("symbol", node.op.name) if node.op else ("array", "the first batch")
        drawing.labelled(360, start, 250, kind, node.name, lines, size=12)
        if above is not None:
            drawing.arrow(400, above, 400, start, "muted")
        above = start + height
        known = "  ".join(_shape(found[pair]) for pair in node.inputs) or "given"
        drawing.text(690, start + 20, known, 12, "muted")
        drawing.text(690, start + 40, f"-> {_shape(found[node, 0])}", 12)
        y = max(y, start + 62) + 28
    drawing.height = y
    return drawing


def _shape(shape):
    """Format a shape like Parameter.shape: 0 for an unknown dimension."""
    return str(tuple(d or 0 for d in shape))


class Net(Block):
    """A net with features and an output layer, for the image of names."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.Sequential()
            with self.features.name_scope():
                self.features.add(nn.Dense(64), nn.Dense(32))
            self.output = nn.Dense(10)


def names():
    """Draw the tree of blocks, with both names of each parameter."""
    net = Net(prefix="net0_")
    in_files = {param: name for name, param in net._collect_params_with_prefix().items()}
    drawing = Drawing(1000, 0, "Names of blocks and parameters")
    headings = "blocks", "prefix and full name: from the scope", "name in a file: the path"
    for x, heading in zip((30, 330, 770), headings):
        drawing.text(x, 36, heading, 14, bold=True)
    y = 56

    def draw(block, key, depth):
        nonlocal y
        x = 30 + 34 * depth
        title = f"{key}: {type(block).__name__}" if key else type(block).__name__
        own = list(block._reg_params.values())
        height = 34 if not own else 22 + 22 * len(own)
        drawing.box(x, y, max(text_width(title, 13) + 24, 120), 30, "gluon")
        drawing.text(x + 12, y + 20, title, 13, "gluon", bold=True)
        drawing.text(330, y + 20, block.prefix, 13, "muted")
        for number, param in enumerate(own):
            line = y + 42 + 22 * number
            drawing.text(330, line, param.name, 13)
            drawing.text(770, line, in_files[param], 13)
        start = y + 30
        y += height + (26 if own else 12)
        for child_key, child in block._children.items():
            drawing.path(f"M {x + 14} {start} L {x + 14} {y + 15} L {x + 34} {y + 15}", "muted", arrow=False)
            draw(child, child_key, depth + 1)

    draw(net, "", 0)
    drawing.height = y + 10
    return drawing


# -- the passes -------------------------------------------------------------------------------------------------------

def passes():
    """Return {name of an image: its SVG} from explain's page of a training step: each pass, and memory."""
    layout.PROGRAMS = ("graphviz-pure",)        # its output is the same everywhere
    net = graph_images.Gated(prefix="net_")
    net.initialize()
    page = gather(net, [nd.ones((8, 3))], train=True)
    graphs, found = {graph.id: graph for graph in page.graphs}, {}
    for number, step in enumerate(page.passes, start=1):
        marked = {**dict.fromkeys(step.added, "added"), **dict.fromkeys(step.changed, "changed")}
        title = f"The graph after pass {number}, {step.name}"
        found[f"pass-{number}-{step.name}"] = standalone_svg(graph_svg(graphs[step.after], title, marked), title)
    for name, buffers, title in [("memory-planned", page.memory.buffers, "Memory as planned"),
                                 ("memory-naive", page.memory.values, "Memory if each value had its own buffer")]:
        found[name] = standalone_svg(memory_svg(page.memory, buffers, title, name, height=260), title)
    return found


IMAGES = {"layers": layers, "one-operator": one_operator, "tape": tape_of_an_expression,
          "deferred-shapes": shapes_filled_in, "names": names, **graph_images.IMAGES,
          **call_images.IMAGES, **kernel_images.IMAGES, **gpu_images.IMAGES, **training_images.IMAGES,
          **whole_images.IMAGES, **readme_image.IMAGES, **landing_image.IMAGES, **numpy_images.IMAGES}


def main(folder):
    """Write all images to a folder."""
    for name, svg in {**{name: draw().svg() for name, draw in IMAGES.items()}, **passes()}.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
