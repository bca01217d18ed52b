"""nd.contrib's steps of many weights, GroupAdaGrad, and draws by Zipf's law. Numbers are those of MXNet 1.9.1."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd


def numbers(shape, start, dtype="float32"):
    return nd.array(np.sin(np.arange(start, start + np.prod(shape)) * 1.7).reshape(shape), dtype=dtype)


def pairs(*starts, dtype="float32"):
    return [numbers(shape, start, dtype) for shape, start in zip([(2, 3), (4,)], starts, strict=True)]


def flat(arrays):
    return np.concatenate([x.asnumpy().ravel() for x in arrays]).astype("float64")


def close(arrays, expected, rtol=1e-5):
    np.testing.assert_allclose(flat(arrays), expected, rtol=rtol, atol=1e-7)


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


def test_group_adagrad():
    optimizer = mx.optimizer.create("groupadagrad", learning_rate=0.1)
    weight = numbers((3, 4), 0)
    history = optimizer.create_state(0, weight)
    assert history.shape == (3, 1)
    for step in range(2):
        optimizer.update(0, weight, numbers((3, 4), 20 + step), history)
    close([weight], [0.0184647, 1.1445652, -0.3134066, -1.0638039, 0.5871385, 0.9206320, -0.8243753, -0.7081996,
    1.0104706,
                     0.4538298, -1.1274176, -0.1633067], rtol=2e-6)
    close([history], [1.0132625, 1.0145522, 1.0016305], rtol=1e-6)
    with pytest.raises(mx.base.ArgumentError, match=r"^GroupAdaGrad: weight 0 has the shape \(3,\), expected two axes: "
                                                    "it takes one step size for each row. Use AdaGrad for others.$"):
        optimizer.create_state(0, nd.ones(3))
    with pytest.raises(mx.base.ArgumentError, match="^GroupAdaGrad: the weight decay of 0 is 0.1, and there is none "
                                                    "here: set wd=0$"):
        mx.optimizer.contrib.GroupAdaGrad(wd=0.1).update(0, weight, weight, history)


def test_classes_by_zipfs_law():
    mx.random.seed(5)
    classes, few, drawn = nd.contrib.rand_zipfian(nd.array([3, 0]), 20000, 5)
    assert (classes.dtype, few.dtype, drawn.dtype) == (np.int64, np.float64, np.float64)
    probability = np.log((np.arange(5) + 2) / (np.arange(5) + 1)) / np.log(6)
    np.testing.assert_allclose(np.bincount(classes.asnumpy(), minlength=5) / 20000, probability, atol=0.02)
    np.testing.assert_allclose(few.asnumpy(), 20000 * probability[[3, 0]])
    np.testing.assert_allclose(drawn.asnumpy(), 20000 * probability[classes.asnumpy()])
    outputs = mx.sym.Group(mx.sym.contrib.rand_zipfian(mx.sym.var("t"), 4, 5))
    values = outputs.eval(t=nd.array([3]))
    np.testing.assert_allclose(values[1].asnumpy(), 4 * probability[[3]])
    np.testing.assert_allclose(values[2].asnumpy(), 4 * probability[values[0].asnumpy()])


def test_adamw_takes_its_scale_as_a_number_or_as_an_array_of_any_device():
    """The numbers are those of real MXNet 1.9.1. A scale of 0, NaN or infinity changes nothing."""
    def step(scale, mixed):
        weight, exact = nd.array([1, 2], dtype="float16" if mixed else "float32"), nd.array([1, 2])
        mean, var, grad = nd.zeros((2,)), nd.zeros((2,)), nd.array([0.5, -1], dtype=weight.dtype)
        if mixed:
            nd.contrib.mp_adamw_update(weight, grad, mean, var, exact, scale, lr=0.1, eta=1, wd=0.01, out=weight)
        else:
            nd.contrib.adamw_update(weight, grad, mean, var, scale, lr=0.1, eta=1, wd=0.01, out=weight)
        return [x.asnumpy() for x in (exact if mixed else weight, mean, var)]

    for mixed in False, True:
        for scale in 2.0, 2, nd.array([2]), nd.array([2], ctx=mx.cpu(1)):
            for found, wanted in zip(step(scale, mixed), (
                    [0.6737702488899231, 2.296229839324951], [0.10000002384185791, -0.20000004768371582],
                    [0.0009999871253967285, 0.003999948501586914]), strict=True):
                np.testing.assert_allclose(found, wanted, 1e-5)
        for scale in 0, np.nan, np.inf:
            for given in scale, nd.array([scale]):
                assert [x.tolist() for x in step(given, mixed)] == [[1, 2], [0, 0], [0, 0]]
