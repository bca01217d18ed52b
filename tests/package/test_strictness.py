"""What is refused by default goes on as in MXNet in a lenient run, with one warning for each line of the program."""

import warnings

import numpy as np
import pytest
from helpers.processes import run_code

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import ArgumentError, OpAttributeError, WrittenInPlaceError
from minigluon.diagnostics import strictness
from minigluon.gluon import nn

pytestmark = pytest.mark.once


def gradient_of_a_square_after_a_write(hybridize=False):
    net = nn.HybridLambda("square")
    if hybridize:
        net.hybridize()
    x = nd.array([3])
    x.attach_grad()
    with autograd.record():
        y = net(x)
    x[:] = 5
    y.backward()
    return x.grad.asscalar()


@pytest.mark.parametrize("hybridize", [False, True])
def test_an_array_that_the_gradient_needs_is_overwritten(hybridize):
    with pytest.raises(WrittenInPlaceError):
        gradient_of_a_square_after_a_write(hybridize)


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_lenient_run_takes_the_new_value(hybridize, lenient):
    with pytest.warns(strictness.LenientWarning) as found:
        assert gradient_of_a_square_after_a_write(hybridize) == 10
    [warning] = found
    assert warning.filename == __file__
    assert str(warning.message).startswith(
        "a strict run would end here with WrittenInPlaceError: an array of shape (1,) was written in place")


def test_an_unknown_flag_of_hybridize(lenient):
    net = nn.Dense(2)
    with pytest.warns(strictness.LenientWarning, match="ArgumentError: Dense 'dense[0-9]+': hybridize has no argument "
                                                       "'static_aloc'"):
        net.hybridize(static_aloc=True)
    strictness.be_strict()
    with pytest.raises(ArgumentError):
        net.hybridize(static_aloc=True)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 wraps integers round")
def test_integers_out_of_range_wrap_round(lenient):
    with pytest.warns(strictness.LenientWarning, match="ArgumentError: array: Python integer -1 out of bounds for "
                                                       "uint8"):
        found = nd.array([[1, 2], [-1, 300]], dtype="uint8")
    assert found.dtype == np.uint8
    assert found.asnumpy().tolist() == [[1, 2], [255, 44]]


def test_each_line_warns_once(lenient):
    net = nn.Dense(2)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(3):
            net.hybridize(static_aloc=True)
        net.hybridize(static_aloc=True)
    assert [warning.lineno for warning in found] == [found[0].lineno, found[0].lineno + 1]


def test_the_environment_and_the_name_mxnet_make_a_run_lenient():
    code = "import minigluon as mx; print(mx.strictness.is_lenient())"
    assert run_code(code, MINIGLUON_LENIENT="1").stdout == "True\n"
    assert run_code(code, MINIGLUON_LENIENT="0").stdout == "False\n"
    assert run_code("import minigluon.as_mxnet; " + code).stdout == "True\n"
    assert run_code(code, MINIGLUON_LENIENT="yes").stderr.endswith(
        "ArgumentError: MINIGLUON_LENIENT must be 0 or 1, found 'yes'\n")


# -- in both modes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("F", ["nd", "sym"])
def test_operators_without_attributes_ignore_them(F):
    functions = {"nd": nd, "sym": mx.sym}[F]
    x = nd.array([-1, 2]) if F == "nd" else mx.sym.var("x")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        y = functions.relu(x, foo=1)
        z = functions.zeros_like(x, dtype="int64")
    assert [str(warning.message) for warning in found] == [
        "relu has no attributes, and ignores foo=1", "zeros_like has no attributes, and ignores dtype='int64'"]
    assert {warning.filename for warning in found} == {__file__}
    results = [y, z] if F == "nd" else [s.eval(x=nd.array([-1, 2]))[0] for s in (y, z)]
    assert [r.asnumpy().tolist() for r in results] == [[0, 2], [0, 0]]
    assert results[1].dtype is np.float32
    with pytest.raises(OpAttributeError, match="FullyConnected: unknown attribute 'num_hiden'"):
        functions.FullyConnected(x, num_hiden=3)
