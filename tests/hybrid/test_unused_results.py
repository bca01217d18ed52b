"""A hybridized block is one graph: parameters that lead only to unused results get gradients of zeros, as in MXNet.

So a step finds them fresh, and weight decay and momentum go on. The numbers are those of MXNet 1.9.1.
"""

import pytest

from minigluon import autograd, gluon, init, nd
from minigluon.gluon import nn
from minigluon.gluon.trainer import StaleGradientError

STEPS = 3


class Halves(gluon.HybridBlock):
    """Two parameters w and v of three ones; a subclass says what it computes of them."""

    def __init__(self):
        super().__init__()
        self.w, self.v = self.params.get("w", shape=(3,)), self.params.get("v", shape=(3,))


class TwoResults(Halves):
    def hybrid_forward(self, F, x, w, v):
        return F.broadcast_mul(x, w), F.relu(F.broadcast_mul(x, v))


class Blocked(Halves):
    def hybrid_forward(self, F, x, w, v):
        return F.broadcast_mul(x, w), F.BlockGrad(F.relu(F.broadcast_mul(x, v)))


class Branches(Halves):
    def hybrid_forward(self, F, x, w, v):
        return F.contrib.cond(F.sum(x) > 0, lambda: F.relu(F.broadcast_mul(x, w)),
                              lambda: F.relu(F.broadcast_mul(x, v)))


class Chosen(Halves):
    """Runs node by node, as the shape of a mask depends on values."""

    def hybrid_forward(self, F, x, w, v):
        return F.contrib.boolean_mask(F.broadcast_mul(x, w), F.ones((1,))), F.relu(F.broadcast_mul(x, v))


class TwoOperators(Halves):
    def hybrid_forward(self, F, x, w, v):
        return F.broadcast_mul(x, w), F.broadcast_mul(x, v)


class NotReturned(Halves):
    def hybrid_forward(self, F, x, w, v):
        F.relu(F.broadcast_mul(x, v))
        return F.relu(F.broadcast_mul(x, w)) + 0


class BranchesAndOnes(Halves):
    """Runs node by node, and has a result that follows from nothing."""

    def hybrid_forward(self, F, x, w, v):
        y = F.contrib.cond(F.sum(x) > 0, lambda: F.broadcast_mul(x, w), lambda: F.broadcast_mul(x, v))
        return F.ones((1, 3)), y


class Encoder(nn.HybridSequential):
    """A layer, and a pooler that not every user needs."""

    def __init__(self):
        super().__init__()
        self.layer, self.pooler = nn.Dense(2, in_units=3), nn.Dense(2, in_units=2, activation="tanh")

    def hybrid_forward(self, F, x):
        y = self.layer(x)
        return y, self.pooler(y)


class Outer(gluon.Block):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def forward(self, x):
        return self.encoder(x)[0]


def trained(net, ignore_stale_grad=False, **flags):
    """The first element of each parameter after three steps with decay and momentum; the loss uses the first result."""
    net.initialize(init.One())
    net.hybridize(**flags)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 0.1, "momentum": 0.9})
    for _ in range(STEPS):
        with autograd.record():
            results = net(nd.array([[1.0, 2, 3]]))
            loss = ((results[0] if isinstance(results, (list, tuple)) else results) ** 2).sum()
        loss.backward()
        trainer.step(1, ignore_stale_grad)
    return [float(p.data().reshape((-1,))[0].asscalar()) for p in net.collect_params().values()]


@pytest.mark.parametrize("block", [TwoResults, Blocked, Branches, Chosen])
def test_what_leads_only_to_unused_results_decays(block):
    assert trained(block()) == pytest.approx([0.024318993, 0.94437903], rel=1e-5)


@pytest.mark.parametrize("block", [TwoResults, Branches, Chosen])
def test_ignore_stale_grad_changes_nothing(block):
    assert trained(block(), ignore_stale_grad=True) == pytest.approx([0.024318993, 0.94437903], rel=1e-5)


def test_a_pooler_inside_a_plain_block():
    for ignore_stale_grad in (False, True):
        assert trained(Outer(), ignore_stale_grad) == pytest.approx([0.6992193, -0.2451599, 0.94437903, 0], rel=1e-5)


def test_a_graph_of_two_operators_runs_as_if_they_were_called():
    with pytest.raises(StaleGradientError, match="_v"):
        trained(TwoOperators())
    assert trained(TwoOperators(), ignore_stale_grad=True) == pytest.approx([0.024318993, 1], rel=1e-5)
    assert trained(TwoOperators(), static_alloc=True) == pytest.approx([0.024318993, 0.94437903], rel=1e-5)


def test_what_is_not_returned_is_not_in_the_graph():
    with pytest.raises(StaleGradientError, match="_v"):
        trained(NotReturned())


def test_a_symbol_of_a_recorded_call_has_no_more_nodes():
    net = Branches()
    net.initialize(init.One())
    net.hybridize()
    with autograd.record():
        y = net(nd.ones((1, 3)))
    assert [name.rstrip("0123456789") for name in autograd.get_symbol(y).list_arguments()] == ["null", "var"]


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "sign", "floor", "BlockGrad"])
@pytest.mark.parametrize("hybridize", [False, True])
def test_a_loss_has_its_gradient_where_zeros_arrive(name, hybridize):
    net = nn.HybridLambda(lambda F, x: getattr(F, name)(F.tile(F.MakeLoss(x, grad_scale=0.5), reps=(2,))))
    net.hybridize(hybridize)
    x = nd.array([1.5, 2])
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [0.5, 0.5]


@pytest.mark.parametrize("train_mode", [True, False])
@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("function", [lambda F, y: F.zeros_like(y) + 1, lambda F, y: F.ones_like(F.relu(y)) * 2,
                                      lambda F, y: F.slice_like(F.ones((9, 9)), y)])
def test_statistics_move_where_only_the_shape_of_a_normalization_is_read(function, wanted, train_mode):
    class Normalized(gluon.HybridBlock):
        def hybrid_forward(self, F, x, ones, zeros, mean, var):
            return function(F, F.BatchNorm(x, ones, zeros, mean, var, momentum=0.5))

    x, mean, net = nd.array([[1.0, 2, 3], [3, 4, 5]]), nd.zeros((3,)), Normalized()
    net.hybridize()
    if wanted:
        x.attach_grad()
    with autograd.record(train_mode=train_mode):
        net(x, nd.ones((3,)), nd.zeros((3,)), mean, nd.ones((3,)))
    assert mean.asnumpy().tolist() == ([1, 1.5, 2] if train_mode else [0, 0, 0])


def stepped(net):
    """The first element of each parameter after a step whose loss is a product with the first result of two blocks."""
    scale, trainer = nd.ones((3,)), gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 0.1})
    scale.attach_grad()
    with autograd.record():
        loss = (net(nd.array([[1.0, 2, 3]])) * scale).sum()
    loss.backward()
    trainer.step(1)
    return [float(p.data().asnumpy().flat[0]) for p in net.collect_params().values()]


@pytest.mark.parametrize(("block", "values"), [(lambda: First(BranchesAndOnes()), [0.99, 0.99]),
                                               (lambda: After(BranchesAndOnes()), [0.99, 0.99, 0.89, 0.99])])
def test_a_result_that_depends_on_nothing_is_one_of_its_graph(block, values):
    net = block()
    net.initialize(init.One())
    net.hybridize()
    assert stepped(net) == pytest.approx(values)


class First(gluon.Block):
    """The first result of a block."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x):
        return self.block(x)[0]


class After(gluon.Block):
    """Another block that runs node by node takes it."""

    def __init__(self, block):
        super().__init__()
        self.block, self.other = block, Branches()

    def forward(self, x):
        return self.other(self.block(x)[0])
