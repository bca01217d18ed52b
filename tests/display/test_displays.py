"""What notebooks show of objects: the facts are there, texts are escaped, sizes stay small, and nothing changes."""

import os
import pickle
import re
import sys
import tracemalloc
from html.parser import HTMLParser

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.display.numbers import edges
from minigluon.gluon import nn
from minigluon.gluon.model_zoo import vision
from minigluon.tools.explain.explained_page import ExplainedPage

BAD = '<script>alert("1")</script>&'


class Reader(HTMLParser):
    """The text of a display, and its tags, which must be closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text.append(data)


def shown(x):
    """The text of an object's HTML, a blank between its parts."""
    html = x._repr_html_()
    read = Reader(html)
    assert "script" not in read.tags
    assert not re.search(r"https?:|@import|url\(", html)
    return words(read)


def words(read):
    return " ".join(" ".join(read.text).split())


# -- arrays ---------------------------------------------------------------------------------------------------------


def test_a_small_array():
    assert shown(nd.array([[1, 2.5], [3, -4]])) == "NDArray (2, 2) float32 on cpu(0) 1. 2.5 3. -4."
    assert shown(nd.array([True, False], dtype="bool")) == "NDArray (2,) bool on cpu(0) True False"
    assert shown(nd.array([7], dtype="int32")) == "NDArray (1,) int32 on cpu(0) 7"
    assert shown(nd.zeros((0, 3))) == "NDArray (0, 3) float32 on cpu(0) no elements"
    assert shown(nd.array([np.nan, np.inf])) == "NDArray (2,) float32 on cpu(0) nan inf"


def test_an_array_without_axes():
    with mx.np_shape():
        assert shown(nd.array(3.5)) == "NDArray () float32 on cpu(0) 3.5"


def test_a_large_array_has_its_edges():
    x = nd.arange(10_000, dtype="int64").reshape((100, 100))
    assert shown(x) == (
        "NDArray (100, 100) int64 on cpu(0) 0 1 2 97 98 99 "
        "0 0 1 2 ⋯ 97 98 99 1 100 101 102 ⋯ 197 198 199 2 200 201 202 ⋯ 297 298 299 ⋮ ⋮ ⋮ ⋮ ⋮ ⋮ ⋮ "
        "97 9700 9701 9702 ⋯ 9797 9798 9799 98 9800 9801 9802 ⋯ 9897 9898 9899 99 9900 9901 9902 ⋯ 9997 9998 9999")
    assert shown(nd.arange(9, dtype="int32")) == "NDArray (9,) int32 on cpu(0) 0 1 2 6 7 8 0 1 2 ⋯ 6 7 8"
    tall = shown(nd.arange(20, dtype="int32").reshape((10, 2)))
    assert tall == ("NDArray (10, 2) int32 on cpu(0) 0 1 0 0 1 1 2 3 2 4 5 ⋮ ⋮ 7 14 15 8 16 17 9 18 19")


def test_the_matrices_of_an_array():
    x = nd.arange(24, dtype="int32").reshape((3, 2, 2, 2))
    assert shown(x) == ("NDArray (3, 2, 2, 2) int32 on cpu(0) [0, 0] 0 1 2 3 [0, 1] 4 5 6 7 ⋯ [2, 1] 20 21 22 23")
    assert shown(x[0]) == "NDArray (2, 2, 2) int32 on cpu(0) [0] 0 1 2 3 [1] 4 5 6 7"


def test_numbers_are_in_the_form_that_the_program_has_set():
    x = nd.array([1 / 3, 2])
    assert shown(x).endswith("0.3333 2.")
    with np.printoptions(precision=2, floatmode="fixed"):
        assert shown(x).endswith("0.33 2.00")
    with np.printoptions(precision=None):
        assert shown(x).endswith("0.3333 2.")


def test_sparse_arrays():
    rows = nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 70]), shape=(90, 2))
    assert shown(rows) == "RowSparseNDArray (90, 2) float32 on cpu(0) 2 of 90 rows stored 0 1 1 1. 2. 70 3. 4."
    many = nd.sparse.row_sparse_array((np.ones((9, 1)), 2 * np.arange(9)), shape=(90, 1))
    assert shown(many).endswith("9 of 90 rows stored 0 0 1. 2 1. 4 1. ⋮ 12 1. 14 1. 16 1.")
    matrix = nd.sparse.csr_matrix([[0, 5, 6], [0, 0, 0], [0, 0, 7]])
    assert shown(matrix) == ("CSRNDArray (3, 3) float32 on cpu(0) 3 elements of 9 stored row column value "
                             "0 1 5. 0 2 6. 2 2 7.")
    assert shown(nd.sparse.zeros("csr", (3, 4))) == "CSRNDArray (3, 4) float32 on cpu(0) 0 elements of 12 stored"
    assert shown(nd.sparse.zeros("row_sparse", (3, 4))) == (
        "RowSparseNDArray (3, 4) float32 on cpu(0) 0 of 3 rows stored")


def test_to_show_an_array_copies_little_and_records_nothing():
    x = nd.zeros((1000, 1000))
    x._repr_html_(), repr(x)
    tracemalloc.start()
    try:
        x._repr_html_(), repr(x)            # Jupyter asks for both
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
    x.attach_grad()
    assert "gradient attached" in shown(x)
    with autograd.record():
        y = x * 2
        entry, version = y.entry, y._version
        y._repr_html_()
        assert (y.entry, y._version) == (entry, version)
        y.backward()
    assert x.grad[0, 0].asscalar() == 2


@pytest.mark.once
def test_edges():
    for length in range(30):
        parts = edges(length)
        assert sum(part.stop - part.start for part in parts) == (length if length <= 8 else 6)


# -- nets -----------------------------------------------------------------------------------------------------------


def small_net():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(2, 3, activation="relu"), nn.BatchNorm(), nn.Dense(4, in_units=8))
    return net


def test_a_net_before_and_after_its_first_call():
    net = small_net()
    assert shown(net).startswith("HybridSequential net ≥ 38 parameters 8 not initialized (0) Conv2D None -> 2, ")
    net.initialize()
    before = [(p._shape, p._deferred, p._data) for p in net.collect_params().values()]
    text = shown(net)
    assert text.startswith("HybridSequential net ≥ 38 parameters 5 deferred (0) Conv2D None -> 2, kernel_size=(3, 3), "
                           "stride=(1, 1), Activation(relu) · ≥ 2 1 deferred weight (2, ?, 3, 3) float32 ? deferred "
                           "bias (2,) float32 2 (act) Activation relu (1) BatchNorm axis=1, ")
    assert text.endswith("(2) Dense 8 -> 4, linear · 36 weight (4, 8) float32 32 bias (4,) float32 4")
    assert [(p._shape, p._deferred, p._data) for p in net.collect_params().values()] == before
    net(nd.ones((1, 1, 4, 4)))
    net.hybridize()
    text = shown(net)
    assert text.startswith("HybridSequential net 64 parameters, 4 of them without a gradient hybridized (0) Conv2D 1")
    assert "running_mean (2,) float32 2 no gradient" in text


def test_shared_parameters_count_once():
    first = nn.Dense(2, in_units=3)
    net = nn.Sequential()
    net.add(first, nn.Dense(2, in_units=3, params=first.params), first)
    text = shown(net)
    assert text.startswith("Sequential sequential")
    assert "8 parameters 2 not initialized" in text
    assert text.count("shared") == 4


def test_blocks_of_programs():
    class Both(gluon.Block):
        def __init__(self):
            super().__init__(prefix="both_")
            with self.name_scope():
                self.left, self.right = nn.Dense(1, in_units=1), nn.Dense(1, in_units=1)
            self.shift = self.params.get("shift", shape=(2,))

    class Talker(gluon.Block):
        def __repr__(self):
            return f"Talker({BAD})"

    class Loud(gluon.Block):
        def __repr__(self):
            return "many words " * 100

    assert shown(Both()).startswith("Both both 6 parameters 5 not initialized shift (2,) float32 2 not initialized "
                                    "(left) Dense 1 -> 1, linear · 2")
    assert f"Talker talker0 {BAD} 0 parameters" in shown(Talker(prefix="talker0_"))
    assert len(shown(Loud())) < 300
    assert shown(gluon.rnn.LSTM(5, prefix="lstm_")).startswith("LSTM lstm None -> 5, TNC ≥ 140 parameters")
    assert shown(gluon.loss.L2Loss(prefix="l2_")).startswith("L2Loss l2")


def test_names_are_escaped():
    net = nn.Dense(2, in_units=1, prefix=BAD)
    net.initialize()
    for x in (net, net.weight, net.collect_params(), gluon.Trainer(net.collect_params(), "sgd"),
              mx.metric.Accuracy(name=BAD)):
        assert BAD in shown(x)


@pytest.mark.once
def test_large_nets_stay_small():
    net = vision.resnet152_v2()
    html = net._repr_html_()
    assert len(html.encode()) < 300_000
    assert "not initialized" in shown(net)
    assert not re.search("<details open>.*<details open>", html)          # the rest is folded
    deep = gluon.Block()
    inner = deep
    for _ in range(2_000):
        child = gluon.Block()
        inner.register_child(child)
        inner = child
    assert shown(deep).endswith("… and 1,970 more blocks")
    wide = nn.Sequential()
    wide.add(*(nn.Flatten() for _ in range(4_000)))
    assert shown(wide).endswith("… and 2,501 more blocks")
    assert len(net.collect_params()._repr_html_()) < 200_000


# -- parameters, trainers, metrics ----------------------------------------------------------------------------------


def test_parameters():
    weight = gluon.Parameter("w", shape=(2, 0), allow_deferred_init=True, lr_mult=2)
    assert shown(weight) == "Parameter w (2, ?) float32 not initialized grad_req 'write', lr_mult 2"
    weight.initialize(mx.init.One())
    assert shown(weight) == "Parameter w (2, ?) float32 deferred grad_req 'write', lr_mult 2"
    weight.shape = (2, 1)
    weight._finish_deferred_init()
    assert shown(weight) == "Parameter w (2, 1) float32 grad_req 'write', lr_mult 2, on cpu(0) 1. 1."
    assert shown(gluon.Parameter("anything")).startswith("Parameter anything ? float32")
    constant = gluon.Constant("c", [1, 2])
    constant.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    assert shown(constant) == "Constant c (2,) float32 grad_req 'null', on cpu(0), cpu(1) 1. 2."
    rows = gluon.Parameter("rows", shape=(2, 1), stype="row_sparse", init="ones")
    rows.initialize()
    assert shown(rows).endswith("stype 'row_sparse', on cpu(0) 2 of 2 rows stored 0 0 1. 1 1.")


def test_dicts_of_parameters():
    net = small_net()
    net.initialize()
    text = shown(net.collect_params())
    assert text.startswith("ParameterDict net_ 8 parameters, ≥ 38 elements 5 deferred name shape, dtype elements "
                           "net_conv0_weight (2, ?, 3, 3) float32 ? deferred net_conv0_bias (2,) float32 2 ")
    assert shown(gluon.ParameterDict("empty_")) == "ParameterDict empty_ 0 parameters, 0 elements"
    many = gluon.ParameterDict()
    for number in range(2_100):
        many.get(f"p{number}", shape=(1,))
    assert shown(many).endswith("… and 100 more")


def test_trainers():
    net = nn.Dense(1, in_units=2, use_bias=False, prefix="net_")
    net.initialize()
    scheduler = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=8)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.5, "lr_scheduler": scheduler})
    for _ in range(2):
        with autograd.record():
            loss = net(nd.ones((1, 2)))
        loss.backward()
        trainer.step(1)
    before = dict(vars(scheduler))
    text = shown(trainer)
    assert text.startswith("Trainer SGD learning_rate 4 by FactorScheduler wd 0 ")
    assert "momentum 0.5" in text
    assert "steps made 2 devices cpu(0) kvstore" in text
    assert text.endswith("Parameters 1 parameter, 2 elements name shape, dtype elements net_weight (1, 2) float32 2")
    scheduler.count = 0             # as if it had not been asked for this update
    before = dict(vars(scheduler))
    shown(trainer)
    assert vars(scheduler) == before


def test_metrics():
    metric = mx.metric.create(["accuracy", "mae"])
    assert shown(metric) == ("CompositeEvalMetric 2 metrics metric value instances accuracy nan 0 mae nan 0")
    metric.get_metric(0).update(nd.array([1, 0]), nd.array([[0, 1], [0, 1]]))
    assert "accuracy 0.5 2" in shown(metric)
    loss = mx.metric.Loss()
    loss.update(None, nd.array([1, 2]))
    assert shown(loss) == "Loss metric value instances loss 1.5 2"


# -- graphs ---------------------------------------------------------------------------------------------------------


def test_a_symbol_is_drawn():
    x = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    graph = sym.relu(x, name="act")
    svg = graph._repr_svg_()
    if svg is None:
        pytest.skip("neither graphviz-pure nor dot is installed")
    assert graph._repr_html_() is None
    text = words(Reader(svg))
    assert "data" in text
    assert "FullyConnected fc relu act → result" in text
    assert "fc_weight" not in text
    assert svg.startswith("<svg xmlns=")
    assert not re.search(r"@import|https?:(?!//www\.w3\.org/2000/svg)", svg)
    assert "@scope (#symbol" in svg
    assert "<script" not in sym.var(BAD)._repr_svg_()


def test_a_symbol_that_is_not_drawn(monkeypatch):
    x = sym.var("data")
    for number in range(150):
        x = sym.relu(x, name=f"r{number}") + 1
    assert x._repr_svg_() is None
    assert shown(x).startswith("Symbol _plus")
    assert "300 operators, 1 variable inputs data outputs" in shown(x)
    assert shown(x).endswith("operators relu ×150, _plus_scalar ×150")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys.modules["minigluon.tools.explain.symbol_drawing"], "PROGRAMS", ("no-such-program",))
    small = sym.relu(sym.var("data"), name="act")
    assert small._repr_svg_() is None
    assert shown(small) == ("Symbol act 1 operator, 1 variable inputs data outputs act_output operators relu")


# -- explain --------------------------------------------------------------------------------------------------------


@pytest.mark.once
def test_what_explain_returns(tmp_path):
    pytest.importorskip("jinja2", reason="the extra `explain` is not installed")
    net = nn.Dense(2, in_units=3)
    net.initialize()
    path = str(tmp_path / "net.html")
    page = mx.explain(net, nd.ones((1, 3)), path=path)
    assert page == path == page.path == os.fspath(page)
    assert repr(page) == repr(path)
    assert type(page.path) is str
    with open(page, encoding="utf-8") as file:
        assert file.read() == page.text
    html = page._repr_html_()
    assert html.count("<iframe") == 1
    assert 'sandbox="allow-scripts"' in html
    assert html.count("<script") == 0                   # it is in the frame's text
    again = pickle.loads(pickle.dumps(page))
    assert (again, again.text) == (page, page.text)
    page.text = "x" * 9_000_000
    assert words(Reader(page._repr_html_())) == (
        f"explained in {path} , open in a browser 9 MB is too large for a cell.")


@pytest.mark.once
def test_the_link_to_an_explained_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path, address in (("a net.html", "a%20net.html"), (tmp_path / "b" / "c.html", "b/c.html"),
                          (tmp_path.parent / "d.html", (tmp_path.parent / "d.html").as_uri())):
        assert f'<a href="{address}" target="_blank">open in a browser</a>' in ExplainedPage(path, "")._repr_html_()
