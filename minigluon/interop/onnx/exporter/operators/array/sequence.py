"""Sequences of different lengths: SequenceMask, SequenceReverse, SequenceLast."""

import numpy as np

from ...table import translates
from ..nn.softmax import positions
from .axes import flipped

__all__ = []


def _steps_and_ends(g, op, data, lengths):
    """Returns (step, end) as int64, in shapes that broadcast against data's first two axes."""
    steps, ends = positions(g, data.shape[op.axis]), g.cast(lengths, np.int64)
    return g.unsqueeze(steps, 1 - op.axis), g.unsqueeze(ends, op.axis)


def _over_rest(g, x, data):
    """Reshapes x, which has two axes, to broadcast against all axes of data."""
    return g.unsqueeze(x, *range(2, data.rank)) if data.rank > 2 else x


@translates("SequenceMask")
def sequence_mask(g, op, data, lengths=None):
    if not op.use_sequence_length:
        return data
    steps, ends = _steps_and_ends(g, op, data, lengths)
    return g.where(_over_rest(g, steps < ends, data), data, g.constant(np.array(op.value, data.dtype)))


@translates("SequenceReverse")
def sequence_reverse(g, op, data, lengths=None):
    if not op.use_sequence_length:
        return flipped(g, data, op.axis)
    if op.axis == 0:
        return g.ReverseSequence(data, g.cast(lengths, np.int64), time_axis=0, batch_axis=1)
    return g.ReverseSequence(data, g.cast(lengths, np.int64), time_axis=1, batch_axis=0)


@translates("SequenceLast")
def sequence_last(g, op, data, lengths=None):
    if not op.use_sequence_length:
        return g.item(data, -1, op.axis)
    batch_first = data if op.axis == 1 else g.transpose(data, [1, 0, *range(2, data.rank)])
    last = g.Max(g.cast(lengths, np.int64), 1) - 1
    return g.GatherND(batch_first, g.unsqueeze(last, 1), batch_dims=1)
