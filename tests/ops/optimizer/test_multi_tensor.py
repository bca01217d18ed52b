"""nd.contrib's steps of many weights. Numbers are those of MXNet 1.9.1."""

import numpy as np
import pytest
from helpers.weight_updates import close, flat, numbers

import minigluon as mx
from minigluon import nd


def pairs(*starts, dtype="float32"):
    return [numbers(shape, start, dtype) for shape, start in zip([(2, 3), (4,)], starts, strict=True)]


def state(dtype="float32"):
    """(weights, grads, means, variances)"""
    means = pairs(5, 1)
    return pairs(0, 7, dtype=dtype), pairs(3, 9, dtype=dtype), means, [nd.abs(x) for x in means]


def test_multi_lamb():
    weights, grads, means, variances = state()
    out = [nd.zeros((2, 3)), nd.zeros((4,))]
    found = nd.contrib.multi_lamb_update(
        weights, grads, means, variances, step_count=[1, 2], lrs=[0.1, 0.2], wds=[0.01, 0.02], out=out, num_tensors=2,
        beta1=0.8, beta2=0.9, epsilon=1e-3, rescale_grad=0.5, lower_bound=0.1, upper_bound=2.0, clip_gradient=0.4,
        bias_correction=True)
    assert all(a is b for a, b in zip(found, out, strict=True))
    close(out, [-0.0714885, 1.0611665, -0.1952605, -1.0015534, 0.4474925, 0.8784304, -0.7917102, 0.9707492, 0.5605878,
                -1.0979710])
    close(means, [0.5587897, -0.5104884, -0.4146610, 0.6173420, 0.2555788, -0.6891180, 0.8330059, -0.2844329,
    -0.7555517,
                  0.4752907])
    close(variances, [0.7346385, 0.6359909, 0.5722629, 0.7854912, 0.3666188, 0.8812577, 0.8964334, 0.2459870, 0.8337882,
                      0.4607020])


def test_multi_adamw():
    weights, grads, means, variances = state()
    options = {"beta1": 0.8, "beta2": 0.9, "epsilon": 1e-3, "clip_gradient": 0.4}
    schedule = [0.1, 0.2], [0.01, 0.02], [1.0, 0.5]
    nd.contrib.multi_adamw_update(weights, grads, means, variances, nd.array([0.5]), *schedule, out=weights, size=2,
                                  **options)
    close(weights, [-0.0651186, 1.0456799, -0.1982436, -0.9861335, 0.4470316, 0.8638319, -0.6998439, 0.9078035,
    0.4754266,
                    -1.0217049])
    before = flat(means)
    skipped = nd.contrib.multi_adamw_update(weights, grads, means, variances, 0, *schedule, **options)
    np.testing.assert_array_equal(flat(skipped), flat(weights))
    np.testing.assert_array_equal(flat(means), before)


def test_float16_weights():
    weights, grads, means, variances = state("float16")
    exact = [x.astype("float32") for x in weights]
    options = {"beta1": 0.8, "beta2": 0.9, "epsilon": 1e-3}
    nd.contrib.multi_mp_adamw_update(weights, grads, means, variances, exact, nd.array([0.5]), [0.1, 0.2], [0.01, 0.02],
                                     [1.0, 0.5], out=weights, **options)
    np.testing.assert_array_equal(flat(weights), flat([x.astype("float16") for x in exact]))
    nd.contrib.multi_mp_lamb_update(weights, grads, means, variances, exact, step_count=[1, 2], lrs=[0.1, 0.2],
                                    wds=[0.01, 0.02], out=weights, rescale_grad=0.5)
    # In float16 MXNet rounds the two steps elsewhere: 5e-6 of the largest number.
    close(exact, [-0.1371777, 1.1189703, -0.1343936, -1.0656809, 0.3979973, 0.9460776, -0.8813238, 1.0442494, 0.6470323,
                  -1.1772178], rtol=2e-5)
    assert weights[0].dtype == np.float16


def test_lists_of_different_lengths():
    weights, grads, means, variances = state()
    with pytest.raises(mx.base.ArgumentError) as caught:
        nd.contrib.multi_adamw_update(weights, grads, means, variances, 1, [0.1], [0, 0], [1, 1])
    assert str(caught.value) == \
        "adamw_update: the lists have different lengths: 2, 2, 2, 2, 1, 2, 2, 2 of arrays, lrs, wds, etas and out"
