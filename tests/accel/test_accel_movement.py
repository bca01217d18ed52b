"""Copies to other places: all sizes of items, odd lengths, empty arrays, and threads, bit for bit as the reference."""

import math

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from minigluon_accel.backend import BACKEND

from minigluon.backend import ReferenceBackend, Spec
from minigluon.dispatch import infer
from minigluon.ops import REGISTRY
from minigluon_accel import engine

DTYPES = ["uint8", "float16", "float32", "float64", "int64", "bool"]
LENGTHS = st.sampled_from([0, 1, 2, 3, 15, 16, 17, 40])
LARGE = 300_000         # elements: several parts of each kernel, in less time than hundreds of millions


def check(op, arrays):
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    outputs = infer(op, specs)
    wanted = ReferenceBackend().prepare(op, specs, outputs, False, None).run(arrays)
    kernel = BACKEND.prepare(op, specs, outputs, False, None)
    assert not isinstance(kernel, str), kernel
    for count in 1, 2:
        engine.set_threads(count)
        for found, expected in zip(kernel.run(arrays), wanted, strict=True):
            np.testing.assert_array_equal(np.atleast_1d(found).view("uint8") if found.size else found,
                                          np.ascontiguousarray(expected).view("uint8") if found.size else expected)


def numbered(shape, dtype):
    return np.random.default_rng(0).integers(0, 200, shape).astype(dtype)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_views(data):
    shape = tuple(data.draw(st.lists(LENGTHS, min_size=1, max_size=5)))
    assume(math.prod(shape) <= LARGE)
    x = numbered(shape, data.draw(st.sampled_from(DTYPES)))
    axes = tuple(data.draw(st.permutations(range(len(shape)))))
    axis = data.draw(st.integers(0, len(shape) - 1))
    begin = data.draw(st.integers(0, shape[axis]))
    end = data.draw(st.integers(begin, shape[axis]))
    check(REGISTRY["transpose"](axes=axes), [x])
    check(REGISTRY["SwapAxis"](dim1=axis, dim2=axes[0]), [x])
    check(REGISTRY["reverse"](axis=axes[:axis + 1]), [x])
    check(REGISTRY["slice_axis"](axis=axis, begin=begin, end=end), [x])
    check(REGISTRY["slice"](begin=(None,) * axis + (None,), end=(None,) * axis + (begin or None,),
                            step=(None,) * axis + (data.draw(st.sampled_from([1, 2, 3, -1, -2])),)), [x])


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_without_axes(dtype):
    x = np.array(7, dtype)
    for op, arrays in [(REGISTRY["stack"](num_args=1, axis=0), [x]), (REGISTRY["stack"](num_args=2, axis=0), [x, x]),
                       (REGISTRY["slice"](begin=(), end=()), [x]), (REGISTRY["_slice_grad"](begin=(), end=()), [x, x])]:
        check(op, arrays)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_boxes_put_back(data):
    shape = tuple(data.draw(st.lists(LENGTHS, min_size=1, max_size=4)))
    x = numbered(shape, data.draw(st.sampled_from(DTYPES)))
    axis = data.draw(st.integers(0, len(shape) - 1))
    begin = data.draw(st.integers(0, shape[axis]))
    taken = np.s_[:, ] * axis + (np.s_[begin::2],)
    check(REGISTRY["_slice_grad"](begin=(None,) * axis + (begin,), end=(None,) * (axis + 1),
                                  step=(None,) * axis + (2,)), [x[taken], x])
    check(REGISTRY["_slice_grad"](begin=(None,) * (axis + 1), end=(None,) * (axis + 1), step=(None,) * axis + (-3,)),
          [x[np.s_[:, ] * axis + (np.s_[::-3],)], x])
    check(REGISTRY["_slice_axis_grad"](axis=axis, begin=begin, end=None), [x[np.s_[:, ] * axis + (np.s_[begin:],)], x])


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_padding(data):
    mode = data.draw(st.sampled_from(["constant", "edge", "reflect"]))
    shape = tuple(data.draw(st.lists(LENGTHS, min_size=1, max_size=4)))
    most = [5 if mode == "constant" else 0 if n == 0 else min(5, n - 1) if mode == "reflect" else 5 for n in shape]
    widths = [data.draw(st.integers(0, most[k // 2])) for k in range(2 * len(shape))]
    x = numbered(shape, data.draw(st.sampled_from(DTYPES)))
    op = REGISTRY["Pad"](mode=mode, pad_width=tuple(widths), constant_value=data.draw(st.sampled_from([0, 1, 2.5])))
    check(op, [x])
    if mode == "constant":
        padded = numbered(op.infer_shape(shape)[1][0], x.dtype)
        check(REGISTRY["_Pad_grad"](mode=mode, pad_width=tuple(widths)), [padded, x])


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_joining_and_taking_apart(data):
    shape = list(data.draw(st.lists(LENGTHS, min_size=1, max_size=4)))
    axis = data.draw(st.integers(0, len(shape) - 1))
    lengths = data.draw(st.lists(LENGTHS, min_size=1, max_size=4))
    dtype = data.draw(st.sampled_from(DTYPES))
    arrays = [numbered((*shape[:axis], n, *shape[axis + 1:]), dtype) for n in lengths]
    check(REGISTRY["Concat"](num_args=len(arrays), dim=axis), arrays)
    check(REGISTRY["_concat_grad"](num_args=len(arrays) + 1, dim=axis), [np.concatenate(arrays, axis), *arrays])
    check(REGISTRY["stack"](num_args=2, axis=axis), [arrays[0], arrays[0]])
    check(REGISTRY["SliceChannel"](num_outputs=3, axis=axis), [np.concatenate([arrays[0]] * 3, axis)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(300, 500), (7, 129, 65), (3, 64, 33, 31), (1, 70000), (70000, 2)])
def test_large_arrays_in_parts(shape, dtype):
    x = numbered(shape, dtype)
    for axes in {tuple(range(len(shape)))[::-1], (*range(1, len(shape)), 0)}:
        check(REGISTRY["transpose"](axes=axes), [x])


@pytest.mark.parametrize("dtype", DTYPES)
def test_blocks_of_channels(dtype):
    check(REGISTRY["depth_to_space"](block_size=3), [numbered((2, 18, 5, 7), dtype)])
    check(REGISTRY["space_to_depth"](block_size=2), [numbered((2, 3, 34, 18), dtype)])


@pytest.mark.parametrize("shape", [(400, 60), (60, 40, 13)])
def test_what_is_behind_the_end_of_sequences(shape):
    for dtype in "float32", "float64":
        for axis in 0, 1:
            lengths = np.linspace(-1, shape[axis] + 2.5, shape[1 - axis]).astype(dtype)
            op = REGISTRY["SequenceMask"](use_sequence_length=True, axis=axis, value=-1.5)
            check(op, [numbered(shape, dtype), lengths])


def test_what_is_declined():
    spec = Spec((2, 3), np.dtype("complex128"))
    assert BACKEND.prepare(REGISTRY["transpose"](), [spec], [spec], False, None) == "dtype complex128"
    data, padded = (Spec((2, n), np.dtype("float32")) for n in (3, 5))
    grad = REGISTRY["_Pad_grad"](mode="edge", pad_width=(0, 0, 1, 1))
    assert BACKEND.prepare(grad, [padded, data], [data], False, None) == "mode edge"
