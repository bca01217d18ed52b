"""The texts of the errors of the operators on shapes and indices."""

import json

import numpy as np
import pytest
from records import DATA

from minigluon import autograd, nd
from minigluon.base import MXNetError


def z(*shape, dtype=None):
    return nd.zeros(shape, dtype=dtype)


CASES = [
    (lambda: nd.reshape(z(2, 3), shape=(4, 2)),
     "Reshape: data (2, 3) has 6 elements, but shape=(4, 2) asks for (4, 2), which has 8"),
    (lambda: nd.reshape(z(2, 3), shape=(0, 0, 0)),
     "Reshape: shape=(0, 0, 0) refers to more dimensions than data (2, 3) has"),
    (lambda: nd.reshape(z(2, 3), shape=(-4, 4, -1, 3)),
     "Reshape: shape=(-4, 4, -1, 3) cannot split 2 into 4 x -1"),
    (lambda: nd.reshape(z(2, 3), shape=(-1, -1)),
     "Reshape: shape=(-1, -1) has more than one -1"),
    (lambda: nd.reshape(z(2, 3), shape=(-4, 2)),
     "Reshape: shape=(-4, 2) has a -4 without the two numbers that belong to it"),
    (lambda: nd.reshape_like(z(2, 3), z(4)),
     "reshape_like: lhs (2, 3) has 6 elements, but the result (4,) has 4"),
    (lambda: nd.transpose(z(2, 3), axes=(0, 0)),
     "transpose: axes=(0, 0) is not an order of the 2 axes of data"),
    (lambda: nd.expand_dims(z(2, 3), axis=4),
     "expand_dims: axis 4 is out of range for 3 dimensions; the axes are -3 to 2"),
    (lambda: nd.squeeze(z(2, 3), axis=1),
     "squeeze: axis 1 of data (2, 3) has length 3; only an axis of length 1 can be left out"),
    (lambda: nd.depth_to_space(z(2, 3), block_size=2),
     "depth_to_space: data has shape (2, 3), expected 4 dimensions"),
    (lambda: nd.depth_to_space(z(1, 3, 2, 2), block_size=2),
     "depth_to_space: axis 1 of data (1, 3, 2, 2) is not a multiple of 4 (block_size=2)"),
    (lambda: nd.depth_to_space(z(1, 3, 2, 2), block_size=0),
     "depth_to_space: block_size=0 must be at least 1"),
    (lambda: nd.concat(z(2, 3), z(3, 3), dim=1),
     "Concat: data1 has shape (3, 3) and data0 has (2, 3); all axes but the joined one, 1, must be equal"),
    (lambda: nd.split(z(2, 3), num_outputs=2),
     "SliceChannel: axis 1 has length 3, which cannot be split into 2 equal parts"),
    (lambda: nd.split(z(2, 4), num_outputs=2, squeeze_axis=True),
     "SliceChannel: squeeze_axis=True needs parts of length 1, but axis 1 of data (2, 4) is split into lengths [2,"
     " 2]"),
    (lambda: nd._split_v2(z(2, 5), indices=(0, 3, 2)),
     "_split_v2: the cuts [3, 2] are not in increasing order within the 5 elements of axis 1"),
    (lambda: nd._split_v2(z(2, 5), indices=(), sections=2),
     "_split_v2: axis 1 has length 5, which cannot be split into 2 equal parts"),
    (lambda: nd.tile(z(2), reps=(-1,)),
     "tile: reps=(-1,) must not be negative"),
    (lambda: nd.repeat(z(2), repeats=-1),
     "repeat: repeats=-1 must not be negative"),
    (lambda: nd.pad(z(2, 3), mode="edge", pad_width=(1, 1)),
     "Pad: pad_width=(1, 1) needs two numbers, not negative, for each of the 2 axes of data (2, 3)"),
    (lambda: nd.pad(z(2, 3), mode="reflect", pad_width=(0, 0, 3, 1)),
     "Pad: mode='reflect' must pad axis 1 of data (2, 3) with fewer than 3 elements, found 3"),
    (lambda: nd.pad(z(2, 3), mode="round", pad_width=(0, 0, 3, 1)),
     "Pad: attribute mode is 'round', expected one of 'constant', 'edge', 'reflect'."),
    (lambda: nd.slice(z(2, 3), begin=(0, 1), end=(1,)),
     "slice: begin=(0, 1), end=(1,) and step=() must have the same length"),
    (lambda: nd.slice(z(2), begin=(0, 1), end=(1, 2)),
     "slice: begin=(0, 1) names more axes than the 1 of (2,)"),
    (lambda: nd.slice(z(2), begin=(0,), end=(1,), step=(0,)),
     "slice: step=(0,) must not contain 0"),
    (lambda: nd.slice_axis(z(2, 3), axis=1, begin=1, end=5),
     "slice_axis: begin=1 and end=5 do not lie in order within the 3 elements of axis 1 of data (2, 3)"),
    (lambda: nd.slice_like(z(2, 3), z(2)),
     "slice_like: data (2, 3) and shape_like (2,) must have the same number of dimensions when no axes are given"),
    (lambda: nd.slice_like(z(2, 3), z(3, 3)),
     "slice_like: axis 0 of shape_like (3, 3) is longer than that of data (2, 3)"),
    (lambda: nd.Crop(z(1, 1, 3, 3), h_w=(2, 4)),
     "Crop: a window of (2, 4) at offset (0, 0) does not fit into data (1, 1, 3, 3)"),
    (lambda: nd.Crop(z(1, 1, 3, 3), z(1, 1, 3, 3), z(1, 1, 3, 3)),
     "Crop: takes one or two inputs, found 3"),
    (lambda: nd.diag(z(2, 3), k=3),
     "diag: data (2, 3) has no diagonal k=3 in axes 0 and 1"),
    (lambda: nd.diag(z(2, 3), axis2=0),
     "diag: axis1=0 and axis2=0 are the same axis"),
    (lambda: nd._slice_assign(z(2, 3), z(3), begin=(0,), end=(1,)),
     "_slice_assign: rhs has shape (3,), expected (1, 3)"),
    (lambda: nd.take(z(2, 3), z(1) + 2, mode="raise"),
     "take: index 2 is out of range; indices must be at least 0 and less than 2."),
    (lambda: nd.take(z(0, 3), z(1)),
     "take: axis 0 of a (0, 3) has no elements to take"),
    (lambda: nd.pick(z(2, 3), z(2), axis=None),
     "pick: axis=None is not supported; name the axis to pick along"),
    (lambda: nd.pick(z(2, 3), z(3)),
     "pick: index has shape (3,), expected (2,)"),
    (lambda: nd.batch_take(z(2), z(2)),
     "batch_take: a has shape (2,), expected 2 dimensions"),
    (lambda: nd.gather_nd(z(2, 3), z(2)),
     "gather_nd: indices (2,) must have two dimensions or more, and at most as many rows as data (2, 3) has axes"),
    (lambda: nd.gather_nd(z(2, 3), z(1, 1) + 2),
     "gather_nd: index 2 is out of range for axis 0, which has length 2."),
    (lambda: nd.scatter_nd(z(2), z(3, 2), shape=(2, 3)),
     "scatter_nd: indices (3, 2) must have two dimensions or more, and at most as many rows as shape=(2, 3) has "
     "axes"),
    (lambda: nd.scatter_nd(z(2), z(2, 2) - 4, shape=(2, 3)),
     "scatter_nd: index -4 is out of range for axis 0, which has length 2."),
    (lambda: nd.where(z(3), z(2, 3), z(2, 3)),
     "where: condition has shape (3,), expected (2,)"),
    (lambda: nd.where(z(2, 3), z(2, 3), z(2, 3, dtype="int32")),
     "where: inputs have different dtypes: condition float32, x float32, y int32. Convert with .astype(dtype)."),
    (lambda: nd.Embedding(z(2), z(2, 3), input_dim=4, output_dim=3),
     "Embedding: weight has shape (2, 3), expected (4, 3)"),
    (lambda: nd.topk(z(2, 3), k=4),
     "topk: k=4 is larger than the 3 elements of axis -1 of data (2, 3)"),
    (lambda: nd.ravel_multi_index(z(3, 2), shape=(2, 3)),
     "_ravel_multi_index: data (3, 2) must have a row for each of the axes of shape=(2, 3)"),
    (lambda: nd.unravel_index(z(3)),
     "_unravel_index: needs the attribute shape, of the array that the numbers belong to"),
    (lambda: nd.SequenceMask(z(3)),
     "SequenceMask: data (3,) must have two dimensions or more and axis=0 be 0 or 1: (T, N, ...) with axis=0, (N, "
     "T, ...) with axis=1"),
    (lambda: nd.SequenceLast(z(3, 2), z(3), use_sequence_length=True),
     "SequenceLast: sequence_length has shape (3,), expected (2,)"),
    (lambda: nd.SequenceReverse(z(3, 2), axis=2),
     "SequenceReverse: data (3, 2) must have two dimensions or more and axis=2 be 0 or 1: (T, N, ...) with axis=0,"
     " (N, T, ...) with axis=1"),
    (lambda: nd.im2col(z(1, 1, 2, 2), kernel=(3, 3)),
     "im2col: a kernel of (3, 3) with dilate=() does not fit into the plane (2, 2) with pad=()"),
    (lambda: nd.col2im(z(1, 4, 4), kernel=(2, 2), output_size=(3,)),
     "col2im: output_size=(3,) and kernel=(2, 2) must have the same length"),
    (lambda: nd.col2im(z(1, 3, 4), kernel=(2, 2), output_size=(3, 3)),
     "col2im: axis 1 of data (1, 3, 4) is not a multiple of the 4 elements of kernel=(2, 2)"),
    (lambda: nd._arange(start=1, stop=2, step=0),
     "_arange: step must not be 0"),
    (lambda: nd._contrib_index_copy(z(2, 3), z(1) + 2, z(1, 3)),
     "_contrib_index_copy: index 2 is out of range; indices must be at least 0 and less than 2."),
    (lambda: nd._histogram(z(3), bin_cnt=3),
     "_histogram: bin_cnt=3 must be positive and come with range=(low, high), found range=None"),
    (lambda: nd._contrib_boolean_mask(z(2, 3), z(3)),
     "_contrib_boolean_mask: index has shape (3,), expected (2,)"),
]


@pytest.mark.parametrize(("call", "text"), CASES, ids=[text[:40] for _, text in CASES])
def test_text(call, text):
    """The first line; those after it list the inputs and attributes, for every operator alike."""
    with pytest.raises(MXNetError) as caught:
        call()
    assert str(caught.value).splitlines()[0] == text


RESHAPES = json.loads((DATA / "mxnet_reshape.json").read_text())


def test_reshape_codes_like_mxnet():
    """[source, codes, reverse, result] of 400 random draws, as MXNet 1.9.1 answered them."""
    wrong = []
    for source, codes, reverse, expected in RESHAPES:
        found = nd.Reshape.op(shape=codes, reverse=reverse).infer_shape(tuple(source))[1][0]
        if found != tuple(expected):
            wrong.append((source, codes, reverse, found, expected))
    assert len(RESHAPES) == 400
    assert not wrong


def test_gradient_of_topk_with_both():
    x = nd.array([[3, 1, 2], [4, 6, 5]])
    x.attach_grad()
    with autograd.record():
        values, indices = nd.topk(x, k=2, ret_typ="both")
        y = values * values
    y.backward()
    assert indices.asnumpy().tolist() == [[0, 2], [1, 2]]
    assert x.grad.asnumpy().tolist() == [[6, 0, 4], [0, 12, 10]]


def test_nan_comes_last():
    x = nd.array([1, float("nan"), 0])
    assert nd.argsort(x).asnumpy().tolist() == [2, 0, 1]
    assert nd.argsort(x, is_ascend=False).asnumpy().tolist() == [0, 2, 1]


def test_order_of_integers_that_have_no_negative():
    x = nd.array([-128, 5, 127, 5], dtype="int8")
    assert nd.sort(x, is_ascend=False).asnumpy().tolist() == [127, 5, 5, -128]
    assert nd.argsort(x, is_ascend=False).asnumpy().tolist() == [2, 1, 3, 0]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint8"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_few_of_many_are_those_that_sorting_puts_first(axis, dtype):
    rng = np.random.default_rng(3)
    equal = rng.integers(0, 5, (70, 80)).astype(dtype)
    arrays = [equal, equal * 0, rng.permutation(5600).reshape(70, 80).astype(dtype)]
    if np.dtype(dtype).kind == "f":
        arrays += [np.where(equal > 0, value, equal).astype(dtype) for value in (np.inf, -np.inf, np.nan)]
    for x in arrays:
        for is_ascend in (False, True):
            most = nd.argsort(nd.array(x, dtype=dtype), axis=axis, is_ascend=is_ascend).asnumpy()
            few = nd.topk(nd.array(x, dtype=dtype), axis=axis, k=4, is_ascend=is_ascend).asnumpy()
            assert (few == np.take(most, range(4), axis or 0)).all()


def test_a_mask_may_select_another_number_of_rows_each_time():
    x = nd.array([[1, 2], [3, 4], [5, 6]])
    for index, rows in ([1, 0, 1], [[1, 2], [5, 6]]), ([0, 1, 0], [[3, 4]]), ([1, 1, 1], x.asnumpy().tolist()):
        assert nd._contrib_boolean_mask(x, nd.array(index)).asnumpy().tolist() == rows


def test_split_v2_and_histogram():
    x = nd.arange(6)
    assert [p.asnumpy().tolist() for p in nd.split_v2(x, (2, 3))] == [[0, 1], [2], [3, 4, 5]]
    assert [p.shape for p in nd.split_v2(x, 6, squeeze_axis=True)] == [(1,)] * 6
    counts, edges = nd.histogram(x, bins=2, range=(0, 5))
    assert counts.dtype.__name__ == "int64"
    assert counts.asnumpy().tolist() == [3, 3]
    assert edges.asnumpy().tolist() == [0, 2.5, 5]


def test_large_transposes_go_in_blocks():
    x = np.arange(300 * 250, dtype="float32").reshape(300, 250)         # more than LARGE, and no multiple of STRIP
    assert (nd.array(x).T.asnumpy() == x.T).all()
    y = nd.array(x.reshape(3, 100, 250)).transpose((0, 2, 1)).asnumpy()
    assert (y == x.reshape(3, 100, 250).transpose(0, 2, 1)).all()


def test_the_gradient_of_a_vector_split_into_numbers_is_a_vector():
    x = nd.array([1, 2, 3])
    x.attach_grad()
    with autograd.record():
        parts = nd.split(x, num_outputs=3, axis=0, squeeze_axis=True)
        y = parts[0] * 5 + parts[2]
    y.backward()
    assert x.grad.asnumpy().tolist() == [5, 0, 1]


@pytest.mark.parametrize("ret_typ", ["both", "indices", "value", "mask"])
@pytest.mark.parametrize(("shape", "axis"), [((0,), None), ((2, 0), -1), ((0, 2), 0), ((0, 2), 1)])
def test_topk_of_nothing(shape, axis, ret_typ):
    found = nd.topk(nd.zeros(shape), axis=axis, k=0, ret_typ=ret_typ)
    assert all(part.size == 0 for part in (found if isinstance(found, list) else [found]))


@pytest.mark.parametrize("is_ascend", [True, False])
def test_topk_of_many_booleans(is_ascend):
    x = np.zeros((2, 3000), bool)
    x[0, 7] = x[1] = True
    x[1, 9] = False
    found = nd.topk(nd.array(x, dtype="bool"), k=2, is_ascend=is_ascend).asnumpy().tolist()
    assert found == ([[0, 1], [9, 0]] if is_ascend else [[7, 0], [0, 1]])
