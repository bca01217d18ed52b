"""Errors in a graph name the line that has written the node: of `hybrid_forward`, or of a composed symbol."""

import copy
import inspect
import os

import pytest
from helpers.processes import program

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.base import DTypeError, MXNetError, ShapeError
from minigluon.gluon import nn
from minigluon.hybrid.differentiate import gradients_of
from minigluon.symbol.graph import topological

HERE = os.path.relpath(__file__)


class Net(gluon.HybridBlock):
    """Each way to fail has a line of its own."""

    def __init__(self, way, **kwargs):
        super().__init__(**kwargs)
        self.way = way
        with self.name_scope():
            self.dense = nn.Dense(4, in_units=4)

    def hybrid_forward(self, F, x):
        h = F.relu(self.dense(x)) * 2 + 1           # the plan makes one step of several operators
        if self.way == "shape":
            return F.dot(h, h)                      # line: shape
        if self.way == "dtype":
            return F.elemwise_add(h, x.astype("float16"))      # line: dtype
        if self.way == "run":
            return F.linalg.potrf(h - 9)            # line: run
        if self.way == "values":
            return F.contrib.boolean_mask(h, F.dot(h, h).sum(axis=1))      # line: values
        if self.way == "loop":
            return F.contrib.foreach(lambda a, s: (F.elemwise_add(a, s[0]), s), h, [h])[0]      # line: loop
        return self.dense(F.concat(h, h))           # line: layer


def line_of(mark):
    """'tests/...py:7: the source' of the line that bears a mark."""
    lines, first = inspect.getsourcelines(Net)
    number, text = next((i, text) for i, text in enumerate(lines) if f"# line: {mark}" in text)
    return f"  line: {HERE}:{first + number}: {text.strip()}"


@pytest.mark.parametrize(("way", "kind", "rows"), [
    ("shape", ShapeError, 3), ("dtype", DTypeError, 4), ("run", MXNetError, 4), ("values", ShapeError, 3),
    ("loop", ShapeError, 4), ("layer", ShapeError, 4)])
@pytest.mark.parametrize("recording", [False, True])
def test_a_hybridized_net_names_the_line_of_hybrid_forward(way, kind, rows, recording):
    net = Net(way)
    net.initialize(mx.init.One())
    net.hybridize()
    x = nd.ones((rows, 4))
    x.attach_grad()
    with pytest.raises(kind) as error, autograd.record() if recording else autograd.pause():
        net(x)
    lines = str(error.value).split("\n")
    assert line_of(way) in lines
    assert sum(line.startswith("  line: ") for line in lines) == 1
    assert any(line.startswith(f"  node: '{net.prefix}") for line in lines)


def test_what_layers_of_the_library_write_by_themselves_has_no_line():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, in_units=4))
    net.initialize()
    net.hybridize()
    with pytest.raises(ShapeError) as error:
        net(nd.ones((2, 7)))
    assert "line:" not in str(error.value)
    assert "\n  node: 'net_dense0_fwd'\n" in str(error.value)


def clash():
    return sym.elemwise_add(sym.var("a"), sym.var("b"), name="total")      # where it is composed


@pytest.mark.parametrize("action", [
    lambda s: s.infer_shape(a=(2,), b=(3,)), lambda s: s.simple_bind(mx.cpu(), a=(2,), b=(3,)),
    lambda s: s.bind(mx.cpu(), {"a": nd.ones((2,)), "b": nd.ones((3,))}), lambda s: s.eval(a=nd.ones(2), b=nd.ones(3)),
    lambda s: copy.deepcopy(s).infer_shape(a=(2,), b=(3,)), lambda s: s(a=sym.var("c")).infer_shape(c=(2,), b=(3,)),
    lambda s: sym.relu(s).infer_type(a="float32", b="float16")])
def test_a_composed_symbol_names_the_line_where_it_was_composed(action):
    with pytest.raises(MXNetError) as error:
        action(clash())
    line = inspect.getsourcelines(clash)[1] + 1
    assert (f"\n  node: 'total'\n  line: {HERE}:{line}: return sym.elemwise_add(sym.var(\"a\"), sym.var(\"b\"), "
            "name=\"total\")      # where it is composed") in str(error.value)


def test_a_symbol_from_a_file_has_no_line():
    assert all(node.place is None for node in sym.load_json(clash().tojson()).nodes())


def test_the_nodes_of_a_gradient_have_the_line_of_the_node_that_they_belong_to():
    node = clash() * 2
    (gradient,), _ = gradients_of(node, [n for n in node.nodes() if n.name == "a"])
    places = {n.name.partition("_backward_")[0]: n.place for n in node.nodes() if n.op is not None}
    made = [n for n in topological(gradient.heads) if "_backward_" in n.name]
    assert made
    assert all(n.place == places[n.name.partition("_backward_")[0]] for n in made)


@pytest.mark.once
def test_a_cell_of_a_notebook_is_called_as_ipython_calls_it():
    pytest.importorskip("IPython")
    lines = program("""
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        shell.run_cell("import minigluon as mx")
        shell.run_cell("x = mx.sym.dot(mx.sym.var('x'), mx.sym.var('x'))", store_history=True)
        shell.run_cell("try:\\n    x.infer_shape(x=(2, 3))\\nexcept mx.MXNetError as error:\\n    print(error)")
    """)
    assert any(line.startswith("  line: Cell In[1]:1: x = mx.sym.dot(") for line in lines), lines
