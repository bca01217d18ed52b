"""Sequences of arrays, which PyTorch writes for loops over slices, and optional values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..shaping import with_axes
from ..table import operator
from ..values import Sequence

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _items(call):
    value = call.value(0)
    if not isinstance(value, Sequence):
        raise call.refuse(f"{value.name!r} is not a sequence")
    return list(value.items)


def _place(call, index, count):
    place = int(call.constant(index).item())
    if not -count <= place < count:
        raise call.refuse(f"item {place} of a sequence of {count}")
    return place % count


@operator("SequenceEmpty", "SequenceConstruct")
def sequence_construct(call: Call) -> Sequence:
    return Sequence(call.inputs)


@operator("SequenceAt")
def sequence_at(call: Call) -> Any:
    items = _items(call)
    return items[_place(call, 1, len(items))]


@operator("SequenceLength")
def sequence_length(call: Call) -> np.ndarray[Any, Any]:
    return np.array(len(_items(call)), np.int64)


@operator("SequenceInsert")
def sequence_insert(call: Call) -> Sequence:
    items = _items(call)
    place = int(call.constant(2).item()) if call.has(2) else len(items)
    if not -len(items) <= place <= len(items):
        raise call.refuse(f"item {place} of a sequence of {len(items)}")
    items.insert(place, call.value(1))
    return Sequence(items)


@operator("SequenceErase")
def sequence_erase(call: Call) -> Sequence:
    items = _items(call)
    del items[_place(call, 1, len(items)) if call.has(1) else -1]
    return Sequence(items)


@operator("ConcatFromSequence")
def concat_from_sequence(call: Call) -> Symbol:
    items = _items(call)
    if not items:
        raise call.refuse("no arrays to concatenate")
    new, parts = call.attribute("new_axis", 0), [call.graph.symbol(item) for item in items]
    rank = len(items[0].shape or ()) + new
    axis = call.attribute("axis") % rank
    if new:
        parts = [part if item.scalar else with_axes(part, item.shape, [axis])
                 for part, item in zip(parts, items, strict=True)]
    return sym.concat(*parts, dim=axis) if len(parts) > 1 else sym.identity(parts[0])


@operator("SplitToSequence")
def split_to_sequence(call: Call) -> Sequence:
    axis = call.axis(call.attribute("axis", 0))
    keep, sizes = call.attribute("keepdims", 1) or call.has(1), call.constant(1) if call.has(1) else np.array(1)
    length = int(sizes.sum()) if sizes.ndim else call.length(axis)
    if sizes.ndim == 0:
        step = max(1, int(sizes))
        call.allow_nodes(-(-length // step))
        sizes = [min(step, length - begin) for begin in range(0, length, step)]
    ends = np.cumsum(sizes).tolist()
    call.allow_nodes(len(ends))
    if not ends or ends[-1] != length or min(sizes) < 1:        # the length of an open axis is the sum of its parts
        raise call.refuse(f"parts of {list(map(int, sizes))} from {length}")
    x, items = call.data(), []
    for end, size in zip(ends, sizes, strict=True):
        part = sym.slice_axis(x, axis=axis, begin=end - int(size), end=end)
        if not keep:
            part = sym.squeeze(part, axis=axis) if call.rank() > 1 else call.scalar(sym.identity(part))
        items.append(call.graph.value_of(part))
    return Sequence(items)


@operator("Optional", "OptionalGetElement")
def optional_get_element(call: Call) -> Any:
    return call.value(0)


@operator("OptionalHasElement")
def optional_has_element(call: Call) -> np.ndarray[Any, Any]:
    return np.array(call.has(0))
