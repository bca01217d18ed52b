"""Slices of symbols with several outputs are groups, as in MXNet 1.9.1; of one output they slice the array."""

import pytest

from minigluon import nd, strictness, sym
from minigluon.base import OutOfRangeError


def parts():
    return sym.split(sym.var("x"), num_outputs=4, name="sp")


@pytest.mark.parametrize(("index", "outputs"), [
    (slice(1, 3), ["sp_output1", "sp_output2"]), (slice(None, None, 2), ["sp_output0", "sp_output2"]),
    (slice(None), ["sp_output0", "sp_output1", "sp_output2", "sp_output3"]), (slice(0, 1), ["sp_output0"]),
    (slice(3, 0, -1), ["sp_output3", "sp_output2", "sp_output1"])])
def test_outputs(index, outputs):
    assert parts()[index].list_outputs() == outputs


def test_internals_and_groups():
    x = sym.var("x")
    net = sym.FullyConnected(sym.relu(sym.FullyConnected(x, num_hidden=3, name="f1"), name="a1"), num_hidden=2,
                             name="f2")
    assert net.get_internals()[0:2].list_outputs() == ["x", "f1_weight"]
    assert net.get_internals()[3:5].list_outputs() == ["f1_output", "a1_output"]
    assert sym.Group([x, net, parts()])[1:].list_outputs() == [
        "f2_output", "sp_output0", "sp_output1", "sp_output2", "sp_output3"]


def test_values():
    some = parts()[1:3]
    assert [y.asnumpy().tolist() for y in some.eval(x=nd.arange(8).reshape((2, 4)))] == [[[1], [5]], [[2], [6]]]
    assert [y.asnumpy().tolist() for y in some[1].eval(x=nd.arange(8).reshape((2, 4)))] == [[[2], [6]]]


def test_an_empty_slice_is_refused():
    with pytest.raises(OutOfRangeError, match="is empty; expected at least one of them"):
        parts()[2:2]


def test_one_output():
    """In MXNet x[0:1] is x, and x[1:] an error; here a slice of the array, as in imperative calls."""
    x = sym.var("x")
    assert x[0:1].infer_shape(x=(3, 4))[1] == [(1, 4)]
    strictness.be_lenient()
    try:
        assert [x[0:1].list_outputs(), x[:].list_outputs()] == [["x"], ["x"]]
        assert x[1:].infer_shape(x=(3, 4))[1] == [(2, 4)]
    finally:
        strictness.be_strict()


def test_power_names_its_arguments():
    y = sym.pow(base=sym.var("a"), exp=sym.var("b"))
    assert y.list_arguments() == ["a", "b"]
    assert sym.power(base=2, exp=sym.var("b")).eval(b=nd.array([3]))[0].item() == 8


@pytest.mark.parametrize(("shape", "data", "out"), [
    ((-1,), (0, 3), (0,)), ((-1, 6), (0, 3), (0, 6)), ((0, -1), (0, 3, 2), (0, 0)), ((-3, 0), (0, 3, 2), (0, 2)),
    ((-2,), (0, 3, 2), (0, 3, 2)), ((-4, -1, 2, 0), (0, 3), (0, 2, 3)), ((2, -1), (0, 3), (2, 0)),
    ((0, 0, -1), (4, 0, 3), (4, 0, 0)), ((2, 3), (0, 3), (2, 3))])
def test_reshape_of_an_unknown_length(shape, data, out):
    assert sym.reshape(sym.var("x"), shape=shape).infer_shape_partial(x=data)[1] == [out]


def test_a_weight_behind_such_a_reshape():
    net = sym.FullyConnected(sym.reshape(sym.var("x"), shape=(-1, 6)), num_hidden=3)
    assert net.infer_shape_partial(x=(0, 3)) == ([(0, 3), (3, 6), (3,)], [(0, 3)], [])
