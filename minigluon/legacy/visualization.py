"""Visualization of symbols (`mx.viz`): a table of layers and a Graphviz plot."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..base import DTypeError, MXNetError, listed
from ..common.optional_packages import require
from ..diagnostics import strictness
from ..ops.shapes import size_of
from ..symbol import Symbol
from ..symbol.graph import variables
from ..symbol.infer import infer_shapes
from ..symbol.json_file import FILE_NAMES

__all__ = ["plot_network", "print_summary"]

HEADINGS = "Layer (type)", "Output Shape", "Param #", "Previous Layer"


def print_summary(symbol: Any, shape: Any = None, line_length: Any = 120, positions: Any = (.44, .64, .74, 1.)) -> None:
    """Print a table with a row for each operator: output shape, number of parameters, source of its inputs.

    shape: {input name: shape}; without it, shapes are omitted, and sizes that declarations do not determine are '?'.
    line_length: the width of the table.
    positions: the end of each column, as fractions of the width or in characters.

    The shapes are those of a single sample, without the batch axis. A variable counts as a parameter unless it is in
    `shape`, a label, the first input of the graph, or a state such as a moving mean; a shared parameter is counted
    where it is first used. Raises MXNetError if the shapes cannot be inferred from the given shapes.

    symbol: the graph.

    >>> mx.viz.print_summary(sym.FullyConnected(sym.var("data"), num_hidden=2), shape={"data": (1, 3)}, line_length=60)
    ____________________________________________________________
    Layer (type)              Output ShapeParam Previous Layer
    ============================================================
    data(null)                3           0
    ____________________________________________________________
    fullyconnected0(FullyConne2           8     data
    ============================================================
    Total params: 8
    ____________________________________________________________
    """
    _check(symbol)
    if positions[-1] <= 1:
        positions = [int(line_length * part) for part in positions]
    rows = _Summary(symbol, shape).rows()
    print("_" * line_length)
    _print_columns(HEADINGS, positions)
    total, unknown = 0, False
    for number, (layer, out, count, previous) in enumerate(rows):
        print(("_" if number else "=") * line_length)
        _print_columns([layer, out, "?" if count is None else count, previous[0] if previous else ""], positions)
        for name in previous[1:]:
            _print_columns(["", "", "", name], positions)
        total, unknown = total + (count or 0), unknown or count is None
    print("=" * line_length)
    print(f"Total params: {total}" + (" and those marked ?, whose shapes are not known" if unknown else ""))
    print("_" * line_length)


def _print_columns(fields, positions):
    line = ""
    for field, end in zip(fields, positions, strict=True):
        line = (line + str(field))[:end].ljust(end)
    print(line)


class _Summary:
    """The contents of the table for each node."""

    def __init__(self, symbol, shape):
        if shape is not None:
            symbol.get_internals()._require_shape(**shape)         # raises an error if a shape cannot be inferred
        self.nodes = symbol.nodes()
        self.given = set(shape or ())
        self.shapes = infer_shapes(self.nodes, {name: tuple(s) for name, s in (shape or {}).items()})
        self.show_shapes = shape is not None
        self.not_parameters = set(variables(self.nodes)[1]) | _labels(self.nodes) | {
            n for n in self.nodes if self._is_input(n)}

    def _is_input(self, node):
        return node.op is None and (node is self.nodes[0] or node.name in self.given)

    def rows(self):
        """Yield (name and type, output shapes, number of parameters or None, names of previous layers) for each row."""
        counted = set()
        for node in self.nodes:
            if node.op is not None:
                parameters = dict.fromkeys(parent for parent, _ in node.inputs if parent.op is None)
                new = [p for p in parameters if p not in self.not_parameters and p not in counted]
                counted.update(new)
                yield self._layer(node), self._outputs(node), self._count(new), self._previous(node)
            elif self._is_input(node) and node not in _labels(self.nodes):
                yield self._layer(node), self._outputs(node), 0, []

    def _layer(self, node):
        return f"{node.name}({_type(node) or 'null'})"

    def _outputs(self, node):
        if not self.show_shapes:
            return ""
        return ", ".join(_sample(self.shapes[node, i]) for i in range(node.num_visible_outputs))

    def _count(self, parameters):
        shapes = [self.shapes[p, 0] for p in parameters]
        return None if any(s is None or None in s for s in shapes) else sum(map(size_of, shapes))

    def _previous(self, node):
        return [parent.name for parent, _ in node.inputs
                if parent.op is not None or (self._is_input(parent) and parent not in _labels(self.nodes))]


def _labels(nodes):
    """Return the variables that operators take as labels."""
    labels = set()
    for node in nodes:
        names = node.op.argument_names(len(node.inputs)) if node.op else ()
        labels.update(parent for name, (parent, _) in zip(names, node.inputs) if name == "label" and parent.op is None)
    return labels


def _type(node):
    """Return the operator's name in files; None for a variable."""
    return node.op and FILE_NAMES.get(node.op.name, node.op.name)


def _sample(shape):
    """Return '6x28x28' for (N, 6, 28, 28)."""
    return "x".join(map(str, shape[1:]))


def _check(symbol):
    if not isinstance(symbol, Symbol):
        raise DTypeError(f"symbol must be a Symbol, found {type(symbol).__name__}. A block gives its symbol with "
                         "net(mx.sym.var('data')).")


# -- plots ----------------------------------------------------------------------------------------------------------

NODE = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034", "style": "filled"}
PARAMETERS = ("_weight", "_bias", "_beta", "_gamma", "_moving_var", "_moving_mean", "_running_var", "_running_mean")

# MXNet's colors for types of operators.
INPUT, OTHER = "#8dd3c7", "#fccde5"
COLORS = {
    "Convolution": "#fb8072", "FullyConnected": "#fb8072", "BatchNorm": "#bebada", "Activation": "#ffffb3",
    "LeakyReLU": "#ffffb3", "Pooling": "#80b1d3", "Concat": "#fdb462", "Flatten": "#fdb462", "Reshape": "#fdb462",
    "Softmax": "#b3de69",
}


def plot_network(symbol: Any, title: str = "plot", save_format: str = "pdf", shape: Any = None, dtype: Any = None,
                 node_attrs: Any = None, hide_weights: bool = True) -> Any:
    """Return a `graphviz.Digraph` of the graph, whose `.view()` and `.render()` draw it with the program `dot`.

    save_format: the format of the file that `render` writes.
    shape, dtype: {input name: shape or element type}; with them, the edges show array shapes (without the batch axis).
    node_attrs: Graphviz attributes for all nodes.
    hide_weights: whether to omit variables with a parameter's suffix (`_weight`, `_bias`, `_gamma`, ...).

    Warns with a RuntimeWarning if nodes have the same name; the plot numbers such nodes, `x`, `x (2)`. Raises
    MXNetError if the package graphviz is not installed, or if shapes cannot be inferred from the given shapes.

    symbol: the graph.
    title: the Digraph's name.

    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    >>> "fc" in mx.viz.plot_network(net, shape={"data": (1, 3)}).source
    True
    """
    _check(symbol)
    require("graphviz", extra="viz", user="mx.viz.plot_network")
    from graphviz import Digraph, escape, nohtml
    internals, nodes = symbol.get_internals(), symbol.nodes()
    repeated = [name for name, count in Counter(node.name for node in nodes).items() if count > 1]
    if repeated:
        strictness.warn(f"the graph has several nodes of the same name: {listed(repeated)}", RuntimeWarning)
    shapes = None if shape is None else dict(zip(internals.heads, internals._require_shape(**shape)[1], strict=True))
    dtypes = None if dtype is None else dict(zip(internals.heads, internals.infer_type(**dtype)[1], strict=True))
    attributes, ids = {**NODE, **(node_attrs or {})}, _ids(nodes)
    parameters = {n for n in nodes if n.op is None and n.name.endswith(PARAMETERS)}
    dot = Digraph(name=nohtml(title), format=save_format)
    for node in nodes:
        if node not in parameters:
            dot.node(name=ids[node], label=escape(_label(node)), **{**attributes, **_look(node)})
    for node in nodes:
        inputs = node.inputs
        if _type(node) == "_contrib_BilinearResize2D":
            inputs = inputs[:1]                 # the second input only determines a size
        for pair in inputs:
            # A parameter that is not hidden appears only through its edge, as a plain oval.
            if pair[0] not in parameters or not hide_weights:
                label = "" if shapes is None else _sample(shapes[pair])
                label += "" if dtypes is None else _dtype_text(dtypes[pair], pair[0])
                dot.edge(tail_name=ids[node], head_name=ids[pair[0]], dir="back", arrowtail="open", label=label)
    return dot


def _ids(nodes):
    """Return {node: its id in the plot's source}: its name, numbered if another node has the same name."""
    ids, used = {}, set()
    for node in nodes:
        base = node.name.replace(":", "_")              # Graphviz parses text after a colon as a port
        name = base = f"_{base}" if base.lstrip()[:1] == "<" else base      # and <...> as HTML
        number = 1
        while name in used:
            number += 1
            name = f"{base} ({number})"
        used.add(name)
        ids[node] = name
    return ids


def _look(node):
    return {"fillcolor": INPUT, "shape": "oval"} if node.op is None else {"fillcolor": COLORS.get(_type(node), OTHER)}


def _label(node):
    kind, attrs = _type(node), node.attrs
    if kind == "Convolution":
        return f"{kind}\n{_by(attrs['kernel'])}/{_by(attrs.get('stride', '1'))}, {attrs['num_filter']}"
    if kind == "FullyConnected":
        return f"{kind}\n{attrs['num_hidden']}"
    if kind == "Activation":
        return f"{kind}\n{attrs['act_type']}"
    if kind == "LeakyReLU":
        return f"{kind}\n{attrs.get('act_type', 'Leaky')}"
    if kind == "Pooling":
        kernel = _by(attrs["kernel"]) if "kernel" in attrs else "[]"
        return f"{kind}\n{node.op.pool_type}, {kernel}/{_by(attrs.get('stride', '1'))}"
    return attrs["op_type"] if kind == "Custom" else node.name


def _by(text):
    """Return '3x3' for '(3, 3)'."""
    return "x".join(re.findall(r"\d+", text))


def _dtype_text(dtype, node):
    if dtype is None:
        raise MXNetError(f"the dtype of {node.name!r} does not follow from the given ones; add it to dtype=")
    return f"({dtype.__name__})"
