"""What a batch is, and the shapes that it needs where they are not those of the batch before."""

from __future__ import annotations

from collections.abc import Sequence

from ...io import DataBatch, DataDesc

__all__ = ["as_batch", "shapes_of"]


def as_batch(batch: DataBatch) -> DataBatch:
    """A DataBatch of anything that has `data`, such as a namedtuple with that one field; of a list, a list of them."""
    if isinstance(batch, DataBatch):
        return batch
    if isinstance(batch, list):             # one for each device
        return [as_batch(part) for part in batch]
    others = ("label", "pad", "index", "bucket_key", "provide_data", "provide_label")
    return DataBatch(batch.data, **{name: getattr(batch, name, None) for name in others})


def shapes_of(batch: DataBatch, data_shapes: Sequence[DataDesc], label_shapes: Sequence[DataDesc] | None):
    """([DataDesc] of the batch's data, [DataDesc] of its labels or None), or None where the data fit the executors.

    data_shapes, label_shapes: [DataDesc] that the executors are for; label_shapes may be None. What the batch provides
    counts; what it does not is told from its arrays. Labels that did not come are as many as there are samples.
    """
    if all(x.shape == desc.shape for x, desc in zip(batch.data, data_shapes, strict=False)):
        return None
    found = _like(data_shapes, batch.data)
    data = batch.provide_data or found
    if batch.provide_label or not label_shapes:
        return data, batch.provide_label or None
    return data, _like(label_shapes, batch.label) if batch.label else _labels_for(found[0], label_shapes)


def _like(descs, arrays):
    """[DataDesc] of arrays that have the names and layouts of others."""
    return [DataDesc(desc.name, x.shape, desc.dtype, desc.layout) for desc, x in zip(descs, arrays, strict=True)]


def _labels_for(data, label_shapes):
    """[DataDesc] of the labels for as many samples as this DataDesc of data has."""
    count = data.shape[max(DataDesc.get_batch_axis(data.layout), 0)]
    axes = [DataDesc.get_batch_axis(desc.layout) for desc in label_shapes]
    return [DataDesc(desc.name, (*desc.shape[:axis], count, *desc.shape[axis + 1:]) if axis >= 0 else desc.shape,
                     desc.dtype, desc.layout) for desc, axis in zip(label_shapes, axes, strict=True)]
