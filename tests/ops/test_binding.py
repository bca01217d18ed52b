"""From a call to an operator and its inputs: what is refused, and operators that a program adds itself."""

import pytest

from minigluon import nd
from minigluon import symbol as sym
from minigluon.base import MXNetError, OpAttributeError
from minigluon.ops import REGISTRY, Op, register

FC = "FullyConnected(num_hidden=4, no_bias=False, flatten=True)"


@pytest.mark.parametrize(("positions", "attributes", "message"), [
    ((0, 1), {}, f"{FC} takes 3 inputs (data, weight, bias): bias missing."),
    ((0, None, 2), {}, f"{FC} takes 3 inputs (data, weight, bias): weight missing."),
    ((), {}, f"{FC} takes 3 inputs (data, weight, bias): data, weight, bias missing."),
    ((0, 1, 2), {"no_bias": True}, f"{FC.replace('no_bias=False', 'no_bias=True')} takes 2 inputs (data, weight): "
                                   "3 were given."),
])
def test_missing_and_superfluous_inputs(positions, attributes, message):
    arrays = nd.ones((2, 3)), nd.ones((4, 3)), nd.ones((4,))
    inputs = [None if p is None else arrays[p] for p in positions]
    for _ in range(2):          # the second call would find what the first had remembered
        with pytest.raises(MXNetError) as error:
            nd.FullyConnected(*inputs, num_hidden=4, **attributes)
        assert str(error.value) == message


def test_no_inputs_for_an_operator_of_any_number():
    @register("*data")
    class _total(Op):
        pass
    try:
        with pytest.raises(MXNetError) as error:
            nd._total()
        assert str(error.value) == "_total takes one array or more, found none"
    finally:
        del REGISTRY["_total"], nd._total


def test_attribute_given_twice():
    with pytest.raises(OpAttributeError) as error:
        nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 3)), nd.ones((4,)), 4, num_hidden=4)
    assert str(error.value) == "FullyConnected: attribute num_hidden is given twice, by position and by name"


@pytest.mark.parametrize("namespace", [nd, sym])
def test_unknown_function(namespace):
    short = namespace.__name__.rpartition(".")[2][:3].replace("nda", "nd")
    with pytest.raises(AttributeError) as error:
        _ = namespace.FullyConected
    assert str(error.value) == f"{short} has no function 'FullyConected'. Did you mean 'FullyConnected'?"


def test_operator_registered_by_a_program():
    @register("data")
    class _halve(Op):
        def forward(self, data):
            return data / 2
    try:
        assert nd._halve(nd.ones((2,))).asnumpy().tolist() == [0.5, 0.5]
        assert sym._halve(sym.var("x")).infer_shape(x=(2, 3))[1] == [(2, 3)]
    finally:
        del REGISTRY["_halve"], nd._halve, sym._halve


def test_none_as_the_last_attribute_by_position():
    for _ in range(2):
        assert nd.slice_axis(nd.ones((2, 3)), 1, 1, None).shape == (2, 2)
