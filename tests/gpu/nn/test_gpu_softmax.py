"""Softmax and its relatives on the GPU."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, agree
from helpers.gpu_rows import cases_of, check_case
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import nd
from minigluon.ops import REGISTRY

OWN = {"softmax", "log_softmax", "softmin", "SoftmaxActivation", "_softmax_grad", "_log_softmax_grad", "_astype_like",
       "SoftmaxOutput", "_softmax_output_grad", "LinearRegressionOutput", "LogisticRegressionOutput",
       "MAERegressionOutput", "_item_weight", "SVMOutput", "_svm_output_grad", "softmax_cross_entropy",
       "_one_hot_like", "CTCLoss", "_ctc_loss_grad", "_histogram"}
ROWS = cases_of(*OWN)
SHAPES = st.lists(st.sampled_from([1, 2, 3, 5, 17, 33, 40]), min_size=1, max_size=3).map(tuple)


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_rows(case):
    for dtype in "float32", "float64", "float16":
        check_case(case, dtype, only=OWN)


@settings(deadline=None, max_examples=40)
@given(SHAPES, st.sampled_from(["float32", "float16"]), st.integers(0, 2), st.sampled_from([None, 0.25, -2.0]),
       st.sampled_from([0, np.nan, np.inf, -np.inf]), st.sampled_from(["softmax", "log_softmax", "softmin"]))
def test_softmax_and_its_gradient(shape, dtype, axis, temperature, special, name):
    axis %= len(shape)
    data = 5 * numbers(shape, dtype)
    data.flat[::11] += special
    agree(name, data, axis=axis, temperature=temperature)
    result = REGISTRY[name](axis=axis).forward(numbers(shape, dtype))
    agree("_log_softmax_grad" if name == "log_softmax" else "_softmax_grad", numbers(shape, dtype, 1), result,
          axis=axis)


@pytest.mark.parametrize("shape", [(3, 2000), (2000, 3), (2, 300, 40), (1, 1), (0, 4), (4, 0)], ids=str)
def test_long_and_empty_lines(shape):
    for name in "softmax", "log_softmax":
        for axis in range(len(shape)):
            agree(name, 3 * numbers(shape, "float32"), axis=axis)
    agree("_softmax_grad", numbers(shape, "float32"), numbers(shape, "float32", 1), axis=0)


def test_lines_in_ascending_order():
    """Each element is larger than all before: the sum is scaled every time."""
    agree("softmax", np.linspace(-30, 30, 3000, dtype="float32").reshape(1, -1))
    agree("log_softmax", np.linspace(-300, 300, 3000, dtype="float32").reshape(-1, 1), axis=0)


@pytest.mark.parametrize("factor", [1, 1e-3, -7])
def test_large_numbers_with_a_temperature(factor):
    data = np.array([[3.3601773e8], [-1e30], [7e34]], "float32")
    for name in "softmax", "log_softmax", "softmin":
        found = getattr(nd, name)(nd.array(data, ctx=GPU), temperature=factor).asnumpy()
        np.testing.assert_array_equal(found, name != "log_softmax")


@pytest.mark.parametrize(("data", "result"), [("float16", "float32"), ("float32", "float16"), ("int32", "float32"),
                                              ("uint8", "float32")])
def test_another_type_for_the_result(data, result):
    values = np.arange(24).reshape(2, 3, 4) % 7
    agree("softmax", values.astype(data), dtype=result)
    agree("log_softmax", values.astype(data), dtype=result, axis=1)


def test_a_wider_type_for_the_result():
    """It is computed in the type of data."""
    data = numbers((3, 4), "float32")
    found = nd.softmax(nd.array(data, ctx=GPU), dtype="float64").asnumpy()
    assert found.dtype == "float64"
    np.testing.assert_allclose(found, REGISTRY["softmax"]().forward(data), rtol=1e-6)


@pytest.mark.parametrize("length", ["int32", "int64", "float32"])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_lengths(length, axis):
    data = numbers((4, 5, 6), "float32")
    data[1] = -np.inf
    data[2, 2] = np.nan
    shape = np.delete(data.shape, axis)
    lengths = np.random.default_rng(3).integers(0, 7, shape).astype(length)
    agree("softmax", data, lengths, axis=axis, use_length=True, temperature=2.0)
