"""BatchNorm through cuDNN, of which a stand-in is asked, and nets whose layers go through it."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - chooses the GPU, or skips the module
from helpers.cudnn_checks import check, forget, standing_in, ways, work_of

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import MXNetError
from minigluon.ops import REGISTRY


@pytest.fixture
def cudnn(monkeypatch):
    yield from standing_in(monkeypatch)


def vectors(count, dtype="float32"):
    return [np.random.default_rng(k).uniform(0.5, 2, count).astype(dtype) for k in range(4)]


@pytest.mark.parametrize(("shape", "attrs", "dtype"), [
    ((3, 4, 5, 6), {"fix_gamma": False}, "float32"), ((3, 4, 5, 6), {"fix_gamma": True, "eps": 0.1}, "float16"),
    ((6, 4), {"fix_gamma": False}, "float64"), ((2, 3, 5), {"axis": -1}, "float32"),
    ((2, 3, 5), {"axis": 0, "momentum": 0.3}, "float32"),
])
def test_batch_norm(cudnn, shape, attrs, dtype):
    """Its outputs, moving averages, and gradients with the batch's statistics and with others."""
    axis, wide = attrs.get("axis", 1), np.promote_types(dtype, "float32")
    data = np.random.default_rng(7).standard_normal(shape).astype(dtype)
    given = vectors(shape[axis], wide)
    check(REGISTRY["BatchNorm"](**attrs), data, *given, train=True)
    grad = REGISTRY["_batch_norm_grad"](axis=axis, fix_gamma=attrs.get("fix_gamma", True))
    for batch in (1, 0):
        check(grad, data[::-1].copy(), data, given[0], given[2], given[3], np.array([batch], wide))
    assert {call[0] for call in ways(cudnn)} == {"ForwardTraining", "Backward"}


def test_a_statistic_of_all_devices_shows_its_variance(cudnn):
    data = np.arange(12, dtype="float32").reshape(3, 4)
    check(REGISTRY["_contrib_SyncBatchNorm"](key="a", output_mean_var=True), data, *vectors(4), train=True)
    assert ways(cudnn)[0][0] == "ForwardTraining"


@pytest.mark.parametrize(("name", "attrs", "train", "told"), [
    ("BatchNorm", {}, True, "cuDNN"), ("BatchNorm", {}, False, None),
    ("BatchNorm", {"use_global_stats": True}, True, None),
    ("BatchNorm", {"cudnn_off": True}, True, "own kernels: cudnn_off=True"),
    ("_contrib_BatchNormWithReLU", {}, True,
     "own kernels: cuDNN has no BatchNorm with relu behind it for these layouts"),
])
def test_who_normalizes(cudnn, name, attrs, train, told):
    assert work_of(REGISTRY[name](**attrs), (2, 3, 4), *[(3,)] * 4, train=train).told == told


def test_batch_norm_is_tried_when_it_is_prepared(cudnn):
    cudnn.status["cudnnBatchNormalizationForwardTraining"] = 3000
    assert work_of(REGISTRY["BatchNorm"](), (2, 3, 4), *[(3,)] * 4, train=True).told == (
        "own kernels: gpu(0): cuDNN: BatchNorm failed in cudnnBatchNormalizationForwardTraining: "
        "CUDNN_STATUS_NOT_SUPPORTED (as the test wants it). MINIGLUON_CUDNN=0 computes with our own kernels.")
    forget()
    cudnn.status["cudnnBatchNormalizationForwardTraining"] = 5000
    with pytest.raises(MXNetError, match="cudnnBatchNormalizationForwardTraining: CUDNN_STATUS_EXECUTION"):
        work_of(REGISTRY["BatchNorm"](), (2, 3, 4), *[(3,)] * 4, train=True)


def test_a_net_hybridized_or_not(cudnn):
    """Three steps with bias, relu and pooling: imperative, hybridized, and with own kernels give the same."""
    rng, losses = np.random.default_rng(0), []
    x = rng.standard_normal((2, 2, 8, 8)).astype("float32")
    for how in "own", "imperative", "hybridized":
        if how == "own":
            cudnn.status["cudnnCreate"] = 3000
        else:
            cudnn.status.clear()
        forget()
        losses.append(trained(x, how))
    np.testing.assert_allclose(losses[1], losses[0], 1e-4)
    np.testing.assert_allclose(losses[2], losses[0], 1e-4)
    assert {call[0] for call in ways(cudnn)} == {"Forward", "with bias and relu", "BackwardData", "BackwardFilter",
                                               "ForwardTraining", "Backward"}


def trained(x, how):
    with mx.gpu():
        mx.random.seed(1)
        net = gluon.nn.HybridSequential()
        net.add(gluon.nn.Conv2D(3, 3, padding=1, activation="relu"), gluon.nn.BatchNorm(),
                gluon.nn.Conv2D(4, 3, use_bias=False))
        net.initialize()
        if how == "hybridized":
            net.hybridize(static_alloc=True)
        trainer, data, found = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}), nd.array(x), []
        for _ in range(3):
            with autograd.record():
                loss = net(data).square().mean()
            loss.backward()
            trainer.step(1)
            found.append(loss.asscalar())
    return found
