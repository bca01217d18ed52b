"""Mistakes of calls: each is an MXNetError that says what, where, what was expected and found, and what to write."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, AutogradError, CallError, MXNetError
from minigluon.diagnostics import strictness
from minigluon.gluon import nn, rnn

pytestmark = pytest.mark.once

X, SEQUENCE = nd.ones((2, 3)), nd.ones((2, 5, 3))


def cell(cls=rnn.LSTMCell, hybridized=False):
    made = cls(4, input_size=3, prefix="cell_")
    made.initialize()
    if hybridized:
        made.hybridize()
    return made


def error_of(call):
    with pytest.raises(MXNetError) as error:
        call()
    return error.value


STATES = "expected a list of {}, as returned by begin_state(batch_size=2)"


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize(("cls", "count"), [(rnn.RNNCell, 1), (rnn.GRUCell, 1), (rnn.LSTMCell, 2)])
def test_states_that_are_no_list(cls, count, hybridized):
    begin = f"{cls.__name__} 'cell': states is "
    step = cell(cls, hybridized)
    for states, found in [(nd.zeros((2, 4)), "an array of shape (2, 4), "), ([], "a list of 0, "), (None, "missing, "),
                          ("no", "of type str, ")]:
        assert str(error_of(lambda given=states: step(X, given))) == begin + found + STATES.format(count)
    assert str(error_of(lambda: step(X))) == begin + "missing, " + STATES.format(count)
    assert step(X, step.begin_state(batch_size=2))[0].shape == (2, 4)


def test_states_of_an_open_batch():
    step = cell()
    assert str(error_of(lambda: step(X, step.begin_state()))) == (
        "LSTMCell 'cell': a state has shape (0, 4), so its batch is empty, but the inputs have shape (2, 3). "
        "begin_state() leaves the batch open, which only symbols can infer. Write begin_state(batch_size=2).")


def test_other_cells():
    conv = gluon.contrib.rnn.Conv2DLSTMCell((3, 4, 4), 2, 3, 3, prefix="conv_")
    conv.initialize()
    assert str(error_of(lambda: conv(nd.ones((2, 3, 4, 4)), [nd.zeros((2, 2, 4, 4))]))) == (
        "Conv2DLSTMCell 'conv': states is a list of 1, " + STATES.format(2))
    assert str(error_of(lambda: cell(rnn.LSTM)(nd.ones((5, 2, 3)), "no"))) == (
        "LSTM 'cell': the states have shapes ['a str'], expected [(1, 2, 4), (1, 2, 4)], that is (layers · directions, "
        "batch, size). begin_state(batch_size=2) returns such states.")
    for modifier in rnn.ZoneoutCell, rnn.ResidualCell, gluon.contrib.rnn.VariationalDropoutCell:
        assert str(error_of(lambda cls=modifier: cls(None))) == (
            f"{modifier.__name__}: base_cell is of type NoneType, expected a cell such as LSTMCell(100)")


INPUTS = "an array, a symbol, or a list with one of them for each step"


@pytest.mark.parametrize(("arguments", "text"), [
    ((SEQUENCE, 3), "LSTMCell 'cell': the first argument of unroll, length, is an array of shape (2, 5, 3), expected "
                    "the number of steps. Write cell.unroll(length, inputs)."),
    (("5", SEQUENCE), "LSTMCell 'cell': the first argument of unroll, length, is '5', expected the number of steps. "
                      "Write cell.unroll(length, inputs)."),
    ((5, 3), f"LSTMCell 'cell': the second argument of unroll, inputs, is 3, expected {INPUTS}"),
    ((5, None), f"LSTMCell 'cell': the second argument of unroll, inputs, is None, expected {INPUTS}"),
    ((0, []), f"LSTMCell 'cell': the second argument of unroll, inputs, is [], expected {INPUTS}"),
])
def test_unroll(arguments, text):
    assert str(error_of(lambda: cell().unroll(*arguments))) == text


def test_unroll_of_symbolic_cells():
    assert str(error_of(lambda: mx.rnn.LSTMCell(4).unroll(3, 5))) == (
        "unroll: the second argument, inputs, is 5, expected a symbol, or a list with one for each step. Write "
        "cell.unroll(length, inputs).")


NONE = " is None, expected an NDArray: does its function lack a return statement?"


@pytest.mark.parametrize(("call", "what"), [
    (lambda: autograd.backward(None), "a head"), (lambda: autograd.backward([X, None]), "a head"),
    (lambda: autograd.grad(None, [X]), "a head"), (lambda: autograd.grad(X, None), "a variable"),
    (lambda: autograd.mark_variables(None, X), "a variable"), (lambda: autograd.mark_variables(X, None), "a gradient"),
])
def test_none_for_an_array(call, what):
    error = error_of(call)
    assert (type(error), str(error)) == (AutogradError, what + NONE)


EXPECTED = ", expected an initializer such as mx.init.Xavier(). "
OWN = "For values of your own: mx.init.Constant(nd.array(values)), or param.set_data(nd.array(values)) afterwards."
VALUES = [(0.5, f"0.5{EXPECTED}For this value: mx.init.Constant(0.5)."),
          ([[1, 2, 3], [4, 5, 6]], f"a list of 2{EXPECTED}{OWN}"),
          (np.ones((2, 3)), f"an array of shape (2, 3){EXPECTED}{OWN}"),
          (nd.ones((2, 3)), f"an array of shape (2, 3){EXPECTED}{OWN}"),
          (np.float32(2), f"2.0{EXPECTED}For this value: mx.init.Constant(2.0).")]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=lambda value: type(value).__name__)
def test_values_for_an_initializer(value, text):
    """A layer says so when it is made, on the program's line, and not at the first call."""
    net = nn.Dense(2, in_units=3)
    for call, where in [
            (lambda: nn.Dense(2, weight_initializer=value, prefix="fc_"), "Parameter 'fc_weight': init is "),
            (lambda: nn.BatchNorm(gamma_initializer=value, prefix="fc_"), "Parameter 'fc_gamma': init is "),
            (lambda: gluon.Parameter("w", init=value), "Parameter 'w': init is "),
            (lambda: net.initialize(value), "initialize: init is "),
            (lambda: net.collect_params().initialize(value), "initialize: init is "),
            (lambda: net.weight.initialize(init=value), "initialize: init is ")]:
        error = error_of(call)
        assert (type(error), str(error)) == (ArgumentError, where + text)


def test_what_the_remedies_do():
    for value in 0.5, nd.array([[1, 2, 3], [4, 5, 6]]):
        net = nn.Dense(2, in_units=3, weight_initializer=mx.init.Constant(value))
        net.initialize()
        assert (net.weight.data() == value).asnumpy().all()


def test_zero_is_no_initializer_in_strict_runs():
    """MXNet takes it for None."""
    assert str(error_of(lambda: nn.Dense(2, bias_initializer=0, prefix="fc_"))) == (
        f"Parameter 'fc_bias': init is 0{EXPECTED}For this value: mx.init.Constant(0).")
    strictness.be_lenient()
    try:
        with pytest.warns(strictness.LenientWarning, match="init is 0"):
            net = nn.Dense(2, in_units=3, bias_initializer=0)
        net.initialize()
    finally:
        strictness.be_strict()


OPTIMIZER = ", expected an Optimizer or the name of one, as in Trainer(params, 'sgd', {'learning_rate': 0.1})"


@pytest.mark.parametrize(("optimizer", "found"), [
    (None, "None"), (0.1, "0.1"), ({"learning_rate": 0.1}, "{'learning_rate': 0.1}")])
def test_an_optimizer_that_is_none(optimizer, found):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    assert str(error_of(lambda: gluon.Trainer(net.collect_params(), optimizer))) == (
        f"Trainer: optimizer is {found}{OPTIMIZER}")


@pytest.mark.parametrize(("create", "kind"), [
    (mx.optimizer.create, "optimizer"), (mx.metric.create, "metric"), (mx.init.create, "initializer")])
def test_create_without_a_name(create, kind):
    for nothing in None, 3:
        assert str(error_of(lambda given=nothing: create(given))) == (
            f"{kind} is {nothing}, expected an instance or a name")


def test_a_forgotten_backward():
    net = nn.Dense(2, in_units=3, prefix="fc_")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    for _ in range(2):
        assert str(error_of(lambda: trainer.step(2))) == (
            "gradients have not been computed by backward since the last step:\n"
            "  Parameter 'fc_bias' of Dense 'fc' on cpu(0)\n"
            "  Parameter 'fc_weight' of Dense 'fc' on cpu(0)\n"
            "  These are all: was backward called? Before each step, call loss.backward() on a loss that was computed "
            "inside autograd.record().")
        with autograd.record():
            loss = net(X).sum()
        loss.backward()
        trainer.step(2)
    with autograd.record():
        loss = (net.weight.data() * 2).sum()
    loss.backward()
    assert "Did the loss use only a part of the network?" in str(error_of(lambda: trainer.step(2)))


RATE = "expected a number from 0 to 1, the share of elements that are dropped"


@pytest.mark.parametrize(("make", "name"), [
    (nn.Dropout, "Dropout: rate"), (rnn.DropoutCell, "DropoutCell: rate"),
    (lambda rate: rnn.ZoneoutCell(cell(), rate), "ZoneoutCell: zoneout_outputs"),
    (lambda rate: rnn.ZoneoutCell(cell(), 0, rate), "ZoneoutCell: zoneout_states"),
    (lambda rate: rnn.LSTM(4, dropout=rate), "LSTM: dropout"),
    (lambda rate: gluon.contrib.rnn.VariationalDropoutCell(cell(), drop_states=rate),
     "VariationalDropoutCell: drop_states"),
])
def test_rates(make, name):
    for rate in 1.5, -0.1, float("nan"), "0.5", None:
        error = error_of(lambda given=rate: make(given))
        assert (type(error), str(error)) == (ArgumentError, f"{name} is {rate!r}, {RATE}")
    for rate in 0, 0.5, 1:
        make(rate)
    strictness.be_lenient()
    try:
        with pytest.warns(strictness.LenientWarning, match=r"is -0\.1"):
            make(-0.1)                  # MXNet takes it for 0
    finally:
        strictness.be_strict()


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda: nn.LeakyReLU("0.1"), ArgumentError, "LeakyReLU: alpha is '0.1', expected a slope of at least 0"),
    (lambda: rnn.LSTM(-1), ArgumentError, "LSTM: hidden_size is -1, expected an integer, at least 1"),
    (lambda: rnn.GRUCell("4"), ArgumentError, "GRUCell: hidden_size is '4', expected an integer, at least 1"),
    (lambda: mx.lr_scheduler.FactorScheduler("10"), ArgumentError,
     "FactorScheduler: step is ['10'], expected integers"),
    (lambda: mx.metric.CustomMetric(3), ArgumentError,
     "CustomMetric: feval is 3, expected a function of a label and a prediction"),
    (lambda: mx.init.Mixed(".*", [mx.init.One()]), ArgumentError, "Mixed: patterns is '.*', expected a list"),
    (lambda: mx.init.Mixed([".*"], None), ArgumentError, "Mixed: initializers is None, expected a list"),
    (lambda: mx.init.Load({}, default_init="one"), ArgumentError,
     "Load: default_init is 'one', expected an Initializer, such as mx.init.Uniform()"),
    (lambda: mx.lr_scheduler.FactorScheduler(2, factor=None), ArgumentError,
     "FactorScheduler: factor is None, expected a number"),
    (lambda: mx.lr_scheduler.FactorScheduler(2, stop_factor_lr="1"), ArgumentError,
     "FactorScheduler: stop_factor_lr is '1', expected a number"),
    (lambda: mx.lr_scheduler.MultiFactorScheduler([2], base_lr="0.1"), ArgumentError,
     "MultiFactorScheduler: base_lr is '0.1', expected a number"),
    (lambda: mx.lr_scheduler.MultiFactorScheduler([2], factor={}), ArgumentError,
     "MultiFactorScheduler: factor is {}, expected a number"),
    (lambda: mx.lr_scheduler.PolyScheduler(9, pwr="2"), ArgumentError,
     "PolyScheduler: pwr is '2', expected a number"),
    (lambda: mx.lr_scheduler.CosineScheduler(9, final_lr=()), ArgumentError,
     "CosineScheduler: final_lr is (), expected a number"),
    (lambda: gluon.data.DataLoader([1, 2], 1, sampler=3), CallError,
     "DataLoader: sampler is of type int, expected something that yields indices, such as a Sampler"),
    (lambda: gluon.data.DataLoader([1, 2], 1, batchify_fn=3), CallError,
     "DataLoader: batchify_fn is 3, expected a function of a list of samples"),
    (lambda: gluon.data.DataLoader([1, 2], 1, num_workers="2"), CallError,
     "DataLoader: num_workers is '2', expected an integer"),
    (lambda: gluon.data.ArrayDataset([1], None), CallError,
     "ArrayDataset: array 1 is of type NoneType, expected an array or a list"),
    (lambda: gluon.data.SimpleDataset([1]).transform(None), CallError,
     "transform: fn is None, expected a function of a sample"),
])
def test_constructors(call, kind, text):
    error = error_of(call)
    assert (type(error), str(error)) == (kind, text)
