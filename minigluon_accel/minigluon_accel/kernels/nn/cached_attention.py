"""Attention with key and value caches that are written in place (see `csrc/nn/cached_attention.c`)."""

from ...engine import Call, Phase
from ..array.indexing import INDEX_TYPES
from ..registry import kernel_for, parts, reals, size


@kernel_for("_contrib_cached_attention")
def cached_attention(op, inputs, outputs):
    data, keys, values, filled = inputs
    reason = reals(data, keys, values, *outputs)
    if reason or filled.dtype.name not in INDEX_TYPES:
        return reason or f"numbers of {filled.dtype}"
    if not size(data):
        return "no elements"
    batch, shared, capacity, width = keys.shape
    length, work = data.shape[1], 2 * size(keys) * data.shape[1] * op.heads // shared
    return Call(Phase("cached_attention", data.dtype, min(parts(work), batch * shared), batch=batch, shared=shared,
                      group=op.heads // shared, length=length, size=width, capacity=capacity, factor=width ** -0.5,
                      index_type=INDEX_TYPES[filled.dtype.name]))
