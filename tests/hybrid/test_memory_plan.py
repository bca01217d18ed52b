"""Where buffers lie: those that live at the same time never overlap, and the block is no larger than it has to be."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigluon.hybrid.memory import ALIGNMENT, Buffer, MemoryPlan, assign_offsets
from minigluon.hybrid.symbolic.symbolic_layout import placement_order

STEPS = 12


@st.composite
def buffers(draw):
    made = []
    for number in range(draw(st.integers(0, 20))):
        first = draw(st.integers(0, STEPS - 1))
        last = draw(st.integers(first, STEPS - 1))
        kind = draw(st.sampled_from(["value", "value", "scratch", "result", "gradient", "own", "constant"]))
        made.append(Buffer(f"b{number}", draw(st.integers(0, 1000)), first, last, kind))
    return made


def aligned(size):
    return -(-size // ALIGNMENT) * ALIGNMENT


@given(buffers())
def test_layout(made):
    size = assign_offsets(made)
    inside = [b for b in made if b.kind in ("value", "scratch")]
    assert all((b.offset is None) == (b not in inside) for b in made)
    for number, one in enumerate(inside):
        assert one.offset % ALIGNMENT == 0
        assert one.offset + one.size <= size
        for other in inside[number + 1:]:
            apart = one.offset + one.size <= other.offset or other.offset + other.size <= one.offset
            assert apart or not one.lives_with(other), (one, other)
    alive = [sum(aligned(b.size) for b in inside if b.first <= step <= b.last) for step in range(STEPS)]
    assert max(alive) <= size <= sum(aligned(b.size) for b in inside)


@given(buffers())
def test_buffers_stand_on_something(made):
    """No buffer could lie lower: each begins at 0 or where another one ends that lives at the same time."""
    assign_offsets(made)
    inside = [b for b in made if b.kind in ("value", "scratch")]
    for b in inside:
        ends = {o.offset + aligned(o.size) for o in inside if o is not b and b.lives_with(o)}
        assert b.offset == 0 or b.offset in ends


@given(buffers())
def test_each_lies_as_low_as_it_fits(made):
    """The largest first: lower than where it lies, each meets one that was placed before it."""
    assign_offsets(made)
    placed = []
    for b in sorted([b for b in made if b.kind in ("value", "scratch")], key=lambda b: (-b.size, b.first)):
        for offset in range(0, b.offset, ALIGNMENT):
            assert any(b.lives_with(o) and offset < o.offset + aligned(o.size) and o.offset < offset + aligned(b.size)
                       for o in placed)
        placed.append(b)


@given(buffers())
def test_peak_counts_what_lives_outside_of_the_block(made):
    size = assign_offsets(made)
    plan = MemoryPlan(made, size, 0, STEPS)
    outside = [sum(b.size for b in made if b.kind in ("result", "own") and b.first <= step <= b.last)
               for step in range(STEPS)]
    assert plan.peak == size + sum(b.size for b in made if b.kind == "constant") + max(outside)


def test_a_chain_needs_two_places():
    made = [Buffer(f"b{i}", 640, i, i + 1) for i in range(10)]
    assert assign_offsets(made) == 2 * 640
    assert [b.offset for b in made] == [0, 640] * 5


def test_the_largest_is_placed_first():
    small, large, between = Buffer("small", 64, 0, 1), Buffer("large", 640, 1, 2), Buffer("between", 128, 0, 0)
    assert assign_offsets([small, large, between]) == 704
    assert (large.offset, small.offset, between.offset) == (0, 640, 0)


@pytest.mark.parametrize("seed", range(5))
def test_buffers_one_above_the_other_fit_for_any_sizes(seed):
    """The order of one layout serves for others: nothing overlaps, and at its own sizes it takes no more memory."""
    draw = random.Random(seed)
    spans = [(first, first + draw.randrange(6)) for first in [draw.randrange(12) for _ in range(25)]]
    sizes = [64 * draw.randrange(1, 30) for _ in spans]
    buffers = [Buffer(str(k), size, *span) for k, (size, span) in enumerate(zip(sizes, spans, strict=True))]
    order, least = placement_order(buffers), assign_offsets(buffers)
    for these in (sizes, [64 * draw.randrange(1, 30) for _ in spans]):
        end = {}
        for number, below in order:
            end[number] = max([end[other] for other in below], default=0) + these[number]
        for a in range(len(spans)):
            for b in range(a):
                if buffers[a].lives_with(buffers[b]):
                    assert end[a] <= end[b] - these[b] or end[b] <= end[a] - these[a]
        assert these is not sizes or max(end.values()) <= least
