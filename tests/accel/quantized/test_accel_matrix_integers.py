"""Products of integers against the reference: drawn shapes, all instruction sets and ways to multiply."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin, engine
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.kernels.quantized import matrix

from minigluon.backend.forgetting import forget_kernels
from minigluon.ops import REGISTRY

BYTES = st.sampled_from(["int8", "uint8"])
ENDS = [np.float32([end]) for end in (-1.0, 2.0, -1.0, 1.5, -0.5, 0.25)]
WAYS = [way for way in matrix.ways(engine.isa()) if way != "squares"]
few = settings(max_examples=12)


def drawn_bytes(seed, dtype, *shape):
    """Bytes of which many are the smallest or the largest number of their type."""
    rng, info = np.random.default_rng(seed), np.iinfo(dtype)
    values = rng.integers(info.min, info.max + 1, shape)
    return np.where(rng.random(shape) < 0.3, rng.choice([info.min, info.max], shape), values).astype(dtype)


def check(name, data, weight, bias, **attributes):
    arrays = [data, weight, *([] if bias is None else [bias]), *ENDS[:4 if bias is None else 6]]
    twin = Twin(REGISTRY[name](no_bias=bias is None, **attributes), arrays)
    assert twin.declined is None, twin.declined
    twin.check()


@pytest.fixture(params=["best", *WAYS])
def _way(request, monkeypatch):
    """Another way to multiply than the best one of each instruction set."""
    if request.param != "best":
        ways = matrix.ways
        monkeypatch.setattr(matrix, "ways", lambda isa: [
            way for way in ways(isa) if way in (request.param, "pairs") and not (
                way == "pairs" and request.param in ways(isa) and request.param != "pairs")])
    forget_kernels()
    yield
    forget_kernels()


def test_only_avx512_has_more_than_one_way():
    assert engine.byte_products("baseline") == engine.byte_products("avx2") == ["pairs"]
    assert set(engine.byte_products("avx512")) <= {"squares", "quads", "pairs"}


@pytest.mark.usefixtures("_way")
class TestWays:
    @few
    @given(rows=st.integers(1, 40), depth=st.integers(1, 200), columns=st.integers(1, 70), dtype=BYTES,
           has_bias=st.booleans(), seed=st.integers(0, 99))
    def test_fully_connected(self, rows, depth, columns, dtype, has_bias, seed):
        check("_contrib_quantized_fully_connected", drawn_bytes(seed, dtype, rows, depth),
              drawn_bytes(seed + 1, "int8", columns, depth),
              drawn_bytes(seed + 2, "int8", columns) if has_bias else None, num_hidden=columns)

    @pytest.mark.parametrize("rows", [5, 7, 9, 15])
    def test_few_rows_that_several_threads_divide(self, rows):
        check("_contrib_quantized_fully_connected", drawn_bytes(rows, "int8", rows, 4096),
              drawn_bytes(1, "int8", 32, 4096), None, num_hidden=32)

    @few
    @given(st.data())
    def test_convolution(self, data):
        draw = data.draw
        groups, seed, dtype = draw(st.sampled_from([1, 1, 2, 3])), draw(st.integers(0, 99)), draw(BYTES)
        channels, filters = (groups * draw(st.integers(1, most)) for most in (40, 20))
        kernel, stride, dilate, pad = (tuple(draw(st.integers(*ends)) for _ in range(2))
                                       for ends in ((1, 3), (1, 2), (1, 2), (0, 2)))
        space = [draw(st.integers(1 + d * (k - 1), 12)) for k, d in zip(kernel, dilate, strict=True)]
        has_bias = draw(st.booleans())
        check("_contrib_quantized_conv", drawn_bytes(seed, dtype, draw(st.integers(1, 2)), channels, *space),
              drawn_bytes(seed + 1, "int8", filters, channels // groups, *kernel),
              drawn_bytes(seed + 2, "int8", filters) if has_bias else None, kernel=kernel, stride=stride,
              dilate=dilate, pad=pad, num_filter=filters, num_group=groups)


@few
@given(st.data())
def test_winograd(data):
    """`pack_integers_in_patches` and `multiply_integers_in_patches`, where there is no VNNI."""
    draw = data.draw
    seed, dtype = draw(st.integers(0, 99)), draw(BYTES)
    channels, filters = 16 * draw(st.integers(1, 4)), draw(st.integers(16, 40))
    space, pad = [draw(st.integers(3, 20)) for _ in range(2)], (draw(st.integers(0, 2)), draw(st.integers(0, 2)))
    check("_contrib_quantized_conv", drawn_bytes(seed, dtype, draw(st.integers(1, 3)), channels, *space),
          drawn_bytes(seed + 1, "int8", filters, channels, 3, 3),
          drawn_bytes(seed + 2, "int8", filters) if draw(st.booleans()) else None, kernel=(3, 3), pad=pad,
          num_filter=filters)


@pytest.mark.parametrize("ends", [(255, -128), (255, 127), (0, -128)])
def test_winograd_with_the_largest_sums(ends):
    """Four times a sum is near the largest int32."""
    check("_contrib_quantized_conv", np.full((1, 1024, 4, 4), ends[0], "uint8"),
          np.full((16, 1024, 3, 3), ends[1], "int8"), None, kernel=(3, 3), num_filter=16)


def test_the_choice_of_winograd_is_the_same_for_a_shared_weight():
    plain = matrix.Sizes(2, 1, 9, 9, 32, 9, 9, 16, 3, 3, 1, 1, 1, 1, 1, 1)
    for sizes, suits in ((plain, True), (plain._replace(step_x=2, step_y=2, out_height=5, out_width=5), False),
                         (plain._replace(apart_y=2), False), (plain._replace(channels=20), False),
                         (plain._replace(groups=2), False), (plain._replace(taps_x=1), False)):
        assert sizes.suits_patches == suits
        assert matrix.way_of(sizes) == matrix.way_of(matrix.weight_sizes(sizes))


@few
@given(st.data())
def test_depthwise(data):
    draw = data.draw
    channels, seed, dtype = draw(st.integers(2, 40)), draw(st.integers(0, 99)), draw(BYTES)
    kernel, stride, dilate, pad = (tuple(draw(st.integers(*ends)) for _ in range(2))
                                   for ends in ((1, 4), (1, 2), (1, 2), (0, 3)))
    space = [draw(st.integers(1 + d * (k - 1), 20)) for k, d in zip(kernel, dilate, strict=True)]
    check("_contrib_quantized_conv", drawn_bytes(seed, dtype, draw(st.integers(1, 2)), channels, *space),
          drawn_bytes(seed + 1, "int8", channels, 1, *kernel), drawn_bytes(seed + 2, "int8", channels), kernel=kernel,
          stride=stride, dilate=dilate, pad=pad, num_filter=channels, num_group=channels)


def test_long_sums_and_one_axis():
    check("_contrib_quantized_fully_connected", np.full((3, 4096), 255, "uint8"), np.full((2, 4096), -128, "int8"),
          None, num_hidden=2)
    check("_contrib_quantized_conv", drawn_bytes(1, "int8", 2, 6, 30), drawn_bytes(2, "int8", 5, 6, 3), None,
          kernel=(3,), stride=(2,), pad=(1,), num_filter=5)


@pytest.mark.parametrize("ends", [(0.0, 0.0), (np.nan, 1.0), (-np.inf, 1.0), (-1e-38, 1e-38), (-1e38, 1e38)])
def test_hostile_ranges(ends):
    """Zero, NaN and infinite ranges of data give what the reference gives, also if the bias is too large for a kernel.
    """
    arrays = [drawn_bytes(3, "int8", 5, 8), drawn_bytes(4, "int8", 6, 8), drawn_bytes(5, "int8", 6),
              *[np.float32([end]) for end in ends], *ENDS[2:]]
    assert Twin(REGISTRY["_contrib_quantized_fully_connected"](num_hidden=6), arrays).check()


def test_a_normalization_without_elements_is_left_to_the_reference():
    factors = [np.ones(6, "float32")] * 4
    arrays = [np.zeros((3, 6, 0, 5), "int8"), *factors, np.float32([-1]), np.float32([1])]
    op = REGISTRY["_contrib_quantized_batch_norm"](min_calib_range=-1.0, max_calib_range=1.0)
    assert Twin(op, arrays).declined == "no elements"
