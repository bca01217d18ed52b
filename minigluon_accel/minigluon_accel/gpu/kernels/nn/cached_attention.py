"""Attention with key and value caches that are written in place: one launch, or two if rows are split."""

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, size, types
from ..reductions import wide
from ..registry import kernel_for

SOURCE = SourceFile("nn/cached_attention.cu")
MANY = 512          # the number of blocks that keep a large device busy: with fewer rows, each row is split into parts
LEAST = 64          # the minimum number of positions in a part when the caches are full


@kernel_for("_contrib_cached_attention")
def cached_attention(op, inputs, outputs):
    data, keys, _, filled = inputs
    if not size(data):
        return Work()
    batch, shared, capacity, width = keys.shape
    heads = op.heads
    length = data.shape[1]
    rows, defines, among = batch * length * heads, types(data.dtype, TI=filled.dtype), wide(data.dtype)
    parts = max(1, min(-(-MANY // rows), capacity // LEAST))
    sizes = dims([rows, heads, shared, length, width, capacity, parts])
    partial, totals, scratch = Out(0), Out(0), []       # addresses in place of absent arrays, which are not written
    if parts > 1:
        partial, totals = Scratch(0), Scratch(1)
        scratch = [Spec((rows, parts, width), among), Spec((rows, parts, 2), among)]
    launches = [Launch(SOURCE, "cached_attention", defines, blocks(rows * parts, 1), THREADS,
                       [In(0), In(1), In(2), In(3), Out(0), partial, totals, width ** -0.5, sizes])]
    if parts > 1:
        launches.append(Launch(SOURCE, "join_parts", defines, blocks(rows * width), THREADS,
                               [Out(0), partial, totals, In(3), sizes]))
    return Work(*launches, scratch=scratch)
