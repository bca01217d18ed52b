"""Operators on inputs that do not fit, internal ones included: an error before a kernel runs, or NumPy's result.

`python tests/campaign operators` draws as many as wanted.
"""

import random

import numpy as np
import pytest
from helpers import misfits
from helpers.errors import error_of
from helpers.misfit_checks import check

import minigluon as mx
from minigluon import autograd, nd, sym
from minigluon.backend import available, use_backend
from minigluon.base import DTypeError, MXNetError, ShapeError
from minigluon.ops import REGISTRY

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

DRAWS = 5               # of each operator
CLASSES = sorted(set(REGISTRY.values()), key=lambda cls: cls.name)
MODULES = sorted({cls.__module__ for cls in CLASSES})
# Loops, branches and fused layers hold graphs, whose operators are checked one by one.
HOLD_GRAPHS = {"_foreach", "_while_loop", "_cond", "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"}


def backend():
    return list(available().values())[-1] if "accel" not in available() else available()["accel"]


@pytest.fixture(scope="module", name="valid_calls")
def _valid_calls():
    return misfits.valid_calls()


def test_every_operator_is_drawn(valid_calls):
    assert {cls.name for cls in CLASSES} - {cls.name for cls in valid_calls} == {*HOLD_GRAPHS, "cast_storage"}


@pytest.mark.parametrize("module", MODULES)
def test_what_fits_is_not_refused(module, valid_calls):
    for cls, calls in valid_calls.items():
        for op, arrays, train in calls if cls.__module__ == module else ():
            assert check(op, arrays, train, backend()) != "refused", f"{op!r} {[a.shape for a in arrays]}"


@pytest.mark.parametrize("module", MODULES)
def test_an_error_or_numpys_result(module, valid_calls):
    for cls, calls in valid_calls.items():
        draw = random.Random(cls.name)
        for _ in range(DRAWS if cls.__module__ == module else 0):
            op, arrays, train = draw.choice(calls)
            try:
                op, arrays, layouts = misfits.applied(op, arrays, misfits.changes(draw, op, arrays))
            except MXNetError:
                continue            # an attribute that no such operator has
            check(op, arrays, train, backend(), layouts)


def u(*shape, dtype="float32"):
    return nd.array(np.linspace(-1, 1, int(np.prod(shape))).reshape(shape), dtype=dtype)


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda F: F._spread_like(u(2), u(64, 64)), ShapeError,
     "_spread_like: data has shape (2,), expected (1,)\n  inputs: data (2,) float32, like (64, 64) float32\n  "
     "attributes: axis=None, keepdims=False, exclude=False"),
    (lambda F: F._sum_like(u(2, 3), u(64, 64)), ShapeError,
     "_sum_like: data (2, 3) is not what like (64, 64) is broadcast to\n  inputs: data (2, 3) float32, like (64, 64) "
     "float32"),
    (lambda F: F._stretch_like(u(3), u(2, 4)), ShapeError,
     "_stretch_like: data (3,) cannot be broadcast to (2, 4)\n  inputs: data (3,) float32, like (2, 4) float32"),
    (lambda F: F._slice_grad(u(40, 40), u(2, 2), begin=(0, 0), end=(1, 1)), ShapeError,
     "_slice_grad: grad has shape (40, 40), expected (1, 1)\n  inputs: grad (40, 40) float32, data (2, 2) float32\n  "
     "attributes: begin=(0, 0), end=(1, 1), step=()"),
    (lambda F: F._slice_grad(u(1, 1, dtype="float64"), u(2, 2), begin=(0, 0), end=(1, 1)), DTypeError,
     "_slice_grad: grad is float64, expected float32. Convert with .astype('float32')."),
    (lambda F: F._concat_grad(u(9, 9), u(1, 2), u(1, 3), num_args=3, dim=1), ShapeError,
     "_concat_grad: data0 has shape (9, 9), expected (1, 5)\n  inputs: data0 (9, 9) float32, data1 (1, 2) float32, "
     "data2 (1, 3) float32\n  attributes: num_args=3, dim=1"),
    (lambda _: nd.sgd_update(u(3, dtype="int8"), u(3, dtype="int8"), lr=0.5), DTypeError,
     "sgd_update: weight is int8, expected a floating-point dtype. Convert with .astype('float32')."),
    (lambda _: nd.sample_multinomial(u(3, dtype="int32"), get_prob=True), DTypeError,
     "_sample_multinomial: data is int32, expected a floating-point dtype. Convert with .astype('float32')."),
    (lambda _: sym.multi_sgd_mom_update(sym.var("a"), sym.var("b"), sym.var("c"), lrs=(1, 1), wds=(0, 0),
                                        num_weights=2, name="step"), ShapeError,
     "multi_sgd_mom_update: 2 weights need 6 arrays (weight, grad, mom for each), found 3"),
    (lambda _: nd.contrib.MultiProposal(nd.ones((2, 2, 3, 0)), nd.ones((2, 4, 3, 0)), nd.ones((2, 3)), scales=(1,),
                                        ratios=(1,)), ShapeError,
     "_contrib_MultiProposal: cls_prob (2, 2, 3, 0) has no places, so there is nothing to propose\n  inputs: cls_prob "
     "(2, 2, 3, 0) float32, bbox_pred (2, 4, 3, 0) float32, im_info (2, 3) float32\n  attributes: "
     "rpn_pre_nms_top_n=6000, rpn_post_nms_top_n=300, threshold=0.7, rpn_min_size=16, scales=(1.0,), ratios=(1.0,), "
     "feature_stride=16, output_score=False, iou_loss=False"),
    (lambda _: nd.LogisticRegressionOutput(u(3, dtype="bool"), u(3, dtype="bool")), DTypeError,
     "LogisticRegressionOutput: data is bool, expected a floating-point dtype. Convert with .astype('float32')."),
])
def test_shapes_and_types_that_do_not_fit(call, kind, text):
    assert error_of(lambda: call(nd._internal), kind) == text


def test_unusual_types_and_lengths_that_fit():
    grown = nd.UpSampling(nd.ones((2, 3, 0, 2)), nd.ones((3, 1, 4, 4)), scale=2, num_filter=3, sample_type="bilinear")
    assert grown.shape == (2, 3, 0, 4)
    drawn = nd.sample_uniform(nd.zeros((2,), dtype="bool"), nd.ones((2,), dtype="bool"), shape=3)
    assert drawn.shape == (2, 3)
    assert drawn.dtype == np.float32
    targets = nd.contrib.MultiBoxTarget(nd.ones((1, 30, 4)), nd.ones((0, 2, 5)), nd.ones((0, 4, 30)))
    assert [y.shape for y in targets] == [(0, 120), (0, 120), (0, 30)]
    collected = nd._internal._pdf_collect(nd.ones((2, 3), dtype="uint8"), nd.ones((2,), dtype="uint8"))
    assert collected.dtype == np.uint8
    assert collected.asnumpy().tolist() == [3, 3]


def test_gradients_of_arrays_without_axes():
    x, y = nd.ones((2,)), nd.array(3)
    assert y.shape == ()
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = nd.broadcast_mul(x, y)
    z.backward()
    assert y.grad.asnumpy() == 2


def test_results_without_axes_of_an_executor():
    close = sym.contrib.allclose(sym.var("a"), sym.var("b"))
    executor = close.simple_bind(mx.cpu(), grad_req="null", a=(2,), b=(2,))
    assert executor.forward()[0].asscalar() == 1


def test_a_gradient_whose_shape_depends_on_values():
    grad, data, index = nd.array([[1, 2], [3, 4]]), nd.ones((3, 2)), nd.array([1, 0, 1])
    spread = sym._internal._boolean_mask_grad(sym.var("grad"), sym.var("data"), sym.var("index"))
    executor = spread.bind(mx.cpu(), [grad, data, index], args_grad={"grad": nd.zeros((2, 2))}, grad_req={
        "grad": "write", "data": "null", "index": "null"})
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [[1, 2], [0, 0], [3, 4]]
    executor.backward(nd.array([[1, 2], [3, 4], [5, 6]]))
    assert executor.grad_dict["grad"].asnumpy().tolist() == [[1, 2], [5, 6]]


@pytest.mark.parametrize("name", ["numpy", "accel"])
def test_reductions_and_steps_of_arrays_without_axes(name):
    if name not in available():
        pytest.skip(f"no backend {name}")
    with use_backend(name):
        x = nd.array(3)
        assert nd.sum(x, keepdims=True).shape == nd.max(x, keepdims=True).shape == ()
        x.attach_grad()
        with autograd.record():
            y = nd.broadcast_like(nd.sum(x, keepdims=True), nd.array(2))
        y.backward()
        assert x.grad.asscalar() == 1
        stepped = nd.sgd_update(nd.array(3), nd.array(8), lr=0.5, clip_gradient=2)
        assert (stepped.shape, stepped.asscalar()) == ((), 2)
