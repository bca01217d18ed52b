"""Softmax and its relatives on the GPU, and what ends a network: losses, CTC, and their errors."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, Twin, agree
from helpers.gpu_rows import cases_of, check_case
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch

from minigluon import nd
from minigluon.base import ArgumentError, OutOfRangeError
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


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=4).map(tuple), st.sampled_from(["plain", "multi", "kept"]),
       st.booleans(), st.sampled_from(["null", "batch", "valid"]), st.sampled_from([0, 0.1]),
       st.sampled_from(["float32", "int32"]))
def test_softmax_output(shape, kind, use_ignore, normalization, smooth, label):
    kind = "plain" if kind == "multi" and len(shape) == 2 else kind
    attributes = {"multi_output": kind == "multi", "preserve_shape": kind == "kept", "use_ignore": use_ignore,
                  "normalization": normalization, "smooth_alpha": smooth, "ignore_label": 1.0, "grad_scale": 0.5}
    data = numbers(shape, "float32")
    places = {"plain": shape[:1], "multi": shape[:1] + shape[2:], "kept": shape[:-1]}[kind]
    labels = np.random.default_rng(1).integers(-1, 4, places).astype(label)
    op = REGISTRY["SoftmaxOutput"](**attributes)
    assert Twin(op, [data, labels]).check()
    result = op.forward(data, labels)
    assert Twin(REGISTRY["_softmax_output_grad"](**attributes), [result, labels]).check()
    if kind == "multi":
        assert Twin(REGISTRY["_softmax_output_grad"](**attributes), [result, labels.reshape(shape[0], -1)]).check()
    assert Twin(REGISTRY["_softmax_output_grad"](**attributes), [result, numbers(shape, "float32", 2)]).check()


def test_many_labels_that_count():
    attributes = {"normalization": "valid", "ignore_label": 2.0, "use_ignore": True}
    labels = np.random.default_rng(0).integers(0, 4, 3000).astype("float32")
    assert Twin(REGISTRY["_softmax_output_grad"](**attributes), [numbers((3000, 4), "float32"), labels]).check()


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_svm(linear, dtype):
    labels = np.array([0, 3, 1, 9], "float32")
    twin = Twin(REGISTRY["_svm_output_grad"](margin=0.5, regularization_coefficient=0.3, use_linear=linear),
                [numbers((4, 5), dtype), labels])
    assert twin.check()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64", "uint8"])
def test_regressions_in_all_dtypes(dtype):
    data = (10 * numbers((3, 4), "float64", 1)).clip(0, 9).astype(dtype)
    logistic = ["LogisticRegressionOutput"] if dtype.startswith("float") else []    # others are refused
    for name in ["LinearRegressionOutput", *logistic, "MAERegressionOutput", "SVMOutput"]:
        agree(name, data, data[:, 0].copy() if name == "SVMOutput" else data)
    agree("_astype_like", data, np.zeros_like(data, "float32"))
    agree("_one_hot_like", data[:, 0].copy(), data)


@pytest.mark.parametrize("bad", [-1, 5])
def test_a_label_that_is_no_class(bad):
    data, label = nd.array(numbers((3, 5), "float32"), ctx=GPU), nd.array([0, bad, 4], ctx=GPU)
    with pytest.raises(OutOfRangeError) as caught:
        nd.softmax_cross_entropy(data, label).asnumpy()
    assert str(caught.value) == (f"softmax_cross_entropy: index {bad} is out of range; "
                                 "indices must be at least 0 and less than 5.")
    assert nd.softmax_cross_entropy(data, nd.array([0, 1, 4], ctx=GPU)).asnumpy().shape == (1,)


def test_the_cross_entropy_of_many_items():
    agree("softmax_cross_entropy", numbers((3000, 7), "float32"), np.arange(3000, dtype="float32") % 7)
    agree("softmax_cross_entropy", np.zeros((0, 7), "float32"), np.zeros(0, "float32"))


# -- CTC --------------------------------------------------------------------------------------------------------------

@st.composite
def sequences(draw):
    """(attributes, arrays) of CTCLoss."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    frames, batch, classes = draw(st.integers(1, 8)), draw(st.integers(1, 3)), draw(st.integers(2, 5))
    length = draw(st.integers(0, frames))
    attributes = {"blank_label": draw(st.sampled_from(["first", "last"])), "use_data_lengths": draw(st.booleans()),
                  "use_label_lengths": draw(st.booleans())}
    low, high = (0, classes) if attributes["blank_label"] == "first" else (-1, classes - 1)
    arrays = [2 * rng.standard_normal((frames, batch, classes)), rng.integers(low, high, (batch, length))]
    if attributes["use_data_lengths"]:
        arrays.append(rng.integers(1, frames + 1, batch))
    if attributes["use_label_lengths"]:
        arrays.append(rng.integers(0, length + 1, batch))
    return attributes, [a.astype(draw(st.sampled_from(["float32", "int32"])) if i else "float32")
                        for i, a in enumerate(arrays)]


@settings(deadline=None, max_examples=25)
@given(sequences())
def test_ctc(drawn_sequences):
    attributes, arrays = drawn_sequences
    assert Twin(REGISTRY["CTCLoss"](**attributes), arrays).check()
    grad = np.linspace(1, 2, len(arrays[1]), dtype="float32")
    assert Twin(REGISTRY["_ctc_loss_grad"](**attributes), [grad, *arrays]).check()


def test_ctc_with_more_places_than_threads(monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    rng = np.random.default_rng(0)
    data, labels = rng.standard_normal((160, 3, 6)), rng.integers(1, 6, (3, 150))
    arrays = [data.astype("float64"), labels.astype("float32")]
    assert Twin(REGISTRY["CTCLoss"](), arrays).check()
    assert Twin(REGISTRY["_ctc_loss_grad"](), [np.ones(3), *arrays]).check()


def test_lengths_that_are_too_large():
    data, label = nd.array(numbers((4, 2, 3), "float32"), ctx=GPU), nd.array([[1, 2], [1, 1]], ctx=GPU)
    with pytest.raises(ArgumentError) as caught:
        nd.CTCLoss(data, label, nd.array([4, 5], ctx=GPU), use_data_lengths=True).asnumpy()
    assert str(caught.value) == "CTCLoss: data_lengths must lie between 1 and 4, found [4.0, 5.0]"


# -- histograms -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8"])
def test_histograms(dtype):
    data = (10 * np.random.default_rng(0).random((40, 50))).astype(dtype)
    if "float" in dtype:
        data.flat[[0, 7, 9]] = np.nan, np.inf, -np.inf
    for count, ends in (5, (0, 9)), (7, (1.5, 8.25)), (3, (2, 2)), (64, (0, 1)):
        agree("_histogram", data, bin_cnt=count, range=ends)
    for edges in [0, 2, 2, 5, 9], [3, 4]:
        agree("_histogram", data, np.array(edges, dtype))


def test_bins_that_decrease():
    data = nd.array([1, 2, 3], ctx=GPU)
    with pytest.raises(ArgumentError) as caught:
        nd._histogram(data, nd.array([0, 2, 1], ctx=GPU))[0].asnumpy()
    assert str(caught.value) == "_histogram: bins must not decrease, found [0.0, 2.0, 1.0]"
