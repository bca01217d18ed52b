"""mx.explain: what it gathers, where it draws it, what it leaves alone, what it says when it cannot."""

import shutil
import subprocess
import sys
import sysconfig
import tracemalloc

import numpy as np
import pytest
from helpers.explain_nets import Classifier, Scaled, deep, lenet
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon.explain import layout, text
from minigluon.explain.sources import sources_of

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import MXNetError
from minigluon.gluon import nn
from minigluon.ops import REGISTRY
from minigluon.tools import cli
from minigluon.tools.explain.graphs import FAMILIES, family_of
from minigluon.tools.explain.page_data import gather

pytestmark = pytest.mark.once


NO_PROGRAM = not any(
    shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name) for name in layout.PROGRAMS)
needs_layout = pytest.mark.skipif(NO_PROGRAM, reason="neither graphviz-pure nor dot is installed")


def made(net, *shapes):
    net.initialize()
    return net, [nd.random.normal(shape=shape) for shape in shapes]


@pytest.fixture(scope="module")
def inference():
    return gather(*made(Scaled(prefix="net_"), (4, 5)))


@pytest.fixture(scope="module")
def training():
    return gather(*made(Classifier(prefix="net_"), (8, 5), (8,)), train=True)


# -- what is gathered -----------------------------------------------------------------------------------------------


def test_passes_of_inference(inference):
    assert [(p.name, p.before, p.after) for p in inference.passes] == [
        ("trace", None, "g0"), ("infer", "g0", "g1"), ("simplify", "g1", "g2"), ("fuse", "g2", "g3")]
    titles = [[n.title for n in graph.nodes if n.family != "input"] for graph in inference.graphs]
    assert titles[0] == ["FullyConnected", "Activation relu", "BatchNorm", "Dropout", "mul_scalar", "plus_scalar",
                         "tanh", "FullyConnected", "softmax"]
    assert titles[2] == [t for t in titles[0] if t != "Dropout"]
    assert titles[3] == ["FullyConnected", "Activation relu", "BatchNorm", "mul_scalar + plus_scalar + tanh",
                         "FullyConnected", "softmax"]
    simplify, fuse = inference.passes[2:]
    graphs = {g.id: g for g in inference.graphs}
    assert [graphs["g1"].node(id).title for id in simplify.removed] == ["Dropout"]
    assert [graphs["g2"].node(id).title for id in simplify.changed] == ["mul_scalar"]
    assert [graphs["g2"].node(id).title for id in fuse.removed] == ["mul_scalar", "plus_scalar", "tanh"]
    assert [graphs["g3"].node(id).title for id in fuse.added] == ["mul_scalar + plus_scalar + tanh"]
    assert not inference.passes[0].removed + inference.passes[1].removed


def test_a_node_tells_all(inference):
    traced, inferred = inference.graphs[:2]
    node = inferred.nodes[1]
    assert (node.title, node.name, node.family, node.phase) == ("FullyConnected", "dense0_fwd", "product", "forward")
    assert node.attributes == [("num_hidden", "8", False), ("no_bias", "False", True), ("flatten", "True", True)]
    assert node.inputs == [("data", "data", "4×5 float32"), ("weight", "dense0_weight", "8×5 float32"),
                           ("bias", "dense0_bias", "8 float32")]
    assert node.outputs == [("dense0_fwd_output", "4×8 float32")]
    assert traced.nodes[1].inputs == [(name, source, "?") for name, source, _ in node.inputs]
    fused = inference.graphs[3].nodes[4]
    assert fused.parts == ["mul_scalar(scalar=0.5) of input 0", "plus_scalar(scalar=0.1) of line 1", "tanh() of line 2"]
    assert (fused.family, fused.attributes) == ("fused", [])
    assert [n.marks for n in inferred.nodes if n.marks] == [["result"]]
    assert inferred.edges[0] == (inferred.nodes[0].id, node.id)


def test_passes_of_training(training):
    assert [p.name for p in training.passes] == ["trace", "infer", "simplify", "differentiate", "simplify", "fuse"]
    last = training.graphs[-1]
    gradients = [mark for node in last.nodes for mark in node.marks]
    assert sorted(gradients) == ["gradient of dense0_bias", "gradient of dense0_weight", "gradient of dense1_bias",
                                 "gradient of dense1_weight", "result"]
    assert {node.phase for node in last.nodes if node.marks and node.marks != ["result"]} == {"backward"}
    assert [node.name for node in last.nodes if node.family == "input"] == ["data0", "data1",
                                                                              "gradient of the result"]
    assert [(name, spec) for name, spec in training.inputs] == [("data0", "8×5 float32"), ("data1", "8 float32")]
    assert training.parameters == (4, 4 * (16 * 5 + 16 + 4 * 16 + 4))


@pytest.mark.parametrize("page", ["inference", "training"])
def test_memory(page, request):
    memory = request.getfixturevalue(page).memory
    assert sum(b.size for b in memory.values) == memory.naive > memory.peak >= memory.size > 0
    inside = [b for b in memory.buffers if b.offset is not None]
    assert max(b.offset + b.size for b in inside) <= memory.size
    for i, one in enumerate(inside):        # what lives at the same time lies apart
        for other in inside[:i]:
            apart = one.offset + one.size <= other.offset or other.offset + other.size <= one.offset
            assert apart or one.last < other.first or other.last < one.first, (one, other)
    for b in memory.values + memory.buffers:
        assert 0 <= b.first <= b.last < len(memory.steps)
    ends = [b.offset + b.size for b in memory.values]
    assert [b.offset for b in memory.values] == [0, *ends[:-1]]


def test_rearranged_weights_do_not_count_as_memory_of_a_call():
    """The plan that the page shows is as large as the one that the net itself runs."""
    net, inputs = made(lenet(), (1, 1, 28, 28))
    net.hybridize()
    net(*inputs)
    (graph,) = set(net.block_graphs.values())
    plan = graph.compiled.last_plan
    page = gather(net, inputs)
    assert page.memory.size == plan.memory.size
    count, size = page.rearranged
    assert count == len(plan.prepackers or ())
    assert (size > 0) == (count > 0)


@pytest.mark.parametrize("train", [False, True])
def test_values_are_those_of_the_plan(train, monkeypatch):
    """The plan counts in its own way: every result of a kernel. Here gradients are left out."""
    plans, module = [], sys.modules["minigluon.tools.explain.page_data"]

    def compile_graph(*args, compiled=module.compile_graph, **kwargs):
        plan, places = compiled(*args, **kwargs)
        plans.append(plan)
        return plan, places

    monkeypatch.setattr(module, "compile_graph", compile_graph)
    net, inputs = made(lenet(), (2, 1, 28, 28))
    memory = gather(net, inputs, train).memory
    gradients = sum(4 * p.data().size for p in net.collect_params().values()) if train else 0
    assert memory.naive + gradients == plans[0].memory.naive
    assert (memory.size, memory.peak) == (plans[0].memory.size, plans[0].memory.peak)


def test_values_live_until_their_last_reader(inference):
    life = {b.name: (b.first, b.last) for b in inference.memory.values}
    names = inference.memory.steps
    hidden = names.index("dense0_fwd")
    assert life["dense0_fwd_output"] == (hidden, hidden + 1)
    assert life["softmax0_output"] == (len(names) - 1, len(names) - 1)


def test_steps_and_measurements(training):
    ran = [s for s in training.steps if s.how != "view"]
    assert all(s.seconds > 0 for s in ran)
    assert all(s.seconds is None for s in training.steps if s.how == "view")
    where = {s.name: s.how for s in training.steps}
    assert (where["dense0_fwd"], where["softmaxcrossentropyloss0_mean0"]) == ("in the block", "the caller's result")
    assert list(where.values()).count("the parameter's gradient") == 4
    assert [s.phase for s in training.steps] == sorted((s.phase for s in training.steps), reverse=True)
    assert training.memory.split == sum(s.phase == "forward" for s in training.steps)
    nodes = {n.id: n for n in training.graphs[-1].nodes}
    assert all(nodes[s.node].title == s.title and nodes[s.node].name == s.name for s in training.steps if s.node)
    imperative, hybridized = training.measured
    assert (imperative.mode, hybridized.mode) == ("imperative", "hybridized")
    assert len(imperative.seconds) == len(hybridized.seconds) >= 3
    assert imperative.peak > 0
    assert hybridized.peak >= training.memory.size
    assert imperative.best <= imperative.median


def test_sources(inference):
    assert [s.title for s in inference.sources] == [
        f"{name}.hybrid_forward" for name in ("Scaled", "Dense", "Activation", "BatchNorm", "Dropout")]
    own, dense = inference.sources[:2]
    assert own.text.startswith("def hybrid_forward(self, F, x):\n    hidden = self.drop(")
    assert (own.own, dense.own, dense.users) == (True, False, ["net_dense0", "net_dense1"])
    namespace = {"gluon": gluon}
    exec("class Typed(gluon.HybridBlock):\n    def hybrid_forward(self, F, x):\n        return x", namespace)
    assert sources_of(namespace["Typed"]())[0].text == "# The source is not in a file."


def test_recomputed_values_are_a_pass():
    net, inputs = made(deep(8), (2, 16))
    net.hybridize(recompute=True)
    names = [p.name for p in gather(net, inputs, train=True).passes]
    assert names[4:] == ["simplify", "recompute", "fuse"]


def test_loops_are_written_out():
    page = gather(Loop(prefix="loop_"), [nd.ones((3, 2))], train=True)          # no parameters, so no backward pass
    assert [p.name for p in page.passes] == ["trace", "unroll", "infer", "simplify", "fuse"]
    assert (page.train, page.backward) == (True, False)
    assert "foreach" in [n.title for n in page.graphs[0].nodes]
    assert "foreach" not in [n.title for n in page.graphs[1].nodes]


def test_results_in_lists():
    class Lists(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.out = nn.Dense(3)

        def hybrid_forward(self, F, x, states):
            y = self.out(x) + states[0]
            return y, [states[1] * 2, F.split(y, num_outputs=3, axis=1)[1], x]

    net, (x, a, b) = made(Lists(), (2, 4), (2, 3), (2, 3))
    page = gather(net, [x, [a, b]], train=True)
    assert [name for name, _ in page.inputs] == ["data0", "data1", "data2"]
    assert sum(node.marks.count("result") for node in page.graphs[-1].nodes) == 4


def test_every_operator_has_a_color():
    others = {name for name, kind in REGISTRY.items() if family_of(object.__new__(kind)) == "other"}
    assert {REGISTRY[name].__module__.rpartition(".")[2] for name in others} == {
        "adagrad", "adam", "box_nms", "boxes", "calibration", "contrib", "control", "final_gradients", "ftrl", "lamb",
        "multi_tensor", "multibox", "proposal", "rmsprop", "sgd", "sign", "sources", "storage"}
    assert set(FAMILIES) == {"product", "elementwise", "reduction", "norm", "loss", "move", "random", "fused", "input",
                             "other"}


@pytest.mark.parametrize("active", [False, True])
def test_the_net_is_left_as_it_was(active):
    net, (x,) = made(Scaled(prefix="left_"), (4, 5))
    if active:
        net.hybridize(static_alloc=True)
    with autograd.record():
        net(x).sum().backward()
    params = net.collect_params().values()
    mx.random.seed(3)
    before = [p.data().asnumpy() for p in params], [p.grad().asnumpy() for p in params if p.grad_req != "null"]
    graphs, flags = net._graphs, net._flags
    gather(net, [x], train=True)
    after = [p.data().asnumpy() for p in params], [p.grad().asnumpy() for p in params if p.grad_req != "null"]
    for old, new in zip(before, after, strict=True):
        for a, b in zip(old, new, strict=True):
            np.testing.assert_array_equal(a, b)
    drawn = nd.random.normal(shape=(3,)).asnumpy()
    mx.random.seed(3)
    np.testing.assert_array_equal(drawn, nd.random.normal(shape=(3,)).asnumpy())
    assert (net._active, net._graphs, net._flags) == (active, graphs, flags)
    assert (net.hidden._active, net.norm._active) == (active, active)


def test_a_running_tracemalloc_keeps_running():
    net, inputs = made(nn.Dense(2, prefix="traced_"), (1, 3))
    tracemalloc.start()
    try:
        gather(net, inputs)
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


# -- where it is drawn ----------------------------------------------------------------------------------------------


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 12))
    sizes = {f"node {i}": (draw(st.integers(30, 240)), draw(st.integers(20, 80))) for i in range(count)}
    pairs = [(f"node {i}", f"node {j}") for i in range(count) for j in range(i + 1, count)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return sizes, edges, [f"node {i}" for i in range(draw(st.integers(0, count)), count)]


@needs_layout
@settings(deadline=None, max_examples=20)
@given(graphs())
def test_layout(drawn):
    sizes, edges, backward = drawn
    found = layout.lay_out(sizes, edges, backward)
    assert set(found.centers) == set(sizes)
    boxes = []
    for node, (x, y) in found.centers.items():
        width, height = sizes[node]
        box = x - width / 2, y - height / 2, x + width / 2, y + height / 2
        assert box[0] > -2
        assert box[1] > -2
        assert box[2] < found.width + 2
        assert box[3] < found.height + 2
        for other in boxes:
            assert box[2] < other[0] + 1 or other[2] < box[0] + 1 or box[3] < other[1] + 1 or other[3] < box[1] + 1
        boxes.append(box)
    assert sorted((start, end) for start, end, _ in found.edges) == sorted(edges)
    for start, end, points in found.edges:
        assert len(points) % 3 == 1                 # cubic Bézier curves, one after the other
        for node, (x, y) in ((start, points[0]), (end, points[-1])):
            assert abs(x - found.centers[node][0]) <= sizes[node][0] / 2 + 2
            assert abs(y - found.centers[node][1]) <= sizes[node][1] / 2 + 2


@needs_layout
def test_gradients_stand_beside_what_they_belong_to():
    chain = [f"f{i}" for i in range(6)]
    back = [f"b{i}" for i in range(6)]
    edges = [*zip(chain, chain[1:]), (chain[-1], back[-1]), *zip(back[:0:-1], back[-2::-1]), *zip(chain, back)]
    centers = layout.lay_out(dict.fromkeys(chain + back, (100, 40)), dict.fromkeys(edges), back).centers
    assert all(centers[a][1] < centers[b][1] for a, b in zip(chain, chain[1:]))
    assert all(centers[a][1] < centers[b][1] for a, b in zip(back, back[1:]))
    assert all(abs(centers[f][1] - centers[b][1]) < 150 for f, b in zip(chain, back))


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's dot is not installed")
@needs_layout
def test_dot_does_as_well(monkeypatch):
    sizes, edges = dict.fromkeys("abc", (100, 40)), {("a", "b"): None, ("b", "c"): None}
    first = layout.lay_out(sizes, edges, "c")
    monkeypatch.setattr(layout, "PROGRAMS", ("dot",))
    second = layout.lay_out(sizes, edges, "c")
    assert first.centers.keys() == second.centers.keys()
    for node, (x, y) in first.centers.items():
        assert second.centers[node] == pytest.approx((x, y), abs=2)


def test_numbers_and_names():
    assert [text.time_text(s) for s in (2, 0.00978, 12.3e-6, 4e-9, 0)] == ["2 s", "9.78 ms", "12.3 µs", "4 ns", "0 ns"]
    assert [text.time_text(s) for s in (0.9996, 0.001)] == ["1000 ms", "1 ms"]
    assert [text.bytes_text(n) for n in (0, 999, 1000, 3.81e6, 2e9)] == ["0 B", "999 B", "1 kB", "3.81 MB", "2 GB"]
    assert [text.count_text(n, "step") for n in (1, 2000)] == ["1 step", "2,000 steps"]
    assert (text.ratio_text(1, 4), text.ratio_text(1, 0)) == ("25 %", "")
    assert [text.shortened("abcdefgh", n) for n in (8, 5, 2, 1)] == ["abcdefgh", "ab…gh", "…h", ""]


# -- what goes wrong ------------------------------------------------------------------------------------------------


class Loop(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.contrib.foreach(lambda row, state: (row + state, state + row), x, F.zeros((2,)))[0]


class While(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.contrib.while_loop(lambda v: v.sum() < 5, lambda v: (v, v + 1), x, max_iterations=3)[0]


class Masked(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.contrib.boolean_mask(x, x[:, :1].reshape((-1,)))


def explained(net, *inputs, **options):
    with pytest.raises(MXNetError) as caught:
        mx.explain(net, *inputs, **options)
    return str(caught.value)


@needs_layout
def test_what_cannot_be_explained(tmp_path):
    assert explained(nn.Sequential(), nd.ones((1,))) == (
        "explain shows the graph of a HybridBlock, found Sequential. A plain Block has no graph; explain its "
        "hybrid children one by one.")
    net = nn.Dense(3, in_units=2, prefix="d_")
    assert explained(net, np.ones((1, 2))) == ("explain needs NDArrays to call Dense 'd' with, found ndarray. Give "
                                               "inputs such as mx.nd.zeros((1, 512)).")
    assert explained(net) == ("explain needs NDArrays to call Dense 'd' with, found none. Give inputs such as "
                              "mx.nd.zeros((1, 512)).")
    assert "has not been initialized" in explained(net, nd.ones((1, 2)))
    assert explained(Masked(prefix="m_"), nd.ones((2, 2))) == (
        "Masked 'm': the shape of 'm_boolean_mask0' depends on values, so there is no plan to explain: such a graph is "
        "run node by node.")
    assert explained(While(prefix="w_"), nd.ones((1,))) == (
        "While 'w': 'w__while_loop0' is a loop or a branch that depends on values, so there is no plan to explain: "
        "such a graph is run node by node.")
    net.initialize()
    place = tmp_path / "no" / "page.html"
    assert explained(net, nd.ones((1, 2)), path=place).startswith(f"cannot write {str(place)!r}: No such file")


def test_missing_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "pygments", None)
    assert explained(nn.Dense(1), nd.ones((1, 2))) == (
        'jinja2 and pygments are not installed. Install what explain needs with: pip install "minigluon[explain]"')


def test_without_a_program_for_layout(monkeypatch):
    monkeypatch.setattr(layout, "PROGRAMS", ("no-such-program",))
    with pytest.raises(MXNetError) as caught:
        layout.lay_out({"a": (1, 1)}, [])
    assert str(caught.value) == (
        "graphviz-pure, which lays out the drawings of graphs, is not installed, and neither is Graphviz's dot. "
        'Install what explain needs with: pip install "minigluon[explain]"')


# -- the command ----------------------------------------------------------------------------------------------------

NETS = """
from minigluon import gluon
from minigluon.gluon import nn

class Net(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embed, self.out = nn.Embedding(5, 3), nn.Dense(2)
    def hybrid_forward(self, F, words, x):
        return self.out(self.embed(words)) + x

ready = nn.Dense(2, in_units=3)
ready.initialize()
number = 3

def make():
    return nn.Dense(4)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mynets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("mynets", None)


@needs_layout
@pytest.mark.parametrize("args", [
    ["mynets.py:make", "--shape", "4,3"], ["mynets:ready", "--shape", "4,3", "--dtype", "float32", "--train"],
    ["mynets.py:Net", "--shape", "4,6", "--shape", "4,2", "--dtype", "int32", "--dtype", "float32"],
])
def test_command(args, folder, capsys):
    assert cli.main(["explain", *args, "-o", "page.html"]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out == "page.html\n"
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert ("A training step" in page) == ("--train" in args)


@needs_layout
def test_command_in_a_fresh_process(folder):
    command = [sys.executable, "-W", "error", "-m", "minigluon", "explain", "mynets:make", "--shape", "2,3"]
    environment = {"PYTHONPATH": str(mx.__path__[0]) + "/..", "PATH": ""}       # the layout is found beside Python
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("explain.html\n", "")
    assert "nn.Dense(4)" not in (folder / "explain.html").read_text()
    assert "Dense.hybrid_forward" in (folder / "explain.html").read_text()


@pytest.mark.parametrize(("args", "message"), [
    (["mynets.py"], "'mynets.py' does not name a net. Write MODULE:NET, for example mynets.py:net or "
                    "package.module:make_net."),
    (["none.py:net"], "there is no file 'none.py'"),
    (["no.such:net"], "there is no module 'no.such' in this folder or installed. To name a file, include its "
                      "extension, as in nets.py:net."),
    (["mynets:mak"], "mynets has no 'mak'. Did you mean 'make'?"),
    (["mynets.py:number"], "mynets.py:number is a int, expected a block, or a function or class that returns one when "
                           "called without arguments"),
    (["mynets:ready", "--shape", "1,3", "--dtype", "int8", "--dtype", "int8", "--dtype", "int8"],
     "--shape is given 2 times and --dtype 3 times: give one dtype for all inputs, or one for each shape"),
])
def test_errors_of_the_command(args, message, folder, capsys):
    assert cli.main(["explain", *args, "--shape", "2,3"]) == 1
    assert capsys.readouterr().err == f"minigluon explain: error: {message}\n"


@pytest.mark.parametrize("shape", ["a,b", "-1,3", "1;2"])
def test_bad_shapes(shape, capsys):
    with pytest.raises(SystemExit):
        cli.main(["explain", "a:b", f"--shape={shape}"])
    assert capsys.readouterr().err.endswith(
        f"argument --shape: must be numbers separated by commas, such as 1,512; found {shape!r}\n")


def test_other_errors_in_a_module_are_not_hidden(folder):
    (folder / "mynets.py").write_text("import no_such_package")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        cli.main(["explain", "mynets:net", "--shape", "1"])


@needs_layout
def test_lenet_and_a_hundred_layers(tmp_path):
    for net, shape, most in ((lenet(), (2, 1, 28, 28), 40), (deep(), (2, 16), 700)):
        net, inputs = made(net, shape)
        path = mx.explain(net, *inputs, path=tmp_path / "page.html", train=True)
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert path == str(tmp_path / "page.html")
        assert 20 < page.count('class="buffer ') < 4 * most
