"""Joining and splitting arrays."""

from ...table import translates

__all__ = []


@translates("Concat", "_rnn_param_concat")
def concat(g, op, *inputs):
    return g.concat(list(inputs), op.dim % inputs[0].rank)


@translates("stack")
def stack(g, op, *inputs):
    axis = op.axis % (inputs[0].rank + 1)
    return g.concat([g.unsqueeze(x, axis) for x in inputs], axis)


@translates("SliceChannel", "_split_v2")
def split(g, op, x):
    axis = op.axis % x.rank
    ends = [0, *op.cuts(x.shape[axis]), x.shape[axis]]
    parts = g.split(x, [end - begin for begin, end in zip(ends, ends[1:], strict=False)], axis)
    return [g.reshape(part, shape) for part, (shape, _) in zip(parts, g.specs, strict=True)]
