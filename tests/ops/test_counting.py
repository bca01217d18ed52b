"""An attribute that counts inputs, outputs or groups makes no work before what there is has been counted."""

import sys
import time

import numpy as np
import pytest
from campaign import counts
from helpers.misfits import valid_calls

from minigluon import nd, sym
from minigluon.base import FileFormatError, MXNetError, ShapeError
from minigluon.ops import REGISTRY
from minigluon.symbol.symbol import compose

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of the process")

HUGE = 2 ** 31 - 1
SAMPLES = "sample_ratio", "sampling_ratio", "sample_per_part"


def counted():
    """[(op, arrays, train, attribute)]: every operator and every attribute of it that counts something."""
    found = {}
    for calls in valid_calls().values():
        for op, arrays, train in calls:
            for name, value in op.attributes.items():
                if type(value) is int and (name.startswith("num_") or name in SAMPLES) and arrays:
                    found.setdefault((op.name, name), (op, arrays, train, name))
    return list(found.values())


@pytest.mark.filterwarnings("ignore:the shapes of the outputs do not follow")
@pytest.mark.parametrize("way", counts.WAYS)
def test_every_counting_attribute_of_every_operator(way):
    cases = counted()
    assert len(cases) >= 50
    for op, arrays, train, name in cases:
        for value in HUGE, 2 ** 62, -HUGE:
            start = time.process_time()
            assert counts.tried(op, arrays, train, name, value, way) is None
            assert time.process_time() - start < 0.5, (op.name, name, value)


def test_a_symbol_file_of_some_bytes_takes_no_gigabytes():
    text = ('{"nodes":[{"op":"null","name":"a","inputs":[]},{"op":"multi_sgd_mom_update","name":"u",'
            '"attrs":{"num_weights":"2147483647","lrs":"()","wds":"()"},"inputs":[[0,0]]}],"arg_nodes":[0],'
            '"heads":[[1,0]]}')
    with pytest.raises(FileFormatError) as error, counts.limited(2 ** 28):
        sym.load_json(text)
    assert "node 1 'u': its attributes ask for 6442450941, but there are 1 inputs" in str(error.value)


@pytest.mark.parametrize("squared", [
    lambda y: sym.dot(sym.reshape(y, shape=(-1, 1)), sym.reshape(y, shape=(1, -1))),
    lambda y: sym.broadcast_mul(sym.Flatten(sym.expand_dims(y, axis=0)), sym.reshape(y, shape=(-1, 1))),
    lambda y: sym.dot(sym.reshape(y, shape=(-3, 1)), sym.reshape(y, shape=(-3, 1)), transpose_b=True),
    lambda y: sym.khatri_rao(*[sym.reshape(y, shape=(-1, 1))] * 2)], ids=["-1", "Flatten", "-3", "khatri_rao"])
def test_a_length_that_is_squared_again_and_again(squared):
    """A thousand would become a number of 3 trillion digits."""
    y = sym.var("x", shape=(1000, 1))
    for _ in range(40):
        y = squared(y)
    with pytest.raises(ShapeError, match=r"the result would have an axis of more than 2 \*\* 63 - 1 elements"):
        y.infer_shape()


def test_the_messages():
    x = nd.ones((2, 3))
    for call, text in [
            (lambda: nd.multi_sgd_update(x, x, lrs=(1,), wds=(0,), num_weights=HUGE),
             "multi_sgd_update: 2147483647 weights need 4294967294 arrays (weight, grad for each), found 2"),
            (lambda: nd.amp_multicast(x, num_outputs=HUGE),
             "amp_multicast: num_outputs=2147483647, but 1 arrays were given"),
            (lambda: compose(REGISTRY["reset_arrays"](num_arrays=HUGE), [sym.var("a")]),
             "reset_arrays: num_arrays=2147483647, but 1 arrays were given"),
            (lambda: sym.split(sym.var("a"), num_outputs=HUGE),
             "SliceChannel would have 2147483647 outputs, expected at most 65536"),
            (lambda: nd.contrib.ROIAlign(nd.ones((1, 1, 4, 4)), nd.array([[0, 0, 0, 2, 2]]), pooled_size=(2, 2),
                                         spatial_scale=1, sample_ratio=HUGE),
             "_contrib_ROIAlign: sample_ratio=2147483647 samples of a bin along each axis, expected at most 1024")]:
        with pytest.raises(MXNetError) as error:
            call()
        assert str(error.value).splitlines()[0] == text
    with pytest.raises(ShapeError):
        nd.split(x, num_outputs=HUGE, axis=1)
    assert np.shape(nd.multi_sum_sq(x, num_arrays=1)) == (1,)
