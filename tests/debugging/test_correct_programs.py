"""What a correct program does runs in debug mode as it does without: the same results, no error, only true warnings."""

import warnings

import numpy as np
import pytest
from helpers.errors import unplaced

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import NotFiniteError, OutOfRangeError
from minigluon.contrib import amp
from minigluon.gluon import nn

pytestmark = pytest.mark.usefixtures("fresh_names")


def same_results(program):
    """Run it without debug mode and with it; returns the texts of the warnings that debug mode gives."""
    expected = program()
    with mx.debug(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = program()
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    return [unplaced(warning.message) for warning in caught]


def gradient(function, *values, dtype="float32"):
    x = nd.array(values, dtype=dtype)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    return x.grad.asnumpy().astype("float64")


# -- NaN and Inf ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [nd.arctan, nd.softsign, nd.erf, nd.arcsinh,
                                      lambda x: nd.LeakyReLU(x, act_type="gelu")])
def test_a_gradient_that_overflows_on_the_way_alone(function):
    """1 / (1 + x²) is 0 in float16 where x² is inf: that is no mistake, as the gradient is finite."""
    assert same_results(lambda: gradient(function, 1, 10000, dtype="float16")) == []


def test_the_gradient_itself_is_looked_at():
    with mx.debug(), pytest.raises(NotFiniteError, match="produces inf from finite inputs") as error:
        gradient(nd.sqrt, 4, 0)
    assert "in the backward pass of: sqrt" in str(error.value)


@pytest.mark.parametrize("move", [
    lambda x: x.copy(), lambda x: x[0:2], lambda x: x.reshape((-1,)), lambda x: x.T, lambda x: x.astype("float64"),
    lambda x: nd.concat(x, x, dim=0), lambda x: nd.stack(x, x), lambda x: nd.take(x, nd.array([1])),
    lambda x: nd.tile(x, (2,)), lambda x: nd.where(nd.ones_like(x), x, x)])
def test_nan_that_stands_for_missing_is_moved(move):
    """What computes with it is named; what puts it elsewhere is not."""
    def program():
        y = move(nd.array([[1, np.nan], [2, 3]]))
        return nd.where(y == y, y, nd.zeros_like(y)).asnumpy()
    assert same_results(program) == []
    with mx.debug(), pytest.raises(NotFiniteError, match="_plus_scalar: input data has nan"):
        move(nd.array([[1, np.nan], [np.nan, 3]])) + 1


def test_nan_by_name():
    with mx.debug():
        assert np.isnan((nd.ones((1,)) * np.nan).asscalar())


@pytest.mark.parametrize("softmax", [nd.softmax, nd.log_softmax])
def test_a_masked_softmax(softmax):
    def program():
        mask = nd.array([[1, 1, 0], [1, 0, 0]])
        return gradient(lambda x: nd.pick(softmax(nd.where(mask, x, nd.full((2, 3), -np.inf))), nd.array([0, 0])),
                        [1, 2, 3], [3, 2, 1])
    assert same_results(program) == []


def test_a_loss_that_is_scaled_may_overflow():
    """The step looks for it and is skipped. NaN that is made out of finite numbers is a mistake all the same."""
    net = nn.Dense(1, in_units=1, use_bias=False)
    net.initialize(mx.init.One())
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    trainer._amp_loss_scaler, trainer._amp_original_scale = amp.LossScaler(), trainer._scale

    def step(number, through=lambda y: y):
        with autograd.record():
            y = through(net(nd.full((1, 1), number)).astype("float16")).astype("float32")
            with amp.scale_loss(y, trainer) as scaled:
                scaled.backward()
        trainer.step(1)
        return net.weight.data().asnumpy()
    assert same_results(lambda: step(2.0)) == []        # 2 · 65536 is inf in float16
    assert net.weight.data().asscalar() == 1
    with mx.debug(), pytest.raises(NotFiniteError, match="produces nan from finite inputs"):
        step(2.0, lambda y: nd.sqrt(y - 3))
    with mx.debug(), pytest.raises(NotFiniteError, match="from finite inputs"):
        nd.ones((1,)) / 0                               # and afterwards, Inf is one again


# -- indices and labels -----------------------------------------------------------------------------------------------


def classes():
    return nd.array([[1, 2], [3, 4], [5, 6]])


def weighted_loss():
    label = nd.array([0, -1, 1])
    return gluon.loss.SoftmaxCrossEntropyLoss()(classes(), label, (label >= 0).reshape((3, 1))).asnumpy()


@pytest.mark.once
@pytest.mark.parametrize(("program", "text"), [
    (weighted_loss, "pick: index has -1, expected 0 to 1"),
    (lambda: nd.Embedding(nd.array([2, -1]), classes(), input_dim=3, output_dim=2).asnumpy(),
     "Embedding: data has -1, expected 0 to 2"),
    (lambda: nd.one_hot(nd.array([2, -1]), depth=3).asnumpy(), "one_hot: indices has -1, expected 0 to 2"),
])
def test_filling_of_minus_one_is_a_warning(program, text):
    (found,) = same_results(program)
    assert found.split("\n")[0] == (
        f"debug mode: {text}. That is correct only for padding whose result is ignored later, by a mask or a weight of "
        "0")


@pytest.mark.once
def test_the_warning_of_filling_names_block_and_line():
    with mx.debug(), pytest.warns(UserWarning, match="index has -1") as caught:
        weighted_loss()
    assert "\n  block: SoftmaxCrossEntropyLoss 'softmaxcrossentropyloss0'\n  line: " in str(caught[0].message)


@pytest.mark.once
def test_another_number_beside_the_filling_is_an_error():
    with mx.debug(), pytest.raises(OutOfRangeError, match="one_hot: indices has -1 at"):
        nd.one_hot(nd.array([-1, 3]), depth=3)


@pytest.mark.once
@pytest.mark.parametrize(("label", "attributes", "lengths"), [
    ([[1, 0, 9]], {}, []),                                                      # behind the first 0
    ([[0, -1, 9]], {"blank_label": "last"}, []),                                # behind the first -1
    ([[1, -7, 9]], {"use_label_lengths": True}, [1]),
    ([[1, -7, 9]], {"use_data_lengths": True, "use_label_lengths": True}, [4, 1]),
])
def test_labels_behind_the_end_of_a_sequence(label, attributes, lengths):
    arrays = [nd.array([n]) for n in lengths]
    assert same_results(lambda: nd.CTCLoss(nd.ones((4, 1, 3)), nd.array(label), *arrays, **attributes).asnumpy()) == []


# -- graphs -----------------------------------------------------------------------------------------------------------


def test_results_of_a_hybridized_block_have_memory_of_their_own():
    def program():
        net = nn.HybridLambda(lambda F, x: [x, F.exp(x), x.reshape((-1,)), F.exp(x).reshape((-1,))])
        net.hybridize()
        x = nd.array([[1, 2]])
        results = net(x)
        for i, y in enumerate(results):
            y[:] = i
        return np.concatenate([array.asnumpy().ravel() for array in [x, *results]])
    assert same_results(program) == []


# -- lost gradients ---------------------------------------------------------------------------------------------------


@pytest.mark.once
@pytest.mark.parametrize("hybrid", [False, True])
def test_the_operator_that_passes_none_on_is_named_and_not_those_behind_it(hybrid):
    """Behind argsort, everything is a constant: astype and + have done nothing."""
    class Choice(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.scale, self.score = (self.params.get(name, shape=(3,), init="ones") for name in ("scale", "score"))

        def hybrid_forward(self, F, x, scale, score):
            return x * scale * (F.argsort(x * score, axis=1).astype("float32") + 1)

    net = Choice(prefix="choice_")
    net.initialize()
    net.hybridize(hybrid)
    (text,) = same_results(lambda: _score_gradient(net))
    assert text.startswith("debug mode: the gradient of parameter 'choice_score' of Choice 'choice' is zero "
                           "everywhere: argsort does not pass on a gradient")


def _score_gradient(net):
    with autograd.record():
        y = net(nd.array([[1, 2, 3]]))
    y.backward()
    return net.score.grad().asnumpy()


@pytest.mark.once
def test_a_label_has_no_gradient_where_it_is_looked_up():
    def program():
        return gradient(lambda label: gluon.loss.SoftmaxCrossEntropyLoss()(classes(), label), 0, 1, 1)
    (text,) = same_results(program)
    assert text.startswith("debug mode: the gradient of an array of shape (3,) with attach_grad() is zero everywhere: "
                           "pick does not pass on a gradient")


@pytest.mark.once
def test_each_parameter_is_named_once():
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize()

    def program():
        for _ in range(3):
            with autograd.record():
                y = net(nd.zeros((1, 2)))
            y.backward()
        return net.weight.grad().asnumpy()
    assert len(same_results(program)) == 1
    assert len(same_results(program)) == 1
