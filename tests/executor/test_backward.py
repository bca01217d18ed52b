"""What `backward` of an executor writes, which forward pass it belongs to, which head gradients it looks at.

What is expected is what MXNet 1.9.1 did.
"""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd, sym

pytestmark = pytest.mark.usefixtures("fresh_names")

CPU = mx.cpu()
M = np.arange(1, 7).reshape(2, 3)
A, B, C = sym.var("a"), sym.var("b"), sym.var("c")


def bound(symbol, arrays, req="write", watched=False):
    arrays = {name: nd.array(x) for name, x in arrays.items()}
    executor = symbol.bind(CPU, arrays, {name: nd.full(x.shape, -5) for name, x in arrays.items()}, req)
    if watched:             # then it runs node by node
        executor.set_monitor_callback(lambda *args: None)
    return executor


def gradients(executor):
    return {name: grad.asnumpy().tolist() for name, grad in executor.grad_dict.items()}


def heads(executor):
    return [nd.arange(1, y.size + 1).reshape(y.shape) for y in executor.outputs]


PICTURE = np.ones((1, 1, 2, 2))
UNREACHED = [
    (sym.take(A, B), {"a": M, "b": [0, 1]}, "b"),
    (sym.topk(A, ret_typ="indices"), {"a": M}, "a"),
    (sym.argsort(A), {"a": M}, "a"),
    (sym.argmax(A, axis=1), {"a": M}, "a"),
    (sym.one_hot(A, depth=3), {"a": [1, 2]}, "a"),
    (sym.shape_array(A), {"a": M}, "a"),
    (sym.size_array(A), {"a": M}, "a"),
    (A > B, {"a": M, "b": M}, "ab"),
    (sym.zeros_like(A), {"a": M}, "a"),
    (sym.softmax(A, sym.cast(B, dtype="int32"), use_length=True), {"a": M, "b": [1, 2]}, "b"),
    (sym.slice_like(A, B), {"a": M, "b": M[:1]}, "b"),
    (sym.reshape_like(A, B), {"a": M, "b": M.T}, "b"),
    (sym.broadcast_like(A, B), {"a": M[:1], "b": M}, "b"),
    (sym.contrib.BilinearResize2D(A, B, mode="like"), {"a": PICTURE, "b": PICTURE}, "b"),
    (sym.where(C, A, B), {"a": M, "b": M, "c": M > 2}, "c"),
    (sym.pick(A, B), {"a": M, "b": [0, 1]}, "b"),
    (sym.gather_nd(A, B), {"a": M, "b": [[0], [1]]}, "b"),
    (sym.ROIPooling(A, B, pooled_size=(1, 1), spatial_scale=1), {"a": PICTURE, "b": [[0, 0, 0, 1, 1]]}, "b"),
    (sym.BlockGrad(A) + B, {"a": M, "b": M}, "a"),
    (sym.Group([A * 2, sym.BlockGrad(B)]), {"a": M, "b": M}, "b"),
]


@pytest.mark.parametrize("watched", [False, True], ids=["planned", "watched"])
@pytest.mark.parametrize(("symbol", "arrays", "unreached"), UNREACHED, ids=lambda x: getattr(x, "name", None))
def test_zeros_are_written_where_no_gradient_flows(symbol, arrays, unreached, watched):
    executor = bound(symbol, arrays, watched=watched)
    for _ in range(2):
        for grad in executor.grad_arrays:
            grad[:] = -5
        executor.forward(is_train=True)
        executor.backward(heads(executor))
        for name, grad in executor.grad_dict.items():
            assert (not grad.asnumpy().any()) == (name in unreached), name
            assert not (grad.asnumpy() == -5).any()
    added = bound(symbol, arrays, "add", watched)
    added.forward(is_train=True)
    added.backward(heads(added))
    for name in unreached:
        assert (added.grad_dict[name].asnumpy() == -5).all()


def test_zeros_are_written_for_the_branch_that_is_not_taken():
    symbol = sym.contrib.cond(sym.sum(C) > 0, lambda: A * 2, lambda: B * 3)
    executor = bound(symbol, {"a": M, "b": M, "c": [1]})
    for condition, expected in ((1, {"a": 2, "b": 0}), (-1, {"a": 0, "b": 3}), (1, {"a": 2, "b": 0})):
        executor.forward(is_train=True, c=nd.array([condition]))
        executor.backward(heads(executor))
        found = gradients(executor)
        assert {name: found[name] for name in "ab"} == {n: (x * M).tolist() for n, x in expected.items()}
        assert found["c"] == [0]


# -- which forward pass -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("watched", [False, True], ids=["planned", "watched"])
@pytest.mark.parametrize("make", [
    lambda: sym.Dropout(A, p=0.5, mode="always"),
    lambda: sym.Dropout(sym.Dropout(A, p=0.3, mode="always"), p=0.3, mode="always"),
    lambda: A * sym.random.uniform(shape=(8, 5)),
    lambda: A * sym.random.normal_like(sym.BlockGrad(A)),
], ids=["Dropout", "two", "uniform", "normal_like"])
def test_backward_differentiates_the_numbers_that_a_forward_pass_for_prediction_drew(make, watched):
    executor = bound(make(), {"a": np.ones((8, 5))}, watched=watched)
    drawn = []
    for _ in range(2):
        output = executor.forward(is_train=False)[0].asnumpy()
        following = nd.random.uniform(shape=(4,)).asnumpy()
        for _ in range(2):
            executor.backward(nd.ones((8, 5)), is_train=False)
            assert executor.grad_dict["a"].asnumpy().tolist() == output.tolist()
        drawn += [output.tolist(), following.tolist(), nd.random.uniform(shape=(4,)).asnumpy().tolist()]
    assert all(x != y for i, x in enumerate(drawn) for y in drawn[:i])      # backward has not set the generator back


def test_backward_does_not_change_what_is_drawn_after_it():
    def numbers(with_backward):
        mx.random.seed(7)
        executor = bound(sym.Dropout(A, p=0.5, mode="always"), {"a": np.ones((8, 5))})
        executor.forward(is_train=False)
        if with_backward:
            executor.backward(nd.ones((8, 5)))
        return nd.random.uniform(shape=(4,)).asnumpy().tolist()
    assert numbers(True) == numbers(False)


def test_backward_before_any_forward_runs_one_for_training():
    executor = bound(sym.exp(sym.Dropout(A, p=1.0) + A), {"a": M})
    executor.backward(nd.ones((2, 3)))
    np.testing.assert_allclose(executor.outputs[0].asnumpy(), np.exp(M), rtol=1e-6)
    np.testing.assert_allclose(executor.grad_dict["a"].asnumpy(), np.exp(M), rtol=1e-6)


# -- head gradients ---------------------------------------------------------------------------------------------------


def test_head_gradients_that_count_for_nothing_are_not_looked_at():
    wrong = nd.ones((7,))
    for symbol, given, expected in (
            (sym.Group([A * 2, sym.shape_array(A)]), [nd.ones((2, 3)), wrong], np.full((2, 3), 2)),
            (sym.Group([sym.topk(A, ret_typ="indices"), A * 3]), [wrong, nd.ones((2, 3))], np.full((2, 3), 3)),
            (sym.topk(A, k=1, ret_typ="both"), [nd.ones((2, 1)), wrong], [[0, 0, 1], [0, 0, 1]]),
            (sym.size_array(A), [wrong], np.zeros((2, 3))),
            (sym.MakeLoss(A * 4), [wrong], np.full((2, 3), 4)),
            (A * 2, [nd.ones((2, 3)) * 3, wrong, None], np.full((2, 3), 6))):        # more than there are outputs
        executor = bound(symbol, {"a": M})
        executor.forward(is_train=True)
        executor.backward(given)
        assert gradients(executor)["a"] == np.asarray(expected).tolist()


def test_head_gradients_of_proposals_are_not_looked_at():
    score, boxes, info = sym.var("score"), sym.var("boxes"), sym.var("info")
    found = sym.contrib.Proposal(score, boxes, info, scales=(8,), ratios=(1,), rpn_pre_nms_top_n=4,
                                 rpn_post_nms_top_n=2, feature_stride=16)
    executor = bound(sym.Group([found, score * 2]), {"score": np.ones((1, 2, 2, 2)), "boxes": np.ones((1, 4, 2, 2)),
                                                    "info": [[32, 32, 1]]})
    executor.forward(is_train=True)
    executor.backward([nd.ones((7,)), nd.ones((1, 2, 2, 2))])
    assert gradients(executor) == {"score": np.full((1, 2, 2, 2), 2).tolist(),
                                   "boxes": np.zeros((1, 4, 2, 2)).tolist(), "info": [[0, 0, 0]]}
