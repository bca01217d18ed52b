"""Operators that move elements, on the GPU: rows of the table, drawn shapes and types, several grids, many axes."""

import numpy as np
import pytest
from helpers import WIDE, gpu_choice  # noqa: F401 - skips where there is no GPU and no emulator
from helpers.gpu_checks import GPU, agree, prepared
from helpers.gpu_rows import cases_of, check_case
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu.kernels import movement

from minigluon import nd
from minigluon.backend.forgetting import forget_kernels

NAMES = ("Reshape", "reshape", "Flatten", "flatten", "transpose", "SwapAxis", "swapaxes", "expand_dims", "squeeze",
         "reverse", "flip", "depth_to_space", "space_to_depth", "reshape_like", "slice", "slice_axis", "slice_like",
         "Crop", "diag", "Concat", "concat", "stack", "SliceChannel", "split", "_split_v2", "tile", "repeat", "Pad",
         "pad", "SequenceMask", "SequenceReverse", "SequenceLast", "_slice_assign", "_slice_assign_scalar",
         "_rnn_param_concat", "UpSampling")
DTYPES = ["float32", "float64", "float16", "int32", "int64", "uint8", "int8"]

dtypes = st.sampled_from(DTYPES)
shapes = st.lists(st.integers(0, 6), min_size=1, max_size=5).map(tuple)
some = st.lists(st.integers(1, 6), min_size=1, max_size=5).map(tuple)
seeds = st.integers(0, 2 ** 32 - 1)
quickly = settings(max_examples=50)


def drawn(seed, shape, dtype):
    """Numbers of all signs, with a few infinities and NaN; integers of the whole range of a byte."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 128, shape) - (0 if dtype == "uint8" else 64)
    array = values.astype(dtype)
    if array.dtype.kind == "f":
        array /= 8
        array[rng.random(shape) < 0.05] = np.nan
        array[rng.random(shape) < 0.05] = -np.inf
    return array


@pytest.mark.parametrize("dtype", DTYPES if WIDE else ["float32", "float64", "float16", "int8"])      # each size
def test_rows_of_the_table(dtype):
    for case in cases_of(*NAMES):
        check_case(case, dtype)


def test_all_of_them_have_kernels():
    wanted = {"Reshape", "Flatten", "transpose", "SwapAxis", "expand_dims", "squeeze", "reverse", "depth_to_space",
              "space_to_depth", "reshape_like", "slice", "slice_axis", "slice_like", "Crop", "diag", "Concat", "stack",
              "SliceChannel", "_split_v2", "tile", "repeat", "Pad", "SequenceMask", "SequenceReverse", "SequenceLast",
              "_slice_assign", "_slice_assign_scalar", "_rnn_param_concat", "_concat_grad", "_slice_grad",
              "_slice_axis_grad", "_slice_like_grad", "_Crop_grad", "_diag_grad", "_tile_grad", "_repeat_grad",
              "_Pad_grad", "_SequenceLast_grad"}
    assert wanted <= set(prepared()), wanted - set(prepared())


@quickly
@given(shapes, dtypes, st.data(), seeds)
def test_axes_in_another_order(shape, dtype, data, seed):
    x = drawn(seed, shape, dtype)
    agree("transpose", x, axes=tuple(data.draw(st.permutations(range(len(shape))))))
    agree("reverse", x, axis=tuple(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
    a, b = data.draw(st.integers(-len(shape), len(shape) - 1)), data.draw(st.integers(0, len(shape) - 1))
    agree("SwapAxis", x, dim1=a, dim2=b)


@quickly
@given(some, dtypes, st.data(), seeds)
def test_boxes_and_their_gradients(shape, dtype, data, seed):
    x = drawn(seed, shape, dtype)
    bound = st.none() | st.integers(-7, 7)
    n = data.draw(st.integers(1, len(shape)))
    begin, end = [tuple(data.draw(st.lists(bound, min_size=n, max_size=n))) for _ in range(2)]
    step = tuple(data.draw(st.lists(st.sampled_from([None, 1, 2, 3, -1, -2]), min_size=n, max_size=n)))
    box = {"begin": begin, "end": end, "step": step}
    twin = agree("slice", x, **box)
    part = drawn(seed + 1, twin.outputs[0].shape, dtype)
    agree("_slice_grad", part, x, **box)
    agree("_slice_assign", x, part, **box)
    agree("_slice_assign_scalar", x, scalar=2.0, **box)


@quickly
@given(some, dtypes, st.data(), seeds)
def test_joining_and_taking_apart(shape, dtype, data, seed):
    axis = data.draw(st.integers(0, len(shape) - 1))
    lengths = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    parts = [drawn(seed + i, (*shape[:axis], n, *shape[axis + 1:]), dtype) for i, n in enumerate(lengths)]
    whole = np.concatenate(parts, axis)
    agree("Concat", *parts, dim=axis - len(shape) if seed % 2 else axis)
    agree("_concat_grad", whole, *parts, dim=axis)
    agree("_split_v2", whole, indices=(0, *np.cumsum(lengths)[:-1]), axis=axis)
    agree("stack", *[parts[0]] * len(parts), axis=axis)
    agree("SliceChannel", drawn(seed, shape, dtype), num_outputs=shape[axis], axis=axis, squeeze_axis=bool(seed % 2))


@quickly
@given(some.filter(lambda shape: len(shape) < 5), dtypes, st.data(), seeds)
def test_repetitions_and_their_gradients(shape, dtype, data, seed):
    x = drawn(seed, shape, dtype)
    reps = tuple(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4)))
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    for name, attrs in ("tile", {"reps": reps}), ("repeat", {"repeats": reps[0], "axis": axis}):
        twin = agree(name, x, **attrs)
        grad = np.random.default_rng(seed).integers(0, 4, twin.outputs[0].shape).astype(dtype)
        agree(f"_{name}_grad", grad, x, **attrs)


@quickly
@given(some.filter(lambda shape: len(shape) < 5), dtypes, st.sampled_from(["constant", "edge", "reflect"]), st.data(),
       seeds)
def test_padding_and_its_gradient(shape, dtype, mode, data, seed):
    most = {"reflect": lambda n: n - 1}.get(mode, lambda n: 4)
    widths = tuple(data.draw(st.integers(0, most(n))) for n in shape for _ in range(2))
    how = {"mode": mode, "pad_width": widths}
    twin = agree("Pad", drawn(seed, shape, dtype), **how, constant_value=3.0)
    grad = np.random.default_rng(seed).integers(0, 4, twin.outputs[0].shape).astype(dtype)
    agree("_Pad_grad", grad, drawn(seed, shape, dtype), **how)


@quickly
@given(st.lists(st.integers(0, 5), min_size=2, max_size=4), dtypes, st.sampled_from(["float32", "int32", "float16"]),
       st.integers(0, 1), seeds)
def test_sequences(shape, dtype, length_dtype, axis, seed):
    data = drawn(seed, shape, dtype)
    lengths = (np.random.default_rng(seed).uniform(-2, 8, shape[1 - axis])).astype(length_dtype)
    how = {"use_sequence_length": True, "axis": axis}
    agree("SequenceMask", data, lengths, value=-1.0 if dtype != "uint8" else 1.0, **how)
    agree("SequenceReverse", data, lengths, **how)
    if shape[axis]:
        twin = agree("SequenceLast", data, lengths, **how)
        agree("_SequenceLast_grad", drawn(seed, twin.outputs[0].shape, dtype), data, lengths, **how)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "float16"])
def test_more_than_one_grid(few_blocks, dtype):
    x = drawn(0, (3, 70, 41), dtype)
    agree("transpose", x, axes=(2, 0, 1))
    agree("transpose", x, axes=(0, 2, 1))
    agree("transpose", x, axes=(1, 0, 2))
    agree("slice", x, begin=(None, 1, 2), end=(None, None, -1), step=(-1, 2, 3))
    agree("Pad", x[None, :, :20, :20], mode="reflect", pad_width=(0, 0, 1, 2, 3, 4, 5, 6))
    agree("Concat", x, x, dim=1)
    agree("tile", x, reps=(2, 1, 2))
    small = np.random.default_rng(0).integers(0, 3, (12, 70, 41)).astype(dtype)
    agree("_tile_grad", small, x, reps=(4, 1, 1))
    agree("_tile_grad", np.random.default_rng(0).integers(0, 2, 3 * 700).astype(dtype), x[:, 0, 0], reps=(700,))


def test_counts_of_64_bits(monkeypatch):
    """What arrays of 2**31 elements or more run, on small ones."""
    monkeypatch.setattr(movement, "SMALL", 1)
    forget_kernels()
    x = drawn(0, (3, 40, 21), "float32")
    agree("transpose", x, axes=(2, 0, 1))
    agree("transpose", x, axes=(1, 0, 2))
    agree("slice", x, begin=(None, 1, 2), end=(None, None, -1), step=(-1, 2, 3))
    agree("_slice_assign_scalar", x, begin=(None, 1, 2), end=(None, None, -1), step=(-1, 2, 3), scalar=1.0)
    agree("Pad", x[None], mode="reflect", pad_width=(0, 0, 1, 2, 3, 4, 5, 6))
    agree("_tile_grad", np.ones((12, 40, 21), "float32"), x, reps=(4, 1, 1))
    forget_kernels()


def test_booleans():
    x = np.random.default_rng(0).random((3, 4, 5)) < 0.5
    agree("transpose", x, axes=(1, 2, 0))
    agree("Concat", x, ~x, dim=1)
    agree("slice", x, begin=(1, None), end=(3, None), step=(1, -1))
    agree("Pad", x[None], mode="constant", pad_width=(0, 0, 1, 0, 0, 1, 2, 2), constant_value=1)
    agree("tile", x, reps=(2, 2))


def test_more_axes_than_a_kernel_has():
    x = drawn(0, (2,) * 14, "float32")
    agree("transpose", x)
    agree("reverse", x, axis=tuple(range(0, 14, 2)))
    agree("slice", x, begin=(0, 1), end=(2, 2), step=(1, 1))


@quickly
@given(st.integers(1, 2 ** 31 - 1), st.lists(st.integers(0, 2 ** 31 - 1), min_size=1, max_size=20))
def test_divisions_by_multiplication(n, numbers):
    factor, shift = movement.inverse(n)
    assert 0 <= factor < 2 ** 32
    for i in (*numbers, n - 1, n, 2 ** 31 - 1, (2 ** 31 - 1) // n * n, (2 ** 31 - 1) // n * n - 1):
        assert ((max(i, 0) * factor >> 32) + max(i, 0)) >> shift == max(i, 0) // n


def test_a_user_meets_them_as_on_the_cpu():
    x = nd.arange(24, ctx=GPU).reshape((2, 3, 4))
    np.testing.assert_array_equal(x.transpose((2, 0, 1)).asnumpy(), x.asnumpy().transpose(2, 0, 1))
    np.testing.assert_array_equal(nd.concat(x, x, dim=2).asnumpy(), np.concatenate([x.asnumpy()] * 2, 2))
    assert [part.shape for part in x.split(num_outputs=3, axis=1)] == [(2, 1, 4)] * 3
