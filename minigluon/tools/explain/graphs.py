"""Graphs as plain data: everything that a drawing shows for each node, immediately or after a click."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...hybrid.simplify import STAND_IN
from ...symbol.graph import topological
from .origins import Origins
from .text import shortened

if TYPE_CHECKING:
    from ...ops.op import Op

__all__ = ["FAMILIES", "DrawingContext", "Graph", "Node", "bytes_of", "describe", "differences", "family_of",
           "spec_text", "title_of"]

# The families of operators, each with the same color in all drawings: family -> (description, modules of minigluon.ops,
# or folders all of whose modules belong to it). A module such as `roi_align` belongs to the family of `roi`.
FAMILIES = {
    "product": ("products and convolutions", ("matrix", "convolution", "linalg", "windows", "rnn", "attention",
                                             "fused_attention", "fused_attention_dropout", "cached_attention",
                                             "correlation", "deformable", "weights", "fused")),
    "elementwise": ("elementwise", ("activation", "arithmetic", "broadcast", "elementwise", "scalar", "special",
                                    "numeric", "convert", "straight_through", "linear")),
    "reduction": ("pooling and reductions", ("pooling", "pooling_argmax", "reduce", "statistics", "ordering",
                                             "stretch", "roi")),
    "norm": ("normalization and softmax", ("normalization", "batch_norm", "softmax", "first_versions")),
    "loss": ("losses", ("output", "ctc", "hawkes")),
    "move": ("reshaping and moving", ("shape", "axes", "slicing", "joining", "extending", "indexing", "positions",
                                       "sequence", "resize", "image", "bilinear_resize", "spatial")),
    "random": ("random numbers", ("dropout", "random", "sample", "pdf")),
    "fused": ("fused chains", ("fused_chain",)),
    "input": ("inputs", ()),
    "other": ("others", ()),
}
_FAMILY_OF_MODULE = {module: family for family, (_, modules) in FAMILIES.items() for module in modules}

# Attributes that a drawing shows after the operator's name.
_TELLING = ("act_type", "pool_type")


@dataclass
class Node:
    """A node of a drawing. All values are strings or numbers."""

    id: str
    title: str                  # the operator
    name: str
    family: str
    phase: str                  # 'forward' or 'backward'
    attributes: list            # (name, value, whether it is the default), with defaults last
    inputs: list                # (argument, name of the value, spec)
    outputs: list               # (name, spec)
    parts: list                 # the operators of a fused node
    marks: list                 # 'result', 'gradient of dense0_weight'
    calls: tuple = ()           # block calls (see `origins.Call`), with the outermost first
    lines: list = field(default_factory=list)       # (file, line) of the source (see `origins`)
    operator: str = ""          # the full name of the operator's class
    place: str = ""             # the name, with a number if another node of the graph has the same name


@dataclass
class Graph:
    """A graph of a drawing.

    id: 'g0'. edges: (id, id) pairs, from the node that computes a value to the node that reads it.
    """

    id: str
    nodes: list
    edges: list

    @property
    def operators(self):
        """The number of operators in the graph."""
        return sum(node.family != "input" for node in self.nodes)

    def node(self, id: str) -> Any:
        """Return the node with this id."""
        return self.nodes[int(id.rpartition("n")[2])]


@dataclass
class DrawingContext:
    """The settings that the drawings of all graphs of a net share.

    drawn: names of the variables that are drawn as nodes; the others, parameters, appear only as inputs of nodes.
    count: the number of results among the outputs; the others are gradients of the variables `wanted`. prefix: a prefix
    to omit from names.
    """

    drawn: set
    count: int
    wanted: list = field(default_factory=list)
    prefix: str = ""
    called: dict = field(default_factory=dict)      # name -> its name in the drawing
    origins: Origins = field(default_factory=Origins)

    def short(self, name: str) -> Any:
        """Return the name used in drawings, without the net's prefix."""
        if name in self.called:
            return self.called[name]
        return name[len(self.prefix):] if self.prefix and name.startswith(self.prefix) else name


def describe(symbol: Any, specs: Any, look: Any, id: str) -> tuple[Graph, dict[Any, str]]:
    """Return (Graph, {node of the symbol: its id}) for a Symbol. specs: {(node, output): Spec}."""
    nodes = [n for n in symbol.nodes() if n.op is not None or n.name in look.drawn]
    ids = {node: f"{id}n{number}" for number, node in enumerate(nodes)}
    early = set(topological(symbol.heads[:look.count]))
    marks = _marks(symbol, look)
    described = [_node(n, ids[n], specs, look, "forward" if n in early else "backward", marks.get(n, []))
                 for n in nodes]
    counts = Counter()
    for node in described:
        counts[node.name] += 1
        node.place = node.name if counts[node.name] == 1 else f"{node.name} #{counts[node.name]}"
    edges = dict.fromkeys((ids[parent], ids[n]) for n in nodes for parent, _ in n.inputs if parent in ids)
    return Graph(id, described, list(edges)), ids


def _is_default(op, name, value):
    field = op.fields.get(name)         # None for operators of a backend, which programs do not call
    return field is not None and value == field.default


def _node(node, id, specs, look, phase, marks):
    op = node.op
    outputs = [(look.short(node.output_name(i)), spec_text(specs.get((node, i))))
               for i in range(1 if op is None else op.num_outputs)]
    if op is None:
        return Node(id, "input", look.short(node.name), "input", phase, [], [], outputs, [], marks)
    program = getattr(op, "program", None)
    attributes = [] if program else [(name, shortened(str(value), 160), _is_default(op, name, value))
                                     for name, value in op.attributes.items()]
    inputs = [(argument, _source(pair, look), spec_text(specs.get(pair)))
              for argument, pair in zip(op.argument_names(len(node.inputs)), node.inputs)]
    parts = [_line_text(part, operands) for part, operands in program or ()]
    return Node(id, title_of(op), look.short(node.name), family_of(op), phase,
                sorted(attributes, key=lambda item: item[2]), inputs, outputs, parts, marks,
                look.origins.path(node.name), look.origins.source(node.name), _class_of(op))


def _class_of(op):
    """Return the full name of the class: 'minigluon.ops.nn.matrix.FullyConnected'."""
    return f"{type(op).__module__}.{type(op).__qualname__}"


def title_of(op: Op) -> str:
    """Return an operator's title in drawings: 'Activation relu'; for a fused operator, the titles of its operators."""
    if hasattr(op, "program"):
        titles = groupby(title_of(part) for part, _ in op.program)
        return " + ".join(_counted(title, sum(1 for _ in same)) for title, same in titles)
    return " ".join([op.name.strip("_"), *(str(getattr(op, key)) for key in _TELLING if key in op.fields)])


def _counted(title, count):
    return " + ".join([title] * count) if count < 4 else f"{title} × {count}"


def _line_text(op, operands):
    """Return one line of a fused node: operand k is the input with index k, and -1 - k is the result of line k."""
    names = ", ".join(f"input {k}" if k >= 0 else f"line {-k}" for k in operands)
    set_here = [f"{name}={value!r}" for name, value in op.attributes.items() if value != op.fields[name].default]
    return f"{op.name.strip('_')}({', '.join(set_here)}) of {names}"


def _source(pair, look):
    node, index = pair
    if STAND_IN in node.attrs:
        return "only the shape matters"
    return look.short(node.output_name(index))


def _marks(symbol, look):
    marks = {}
    for number, (node, _) in enumerate(symbol.heads):
        gradient = number - look.count
        text = "result" if gradient < 0 else f"gradient of {look.short(look.wanted[gradient])}"
        marks.setdefault(node, []).append(text)
    return marks


def family_of(op: Op) -> str:
    """Return the family of an operator, which is a key of FAMILIES."""
    *folders, module = type(op).__module__.split(".")
    first, _, last = module.partition("_")              # 'fused_convolution' belongs to the family of 'convolution'
    names = (module, first, last, *folders[-1:])        # the module of a program's own operator may be `__main__`
    return next((_FAMILY_OF_MODULE[name] for name in names if name in _FAMILY_OF_MODULE), "other")


def spec_text(spec: Any) -> str:
    """Return a string such as '64×256 float32', or '?' if the Spec is unknown."""
    if spec is None or spec.shape is None:
        return "?"
    return f"{'×'.join('?' if d is None else str(d) for d in spec.shape) or 'scalar'} {spec.dtype}"


def bytes_of(spec: Any) -> Any:
    """Return the memory that an array with this Spec needs, in bytes."""
    size = spec.dtype.itemsize
    for d in spec.shape:
        size *= d
    return size


def differences(before: Any, after: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the ids of nodes that are only in `before`, of those only in `after`, and of those with new inputs."""
    removed, _ = _compared(before, after)
    added, changed = _compared(after, before)
    return removed, added, changed


def _compared(graph, other):
    """Return the ids of nodes that are missing from the other graph, and of those that have different inputs there."""
    there = {}
    for node in other.nodes:
        there.setdefault((node.name, node.title), []).append(node.inputs)
    missing, changed = [], []
    for node in graph.nodes:
        twins = there.get((node.name, node.title))
        if not twins:
            missing.append(node.id)
        elif [source for _, source, _ in node.inputs] != [source for _, source, _ in twins.pop(0)]:
            changed.append(node.id)
    return missing, changed
