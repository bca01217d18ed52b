"""The quantized operators against what the real MXNet 1.9.1 computed: the same integers, not similar ones."""

import numpy as np
import pytest
from records import DATA
from records.quantized_cases import CASES

from minigluon import nd

RECORDED = np.load(DATA / "mxnet_quantized.npz")
# MXNet computes these with approximate reciprocal roots: a few integers are one step away.
ONE_STEP = {"_contrib_quantized_batch_norm"}
# Its range of int32 is twice as large as the products are with uint8 data (docs/differences.md).
OTHER_RANGE = {"_contrib_quantized_conv"}


def outputs_of(name):
    op, arrays, attrs = CASES[name]
    result = getattr(nd, op)(*[nd.array(a, dtype=a.dtype) for a in arrays], **attrs)
    return [y.asnumpy() for y in (result if isinstance(result, list | tuple) else [result])]


def test_everything_is_recorded():
    assert {key.rpartition("/")[0] for key in RECORDED.files} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_same_as_mxnet(name):
    op, outputs = CASES[name][0], outputs_of(name)
    for i, actual in enumerate(outputs):
        expected = RECORDED[f"{name}/{i}"].reshape(actual.shape)        # a product's range has shape () in MXNet
        assert actual.dtype == expected.dtype
        if i and op in OTHER_RANGE:
            np.testing.assert_allclose(actual, expected * 127 / 255, rtol=1e-6)
        elif op == "_contrib_calibrate_entropy" and i:
            np.testing.assert_allclose(actual, expected, rtol=1e-5)
        elif actual.dtype.kind == "f":
            np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=0)
        elif op in ONE_STEP:
            difference = np.abs(actual.astype(int) - expected)
            assert difference.max() <= 1
            assert difference.mean() < 0.06
        else:
            np.testing.assert_array_equal(actual, expected)
    assert f"{name}/{len(outputs)}" not in RECORDED
