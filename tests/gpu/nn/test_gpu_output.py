"""What ends a network on the GPU: losses, labels that are no class, and their errors."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, Twin, agree
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import nd
from minigluon.base import OutOfRangeError
from minigluon.ops import REGISTRY


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
