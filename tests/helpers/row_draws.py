"""Rows of the operators' table with other shapes and values, which hypothesis draws."""

import math

import numpy as np
from hypothesis import strategies as st
from op_cases import CASES, Case

from helpers.rows import bound
from minigluon import dispatch
from minigluon.backend import Spec
from minigluon.base import MXNetError

# Attributes that are lengths of an axis, too.
LENGTHS = {"num_hidden", "num_filter", "depth", "input_dim", "output_dim"}
LARGE = 40_000          # elements: several parts, and more than a block of any kernel


def with_lengths(case, arrays, attrs, lengths, large):
    """(arrays, attributes) with axes of other lengths where the operator allows it."""
    for before, after in lengths.items():
        shapes = [tuple([after if n == before else n for n in a.shape]) for a in arrays]
        if max(map(math.prod, shapes), default=0) >= 2 * large:
            continue
        for names in (), LENGTHS:
            changed = {k: after if k in names and v == before else v for k, v in attrs.items()}
            resized = [resize(a, shape) for a, shape in zip(arrays, shapes, strict=True)]
            try:
                op = bound(case.op, resized, changed)
                outputs = dispatch.infer(op, [Spec(a.shape, a.dtype) for a in resized])
            except (MXNetError, ValueError):
                continue
            if max((math.prod(n or 0 for n in s.shape) for s in [*resized, *outputs]), default=0) < 2 * large:
                arrays, attrs = resized, changed
                break
    return arrays, attrs


def resize(array, shape):
    return np.ascontiguousarray(np.resize(array, shape)) if array.size else np.zeros(shape, array.dtype)


@st.composite
def drawn(draw, op, types=("float32", "float64"), inputs=Case.inputs, large=LARGE):
    """(case, its arrays with other lengths and perhaps NaN, attributes). inputs(case, dtype) are those of the row.

    One axis may make an array of about `large` elements.
    """
    case = draw(st.sampled_from([c for c in CASES if c.op == op]))
    arrays = inputs(case, draw(st.sampled_from(types)))
    before = sorted({n for a in arrays for n in a.shape})
    small = st.sampled_from([0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65])
    lengths = {n: draw(small) for n in before if draw(st.booleans())}
    if before and draw(st.booleans()):              # one axis that makes it large
        axis = draw(st.sampled_from(before))
        others = max((math.prod([lengths.get(n, n) or 1 for n in a.shape if n != axis]) for a in arrays), default=1)
        lengths[axis] = large // others + draw(st.integers(0, 3))
    arrays, attrs = with_lengths(case, arrays, dict(case.attrs), lengths, large)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    for maker, array in zip(case.makers, arrays, strict=True):
        if array.dtype.kind == "f" and getattr(maker, "floating", True):
            if draw(st.booleans()):
                array += rng.uniform(-0.01, 0.01, array.shape).astype(array.dtype)
            if array.size and draw(st.booleans()):
                places = rng.integers(0, array.size, 1 + array.size // 50)
                array.flat[places] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e30, -1e-40], len(places))
    return case, arrays, attrs
