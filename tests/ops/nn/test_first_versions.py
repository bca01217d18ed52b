"""BatchNorm_v1 and Pooling_v1. The numbers are those of MXNet 1.9.1."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, nd, sym

pytestmark = pytest.mark.usefixtures("fresh_names")


def assert_near(array, expected):
    np.testing.assert_allclose(array.asnumpy().ravel(), expected, atol=2e-5, rtol=2e-5)


def normalization(**attributes):
    executor = sym.BatchNorm_v1(sym.var("x"), name="b", fix_gamma=False, **attributes).simple_bind(
        mx.cpu(), x=(2, 3, 2, 1))
    executor.arg_dict["x"][:] = np.arange(12).reshape(2, 3, 2, 1) ** 1.5
    for arrays, name, values in ((executor.arg_dict, "b_gamma", [1, 2, 3]), (executor.arg_dict, "b_beta", [.5, .1, .2]),
                                 (executor.aux_dict, "b_moving_mean", [.5, 1, 2]),
                                 (executor.aux_dict, "b_moving_var", [1, 2, 3])):
        arrays[name][:] = values
    return executor


def test_inputs_and_states_are_named_as_those_of_batch_norm():
    symbol = sym.BatchNorm_v1(sym.var("x"), name="b")
    assert symbol.list_arguments() == ["x", "b_gamma", "b_beta"]
    assert symbol.list_auxiliary_states() == ["b_moving_mean", "b_moving_var"]
    assert symbol.list_outputs() == ["b_output"]
    assert sym.BatchNorm_v1(sym.var("x"), name="b", output_mean_var=True).list_outputs() == [
        "b_output", "b_mean", "b_var"]
    assert '"node_row_ptr": [0, 1, 2, 3, 4, 5, 8]' in symbol.tojson()
    assert sym.load_json(symbol.tojson()).tojson() == symbol.tojson()


def test_normalization_for_prediction():
    outputs = normalization(output_mean_var=True).forward()
    expected = [
        [0.00025, 0.99975, 2.68514, 6.03277, 10.5906, 16.0982, 14.6898, 18.5113, 30.6781, 36.8604, 51.4996, 59.9161],
        [0.5, 1, 2],
        [1, 2, 3],
    ]
    for found, numbers in zip(outputs, expected, strict=True):
        assert_near(found, numbers)


def test_normalization_while_training():
    executor = normalization(output_mean_var=True)
    executor.forward(is_train=True)
    executor.backward([nd.array(np.cos(np.arange(y.size)).reshape(y.shape)) for y in executor.outputs])
    expected = [
        [-0.54644, -0.42411, -2.09648, -1.64755, -3.14322, -2.37394, 1.25143, 1.71913, 1.65749, 2.48655, 2.57079,
         3.74638],
        [8.5543, 14.413, 21.8215],
        [66.824, 111.265, 153.822],
    ]
    for found, numbers in zip(executor.outputs, expected, strict=True):
        assert_near(found, numbers)
    expected = {
        "x": [0.02584, -0.03075, 0.04416, -0.06594, -0.09691, 0.13249, 0.01575, -0.01084, 0.08466, -0.06289, -0.12186,
         0.08627],
        "b_gamma": [0.09486, 0.12153, -0.17281],
        "b_beta": [3.25437, -2.46277, -1.20463],
        "b_moving_mean": [1.30543, 2.3413, 3.98215],
        "b_moving_var": [7.5824, 12.9266, 18.0822],
    }
    for name, numbers in expected.items():
        assert_near({**executor.grad_dict, **executor.aux_dict}[name], numbers)


def pooled(x, **attributes):
    """The result, and its gradient for 1, 2, 3, ..."""
    x = nd.array(x)
    x.attach_grad()
    with autograd.record():
        y = nd.Pooling_v1(x, **attributes)
    y.backward(nd.arange(1, y.size + 1).reshape(y.shape))
    return y, x.grad


SMALL, FULL = ({"kernel": (3, 2), "stride": (2, 2), "pad": (1, 1)},
               {"kernel": (2, 3), "stride": (2, 3), "pooling_convention": "full"})


@pytest.mark.parametrize(("pool_type", "attributes", "result", "gradient"), [
    ("max", SMALL, [0, 0, 0, 0, -0.11116, -0.41481],
     [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 6, 0]),
    ("max", FULL, [-0.1, -0.2306, -0.11116, -0.41481],
     [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4, 0]),
    ("avg", SMALL, [-0.30034, -0.90397, -0.59314, -0.54064, -1.13432, -1.07422],
     [0.16667, 0.33333, 0.33333, 0.5, 0.5, 0.83333, 1.16667, 1.16667, 1.5, 1.5, 0.66667, 0.83333, 0.83333, 1, 1,
      0.66667, 0.83333, 0.83333, 1, 1]),
    ("avg", FULL, [-1.20431, -0.59314, -1.03659, -0.63984],
     [0.16667, 0.16667, 0.16667, 0.33333, 0.33333, 0.16667, 0.16667, 0.16667, 0.33333, 0.33333, 0.5, 0.5, 0.5,
      0.66667, 0.66667, 0.5, 0.5, 0.5, 0.66667, 0.66667]),
    ("sum", SMALL, [-1.80201, -5.42384, -3.55885, -3.24386, -6.8059, -6.4453],
     [1, 2, 2, 3, 3, 5, 7, 7, 9, 9, 4, 5, 5, 6, 6, 4, 5, 5, 6, 6]),
    ("sum", FULL, [-7.22585, -3.55885, -6.21955, -3.83907],
     [1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 3, 3, 3, 4, 4]),
])
def test_pooling(pool_type, attributes, result, gradient):
    found = pooled(np.cos(np.arange(20) * 1.7).reshape(1, 1, 4, 5) - 1.1, pool_type=pool_type, **attributes)
    assert_near(found[0], result)
    assert_near(found[1], gradient)


def test_pooling_is_for_images_of_floats():
    with pytest.raises(mx.base.ShapeError, match="Pooling_v1: data has shape .1, 1, 4., expected 4 dimensions"):
        nd.Pooling_v1(nd.ones((1, 1, 4)), kernel=(2,))
    with pytest.raises(mx.base.DTypeError, match="Pooling_v1: data is int32, expected a floating-point dtype"):
        nd.Pooling_v1(nd.ones((1, 1, 4, 4), dtype="int32"), kernel=(2, 2))
