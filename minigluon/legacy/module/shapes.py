"""Conversion to batches, and detection of batches whose shapes require new executors."""

from __future__ import annotations

from collections.abc import Sequence

from ...io import DataBatch, DataDesc

__all__ = ["as_batch", "shapes_of"]


def as_batch(batch: DataBatch) -> DataBatch:
    """Return a DataBatch for any object with `data`, such as a namedtuple with only that field; for a list, return a
    list.
    """
    if isinstance(batch, DataBatch):
        return batch
    if isinstance(batch, list):             # one batch for each device
        return [as_batch(part) for part in batch]
    others = ("label", "pad", "index", "bucket_key", "provide_data", "provide_label")
    return DataBatch(batch.data, **{name: getattr(batch, name, None) for name in others})


def shapes_of(batch: DataBatch, data_shapes: Sequence[DataDesc], label_shapes: Sequence[DataDesc] | None):
    """Return ([DataDesc] for the batch's data, [DataDesc] for its labels or None), or None if the executors fit.

    data_shapes, label_shapes: [DataDesc] of the executors; label_shapes may be None. Shapes that the batch does not
    provide are taken from the batch's arrays. Missing labels are assumed to match the number of samples.
    """
    if all(x.shape == desc.shape for x, desc in zip(batch.data, data_shapes, strict=False)):
        return None
    from_arrays = _like(data_shapes, batch.data)
    data = batch.provide_data or from_arrays
    if batch.provide_label or not label_shapes:
        return data, batch.provide_label or None
    return data, _like(label_shapes, batch.label) if batch.label else _labels_for(from_arrays[0], label_shapes)


def _like(descs, arrays):
    """Return the [DataDesc] of arrays, with names and layouts from `descs`."""
    return [DataDesc(desc.name, x.shape, desc.dtype, desc.layout) for desc, x in zip(descs, arrays, strict=True)]


def _labels_for(data, label_shapes):
    """Return [DataDesc] of the labels for the number of samples in this DataDesc of data."""
    count = data.shape[max(DataDesc.get_batch_axis(data.layout), 0)]
    axes = [DataDesc.get_batch_axis(desc.layout) for desc in label_shapes]
    return [DataDesc(desc.name, (*desc.shape[:axis], count, *desc.shape[axis + 1:]) if axis >= 0 else desc.shape,
                     desc.dtype, desc.layout) for desc, axis in zip(label_shapes, axes, strict=True)]
