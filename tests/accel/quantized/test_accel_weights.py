"""Kernels for weights of 8 and 4 bits (arrange_rows, weight_only_dots, arrange_words, weight_word_dots) against the
reference: drawn shapes, groups, types and hostile numbers, on all instruction sets."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon.ops import REGISTRY

OPERATOR = REGISTRY["_contrib_weight_only_fully_connected"]


def check(rng, rows, depth, columns, bits, group, has_bias, dtype, data=None, scale=None):
    info = np.iinfo("int8" if bits == 8 else "uint8")
    weight = rng.integers(info.min, info.max + 1, (columns, -(-depth * bits // 8))).astype(info.dtype)
    data = rng.standard_normal((rows, depth)) if data is None else data
    scale = rng.uniform(-0.1, 0.1, (columns, -(-depth // group))) if scale is None else scale
    arrays = [data.astype(dtype), weight, scale.astype("float32")]
    twin = Twin(OPERATOR(num_hidden=columns, bits=bits, group_size=group, no_bias=not has_bias),
                [*arrays, *([rng.standard_normal(columns).astype(dtype)] if has_bias else [])])
    assert twin.declined is None, twin.declined
    assert twin.check()


@settings(max_examples=60)
@given(rows=st.integers(1, 20), depth=st.integers(1, 400), columns=st.integers(1, 40), bits=st.sampled_from([8, 4]),
       group=st.sampled_from([32, 64, 128, 256]), has_bias=st.booleans(), dtype=st.sampled_from(["float32", "float64"]),
       seed=st.integers(0, 99))
def test_drawn_shapes(rows, depth, columns, bits, group, has_bias, dtype, seed):
    check(np.random.default_rng(seed), rows, depth, columns, bits, group, has_bias, dtype)


@settings(max_examples=60)
@given(depth=st.integers(1, 200), bits=st.sampled_from([8, 4]), dtype=st.sampled_from(["float32", "float64"]),
       of=st.sampled_from(["data", "scale"]), value=st.sampled_from([np.nan, np.inf, -np.inf, 0.0, 1e-38, 3e38, 1e-42]),
       share=st.sampled_from([0.02, 0.5, 1.0]), seed=st.integers(0, 99))
def test_hostile_numbers(depth, bits, dtype, of, value, share, seed):
    rng = np.random.default_rng(seed)
    data, scale = rng.standard_normal((2, depth)), rng.uniform(-0.1, 0.1, (5, -(-depth // 32)))
    array = data if of == "data" else scale
    array[rng.random(array.shape) < share] = value
    check(rng, 2, depth, 5, bits, 32, False, dtype, data, scale)


def test_a_matrix_of_many_parts():
    for bits in (8, 4):
        check(np.random.default_rng(bits), 1, 1000, 1500, bits, 64, True, "float32")
        check(np.random.default_rng(bits), 19, 700, 600, bits, 128, True, "float32")


def test_no_elements():
    arrays = [np.zeros((0, 4), "float32"), np.zeros((2, 4), "int8"), np.zeros((2, 1), "float32")]
    assert Twin(OPERATOR(num_hidden=2, no_bias=True), arrays).declined == "no elements"
