"""Operators that look elements up by number on the GPU, and their gradients: all kinds of indices, repeated or not."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - skips where there is no GPU and no emulator
from helpers.gpu_checks import GPU, agree, prepared
from helpers.gpu_rows import cases_of, check_case
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch
from minigluon_accel.gpu.kernels.array import indexing

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend.forgetting import forget_kernels
from minigluon.base import OutOfRangeError
from minigluon.gluon import nn

NAMES = ("take", "Embedding", "pick", "choose_element_0index", "batch_take", "fill_element_0index", "one_hot",
         "gather_nd", "scatter_nd", "_scatter_set_nd", "_last_writer", "ravel_multi_index", "unravel_index",
         "_ravel_multi_index", "_unravel_index", "_contrib_arange_like", "_contrib_boolean_mask",
         "_contrib_index_array", "_contrib_index_copy", "_contrib_div_sqrt_dim")

# Types of elements and of indices: each of them, and each size of elements with several types of indices. Not all
# pairs, since each is a kernel to be compiled.
PAIRS = [("float32", "float32"), ("float64", "int64"), ("float16", "int32"), ("int32", "float64"), ("int64", "float16"),
         ("uint8", "uint8"), ("int8", "int8"), ("float32", "int32")]

pairs = st.sampled_from(PAIRS)
some = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)
maybe_empty = st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple)
seeds = st.integers(0, 2 ** 32 - 1)
quickly = settings(max_examples=50)


def drawn(seed, shape, dtype):
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


def small(seed, shape, dtype):
    """Numbers whose sums are exact, whatever their order."""
    return np.random.default_rng(seed).integers(0, 3, shape).astype(dtype)


def indices(seed, shape, dtype, low, high):
    low = 0 if dtype == "uint8" else low
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_rows_of_the_table(dtype):
    for case in cases_of(*NAMES):
        if case.op != "_contrib_div_sqrt_dim" or np.dtype(dtype).kind == "f":
            check_case(case, dtype)


def test_all_of_them_have_kernels():
    wanted = {"take", "Embedding", "pick", "batch_take", "fill_element_0index", "one_hot", "gather_nd", "scatter_nd",
              "_scatter_set_nd", "_last_writer", "_ravel_multi_index", "_unravel_index", "_take_grad",
              "_Embedding_grad", "_pick_grad", "_batch_take_grad", "_gather_nd_grad", "_contrib_arange_like",
              "_contrib_boolean_mask", "_boolean_mask_grad", "_contrib_index_array", "_contrib_index_copy",
              "_contrib_div_sqrt_dim", "UpSampling", "_upsampling_grad"}
    assert wanted <= set(prepared()), wanted - set(prepared())


# -- slices ------------------------------------------------------------------------------------------------------------


@quickly
@given(some, st.data(), pairs, maybe_empty, st.sampled_from(["clip", "wrap"]), seeds)
def test_take(shape, data, pair, index_shape, mode, seed):
    dtype, index_dtype = pair
    how = {"axis": data.draw(st.integers(-len(shape), len(shape) - 1)), "mode": mode}
    a, where = drawn(seed, shape, dtype), indices(seed, index_shape, index_dtype, -9, 12)
    twin = agree("take", a, where, **how)
    agree("_take_grad", small(seed, twin.outputs[0].shape, dtype), a, where, **how)


@quickly
@given(st.integers(1, 9), st.integers(0, 5), maybe_empty, pairs, seeds)
def test_embedding(rows, columns, shape, pair, seed):
    dtype, index_dtype = pair
    where, weight = indices(seed, shape, index_dtype, -1, rows), drawn(seed, (rows, columns), dtype)
    how = {"input_dim": rows, "output_dim": columns}
    agree("Embedding", where, weight, **how)
    agree("_Embedding_grad", small(seed, (*shape, columns), dtype), where, weight, **how)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64"])
def test_indices_that_repeat_often(dtype):
    """Runs of one index go over several chunks of the sum, begin and end within them, and at their ends."""
    for seed, high in enumerate([1, 2, 3, 7, 40]):
        where = np.random.default_rng(seed).integers(0, high, 500 + seed).astype("int32")
        where[100:260] = 0
        agree("_Embedding_grad", small(seed, (len(where), 3), dtype), where, drawn(0, (high, 3), dtype),
              input_dim=high, output_dim=3)
    every = np.repeat(np.arange(10, dtype="int64"), 32)
    agree("_Embedding_grad", small(0, (320, 2), dtype), every, drawn(0, (10, 2), dtype), input_dim=10, output_dim=2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_are_the_same_bits_on_every_run(dtype):
    rng = np.random.default_rng(0)
    where = rng.integers(0, 5, 3000)
    head = (rng.normal(size=(3000, 2)) * 10.0 ** rng.integers(-6, 6, (3000, 1))).astype(dtype)

    def gradient(blocks):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(launch, "MAX_BLOCKS", blocks)
            forget_kernels()
            w = nd.zeros((5, 2), ctx=GPU, dtype=dtype)
            w.attach_grad()
            with autograd.record():
                y = nd.take(w, nd.array(where, ctx=GPU, dtype="int32"))
            y.backward(nd.array(head, ctx=GPU, dtype=dtype))
        return w.grad.asnumpy()
    first = gradient(65535)
    for blocks in 65535, 1, 3:
        np.testing.assert_array_equal(gradient(blocks), first)
    exact = np.stack([head[where == row].astype("float64").sum(0) for row in range(5)])
    np.testing.assert_allclose(first, exact, rtol=0, atol=600 * np.finfo(dtype).eps * np.abs(head).max())
    forget_kernels()


def test_a_large_table_is_not_walked_for_each_index():
    """A table of 20,000 rows and 300 indices: the gradient of rows that were not taken is zero."""
    where = np.random.default_rng(0).integers(0, 20_000, 300).astype("float32")
    agree("_Embedding_grad", small(0, (300, 4), "float32"), where, np.zeros((20_000, 4), "float32"), input_dim=20_000,
          output_dim=4)


def test_indices_that_are_no_numbers():
    where = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.9, -0.9], "float32")
    table = drawn(0, (4, 3), "float32")
    agree("one_hot", where, depth=4)
    agree("take", table, where, mode="wrap")
    agree("take", table, where.astype("float64"), mode="wrap")


# -- elements ----------------------------------------------------------------------------------------------------------


@quickly
@given(some, st.data(), pairs, st.sampled_from(["clip", "wrap"]), st.booleans(), seeds)
def test_pick(shape, data, pair, mode, keepdims, seed):
    dtype, index_dtype = pair
    axis = data.draw(st.integers(0, len(shape) - 1))
    x = drawn(seed, shape, dtype)
    where = indices(seed, shape[:axis] + shape[axis + 1:] or (1,), index_dtype, -9, 9)
    how = {"axis": axis - len(shape) if seed % 2 else axis, "mode": mode, "keepdims": keepdims}
    twin = agree("pick", x, where, **how)
    agree("_pick_grad", drawn(seed, twin.outputs[0].shape, dtype), x, where, **how)


@quickly
@given(st.integers(0, 9), st.integers(1, 9), pairs, seeds)
def test_one_element_of_each_row(rows, columns, pair, seed):
    dtype, index_dtype = pair
    x, where = drawn(seed, (rows, columns), dtype), indices(seed, rows, index_dtype, -3, columns + 3)
    agree("batch_take", x, where)
    agree("_batch_take_grad", drawn(seed, rows, dtype), x, where)
    agree("fill_element_0index", x, drawn(seed + 1, rows, dtype if dtype != "int8" else "float32"), where)


@quickly
@given(maybe_empty, st.integers(0, 5), pairs, seeds)
def test_one_hot(shape, depth, pair, seed):
    dtype, index_dtype = pair
    where = indices(seed, shape, index_dtype, -2, depth + 2)
    agree("one_hot", where, depth=depth, dtype=dtype)
    agree("one_hot", where, depth=depth, on_value=3.0, off_value=7.0, dtype=dtype)


# -- positions ---------------------------------------------------------------------------------------------------------


@quickly
@given(some, st.data(), pairs.filter(lambda pair: pair[1] != "uint8"),
       st.lists(st.integers(0, 5), min_size=1, max_size=2).map(tuple), seeds)
def test_positions(shape, data, pair, columns, seed):
    rng, (dtype, index_dtype) = np.random.default_rng(seed), pair
    axes = data.draw(st.integers(1, len(shape)))
    where = np.stack([rng.integers(-n, n, columns) for n in shape[:axes]]).astype(index_dtype)
    x = drawn(seed, shape, dtype)
    twin = agree("gather_nd", x, where)
    values = small(seed, twin.outputs[0].shape, dtype)
    agree("_gather_nd_grad", values, x, where)
    agree("scatter_nd", values, where, shape=shape)
    agree("_scatter_set_nd", x, values, where, shape=shape)
    agree("_last_writer", values, where, shape=shape)


@quickly
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple), maybe_empty,
       st.sampled_from(["float32", "int32", "int64"]), seeds)
def test_numbers_of_elements(shape, columns, dtype, seed):
    numbers = np.random.default_rng(seed).integers(-50, 9000, columns).astype(dtype)
    agree("unravel_index", numbers, shape=shape)
    agree("unravel_index", numbers, shape=(-1, *shape[1:]))
    agree("ravel_multi_index", np.stack([numbers] * len(shape)), shape=shape)


# -- errors ------------------------------------------------------------------------------------------------------------


def message_of(compute):
    """The text of the OutOfRangeError, which must be the CPU's, too."""
    texts = []
    for ctx in mx.cpu(), GPU:
        with pytest.raises(OutOfRangeError) as error:
            compute(ctx).asnumpy()
        texts.append(str(error.value))
    assert texts[0] == texts[1]
    return texts[0]


def test_indices_out_of_range():
    def array(ctx, *values, dtype="int32"):
        return nd.array(values, ctx=ctx, dtype=dtype)
    assert message_of(lambda ctx: nd.take(array(ctx, 1, 2, 3), array(ctx, 0, 2, -1, 3), mode="raise")) == (
        "take: index -1 is out of range; indices must be at least 0 and less than 3.")
    x = nd.ones((2, 3))
    assert message_of(lambda ctx: nd.gather_nd(x.as_in_context(ctx), array(ctx, [0, 1, 1], [0, 3, -4]))) == (
        "gather_nd: index 3 is out of range for axis 1, which has length 3.")
    assert message_of(lambda ctx: nd.scatter_nd(array(ctx, 1, 2), array(ctx, [0, -5]), shape=(4,))) == (
        "scatter_nd: index -5 is out of range for axis 0, which has length 4.")
    assert message_of(lambda ctx: nd.contrib.index_copy(x.as_in_context(ctx), array(ctx, 0, 2),
                                                        x.as_in_context(ctx))) == (
        "_contrib_index_copy: index 2 is out of range; indices must be at least 0 and less than 2.")


def test_the_first_of_many_that_are_out_of_range(few_blocks):
    where = np.zeros(5000, "int32")
    where[[1234, 1235, 4999]] = 77, 88, 99
    assert message_of(lambda ctx: nd.take(nd.ones((3,), ctx=ctx), nd.array(where, ctx=ctx, dtype="int32"),
                                          mode="raise")).startswith("take: index 77 ")


def test_an_error_in_a_plan():
    class Gather(nn.HybridBlock):
        def hybrid_forward(self, F, x, where):
            return F.gather_nd(x * 2, where) + 1

    net = Gather()
    net.hybridize()
    x = nd.arange(4, ctx=GPU)
    for _ in range(3):
        assert net(x, nd.array([[1, 3]], ctx=GPU)).asnumpy().tolist() == [3, 7]
    with pytest.raises(OutOfRangeError) as error:
        net(x, nd.array([[1, 4]], ctx=GPU)).asnumpy()
    assert "gather_nd: index 4 is out of range for axis 0, which has length 4." in str(error.value)
    assert net(x, nd.array([[0, 0]], ctx=GPU)).asnumpy().tolist() == [1, 1]


# -- contrib -----------------------------------------------------------------------------------------------------------


@quickly
@given(some, st.data(), pairs, seeds)
def test_boolean_mask(shape, data, pair, seed):
    dtype, mask_dtype = pair
    axis = data.draw(st.integers(0, len(shape) - 1))
    x, mask = drawn(seed, shape, dtype), np.random.default_rng(seed).integers(0, 2, shape[axis]).astype(mask_dtype)

    def compute(ctx):
        a = nd.array(x, ctx=ctx, dtype=dtype)
        a.attach_grad()
        with autograd.record():
            y = nd.contrib.boolean_mask(a, nd.array(mask, ctx=ctx, dtype=mask_dtype), axis=axis)
        y.backward()
        return y.asnumpy(), a.grad.asnumpy()
    for ours, theirs in zip(compute(GPU), compute(mx.cpu()), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def test_a_long_mask():
    """Longer than the block that counts, so that it goes on several times."""
    x, mask = drawn(0, (5000, 2), "int32"), np.random.default_rng(1).integers(0, 2, 5000)
    y = nd.contrib.boolean_mask(nd.array(x, ctx=GPU, dtype="int32"), nd.array(mask, ctx=GPU))
    np.testing.assert_array_equal(y.asnumpy(), x[mask != 0])


@quickly
@given(some, st.floats(-5, 5), st.floats(-3, 3), st.integers(1, 4), st.sampled_from(["float32", "float64", "float16"]),
       st.data())
def test_numbers_of_places(shape, start, step, repeat, dtype, data):
    x = np.zeros(shape, dtype)
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    agree("_contrib_arange_like", x, start=start, step=step, repeat=repeat, axis=axis)
    agree("_contrib_index_array", x)
    agree("_contrib_index_array", x, axes=(len(shape) - 1, 0))
    agree("_contrib_div_sqrt_dim", drawn(0, shape, dtype))


@quickly
@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 3), st.sampled_from(["float32", "uint8"]), seeds)
def test_index_copy(rows, count, columns, dtype, seed):
    where = np.random.default_rng(seed).integers(0, rows, count).astype("int32")
    agree("_contrib_index_copy", drawn(seed, (rows, columns), dtype), where, drawn(seed + 1, (count, columns), dtype))


@quickly
@given(st.lists(st.integers(1, 3), min_size=4, max_size=4), st.integers(1, 3), st.sampled_from(["concat", "sum"]),
       st.sampled_from(["float32", "float16", "int32"]), seeds)
def test_up_sampling(shape, scale, mode, dtype, seed):
    n, c, h, w = shape
    arrays = [small(seed, (n, c, h * 2, w * 2), dtype), small(seed, (n, c, h, w), dtype),
              small(seed, (n, c, h, w * 2), dtype)]
    how = {"scale": scale, "sample_type": "nearest", "multi_input_mode": mode}
    agree("UpSampling", arrays[0], **how)
    twin = agree("UpSampling", *arrays, **how)
    agree("_upsampling_grad", small(seed, twin.outputs[0].shape, dtype), *arrays, **how)


def test_booleans():
    rng = np.random.default_rng(0)
    x, where = rng.random((6, 5)) < 0.5, rng.integers(0, 5, 6)
    agree("take", x, where, axis=1)
    agree("take", x, x[0], mode="wrap")
    agree("pick", x, where)
    agree("gather_nd", x, where[None])
    agree("sort", x, axis=0)
    agree("argsort", x, is_ascend=False)


# -- large arrays ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_more_than_one_grid(few_blocks, dtype):
    rng = np.random.default_rng(0)
    table, where = drawn(0, (50, 30), dtype), rng.integers(-60, 60, (40, 3))
    twin = agree("take", table, where, mode="wrap")
    agree("_take_grad", small(0, twin.outputs[0].shape, dtype), table, where, mode="wrap")
    agree("take", table, where, axis=1)
    agree("pick", table, where[:, 0].repeat(2)[:50], mode="wrap")
    agree("_pick_grad", drawn(0, 50, dtype), table, where[:, 0].repeat(2)[:50], mode="wrap")
    cells = rng.integers(0, 30, (2, 900))
    agree("_gather_nd_grad", small(0, 900, dtype), table, cells)
    agree("_scatter_set_nd", table, drawn(1, 900, dtype), cells, shape=table.shape)
    agree("one_hot", where, depth=30, dtype=dtype)


def test_counts_of_64_bits(monkeypatch):
    """What arrays of 2**31 elements or more run, on small ones."""
    monkeypatch.setattr(indexing, "SMALL", 1)
    forget_kernels()
    rng = np.random.default_rng(0)
    table, where = drawn(0, (50, 3), "float32"), rng.integers(-60, 60, (40, 3))
    agree("take", table, where, mode="wrap")
    agree("_take_grad", small(0, (40, 3, 3), "float32"), table, where, mode="wrap")
    agree("pick", table, where[:, 0].repeat(2)[:50], mode="wrap")
    agree("_pick_grad", drawn(0, 50, "float32"), table, where[:, 0].repeat(2)[:50], mode="wrap")
    cells = rng.integers(0, 3, (2, 90))
    agree("_gather_nd_grad", small(0, 90, "float32"), table, cells)
    agree("scatter_nd", drawn(1, 90, "float32"), cells, shape=table.shape)
    agree("one_hot", where, depth=30)
    forget_kernels()
