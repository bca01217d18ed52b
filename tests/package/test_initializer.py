"""Initializers: their formulas, choice by name and by attribute, JSON, messages."""

import math

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError, MXNetError, ShapeError

D = mx.init.InitDesc


def filled(init, shape=(40, 50), name="x_weight", dtype="float32"):
    arr = nd.full(shape, 9, dtype=dtype)
    init(D(name), arr)
    return arr.asnumpy()


def test_defaults_of_uniform_and_normal():
    u = filled(mx.init.Uniform(), (200, 300))
    assert -0.07 <= u.min() < -0.0699
    assert 0.0699 < u.max() <= 0.07
    n = filled(mx.init.Normal(), (200, 300))
    assert abs(n.std() - 0.01) < 1e-4
    assert abs(n.mean()) < 2e-4


@pytest.mark.parametrize(("factor_type", "factor"), [("avg", (20 + 30) * 6 / 2), ("in", 30 * 6), ("out", 20 * 6)])
def test_xavier(factor_type, factor):
    w = filled(mx.init.Xavier(factor_type=factor_type, magnitude=2.34), (20, 30, 2, 3))
    bound = math.sqrt(2.34 / factor)
    assert 0.99 * bound < np.abs(w).max() <= bound
    w = filled(mx.init.Xavier("gaussian", factor_type), (20, 30, 2, 3))
    assert abs(w.std() / math.sqrt(3 / factor) - 1) < 0.05


def test_msra_prelu():
    w = filled(mx.init.MSRAPrelu("in", slope=0.5), (100, 400))
    assert abs(w.std() / math.sqrt(2 / 1.25 / 400) - 1) < 0.02


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (4, 3, 3)])
@pytest.mark.parametrize("rand_type", ["uniform", "normal"])
def test_orthogonal(shape, rand_type):
    w = filled(mx.init.Orthogonal(2.0, rand_type), shape).reshape(shape[0], -1)
    gram = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(gram, 4 * np.eye(len(gram)), atol=1e-5)


def test_bilinear():
    np.testing.assert_allclose(filled(mx.init.Bilinear(), (2, 1, 4, 4))[1, 0],
                               np.outer([0.25, 0.75, 0.75, 0.25], [0.25, 0.75, 0.75, 0.25]))
    # MXNet's formula: the tent of width 2 is centred at 0.75 · 2, not at the middle of three taps
    np.testing.assert_allclose(filled(mx.init.Bilinear(), (1, 1, 3, 3))[0, 0, 1], [0.1875, 0.5625, 0.5625])


def test_lstm_bias():
    assert filled(mx.init.LSTMBias(2.0), (8,), "lstm_i2h_bias").tolist() == [0, 0, 2, 2, 0, 0, 0, 0]


def test_constant_of_a_number_and_of_an_array():
    assert (filled(mx.init.Constant(3.5)) == 3.5).all()
    values = nd.array([[1, 2], [3, 4]])
    assert filled(mx.init.Constant(values), (2, 2)).tolist() == [[1, 2], [3, 4]]
    assert mx.init.Constant(values).dumps() == '["constant", {"value": [[1.0, 2.0], [3.0, 4.0]]}]'


@pytest.mark.parametrize(("name", "value"), [
    ("bn_gamma", 1), ("bn_beta", 0), ("fc_bias", 0), ("bn_running_mean", 0), ("bn_running_var", 1),
    ("bn_moving_mean", 0), ("bn_moving_var", 1), ("q_min", 0), ("q_max", 1)])
def test_the_end_of_the_name_decides(name, value):
    assert (filled(mx.init.Uniform(), (3,), name) == value).all()


def test_the_attribute_decides_before_the_name():
    arr = nd.zeros((2, 2))
    mx.init.Uniform()(D("fc_bias", {"__init__": mx.init.Constant(4).dumps()}), arr)
    assert (arr.asnumpy() == 4).all()


def test_dtype_of_the_array_stays():
    assert filled(mx.init.Xavier(), dtype="float64").dtype == np.float64
    assert filled(mx.init.Normal(1), dtype="float16").dtype == np.float16


def test_json_and_create():
    for init in (mx.init.Zero(), mx.init.One(), mx.init.Uniform(0.2), mx.init.Normal(3), mx.init.Orthogonal(),
                 mx.init.Xavier("gaussian", "in", 2), mx.init.MSRAPrelu(), mx.init.Bilinear(), mx.init.LSTMBias()):
        again = mx.init.create(init.dumps())
        assert again == init
        assert type(again) is type(init)
    assert mx.init.Normal(0.5).dumps() == '["normal", {"sigma": 0.5}]'
    assert mx.init.create("zeros") == mx.init.Zero()
    assert mx.init.create("Xavier", magnitude=2) == mx.init.Xavier(magnitude=2)
    assert mx.init.create({"initializer": "normal", "sigma": 2}) == mx.init.Normal(2)
    assert mx.init.create(mx.init.One()) == mx.init.One()
    assert mx.init.Normal(1) != mx.init.Normal(2)
    assert mx.init.Normal(1) != mx.init.Uniform(1)
    assert mx.initializer is mx.init


def test_a_class_of_the_user():
    @mx.init.register
    @mx.init.alias("sevens")
    class TestSeven(mx.init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = 7
    assert isinstance(mx.init.create("testseven"), TestSeven)
    assert (filled(mx.init.create("sevens")) == 7).all()


def test_mixed_and_load():
    mixed = mx.init.Mixed([".*bias", ".*"], [mx.init.One(), mx.init.Constant(5)])
    assert (filled(mixed, (3,), "a_bias") == 0).all()       # One says what weights are; a bias is zero
    assert (filled(mixed, (3, 2), "a_weight") == 5).all()
    load = mx.init.Load({"arg:a": nd.array([1, 2])}, default_init=mx.init.Zero())
    assert filled(load, (2,), "a").tolist() == [1, 2]
    assert filled(load, (2, 1), "b_weight").tolist() == [[0], [0]]


def test_mixed_as_the_attribute_chooses_by_name():
    arr = nd.zeros((2, 2))
    mx.init.Uniform()(D("a_weight", {"__init__": mx.init.Mixed([".*"], [mx.init.Constant(5)])}), arr)
    assert (arr.asnumpy() == 5).all()


def test_legacy_call_with_a_string():
    arr = nd.zeros((6,))
    with pytest.warns(DeprecationWarning, match="init\\(mx.init.InitDesc\\(name\\), array\\)"):
        mx.init.Uniform()("stn_loc_bias", arr)
    assert arr.asnumpy().tolist() == [1, 0, 0, 0, 1, 0]


def test_seed_repeats_initial_values():
    mx.random.seed(11)
    first = filled(mx.init.Xavier())
    mx.random.seed(11)
    assert np.array_equal(filled(mx.init.Xavier()), first)


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: mx.init.Uniform()(D("strange"), nd.zeros((2,))), ValueError,
     "no initialization is known for strange: its name ends in none of weight, bias, gamma, beta, min, max, "
     "running_mean, running_var, moving_mean, moving_var, moving_inv_var, moving_avg. Name one for it with "
     "mx.sym.Variable(init=mx.init.Zero()) or Parameter(init=...)."),
    (lambda: mx.init.Xavier()(D("v_weight"), nd.zeros((2,))), ShapeError,
     "Xavier needs at least 2 dimensions, but v_weight has shape (2,). Use another initializer for it, for example "
     "init='zeros'."),
    (lambda: mx.init.Xavier("normal"), ArgumentError,
     "Xavier: rnd_type is 'normal', expected 'uniform' or 'gaussian'"),
    (lambda: mx.init.Xavier(factor_type="both"), ArgumentError,
     "Xavier: factor_type is 'both', expected 'avg', 'in' or 'out'"),
    (lambda: mx.init.Orthogonal(rand_type="x"), ArgumentError,
     "Orthogonal: rand_type is 'x', expected 'uniform' or 'normal'"),
    (lambda: mx.init.Mixed(["a"], [mx.init.Zero()])("b", nd.zeros((1,))), ArgumentError,
     "the name b matches none of the patterns ['a']. Add '.*' with a default initializer at the end."),
    (lambda: mx.init.Mixed(["a"], []), ArgumentError, "Mixed: 1 patterns for 0 initializers"),
    (lambda: mx.init.Load({})("b", nd.zeros((1,))), ArgumentError,
     "parameter b is not among the loaded ones, and no default_init was given"),
    (lambda: mx.init.Load({"b": nd.zeros((2,))})("b", nd.zeros((1,))), ShapeError,
     "parameter b has shape (1,), but the loaded one has (2,)"),
    (lambda: mx.init.Load(3), ArgumentError, "Load needs a dict of arrays or the name of a file with one, found int"),
    (lambda: mx.init.create(mx.init.Zero(), 3), ArgumentError,
     "initializer is an instance already; further arguments have no meaning"),
    (lambda: mx.init.create({"sigma": 2}), ArgumentError,
     "initializer is {'sigma': 2}, expected a dict with a name under 'initializer'"),
    (lambda: mx.init.create('["normal"]'), ArgumentError,
     "initializer is '[\"normal\"]', expected a name and its settings, '[\"name\", {}]'"),
    (lambda: mx.init.create("{one"), ArgumentError, "initializer is '{one', which is not JSON: Expecting property name "
     "enclosed in double quotes: line 1 column 2 (char 1)"),
])
def test_messages(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text
    assert isinstance(caught.value, MXNetError)


def test_message_for_an_unknown_name():
    with pytest.raises(ArgumentError, match=r"^no initializer is called 'xaver'\. Did you mean 'xavier'\? Reg"):
        mx.init.create("xaver")


def test_symbols_name_a_constant_instead_of_holding_it():
    """A table of positions makes no file of megabytes, and a graph is as quickly traced as without it."""
    def constant(value):
        return mx.gluon.Constant("positions", np.full((300, 400), value, "float32"))

    two, three = constant(2), constant(3)
    text = two.var().attr("__init__")
    assert len(text) == len("Constant_positions_01234567")
    assert constant(2).var().attr("__init__") == text != three.var().attr("__init__")
    module = mx.mod.Module(two.var() * mx.sym.var("data"), label_names=None)
    module.bind([("data", (300, 400))], for_training=False)
    module.init_params()                # as long as there is such a Constant, its text stands for the value
    assert (module.get_params()[0]["positions"].asnumpy() == 2).all()
    del two, module
    with pytest.raises(ArgumentError, match="Constant_positions_"):
        mx.init.create(text)
    with pytest.raises(ArgumentError, match="initializer is an instance already"):
        mx.init.create(three.init, 1)
