"""Attention with caches on the GPU: results, what is written into the caches, and decoding with GPT-2."""

import warnings

import numpy as np
import pytest
from helpers import (
    gpu_choice,  # noqa: F401 - first: it chooses the GPU, or skips the module
    misfit_gpu,
)
from helpers.gpu_checks import GPU, Twin, backend, to_gpu
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import kernels, launch
from minigluon_accel.gpu.kernels.nn import cached_attention

import minigluon as mx
from minigluon import dispatch, nd
from minigluon.backend import Spec
from minigluon.backend.forgetting import forget_kernels
from minigluon.dispatch import infer
from minigluon.gluon.model_zoo import text
from minigluon.ops import REGISTRY

FLOATS = ["float32", "float64", "float16"]
INDICES = ["int32", "int64", "int8", "uint8", "float32", "float64", "float16"]
NET = {"units": 24, "vocab_size": 50, "max_length": 48, "num_layers": 2, "num_heads": 3}


def operands(shape, filled, dtype="float32", index="int32", seed=0):
    """(operator, arrays). shape: batch, length, heads, size, capacity."""
    batch, length, heads, size, capacity = shape
    caches = [numbers((batch, heads, capacity, size), dtype, seed + k) for k in (1, 2)]
    return (REGISTRY["_contrib_cached_attention"](heads=heads),
            [numbers((batch, length, 3 * heads * size), dtype, seed), *caches, np.array(filled).astype(index)])


def launches(op, arrays):
    """The names of the kernels, and in how many parts rows are."""
    inputs = [Spec(a.shape, a.dtype) for a in arrays]
    work = kernels.find(op, inputs, infer(op, inputs), False, None, backend().device)
    return [each.function for each in work.launches], work.scratch[0].shape[1] if work.scratch else 1


@pytest.fixture(name="short_parts")
def _short_parts(monkeypatch):
    monkeypatch.setattr(cached_attention, "LEAST", 3)


@st.composite
def drawn(draw):
    """(positions of a part, most blocks, arguments of `operands`)"""
    length, capacity = draw(st.integers(1, 5)), draw(st.integers(5, 40))
    size = draw(st.sampled_from([1, 2, 3, 4, 7, 8, 16, 20]))
    shape = draw(st.integers(1, 3)), length, draw(st.integers(1, 3)), size, capacity
    filled = draw(st.lists(st.integers(-3, capacity + 3), min_size=shape[0], max_size=shape[0]))
    index = draw(st.sampled_from(INDICES))
    filled = [max(n, 0) for n in filled] if index == "uint8" else filled
    return (draw(st.sampled_from([1, 2, 5, 64])), draw(st.sampled_from([2, launch.MAX_BLOCKS])),
            (shape, filled, draw(st.sampled_from(FLOATS)), index, draw(st.integers(0, 99))))


@settings(deadline=None, max_examples=40)
@given(drawn())
def test_drawn_shapes(example):
    least, most_blocks, arguments = example
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cached_attention, "LEAST", least)
        patch.setattr(launch, "MAX_BLOCKS", most_blocks)
        assert Twin(*operands(*arguments)).check()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [64, 65, 128, 260, 1100])
@pytest.mark.usefixtures("short_parts")
def test_heads_of_many_elements(size, dtype):
    """In pieces and one by one, more of them than a warp reads at once, and than a block takes together."""
    assert Twin(*operands((2, 2, 2, size, 9), [4, 7], dtype)).check()


@pytest.mark.parametrize("size", [3, 4, 64])
def test_more_positions_than_a_block_has_threads(size, monkeypatch):
    monkeypatch.setattr(cached_attention, "LEAST", 600)
    for length in 1, 2:
        case = operands((1, length, 1, size, 600), [597], "float32")
        assert launches(*case) == (["cached_attention"], 1)
        assert Twin(*case).check()


def test_how_rows_are_divided():
    """Into parts where there are few rows and many positions; one part has one launch."""
    both = ["cached_attention", "join_parts"]
    assert launches(*operands((1, 1, 12, 4, 127), [0])) == (both[:1], 1)
    assert launches(*operands((1, 1, 12, 4, 256), [0])) == (both, 4)
    assert launches(*operands((1, 1, 12, 4, 4096), [0])) == (both, 43)
    assert launches(*operands((4, 16, 12, 4, 4096), [0] * 4)) == (both[:1], 1)


def test_all_parts_are_joined_whatever_is_filled(short_parts):
    """From one position to all, with parts that have none."""
    for filled in range(31):
        case = operands((1, 1, 2, 4, 30), [filled])
        assert launches(*case)[1] == 10
        assert Twin(*case).check()


@pytest.mark.parametrize("index", INDICES)
def test_filled_out_of_range_is_clipped(index, short_parts):
    least = 0 if index == "uint8" else -100
    assert Twin(*operands((4, 3, 2, 4, 10), [least, 8, 120, 7], "float32", index)).check()


@pytest.mark.parametrize("filled", [[2 ** 31 - 1, -2 ** 31], [2 ** 62, -2 ** 63]])
def test_filled_far_out_of_range(filled, short_parts):
    assert Twin(*operands((2, 3, 2, 4, 10), filled, "float32", "int64")).check()


@pytest.mark.parametrize("least", [3, 64])
@pytest.mark.parametrize("filled", [np.nan, np.inf, -np.inf, 1e30])
def test_filled_that_is_no_number_of_positions(filled, least, monkeypatch):
    monkeypatch.setattr(cached_attention, "LEAST", least)
    op, arrays = operands((2, 3, 2, 4, 10), [filled, 2], "float32", "float32")
    misfit_gpu.check(op, arrays, False, {})
    found, *_ = run(op, arrays)
    arrays[3][0] = 0                    # what becomes of the first row is not told
    np.testing.assert_allclose(found[1], op.forward(*arrays)[0][1], rtol=1e-5, atol=1e-6)


def run(op, arrays):
    """The result, and the caches afterwards."""
    inputs = [to_gpu(a) for a in arrays]
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    outputs = backend().prepare(op, specs, infer(op, specs), False, None).run(inputs)
    return [x.numpy() for x in (outputs[0], *inputs[1:3])]


@pytest.mark.parametrize("least", [3, 64])
def test_only_the_new_positions_are_written(least, monkeypatch):
    monkeypatch.setattr(cached_attention, "LEAST", least)
    op, arrays = operands((2, 3, 2, 4, 10), [1, 7])
    _, *caches = run(op, arrays)
    parts = arrays[0].reshape(2, 3, 3, 2, 4).transpose(2, 0, 3, 1, 4)       # (query, key, value), batch, head, position
    for part, before, after in zip(parts[1:], arrays[1:3], caches, strict=True):
        expected = before.copy()
        for item, first in enumerate((1, 7)):
            expected[item, :, first:first + 3] = part[item]
        np.testing.assert_array_equal(after, expected)


@pytest.mark.parametrize("least", [3, 64])
def test_what_lies_behind_is_not_looked_at(least, monkeypatch):
    monkeypatch.setattr(cached_attention, "LEAST", least)
    op, arrays = operands((1, 2, 2, 4, 12), [5])
    expected = run(op, arrays)[0]
    for cache in arrays[1:3]:
        cache[:, :, 5:] = np.nan
    np.testing.assert_array_equal(run(op, arrays)[0], expected)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("cache", [1, 2])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_are_not_finite(value, cache, short_parts):
    for place in 0, 4, 7:
        op, arrays = operands((1, 2, 2, 4, 12), [8])
        arrays[cache][0, 0, place, 1] = value
        assert Twin(op, arrays).check()
    arrays[1][:] = value                # all scores
    assert Twin(op, arrays).check()


@pytest.mark.parametrize("least", [3, 64])
def test_two_runs_give_the_same_bits(least, monkeypatch):
    monkeypatch.setattr(cached_attention, "LEAST", least)
    case = operands((2, 2, 3, 20, 50), [30, 48])
    for first, second in zip(run(*case), run(*case), strict=True):
        np.testing.assert_array_equal(first, second)


def test_addresses_between_pieces(short_parts):
    """Arrays whose first element is no multiple of 16 bytes from the start of their memory."""
    op, arrays = operands((2, 2, 2, 8, 10), [3, 6])
    expected = run(op, arrays)
    inputs = [to_gpu(np.concatenate([a.ravel()[:1], a.ravel()]))[1:].reshape(a.shape) for a in arrays[:3]]
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    found = backend().prepare(op, specs, infer(op, specs), False, None).run([*inputs, to_gpu(arrays[3])])
    for ours, theirs in zip((found[0], *inputs[1:]), expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(0, 1, 2, 4, 5), (2, 0, 2, 4, 5), (2, 1, 2, 0, 5)])
def test_no_elements(shape):
    assert Twin(*operands(shape, [2] * shape[0])).check()


# -- GPT-2 ------------------------------------------------------------------------------------------------------------


WORDS = np.random.default_rng(4).integers(0, NET["vocab_size"], (2, 30))


def decoded(ctx, hybrid):
    """The tokens behind a prompt, and the scores of each step for words that are given.

    Of a net whose parameters are drawn with a fixed seed.
    """
    mx.random.seed(3)
    with ctx:
        net = text.GPT2Model(**NET)
        net.initialize(mx.init.Normal(0.4))
        decoder = text.GPT2Decoder(net)
        decoder.hybridize(hybrid)
        tokens = decoder.generate(nd.array(WORDS[:, :5]), 20, top_k=1).asnumpy()
        scores, states = decoder(nd.array(WORDS[:, :9]), decoder.begin_state(2, 32))
        found = [scores.asnumpy()]
        for column in WORDS.T[9:]:
            scores, states = decoder(nd.array(column), states)
            found.append(scores.asnumpy())
        return tokens, np.stack(found)


@pytest.mark.parametrize("least", [4, 64])
@pytest.mark.parametrize("hybrid", [False, True])
def test_gpt2_decodes_as_on_the_cpu(hybrid, least, monkeypatch):
    monkeypatch.setattr(cached_attention, "LEAST", least)
    forget_kernels()
    before = dispatch.declined.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokens, scores = decoded(GPU, hybrid)
    assert [key for key in dispatch.declined - before if key[1] == "gpu"] == []
    expected_tokens, expected = decoded(mx.cpu(), hybrid)
    np.testing.assert_array_equal(tokens, expected_tokens)
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4)
    forget_kernels()                    # of parts that are this short


def test_tokens_come_where_the_prompt_is():
    """Also where the current device is another one."""
    net = text.GPT2Model(**NET)
    net.initialize(ctx=GPU)
    found = text.GPT2Decoder(net).generate(nd.array(WORDS[:, :3], ctx=GPU), 4, top_k=1)
    assert (found.shape, found.ctx) == ((2, 7), GPU)
