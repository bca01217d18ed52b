"""A plan whose lengths are names gives what a plan for one shape gives, bit for bit, for any sequence of shapes."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn
from minigluon.hybrid.symbolic import shape_families
from minigluon.ops.array.slicing import span
from minigluon.ops.symbolic_dimensions import Formulas, Scope


class Attention(gluon.HybridBlock):
    """One head over a growing cache: a query (1, q, d), keys and values (1, t, d), of which the last are new."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.norm = nn.LayerNorm(in_channels=8)
        self.proj = nn.Dense(8, flatten=False, in_units=8)

    def hybrid_forward(self, F, x, keys, values):
        q = self.norm(x)
        keys, values = F.concat(keys, q, dim=1), F.concat(values, self.proj(q), dim=1)
        scores = F.softmax(F.batch_dot(q, keys, transpose_b=True) / 8 ** 0.5)
        return self.proj(F.batch_dot(scores, values)) + x, keys, values


class Reshaping(gluon.HybridBlock):
    """Heads by reshape with -1 and 0, a transpose, a sum over the length, and a result like the data."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(12, flatten=False, in_units=6, activation="tanh")

    def hybrid_forward(self, F, x):
        y = self.dense(x).reshape((0, -1, 3, 4)).transpose((0, 2, 1, 3))
        mean = y.mean(axis=2, keepdims=True)
        return F.broadcast_sub(y, mean).reshape((-3, 0, 0)), mean * 2, F.ones_like(y).sum(axis=(1, 2))


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", flatten=False, in_units=6), nn.LayerNorm(in_channels=8),
            nn.Dense(6, flatten=False, in_units=8), nn.GELU(), nn.Dropout(0.5))
    return net


def images():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1, in_channels=2, activation="relu"), nn.MaxPool2D(2), nn.BatchNorm(in_channels=4),
            nn.Conv2D(3, 1, in_channels=4), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(5, in_units=3))
    return net


NETS = {"mlp": (mlp, lambda n, t: [(n, t, 6)]), "images": (images, lambda n, t: [(n, 2, t + 3, 7)]),
        "attention": (Attention, lambda n, t: [(1, n, 8), (1, t, 8), (1, t, 8)]),
        "reshaping": (Reshaping, lambda n, t: [(n, t, 6)])}


def results(net, arrays, record, train):
    """The outputs, and with record the gradients of data and parameters."""
    arrays = [nd.array(x) for x in arrays]
    parameters = [p for p in net.collect_params().values() if p.grad_req != "null"]
    mx.random.seed(3)
    if not record:
        with autograd.train_mode() if train else autograd.predict_mode():
            outputs = net(*arrays)
        return [y.asnumpy() for y in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
    for x in arrays:
        x.attach_grad()
    with autograd.record(train_mode=train):
        outputs = net(*arrays)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        loss = sum((y * y).sum() for y in outputs)
    loss.backward()
    return [y.asnumpy() for y in (*outputs, *[x.grad for x in arrays], *[p.grad() for p in parameters])]


@pytest.mark.parametrize("name", NETS)
@settings(max_examples=6, deadline=None)
@given(sizes=st.lists(st.tuples(st.integers(1, 20), st.integers(1, 40), st.booleans(), st.booleans()), min_size=3,
                      max_size=8))
def test_any_sequence_of_shapes(name, sizes):
    make, shapes = NETS[name]
    by_shape, net = make(), make()
    for block in (by_shape, net):
        mx.random.seed(1)
        block.initialize(init=mx.init.Uniform(0.5))
    net.hybridize()
    rng = np.random.default_rng(0)
    for n, t, record, train in sizes:
        arrays = [rng.standard_normal(shape).astype("float32") for shape in shapes(n, t)]
        by_shape.hybridize()            # anew: it has seen no shape
        for found, expected in zip(results(net, arrays, record, train), results(by_shape, arrays, record, train),
                                   strict=True):
            np.testing.assert_array_equal(found, expected)


# -- what a block tells of its shapes -------------------------------------------------------------------------------

class Sums(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.contrib.foreach(lambda row, total: (row + total, row + total), x, 0 * x.sum(axis=0))[0]


def lines_of(net, shapes):
    """`CachedOp.shapes` after calls with arrays of ones of these shapes."""
    net.initialize(force_reinit=True)
    net.hybridize()
    for shape in shapes:
        net(nd.ones(shape))
    (graph,) = set(net.block_graphs.values())
    return graph.compiled.shapes()


def test_one_shape_never_leaves_the_plain_way():
    """What shares plans between shapes is first asked at the second shape: a reader of the first call can leave it."""
    net = nn.Dense(4, flatten=False, in_units=5)
    net.initialize()
    net.hybridize()
    entered = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: entered.add(Path(frame.f_code.co_filename).parent.name))
    try:
        for _ in range(2):
            with autograd.record():
                y = net(nd.ones((2, 5)))
            y.backward()
        net(nd.ones((2, 5)))
        assert "symbolic" not in entered
        net(nd.ones((3, 5)))
        assert "symbolic" in entered
    finally:
        sys.setprofile(before)


def test_shapes_are_told_by_name():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, flatten=False), nn.LayerNorm())
    assert lines_of(net, [(2, 3, 5)]) == []
    assert lines_of(net, [(2, 3, 5), (2, 4, 5), (2, 40, 5)]) == ["one plan for data 2 × N × 5"]
    assert lines_of(net, [(2, 3, 5), (4, 7, 5)]) == ["one plan for data N × L × 5"]
    assert lines_of(net, [(3, 3, 5), (4, 4, 5)]) == ["one plan for data N × N × 5"]


def test_lengths_that_were_equal_and_are_not_have_a_plan_of_their_own():
    net = nn.Dense(4, flatten=False, in_units=5)
    assert lines_of(net, [(3, 3, 5), (4, 4, 5), (5, 6, 5)]) == ["one plan for data N × L × 5",
                                                               "one plan for data N × N × 5"]


def test_a_graph_that_needs_the_number_has_a_plan_for_each_shape_and_says_why():
    assert lines_of(Sums(), [(3, 2), (4, 2), (5, 2)]) == [
        "a plan for each shape: the number that N stands for is needed"]


def test_a_shape_that_does_not_fit_is_refused_as_ever():
    net = nn.Dense(4, flatten=False, in_units=5)
    lines_of(net, [(3, 5), (4, 5)])
    with pytest.raises(mx.MXNetError, match="ShapeError|shape"):
        net(nd.ones((3, 6)))
    assert net(nd.ones((9, 5))).shape == (9, 4)


def test_memory_of_many_sizes_is_bounded(monkeypatch):
    monkeypatch.setattr(shape_families, "MAX_BLOCKS", 3)
    net = nn.HybridSequential()
    net.add(nn.Dense(4, flatten=False, in_units=5), nn.Dense(4, flatten=False, in_units=4))
    lines_of(net, [(n, 5) for n in range(2, 30)] * 2)
    (graph,) = set(net.block_graphs.values())
    plans = [runner.plan for runners in graph.compiled._plans.values() for runner in runners.values()]
    assert len(plans) == 28
    assert sum(map(len, {id(plan.pool): plan.pool for plan in plans}.values())) <= 3 + 1    # the first one has no names


class Bound(gluon.HybridBlock):
    """Kernels in front of, at and behind one that refuses values: an index out of range is for the reference."""

    def hybrid_forward(self, F, x, places):
        return F.batch_take(F.softmax(x * 2), places) * 3, F.exp(x)


def sized(net):
    """The last plan, which is one of many sizes where the backend's programs run without Python."""
    (graph,) = set(net.block_graphs.values())
    return graph.compiled.last_plan


def test_what_a_kernel_refuses_is_answered_at_any_size():
    kept, fresh = Bound(), Bound()
    kept.hybridize()
    for n in (3, 4, 5, 6, 5):
        x, places = nd.random.uniform(shape=(n, 4)), nd.arange(n) % 4
        for a, b in zip(kept(x, places), fresh(x, places), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
        outcomes = []
        for net in (kept, fresh):
            try:
                outcomes.append(net(x, places + 9)[0].asnumpy())
            except mx.MXNetError as error:
                outcomes.append(str(error).splitlines()[0].split(":")[-1])
        np.testing.assert_array_equal(*outcomes)
    assert [step.op.name for step in sized(kept).steps][-1]
    assert sized(kept).memory.size > 0


def test_backward_again_and_calls_in_between_at_new_sizes():
    """Values that wait for a backward are not those of the next call, which has the same memory afterwards."""
    nets = [mlp_without_dropout() for _ in range(2)]
    for mine, theirs in zip(nets[1].collect_params().values(), nets[0].collect_params().values(), strict=True):
        mine.set_data(theirs.data())
    nets[0].hybridize()
    for n in (3, 5, 4, 9, 17, 16):
        rows = []
        for net in nets:
            mx.random.seed(n)
            x, z = nd.random.normal(shape=(n, 6)), nd.random.normal(shape=(n + 1, 6))
            x.attach_grad()
            with autograd.record():
                y = net(x)
                other = net(z)
            y.backward(retain_graph=True)
            first = x.grad.copy()
            net(z)
            other.backward()
            y.backward(y * 2)
            rows.append([v.asnumpy() for v in (y, other, first, x.grad)])
        for a, b in zip(*rows, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def mlp_without_dropout():
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=6), nn.LayerNorm(in_channels=8), nn.Dense(3, in_units=8))
    net.initialize(mx.init.Xavier())
    return net


def test_a_window_that_becomes_the_whole_image():
    """At 3 its kernel is another one, which adds up in another order."""
    nets = [nn.HybridSequential() for _ in range(2)]
    for net in nets:
        net.add(nn.AvgPool2D(3, 2))
        net.hybridize()
    for n in (5, 20, 3):
        x = nd.random.uniform(shape=(2, 2, n, n))
        nets[1].hybridize()
        np.testing.assert_array_equal(*[net(x).asnumpy() for net in nets])


def test_quotients_of_lengths_that_are_numbers():
    n = Scope({"N": 6}).length("N")
    assert (128 * n + 128) / (2 * n + 2) == 64.0
    for make in (lambda: n / (n + 1), lambda: n / 2, lambda: 2 / n):
        with pytest.raises(mx.MXNetError, match="the number that N"):
            make()


# -- Lengths --------------------------------------------------------------------------------------------------------

OPERATIONS = ["({} + {})", "({} - {})", "({} * {})", "({} // ({} or 1))", "({} % ({} or 1))", "max({}, {})",
              "min({}, {})", "-(-{} // ({} or 3))"]
LINES = st.recursive(
    st.sampled_from(["N", "L", "1", "2", "3", "7", "16"]),
    lambda inner: st.tuples(st.sampled_from(OPERATIONS), inner, inner).map(lambda t: t[0].format(*t[1:])), max_leaves=6)


@settings(max_examples=40, deadline=None)
@given(line=LINES, example=st.tuples(st.integers(2, 40), st.integers(2, 40)),
       values=st.lists(st.tuples(st.integers(2, 40), st.integers(2, 40)), max_size=20))
def test_formulas_are_the_arithmetic_wherever_their_conditions_hold(line, example, values):
    scope = Scope(dict(zip("NL", example, strict=True)))
    names = {name: scope.length(name) for name in "NL"}
    formulas = Formulas(["N", "L"], [eval(line, {}, names)], scope.conditions)
    assert formulas(*example) == [eval(line, {}, dict(zip("NL", example, strict=True)))]
    for pair in values:
        found = formulas(*pair)
        assert found is None or found == [eval(line, {}, dict(zip("NL", pair, strict=True)))]


@pytest.mark.parametrize("action", [range, float, int, np.empty, lambda n: [0] * n, lambda n: n / 2, "abc".__getitem__])
def test_what_needs_the_number_is_told(action):
    scope = Scope({"N": 2})
    with pytest.raises((mx.MXNetError, TypeError)):
        action(scope.length("N"))


@given(n=st.integers(0, 12), parts=st.tuples(*[st.none() | st.integers(-15, 15)] * 2),
       step=st.none() | st.sampled_from([1, 2, 3, -1, -2]))
def test_span_is_that_of_a_slice(n, parts, step):
    key = slice(*parts, step)
    first, count, by = span(key, n)
    assert [first + by * k for k in range(count)] == list(range(*key.indices(n)))
