"""Debug mode: what it finds, what it says, and that nothing of it is there when it is off."""

import numpy as np
import pytest
from helpers.errors import unplaced
from helpers.processes import run_code

import minigluon as mx
from minigluon import autograd, gluon, nd, sym, tape
from minigluon.backend.watchers import watching
from minigluon.base import NotFiniteError, OutOfRangeError
from minigluon.gluon import nn

pytestmark = pytest.mark.usefixtures("fresh_names")


@pytest.fixture
def debugging():
    with mx.debug():
        yield


def text_of(action):
    with pytest.raises(mx.MXNetError) as error:
        action()
    assert isinstance(error.value, (NotFiniteError, OutOfRangeError))
    return unplaced(error.value)


# -- switching --------------------------------------------------------------------------------------------------------


def test_it_is_a_switch_and_a_context():
    zero = nd.zeros((2,))
    assert not mx.debug.is_on()
    mx.debug()
    assert mx.debug.is_on()
    with mx.debug(False):
        assert nd.log(zero).asnumpy()[0] == -np.inf
        with mx.debug(inf=False):
            assert nd.log(zero).asnumpy()[0] == -np.inf
            with pytest.raises(NotFiniteError):
                nd.log(zero - 1)
        assert nd.log(zero).asnumpy()[0] == -np.inf
    with pytest.raises(NotFiniteError):
        nd.log(zero)
    mx.debug(False)
    assert nd.log(zero).asnumpy()[0] == -np.inf


def test_each_check_can_be_left_out():
    weight = nd.ones((3, 2))
    with mx.debug(nan=False):
        assert np.isnan(nd.log(nd.array([-1.0])).asnumpy()[0])
    with mx.debug(indices=False):
        assert nd.take(weight, nd.array([7])).shape == (1, 2)
    with mx.debug(gradients=False):
        x = nd.ones((2,))
        x.attach_grad()
        with autograd.record():
            y = x * 0
        y.backward()


def test_off_nothing_is_left_of_it():
    """Kernels, plans, the tape: all are what they were before."""
    before = tape.observing.observer, watching.watched
    net = nn.Dense(2, in_units=2)
    net.initialize()
    net.hybridize()
    x = nd.ones((3, 2))
    net(x)
    plan = next(iter(net.block_graphs.values())).compiled.last_plan
    with mx.debug():
        net(x)
        assert tape.observing.observer is not None
    assert (tape.observing.observer, watching.watched) == before == (None, None)
    net(x)
    graph = next(iter(net.block_graphs.values())).compiled
    assert graph.last_plan is not plan
    assert str(graph.last_plan) == str(plan)


def test_the_profiler_may_watch_at_the_same_time(debugging):
    mx.profiler.set_state("run")
    try:
        with pytest.raises(NotFiniteError):
            nd.log(nd.ones((2,)) - 1)
        mx.debug(False)
        nd.sqrt(nd.ones((2,)))
    finally:
        mx.profiler.set_state("stop")
    assert "sqrt" in mx.profiler.dumps(reset=True)


@pytest.mark.once
def test_the_environment_switches_it_on():
    done = run_code("import minigluon as mx\nmx.nd.log(mx.nd.zeros((2,)))", MINIGLUON_DEBUG="1")
    assert "NotFiniteError: log: produces -inf from finite inputs, in 2 of 2 elements" in done.stderr


# -- NaN and Inf ------------------------------------------------------------------------------------------------------


def test_the_text_for_nan_and_inf(debugging):
    x = nd.array([[4, -1], [0, 2]])
    assert text_of(lambda: nd.sqrt(x)) == (
        "sqrt: produces nan from finite inputs, in 1 of 4 elements, the first at (0, 1)\n"
        "  inputs: data (2, 2) float32 from -1 to 4")
    assert text_of(lambda: nd.ones((2, 2)) / x) == (
        "broadcast_div: produces inf from finite inputs, in 1 of 4 elements, the first at (1, 0)\n"
        "  inputs: lhs (2, 2) float32 from 1 to 1, rhs (2, 2) float32 from -1 to 4")
    assert text_of(lambda: nd.array([np.inf]) - nd.array([np.inf])) == (
        "broadcast_sub: produces nan from inputs with inf, in 1 of 1 elements, the first at (0,)\n"
        "  inputs: lhs (1,) float32, rhs (1,) float32")
    assert text_of(lambda: nd.array([1, np.nan]) + 1) == (
        "_plus_scalar: input data has nan, which no operator has produced in debug mode: it was in the data, or came "
        "from outside; the result has it in 1 of 2 elements, the first at (1,)\n"
        "  inputs: data (2,) float32 from 1 to 1")


def test_what_is_meant_to_be_infinite_is_let_through(debugging):
    """Masks of attention, and what a program asks for by name."""
    scores = nd.array([[1, -np.inf]])
    assert nd.softmax(scores + 1).asnumpy().tolist() == [[1, 0]]
    assert nd.full((2,), -np.inf).asnumpy().tolist() == [-np.inf] * 2
    assert (nd.ones((1,)) * np.inf).asnumpy().tolist() == [np.inf]
    assert nd.where(nd.array([1, 0]), nd.array([1, 2]), nd.full((2,), -np.inf)).asnumpy().tolist() == [1, -np.inf]
    assert nd.clip(nd.array([np.inf]), 0, 1).asnumpy().tolist() == [1]


def test_results_written_in_place_are_looked_at(debugging):
    x = nd.zeros((80, 80))
    with pytest.raises(NotFiniteError, match="log: produces -inf"):
        nd.log(x, out=x)
    with pytest.raises(NotFiniteError, match="elements, the first at"):
        x /= x


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_types(debugging, dtype):
    with pytest.raises(NotFiniteError, match="exp: produces inf from finite inputs"):
        nd.exp(nd.full((3,), 1e4, dtype=dtype))


def test_a_step_of_the_optimizer(debugging):
    net = nn.Dense(1, in_units=1)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e38})
    with autograd.record():
        loss = (net(nd.ones((1, 1))) * 1e30).sum()
    loss.backward()
    with pytest.raises(NotFiniteError, match="produces -?(inf|nan) from finite inputs"):
        trainer.step(1)


# -- indices and labels -----------------------------------------------------------------------------------------------


def two_classes():
    return nd.ones((3, 2))


@pytest.mark.parametrize(("action", "text"), [
    (lambda: nd.take(two_classes(), nd.array([0, 3])), "take: indices has 3 at (1,), expected 0 to 2; 1 of 2"),
    (lambda: nd.take(two_classes(), nd.array([-1, 9])), "take: indices has -1 at (0,), expected 0 to 2; 2 of 2"),
    (lambda: nd.pick(two_classes(), nd.array([0, 1, 2])), "pick: index has 2 at (2,), expected 0 to 1; 1 of 3"),
    (lambda: nd.batch_take(two_classes(), nd.array([0, 1, 2])), "batch_take: indices has 2 at (2,), expected 0 to 1"),
    (lambda: nd.one_hot(nd.array([3, np.nan]), depth=3), "one_hot: indices has 3 at (0,), expected 0 to 2; 2 of 2"),
    (lambda: nd.SoftmaxOutput(two_classes(), nd.array([0, 1, 2])),
     "SoftmaxOutput: label has 2 at (2,), expected 0 to 1"),
    (lambda: nd.SoftmaxOutput(two_classes(), nd.array([0, 5, -1]), use_ignore=True),
     "SoftmaxOutput: label has 5 at (1,), expected 0 to 1, or -1; 1 of 3"),
    (lambda: gluon.loss.SoftmaxCrossEntropyLoss()(two_classes(), nd.array([0, 1, 2])),
     "pick: index has 2 at (2,), expected 0 to 1; 1 of 3"),
    (lambda: nd.CTCLoss(nd.ones((4, 1, 3)), nd.array([[1, 3]])), "CTCLoss: label has 3 at (0, 1), expected 0 to 2"),
    (lambda: gluon.loss.CTCLoss()(nd.ones((1, 4, 3)), nd.array([[0, 2]])),
     "CTCLoss: label has 2 at (0, 1), expected -1 to 1"),
    (lambda: nd.SequenceMask(nd.ones((3, 1)), nd.array([4]), use_sequence_length=True),
     "SequenceMask: sequence_length has 4 at (0,), expected 0 to 3"),
    (lambda: nd.fill_element_0index(two_classes(), nd.ones((3,)), nd.array([0, 1, 2])),
     "fill_element_0index: rhs has 2 at (2,), expected 0 to 1"),
])
def test_an_index_or_label_out_of_range_is_named(action, text):
    action()                                # without debug mode, the operator passes over it
    with mx.debug(), pytest.raises(OutOfRangeError) as error:
        action()
    assert str(error.value).startswith(text)


def test_what_refuses_by_itself_does_so_in_debug_mode(debugging):
    for action in (lambda: nd.gather_nd(two_classes(), nd.array([[3], [0]])),
                   lambda: nd.Embedding(nd.array([[5]]), two_classes(), input_dim=3, output_dim=2),
                   lambda: nd.softmax_cross_entropy(two_classes(), nd.array([0, 1, 2])),
                   lambda: nd.take(two_classes(), nd.array([3]), mode="raise")):
        with pytest.raises(OutOfRangeError):
            action()


def test_indices_in_range(debugging):
    nd.take(two_classes(), nd.array([5, -1]), mode="wrap")
    nd.SoftmaxOutput(two_classes(), nd.array([0, -1, 1]), use_ignore=True)
    nd.SoftmaxOutput(two_classes(), nd.full((3, 2), 0.5))
    nd.take(two_classes(), nd.zeros((0,)))
    nd.Embedding(nd.array([2, 0], dtype="int32"), two_classes(), input_dim=3, output_dim=2)


# -- where graphs run -------------------------------------------------------------------------------------------------


def test_a_module_names_the_node():
    data = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    net = mx.mod.Module(sym.SoftmaxOutput(data, sym.var("softmax_label"), name="softmax"))
    net.bind([("data", (2, 3))], [("softmax_label", (2,))])
    net.init_params(mx.init.One())
    with mx.debug():
        net.forward(mx.io.DataBatch([nd.ones((2, 3))], [nd.array([1, 1])]), is_train=True)
        net.backward()
        assert text_of(lambda: net.forward(mx.io.DataBatch([nd.ones((2, 3))], [nd.array([0, 2])]))) == (
            "SoftmaxOutput: label has 2 at (1,), expected 0 to 1; 1 of 2 are out of range. Without debug mode, the "
            "operator would use another number\n"
            "  inputs: data (2, 2) float32 from 3 to 3, label (2,) float32 from 0 to 2\n"
            "  node: 'softmax'")
        net.forward(mx.io.DataBatch([nd.zeros((2, 3))], [nd.array([1, 1])]), is_train=True)
        with pytest.warns(UserWarning, match="the gradient of 'fc_weight' is zero everywhere"):
            net.backward()


def test_a_training_step_is_looked_at():
    net, loss = nn.Dense(2, in_units=2), gluon.loss.SoftmaxCrossEntropyLoss()
    for block in (net, loss):
        block.initialize()
        block.hybridize()
    step = gluon.TrainStep(net, loss, gluon.Trainer(net.collect_params(), "sgd"))
    step(nd.ones((1, 2)), nd.array([1]))
    assert step.reason is None
    with mx.debug():
        step(nd.ones((1, 2)), nd.array([1]))
        assert step.reason == "debug mode is on, which checks each operator"
        assert text_of(lambda: step(nd.ones((1, 2)), nd.array([2]))).startswith("pick: index has 2 at (0,)")
    step(nd.ones((1, 2)), nd.array([1]))
    assert step.reason is None


def test_results_are_those_without_it():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="tanh", in_units=3), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(1))
    net.initialize()
    net.hybridize()
    x = nd.array(np.random.randn(6, 3))
    net(x)

    def gradient():
        mx.random.seed(1)
        with autograd.record():
            y = net(x).sum()
        y.backward()
        return net[0].weight.grad().asnumpy().copy()
    expected = gradient()
    with mx.debug():
        np.testing.assert_allclose(gradient(), expected, rtol=1e-4, atol=1e-6)


# -- lost gradients ---------------------------------------------------------------------------------------------------


def test_the_warning_about_a_lost_gradient(debugging):
    net = nn.Dense(2, in_units=2, prefix="net_")
    net.initialize()
    with autograd.record():
        y = nd.BlockGrad(net(nd.ones((1, 2)))).sum() + net.bias.data().sum()
    with pytest.warns(UserWarning, match="zero everywhere") as caught:
        y.backward()
    (warning,) = caught
    assert unplaced(warning.message) == ("debug mode: the gradient of parameter 'net_weight' of Dense 'net' is zero "
                                         "everywhere: BlockGrad turns it into zeros")
    assert warning.filename == __file__


def test_nothing_arrives_at_all(debugging):
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = x * 2
    with pytest.warns(UserWarning, match=r"the gradient of an array of shape \(2, 3\) with attach_grad\(\) is zero "
                                         "everywhere: the head gradients are zero"):
        y.backward(nd.zeros((2, 3)))


def test_a_parameter_whose_gradient_never_came_is_named_by_the_trainer(debugging):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2, in_units=2), nn.Dense(2, in_units=2))
    net.initialize()
    with autograd.record():
        y = net[0](nd.ones((1, 2))).sum()
    y.backward()
    with pytest.raises(mx.MXNetError, match="net_dense1_weight"):
        gluon.Trainer(net.collect_params(), "sgd").step(1)
