"""Splitting of batches across devices, and merging of the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import autograd
from ... import ndarray as nd
from ...base import ArgumentError
from ...io import DataDesc

if TYPE_CHECKING:
    from ...ndarray import NDArray

__all__ = ["batch_axis", "merged", "part_of", "slices_of"]


def slices_of(batch_size: int, workload: Sequence[int]) -> list[slice]:
    """Return one slice of the samples per device, in proportion to its workload; the last slice takes the remainder.

    Raises ArgumentError if a device would have no samples.
    """
    total = sum(workload)
    counts = [round(load * batch_size / total) for load in workload]
    counts[-1] += batch_size - sum(counts)
    if min(counts) < 1:
        raise ArgumentError(f"a batch of {batch_size} samples leaves a device with none: {len(workload)} devices, "
                            f"work_load_list {list(workload)}. Use a larger batch or fewer devices.")
    ends = [sum(counts[:number + 1]) for number in range(len(counts))]
    return [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]


def batch_axis(desc: DataDesc) -> int:
    """Return the axis along which an array is split, or -1 if each device receives the entire array."""
    return DataDesc.get_batch_axis(getattr(desc, "layout", None))


def part_of(x: NDArray, axis: int, cut: slice) -> NDArray:
    """Return the samples of a slice."""
    if axis < 0:
        return x
    with autograd.pause():
        return x.slice_axis(axis=axis, begin=cut.start, end=cut.stop)


def merged(arrays: Sequence[Any], axes: Sequence[int]) -> list[Any]:
    """Join each list of parts, one part for each device, into one array on the first device."""
    return [_joined(parts, axis) for parts, axis in zip(arrays, axes, strict=True)]


def _joined(parts, axis):
    if len(parts) == 1 or axis < 0:
        return parts[0]
    with autograd.pause():
        return nd.concat(*[x.as_in_context(parts[0].context) for x in parts], dim=axis)
