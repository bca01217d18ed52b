"""Passes of a program: registered, used by name in blocks, steps and symbols, replaced and removed again."""

import threading

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon import symbol as sym
from minigluon.base import ArgumentError, MXNetError
from minigluon.gluon import nn
from minigluon.hybrid import PASSES, register_pass, unregister_pass
from minigluon.hybrid.registered_passes import is_registered, passes_for
from minigluon.symbol.rewrite import Rewriter


class Doubling(Rewriter):
    """sin(2 x) in the place of sin(x): a pass that can be seen in the result."""

    def replace(self, node):
        new = super().replace(node)
        if node.op is None or node.op.name != "sin":
            return new
        double = (sym.Symbol([new.inputs[0]]) * 2).heads[0]
        if self.specs:
            self.specs[double] = self.specs[node, 0]
        return new.with_inputs([double])


@pytest.fixture
def doubled():
    @register_pass("double")
    def double(draft):
        return draft.after("double", Doubling(draft.graph, draft.specs).rewritten())
    yield double
    if is_registered("double"):
        unregister_pass("double")


def sine(**flags):
    block = nn.HybridLambda(lambda F, x: F.sin(x))
    block.hybridize(**flags)
    return block


X = nd.array([[0.1, 0.2, 0.3]])
ONCE, TWICE = np.sin(X.asnumpy()), np.sin(2 * X.asnumpy())


def near(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("flags", [{"passes": ["double"]}, {"backend": "double"}])
def test_a_block_uses_a_pass_by_its_name(doubled, flags):
    near(sine(**flags)(X), TWICE)
    near(sine()(X), ONCE)


def test_gradients_are_derived_from_what_it_returns(doubled):
    x = X.copy()
    x.attach_grad()
    with autograd.record():
        y = sine(passes=["double"])(x)
    y.backward()
    near(x.grad, 2 * np.cos(2 * X.asnumpy()))


def test_before_another_pass():
    seen = []

    @register_pass("watch", before="fuse")
    def watch(draft):
        seen.append([node.op.name for node in draft.graph.nodes() if node.op is not None])
        return draft
    sine(passes=["watch"])(X)
    unregister_pass("watch")
    assert len(seen) == 1
    assert seen[0]
    with pytest.raises(ArgumentError, match="register_pass: there is no pass 'fusion' to run before, but unroll, "):
        register_pass("late", before="fusion")


def test_plans_notice_that_a_pass_is_registered_anew_and_removed(doubled):
    block = sine(passes=["double"])
    near(block(X), TWICE)
    register_pass("double")(lambda draft: draft)
    near(block(X), ONCE)
    register_pass("double")(doubled)
    near(block(X), TWICE)
    unregister_pass("double")
    near(block(X), ONCE)
    with pytest.raises(ArgumentError, match="no pass is registered as 'double', but none"):
        unregister_pass("double")


def test_names_that_nobody_has_registered():
    block = sine()
    with pytest.raises(ArgumentError, match="no pass is registered as 'double'"):
        block.hybridize(passes=["double"])
    with pytest.raises(MXNetError, match="hybridize\\(backend='TensorRT'\\) names a library"):
        block.hybridize(backend="TensorRT")


def test_optimize_for_looks_up_the_same_names(doubled):
    block = nn.HybridLambda(lambda F, x: F.sin(x))
    block.optimize_for(X, backend="double")
    near(block(X), TWICE)
    graph = sym.sin(sym.var("x"))
    for optimized in (graph.optimize_for("double"), graph.optimize_for("double", args={"x": X}),
                      graph.optimize_for("double", [X]), graph.get_backend_symbol("double")):
        near(optimized.eval(x=X)[0], TWICE)
    near(graph.eval(x=X)[0], ONCE)


def test_a_whole_training_step_uses_it(doubled):
    found = []
    for flags in ({}, {"passes": ["double"]}):
        net = nn.HybridSequential()
        net.add(nn.Dense(2, in_units=3, weight_initializer=mx.init.One()), nn.HybridLambda(lambda F, x: F.sin(x)))
        net.initialize()
        net.hybridize(**flags)
        loss = gluon.loss.L2Loss()
        loss.hybridize()
        step = gluon.TrainStep(net, loss, gluon.Trainer(net.collect_params(), "sgd"))
        found.append(step(X, nd.zeros((1, 2))).asscalar())
        assert step.reason is None
    np.testing.assert_allclose(found, [np.sin(0.6) ** 2 / 2, np.sin(1.2) ** 2 / 2], rtol=1e-5)


def test_new_shapes_use_it(doubled):
    block = sine(passes=["double"])
    for length in range(1, 8):
        x = nd.random.uniform(shape=(length, 3))
        near(block(x), np.sin(2 * x.asnumpy()))


def test_a_cached_op_takes_it_as_a_flag(doubled):
    near(nd.CachedOp(sym.sin(sym.var("x")), {"passes": ["double"]})(X), TWICE)


def test_the_order_is_that_of_the_names():
    register_pass("first")(first := lambda draft: draft)
    register_pass("second")(second := lambda draft: draft)
    try:
        passes = passes_for({"passes": ["first", "second"]})
        place = [pass_.__name__ for pass_ in passes].index("differentiate")
        assert passes[place - 2:place] == [first, second]
        assert [pass_ for pass_ in passes if pass_ not in (first, second)] == PASSES
    finally:
        unregister_pass("first")
        unregister_pass("second")


def test_threads_register_and_compile_at_the_same_time(doubled):
    """Whoever compiles sees the pass or not; nobody keeps a plan with a pass that is gone."""
    blocks, errors, done = [sine(passes=["double"]) for _ in range(4)], [], threading.Event()

    def call(block):
        while not done.is_set():
            y = block(X).asnumpy()
            if not (np.allclose(y, ONCE) or np.allclose(y, TWICE)):
                errors.append(y)
    threads = [threading.Thread(target=call, args=(block,)) for block in blocks]
    for thread in threads:
        thread.start()
    for _ in range(20):
        unregister_pass("double")
        register_pass("double")(doubled)
    unregister_pass("double")
    done.set()
    for thread in threads:
        thread.join()
    assert not errors
    for block in blocks:
        near(block(X), ONCE)
