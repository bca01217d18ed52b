"""Mistakes for which programs catch the class that MXNet raises: ValueError, AssertionError."""

import pytest
from helpers.errors import message

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon import nn
from minigluon.gluon.contrib.estimator import Estimator
from minigluon.gluon.data.vision import transforms

MIXED = "the arguments are NDArrays as well as Symbols. Give it arrays to compute, or symbols to write down a graph."


class Sum(gluon.HybridBlock):
    def hybrid_forward(self, F, x, y):
        return F.broadcast_add(x, y[0] if isinstance(y, (list, tuple)) else y)


class SumWithOperator(gluon.HybridBlock):
    def hybrid_forward(self, F, x, y):
        return x + y


@pytest.mark.once
def test_a_storage_type_that_is_none():
    for kind in ("stype", "grad_stype"):
        assert message(AssertionError, lambda kind=kind: gluon.Parameter("w", **{kind: "dense"})) == (
            f"Parameter 'w': {kind}='dense' is no storage type, expected 'default', 'row_sparse' or 'csr'")


@pytest.mark.once
@pytest.mark.parametrize("has_run", [False, True])
def test_the_summary_of_a_hybridized_net(has_run):
    net = nn.HybridSequential(prefix="net_")
    net.add(nn.Dense(2, prefix="fc_"))
    net.initialize()
    net.hybridize()
    if has_run:
        net(nd.ones((1, 3)))
    assert message(AssertionError, net.summary, nd.ones((1, 3))) == (
        "summary cannot watch Dense 'fc', because it is hybridized. Call summary first, or net.hybridize(False).")


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("block", [Sum, SumWithOperator])
def test_arrays_and_symbols_as_arguments(block, hybridized):
    block = block(prefix="sum__")
    block.hybridize(hybridized)
    x, s = nd.ones(2), mx.sym.var("s")
    for args in ((x, s), (s, x), (s, [x]), (x, [s]), ([x, s], x), ([s, x], x)):
        text = message(ValueError, lambda args=args: block(*args))
        assert text == f"{type(block).__name__} 'sum_': {MIXED}"
    assert block(s, s).list_arguments() == ["s"]
    assert block(x, x).asnumpy().tolist() == [2, 2]


def test_arrays_of_several_devices_as_arguments_of_a_hybridized_block():
    block = SumWithOperator()
    block.hybridize()
    assert message(ValueError, lambda: block(nd.ones(2, ctx=mx.cpu(0)), nd.ones(2, ctx=mx.cpu(1)))) == (
        "hybridized block: inputs are on different devices: data0 (2,) on cpu(0), data1 (2,) on cpu(1). Move them with "
        ".as_in_context(cpu(0)).")


def test_an_estimator_on_a_device_that_is_not_there():
    missing = mx.gpu(mx.num_gpus() + 3)
    for context in (missing, [mx.cpu(), missing]):
        text = message(AssertionError, lambda context=context: Estimator(nn.Dense(1), gluon.loss.L2Loss(),
                                                                         context=context))
        assert text.startswith(f"Estimator: context is {missing}. ")


@pytest.mark.once
def test_a_size_of_three_numbers_is_an_error_of_the_call():
    resize = transforms.Resize((1, 2, 3))
    assert message(mx.MXNetError, lambda: resize(nd.ones((4, 4, 3)).astype("uint8"))) == (
        "_image_resize: size must be (width, height) or a number, found (1, 2, 3)")
    for size in ([3, 4], (3, 4)):
        assert transforms.Resize(size)(nd.ones((4, 4, 3)).astype("uint8")).shape == (4, 3, 3)
    assert transforms.Resize((3,))(nd.ones((4, 4, 3)).astype("uint8")).shape == (3, 3, 3)
