"""What explain folds, that it asks for one layout, how large its pages get, and where nodes come from."""

import cProfile
import functools
import json
import sys

import pytest
from helpers.explain_nets import Classifier, deep
from helpers.unrolled import Unrolled
from hypothesis import given, settings
from minigluon.explain import layered, layout, measure
from test_explain import graphs, needs_layout

from minigluon import gluon, nd
from minigluon.tools.explain.drawing_data import picture
from minigluon.tools.explain.folding import FLAT, fold, opened
from minigluon.tools.explain.origins import trace_with_origins
from minigluon.tools.explain.page_data import gather
from minigluon.tools.explain.render import render

pytestmark = pytest.mark.once


@pytest.fixture(scope="module", autouse=True)
def quickly():
    """One round of each measurement: nothing here depends on them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["minigluon.tools.explain.page_data"], "measure",
                      functools.partial(measure.measure, budget=0))
        yield


def gathered(net, *shapes, train=True):
    net.initialize()
    return gather(net, [nd.ones(shape) for shape in shapes], train)


@functools.cache
def unrolled(steps):
    return gathered(Unrolled(steps, prefix="net_"), (2, steps, 5), (2, steps, 3))


def drawn(page):
    return picture(page.graphs, lambda lines: 0, lambda name: 0)


def test_small_graphs_are_not_folded():
    page = gathered(Classifier(prefix="net_"), (8, 5), (8,))
    folded = fold(page.graphs)
    assert len(folded.places) <= FLAT
    assert len(folded.groups) == 1
    assert sorted(folded.groups[0].items) == list(range(len(folded.places)))


def test_steps_and_blocks_are_folded():
    folded = fold(unrolled(10).graphs)
    names = [(group.title, group.name, group.phase) for group in folded.groups[1:]]
    for phase in ("forward", "backward"):
        assert ("LSTMCell", "cell", phase) in names
        assert [t for t, n, p in names if p == phase and "step" in t] == sorted(
            (f"LSTMCell, step {i}" for i in range(10)), reverse=phase == "backward")
    assert ("sum of gradients", "lstm0_i2h_weight", "backward") in names
    held = [item for group in folded.groups for item in group.items if item >= 0]
    assert sorted(held) == list(range(len(folded.places)))              # each place stands in one group
    for number, group in enumerate(folded.groups[1:], start=1):
        assert ~number in folded.groups[group.parent].items
        assert len(group.items) > 1
    assert folded.groups[0].places == len(folded.places)
    shown = sum(len(folded.groups[number].items) for number in opened(folded)) - len(opened(folded)) + 1
    assert shown <= 40


def test_all_edges_stand_in_some_group():
    page = unrolled(10)
    folded = fold(page.graphs)
    lifted = sum(len(edges) for edges in folded.edges)
    assert 0 < lifted < sum(len(graph.edges) for graph in page.graphs)
    for group, edges in zip(folded.groups, folded.edges, strict=True):
        assert {item for pair in edges for item in pair} <= set(group.items)
        assert all(start != end and (end, start) not in edges for start, end in edges)


@needs_layout
def test_one_layout_for_all_passes(monkeypatch):
    runs = []
    monkeypatch.setattr(layout, "_run", lambda text, run=layout._run: (runs.append(text), run(text))[1])
    data = drawn(unrolled(10))
    assert len(runs) == 1
    assert len(data["graphs"]) >= 6
    assert len(data["layouts"]) < len(data["groups"]) - 12          # steps that look alike have one
    names = [name for name, _ in data["places"]]
    assert len(names) == len(set(names))                            # a name stands at one place in all passes
    for nodes in data["graphs"].values():
        places = [data["variants"][variant]["place"] for variant, _ in nodes]
        assert len(places) == len(set(places))


@needs_layout
def test_pages_grow_linearly():
    sizes = [len(render(unrolled(steps))) for steps in (10, 15, 20)]
    assert sizes[2] - sizes[1] < 1.05 * (sizes[1] - sizes[0])
    assert sizes[2] - sizes[1] < 5 * 75_000
    layouts = [len(drawn(unrolled(steps))["layouts"]) for steps in (15, 20)]
    assert layouts[0] == layouts[1]                 # those of further steps are there already


@needs_layout
def test_layers_without_steps_fold_as_well():
    data = drawn(gathered(deep(40), (2, 16)))
    titles = [(group["title"], group["phase"]) for group in data["groups"]]
    assert titles.count(("Dense", "forward")) == titles.count(("Dense", "backward")) == 40


@settings(deadline=None, max_examples=20)
@given(graphs())
def test_the_simple_layout(drawn_graph):
    sizes, edges, backward = drawn_graph
    width, height, centers, curves = layered.lay_out_simply(sizes, edges, set(backward))
    boxes = []
    for node, (x, y) in centers.items():
        w, h = sizes[node]
        box = x - w / 2, y - h / 2, x + w / 2, y + h / 2
        assert box[0] >= -1e-6
        assert box[1] >= -1e-6
        assert box[2] <= width + 1e-6
        assert box[3] <= height + 1e-6
        assert all(box[2] <= o[0] or o[2] <= box[0] or box[3] <= o[1] or o[3] <= box[1] for o in boxes)
        boxes.append(box)
    assert [(start, end) for start, end, _ in curves] == list(edges)
    for start, end in edges:
        if start not in backward and end not in backward:
            assert centers[start][1] < centers[end][1]


def test_cycles_and_graphs_too_large_for_the_program(monkeypatch):
    sizes = dict.fromkeys("abc", (100, 40))
    layered.lay_out_simply(sizes, [("a", "b"), ("b", "c"), ("c", "b")], set())
    monkeypatch.setattr(layout, "PROGRAMS", ("no-such-program",))
    chain = [f"n{i}" for i in range(layout.LARGEST + 2)]
    found = layout.lay_out(dict.fromkeys(chain, (100, 40)), list(zip(chain, chain[1:])))       # without a program
    assert len({x for x, _ in found.centers.values()}) == 1


# -- where nodes come from ------------------------------------------------------------------------------------------


class Helped(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        y = F.relu(x)                       # line 0
        return self.twice(F, y)             # line 1

    def twice(self, F, y):
        return y * 2                        # line 4


def test_nodes_know_their_lines():
    first = Helped.hybrid_forward.__code__.co_firstlineno + 1
    page = gathered(Helped(prefix="net_"), (2,))
    relu, twice = [node for node in page.graphs[0].nodes if node.family != "input"]
    assert relu.lines == [(__file__, first)]
    assert twice.lines == [(__file__, first + 4), (__file__, first + 1)]
    assert relu.operator.startswith("minigluon.ops.")
    dense = gathered(Classifier(prefix="net_"), (8, 5), (8,)).graphs[0].nodes[1]
    assert [file.rpartition("/")[2] for file, _ in dense.lines] == ["explain_nets.py", "basic_layers.py"]


def test_gradients_belong_to_the_step_they_are_of():
    page = unrolled(10)
    last = {node.name: node for node in page.graphs[-1].nodes}
    forward = next(node for node in last.values() if node.name.endswith("t3_i2h"))
    backward = next(node for node in last.values() if "t3_i2h_backward" in node.name)
    assert forward.calls == backward.calls
    assert (forward.calls[-1].kind, forward.calls[-1].number, forward.calls[-1].what) == ("LSTMCell", 3, "step")
    assert forward.lines == backward.lines


def test_steps_of_a_loop_are_folded():
    class Loop(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.contrib.foreach(lambda row, s: (F.tanh(row + s), F.relu(s * row) + row), x, F.zeros((2,)))[0]

    page = gathered(Loop(prefix="net_"), (20, 2), train=False)
    titles = [group.title for group in fold(page.graphs).groups]
    steps = [title for title in titles if "step" in title]
    assert steps == [f"loop, step {i}" for i in range(19)]          # the last one computes no state, so it is too small


def test_profilers_go_on():
    net = Helped(prefix="net_")
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    try:
        trace_with_origins(net, [nd.ones((2,))])
        assert sys.getprofile() is not None
    finally:
        sys.setprofile(None)
    profiler = cProfile.Profile()
    profiler.enable()
    trace_with_origins(net, [nd.ones((2,))])
    json.dumps([])
    profiler.disable()
    assert any("dumps" in str(entry.code) for entry in profiler.getstats())
