"""A kernel that refuses its values inside a plan: the reference gets the arrays that the kernel was given.

A plan that the plugin runs does not make views of its inputs, because kernels read the memory that they are of. The
reference has to find them made. `tests/scripts/refusals.py` runs every refusal of the table in every way.
"""

import pathlib

import numpy as np
import pytest
from campaign.views import difference
from helpers import refusals, view_calls
from helpers.hybrid_twins import hybrid

import minigluon as mx
from minigluon import autograd, nd
from minigluon.gluon import nn
from minigluon.ops import REGISTRY

NAN = float("nan")
KINDS = [kind for kind in view_calls.KINDS if kind[1] == "variable" or kind[0] == "reshape"]



def calls():
    """{name: (operator, arrays)}: for each operator whose kernel may refuse its values, a call that it refuses."""
    rng = np.random.default_rng(4)

    def u(*shape, at=None, value=NAN):
        array = rng.uniform(-1, 1, shape).astype("float32")
        if at is not None:
            array[at] = value
        return array
    conv = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 16, "no_bias": True}
    deconv = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 4, "no_bias": True}
    singular = np.tril(u(2, 3, 3)) + 2 * np.eye(3, dtype="float32")
    singular[1, 1, 1] = 0
    rows = {
        "Convolution": (conv, u(2, 16, 16, 16, at=(1, 3, 4, 5)), u(16, 16, 3, 3)),
        "Deconvolution": (deconv, u(2, 4, 16, 16), u(4, 4, 3, 3, at=(1, 2, 0, 1), value=np.inf)),
        "_conv_data_grad": (deconv, u(2, 4, 6, 6), u(4, 4, 3, 3, at=(1, 2, 0, 1)), u(2, 4, 6, 6)),
        "_linalg_trsm": ({"lower": True}, singular, u(2, 3, 4)),
        "nanprod": ({"axis": 1}, u(2, 3, 4, at=(0, 1), value=0)),
        "prod": ({"axis": 0}, u(2, 3, at=(0, 1), value=0)),
        "softmax_cross_entropy": ({}, u(3, 4), np.array([0, 9, -2], "float32")),
        "take": ({"mode": "raise"}, u(2, 3), np.array([1, 2], "float32")),
    }
    return {name: (REGISTRY[name](**{k: v for k, v in attributes.items() if k in REGISTRY[name].fields}), arrays)
            for name, (attributes, *arrays) in rows.items()}


CALLS = calls()


@pytest.mark.parametrize("way", view_calls.WAYS)
@pytest.mark.parametrize("name", CALLS)
def test_a_refused_kernel_behind_any_view_gives_what_the_call_gives(name, way):
    op, arrays = CALLS[name]
    assert refusals.refuses(op, arrays, True)
    wanted = view_calls.wanted(way, op, arrays, True, "accel")
    for kind in KINDS:
        found = view_calls.outcome(way, op, arrays, True, [kind] * len(arrays), False)
        assert difference(found, wanted, arrays, f"{way} {kind} {op!r}") is None


def test_products_with_zeros_behind_a_reshape():
    net = hybrid(lambda F, x: F.prod(x.reshape((-1, 3)), axis=1))
    for values, right in (([1, 2, 3, 0, 5, 6], [6, 0]), ([1, 2, 3, 4, 5, 6], [6, 120]),
                          ([0, 0, 3, NAN, 5, 6], [0, NAN])):
        np.testing.assert_array_equal(net(nd.array(values)).asnumpy(), right)


def test_lengths_with_names_find_the_view_of_their_size():
    net = hybrid(lambda F, x: F.prod(x.reshape((-1, 3)), axis=1))
    for length in 2, 4, 3, 7, 5, 2:
        x = np.arange(3 * length, dtype="float32")
        np.testing.assert_array_equal(net(nd.array(x)).asnumpy(), x.reshape(-1, 3).prod(axis=1))


def test_an_error_of_values_names_node_inputs_and_line():
    net = hybrid(lambda F, x, y: F.take(x.reshape((2, 2)), y.reshape((-1,)), mode="raise"))
    np.testing.assert_array_equal(net(nd.array([1, 2, 3, 4]), nd.array([[1]])).asnumpy(), [[3, 4]])
    with pytest.raises(mx.MXNetError, match="take: index 7 is out of range; indices must be at least 0"):
        net(nd.array([1, 2, 3, 4]), nd.array([[7]]))
    np.testing.assert_array_equal(net(nd.array([1, 2, 3, 4]), nd.array([[0]])).asnumpy(), [[1, 2]])


@pytest.mark.parametrize("value", [NAN, float("inf")])
@pytest.mark.parametrize(("channels", "groups", "size"), [(3, 1, 6), (16, 1, 16), (16, 16, 16), (4, 1, 12)])
@pytest.mark.parametrize("then", ["nothing", "relu", "pool", "both"])
def test_nan_and_infinity_enter_a_convolution_behind_a_reshape(channels, groups, size, value, then):
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.HybridLambda(lambda F, x: x.reshape((2, channels, size, size))),
                nn.Conv2D(channels if groups > 1 else 8, 3, padding=1, groups=groups, in_channels=channels,
                          activation="relu" if then in ("relu", "both") else None))
        if then in ("pool", "both"):
            net.add(nn.MaxPool2D(2))
    net.initialize(mx.init.Uniform(0.5))
    x = np.random.default_rng(3).uniform(-1, 1, (2, channels * size * size)).astype("float32")
    x[1, 40] = value
    wanted = trained(net, x)
    net.hybridize()
    trained(net, np.ones_like(x))
    found = trained(net, x)
    if then in ("pool", "both"):        # where NaN is the largest of a window, another pixel may get the gradient
        found, wanted = found[:2], wanted[:2]
    for one, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, right, rtol=1e-4, atol=1e-4)


def trained(net, x):
    """Outputs with and without recording, and gradients."""
    x = nd.array(x)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    params = net.collect_params().values()
    return [y.asnumpy(), net(x).asnumpy(), x.grad.asnumpy(), *[p.grad().asnumpy() for p in params]]


def test_a_label_out_of_range_gives_in_a_step_what_it_gives_imperatively():
    op = REGISTRY["softmax_cross_entropy"]()
    arrays = [np.random.default_rng(1).uniform(-1, 1, (3, 4)).astype("float32"), np.array([0, 9, -2], "float32")]
    wanted = view_calls.wanted("step", op, arrays, True, "numpy")
    for kind in view_calls.KINDS:
        found = view_calls.outcome("step", op, arrays, True, [kind, kind], False)
        assert difference(found, wanted, arrays, f"{kind}") is None


def test_the_page_of_a_net_profiles_what_its_kernels_refuse(tmp_path):
    net = hybrid(lambda F, x: F.prod(x.reshape((-1, 3)), axis=1))
    path = mx.explain(net, nd.array([1, 2, 3, 0, 5, 6]), path=str(tmp_path / "net.html"))
    assert "prod" in pathlib.Path(path).read_text(encoding="utf-8")
