"""Operators on batches of sequences of different lengths: data (T, N, ...) with axis=0, (N, T, ...) with axis=1."""

import numpy as np

from ..linear import Linear, linear
from ..numeric import integers_of
from ..op import Op
from ..registry import register

__all__ = ["SequenceLast", "SequenceMask", "SequenceReverse"]


def check(op, data, lengths):
    """Checks the shapes of both inputs; `lengths` (N,) is given only with use_sequence_length."""
    if data is not None and (len(data) < 2 or op.axis not in (0, 1)):
        raise op.shape_clash(f"data {data} must have two dimensions or more and axis={op.axis} be 0 or 1: "
                             "(T, N, ...) with axis=0, (N, T, ...) with axis=1", "data")
    batch = None if data is None else (data[1 - op.axis],)
    return [data, *[op.require("sequence_length", s, batch) for s in lengths]]


class _Sequence(Op):
    """Base class of the three operators.

    use_sequence_length: if True, require the input sequence_length (N,); if False, use every sequence in full.
    axis: the time axis: 0 for data (T, N, ...), 1 for data (N, T, ...).
    """

    keeps = ("inputs",)

    def list_arguments(self):
        return self.arguments if self.use_sequence_length else self.arguments[:1]

    def infer_dtype(self, data, *lengths):
        return [data, *lengths], [data]

    def index_ranges(self, data, *lengths):
        return {"sequence_length": (0, data[self.axis])} if lengths else {}

    def steps_and_lengths(self, data, lengths):
        """Returns (0 … T - 1, integer lengths clipped to 0 … T), shaped to broadcast with data's first two axes."""
        steps = data.shape[self.axis]
        ends = np.clip(integers_of(lengths), 0, steps)
        step = np.arange(steps)
        return (step[:, None], ends[None, :]) if self.axis == 0 else (step[None, :], ends[:, None])


@register("data", "sequence_length")
class SequenceMask(_Sequence):
    """Sets the elements after the end of each sequence to `value`. Without use_sequence_length, returns a copy.

    data (T, N, ...) | sequence_length (N,) | out like data

    value: the value after the end.

    >>> nd.SequenceMask(nd.ones((3, 2)), nd.array([1, 2]), use_sequence_length=True).asnumpy()
    array([[1., 1.],
           [0., 1.],
           [0., 0.]], dtype=float32)
    """

    use_sequence_length: bool = False
    value: float = 0.0
    axis: int = 0

    def infer_shape(self, data, *lengths):
        return check(self, data, lengths), [data]

    def forward(self, data, lengths=None):
        if not self.use_sequence_length:
            return data.copy()
        step, ends = self.steps_and_lengths(data, lengths)
        inside = (step < ends).reshape(*data.shape[:2], *[1] * (data.ndim - 2))
        return np.where(inside, data, np.array(self.value).astype(data.dtype))

    def gradient(self, F, out_grads, inputs, outputs):
        if not self.use_sequence_length:
            return [out_grads[0]] + [None] * (len(inputs) - 1)
        return [F.SequenceMask(out_grads[0], inputs[1], use_sequence_length=True, axis=self.axis), None]


@register("data", "sequence_length")
class SequenceReverse(_Sequence):
    """Reverses each sequence. Elements after its end stay where they are.

    data (T, N, ...) | sequence_length (N,) | out like data

    >>> x = nd.array([[1, 10], [2, 20], [3, 30]])
    >>> nd.SequenceReverse(x, nd.array([2, 3]), use_sequence_length=True).asnumpy()
    array([[ 2., 30.],
           [ 1., 20.],
           [ 3., 10.]], dtype=float32)
    """

    use_sequence_length: bool = False
    axis: int = 0

    def infer_shape(self, data, *lengths):
        return check(self, data, lengths), [data]

    def forward(self, data, lengths=None):
        if not self.use_sequence_length:
            return np.flip(data, self.axis).copy()
        step, ends = self.steps_and_lengths(data, lengths)
        source = np.where(step < ends, ends - 1 - step, step)
        return np.take_along_axis(data, source.reshape(*data.shape[:2], *[1] * (data.ndim - 2)), self.axis)

    def gradient(self, F, out_grads, inputs, outputs):
        back = F.SequenceReverse(out_grads[0], *inputs[1:], **self.attributes)
        return [back] + [None] * (len(inputs) - 1)


@linear("data", "sequence_length")
class SequenceLast(_Sequence, Linear):
    """The last element of each sequence. A length of 0 counts as 1.

    data (T, N, ...) | sequence_length (N,) | out (N, ...)

    >>> x = nd.array([[1, 10], [2, 20], [3, 30]])
    >>> nd.SequenceLast(x, nd.array([2, 3]), use_sequence_length=True).asnumpy()
    array([ 2., 30.], dtype=float32)
    """

    use_sequence_length: bool = False
    axis: int = 0

    def infer_shape(self, data, *lengths):
        inputs = check(self, data, lengths)
        if data is not None and data[self.axis] == 0:
            raise self.shape_clash(f"data {data} has no elements along axis {self.axis}, so there is no last one",
                                   "data")
        return inputs, [None if data is None else data[:self.axis] + data[self.axis + 1:]]

    def key(self, data, lengths):
        """Returns the index of the last elements in data with the time axis in front."""
        steps = data.shape[self.axis]
        if not self.use_sequence_length:
            return steps - 1
        return np.clip(integers_of(lengths), 1, steps) - 1, np.arange(data.shape[1 - self.axis])

    def forward(self, data, lengths=None):
        return np.moveaxis(data, self.axis, 0)[self.key(data, lengths)].copy()

    def adjoint(self, grad, data, lengths=None):
        out = np.zeros(data.shape, grad.dtype)
        np.moveaxis(out, self.axis, 0)[self.key(data, lengths)] = grad
        return out
