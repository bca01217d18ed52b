"""mx.viz against what MXNet 1.9.1's shows: `record_mxnet_plots.py` made the file."""

import difflib
import json
import shutil
import sys
from pathlib import Path

import pytest
from records import DATA
from records.record_mxnet_plots import options_of, plot, summary
from records.symbol_cases import build

import minigluon as mx
from minigluon.base import DTypeError, MXNetError, ShapeError
from minigluon.gluon import nn

pytestmark = pytest.mark.once

RECORDED = json.loads((DATA / "mxnet_plots.json").read_text())

# Where MXNet's table is wrong: the lines that differ, and why.
DIFFERENCES = {
    # MXNet counts parameters of Convolution, FullyConnected, BatchNorm and Embedding only.
    "convolutions": ["-deconvolution0(Deconvolution) 3x8x8 0 pooling0",
                     "+deconvolution0(Deconvolution) 3x8x8 51 pooling0",
                     "-Total params: 228", "+Total params: 279"],
    "lenet": ["-lenet_prelu0_fwd(LeakyReLU) 5 0 lenet_dropout0_fwd",
              "+lenet_prelu0_fwd(LeakyReLU) 5 1 lenet_dropout0_fwd",
              "-Total params: 629", "+Total params: 630"],
    "normalizations": ["-instancenorm0(InstanceNorm) 6x8x8 0 x", "+instancenorm0(InstanceNorm) 6x8x8 12 x",
                       "-layernorm0(LayerNorm) 6x8x8 0 instancenorm0", "+layernorm0(LayerNorm) 6x8x8 16 instancenorm0",
                       "-groupnorm0(GroupNorm) 6x8x8 0 layernorm0", "+groupnorm0(GroupNorm) 6x8x8 6 layernorm0",
                       "-Total params: 0", "+Total params: 34"],
    "layer conv2d_transpose": ["-conv0_fwd(Deconvolution) 4x18x18 0 data", "+conv0_fwd(Deconvolution) 4x18x18 220 data",
                               "-Total params: 0", "+Total params: 220"],
    # And a convolution that is used twice, twice.
    "residual": ["-res_broadcast_mul0(broadcast_mul) 6x8x8 0 res_conv0_fwd",
                 "+res_broadcast_mul0(broadcast_mul) 6x8x8 1 res_conv0_fwd",
                 "-res_conv0_fwd(Convolution) 6x8x8 330 data", "+res_conv0_fwd(Convolution) 6x8x8 0 data",
                 "-Total params: 660", "+Total params: 331"],
    # It leaves out shapes of operators with several outputs,
    "pieces": ["-split0(SliceChannel) 0 x", "+split0(SliceChannel) 2x8x8, 2x8x8, 2x8x8 0 x",
               "-slicechannel0(SliceChannel) 0 split0", "+slicechannel0(SliceChannel) 1x8x8, 1x8x8 0 split0"],
    # and all inputs but the first.
    "joined": ["+y(null) 3 0", "+y", "+y", "+y", "+y"],
    "left_out_inputs": ["-leakyrelu0(LeakyReLU) 6x8x8 0 x", "+leakyrelu0(LeakyReLU) 6x8x8 6 x",
                        "-layernorm0(LayerNorm) 6x8x8 0 x", "+layernorm0(LayerNorm) 6x8x8 16 x",
                        "-embedding0(Embedding) 2 10", "+y(null) 0",
                        "-groupnorm0(GroupNorm) 6x8x8 0 x", "+embedding0(Embedding) 2 10 y",
                        "+groupnorm0(GroupNorm) 6x8x8 4 x", "-Total params: 22", "+Total params: 48"],
}


def shown(name, option):
    symbol, shapes = build(mx, name)
    return options_of(symbol, shapes)[option](mx, symbol)


def recorded(name, option):
    """MXNet's text, with `+` called what it is here: one operator, which broadcasts as it does on arrays."""
    text = RECORDED[name][option]
    return text.replace("(elemwise_add) ", "(broadcast_add)").replace("(elemwise_a3", "(broadcast_3")


@pytest.mark.parametrize("option", ["summary", "narrow"])
@pytest.mark.parametrize("name", [n for n in RECORDED if RECORDED[n]["summary"]])
def test_summary(name, option):
    ours, theirs = shown(name, option), recorded(name, option)
    if name not in DIFFERENCES:
        assert ours == theirs
        return
    width = 120 if option == "summary" else 60
    assert {len(line) for line in ours.splitlines() if not line.startswith("Total")} == {width}
    if option == "summary":
        found = difflib.unified_diff(theirs.splitlines(), ours.splitlines(), lineterm="", n=0)
        lines = [" ".join(line.split()) for line in found if line[:3] not in ("---", "+++", "@@ ")]
        lines = [line[0] + line[1:].strip() for line in lines]
        assert [line for line in lines if set(line[1:]) != {"_"}] == DIFFERENCES[name]


@pytest.mark.filterwarnings("ignore:the graph has several nodes of the same name. res_conv0_fwd:RuntimeWarning")
@pytest.mark.parametrize("option", ["plot", "weights", "types"])
@pytest.mark.parametrize("name", [n for n in RECORDED if None not in RECORDED[n].values()])
def test_plot(name, option):
    # Two nodes of one name are one in MXNet's plot, and a cycle. Here the second one is numbered.
    ours = shown(name, option).replace('"res_conv0_fwd (2)"', "res_conv0_fwd")
    assert ours == recorded(name, option)


def mlp():
    net = nn.HybridSequential(prefix="mlp_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.Dense(2, in_units=4))
    return mx.sym.SoftmaxOutput(net(mx.sym.var("data")), name="softmax")


def test_summary_without_shapes(capsys):
    mx.visualization.print_summary(mlp(), line_length=60)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[3:-1:2] == [
        "data(null) 0", "mlp_dense0_fwd(FullyConnec ? data", "mlp_dense0_relu_fwd(Activa 0 mlp_dense0_fwd",
        "mlp_dense1_fwd(FullyConnec 10 mlp_dense0_relu_", "softmax(SoftmaxOutput) 0 mlp_dense1_fwd",
        "Total params: 10 and those marked ?, whose shapes are not known"]


def test_names_that_graphviz_would_misread():
    with mx.name.NameManager():
        symbol = mx.sym.relu(mx.sym.var("x:0"), name="a b") + mx.sym.var("x_0")
    lines = plot(mx, symbol).splitlines()
    assert [line.partition(" [")[0] for line in lines[1:-1]] == [
        "x_0", '"a b"', '"x_0 (2)"', "_plus0", '"a b" -> x_0', '_plus0 -> "a b"', '_plus0 -> "x_0 (2)"']


def test_names_that_graphviz_would_take_for_html():
    pytest.importorskip("graphviz")
    symbol = mx.sym.relu(mx.sym.var("<b>x</b>"), name="<i>\\N</i>")
    lines = mx.viz.plot_network(symbol, title="<t>", hide_weights=False).source.splitlines()
    assert [line.partition(" fillcolor")[0].strip() for line in lines if line[:1] == "\t"] == [
        '"_<b>x</b>" [label="<b>x</b>"', '"_<i>\\N</i>" [label="<i>\\\\N</i>"',
        '"_<i>\\N</i>" -> "_<b>x</b>" [label="" arrowtail=open dir=back]']
    assert lines[0] == 'digraph "<t>" {'


def test_a_plot_of_a_graph_with_two_nodes_of_one_name_warns():
    x = mx.sym.var("x")
    symbol = mx.sym.relu(x, name="a") + mx.sym.exp(mx.sym.var("x"), name="a")
    with pytest.warns(RuntimeWarning) as caught:
        mx.viz.plot_network(symbol)
    assert [str(w.message) for w in caught] == ["the graph has several nodes of the same name: x, a"]
    assert caught[0].filename == __file__


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program dot, which draws the plot, is not installed")
def test_render(tmp_path):
    path = mx.viz.plot_network(mlp(), shape={"data": (1, 8)}, save_format="svg").render(tmp_path / "plot")
    text = Path(path).read_text()
    assert path == str(tmp_path / "plot.svg")
    assert text.count('class="node"') == 6
    assert text.count('class="edge"') == 5


# -- what goes wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("show", [mx.viz.print_summary, mx.viz.plot_network])
def test_not_a_symbol(show):
    with pytest.raises(DTypeError) as caught:
        show(nn.Dense(3))
    assert str(caught.value) == ("symbol must be a Symbol, found Dense. A block gives its symbol with "
                                 "net(mx.sym.var('data')).")


@pytest.mark.parametrize("show", [summary, plot])
def test_shapes_that_do_not_follow_or_clash(show):
    x = mx.sym.var("x")
    with pytest.raises(MXNetError, match="^the shapes of x, w do not follow from the given ones$"):
        show(mx, mx.sym.broadcast_add(x, mx.sym.var("w")), shape={})
    with pytest.raises(ShapeError, match="node: 'fc'"):
        show(mx, mx.sym.FullyConnected(x, mx.sym.var("w", shape=(2, 3)), num_hidden=2, name="fc"), shape={"x": (4, 5)})


def test_dtypes_that_do_not_follow():
    with pytest.raises(MXNetError) as caught:
        mx.viz.plot_network(mx.sym.relu(mx.sym.var("x")), dtype={})
    assert str(caught.value) == "the dtype of 'x' does not follow from the given ones; add it to dtype="


def test_without_graphviz(monkeypatch):
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(MXNetError) as caught:
        mx.viz.plot_network(mlp())
    assert str(caught.value) == ("graphviz is not installed. Install what mx.viz.plot_network needs with: "
                                 'pip install "minigluon[viz]"')
