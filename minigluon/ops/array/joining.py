"""Operators that join or split arrays."""


from functools import cached_property

import numpy as np

from ..fields import Shape
from ..op import Op
from ..registry import register
from ..remedies import to_join
from ..shapes import merge

__all__ = ["Concat", "SliceChannel", "stack"]


class _Join(Op):
    """Base class of the operators that join their inputs along one axis.

    dim: the axis.
    """

    num_args: int
    dim: int = 1
    keeps = ("shapes",)

    def axis_of(self, shape):
        return self.normalize_axis(self.dim, len(shape))

    def infer_shape(self, *shapes):
        names = self.argument_names(len(shapes))
        first, first_shape = next(((n, s) for n, s in zip(names, shapes, strict=True) if s is not None), ("", None))
        if first_shape is None:
            return list(shapes), [None]
        axis = self.axis_of(first_shape)
        others = None                       # all dimensions except the joined one; they are the same for all inputs
        for name, shape in zip(names, shapes, strict=True):
            if shape is not None:
                open_ = (*shape[:axis], None, *shape[axis + 1:])
                if others is not None and merge(open_, others) is False:
                    raise self.shape_clash(f"{name} has shape {shape} and {first} has {first_shape}; all axes but the "
                                           f"joined one, {axis}, must be equal", name, to_join(first_shape, shape))
                others = merge(open_, others)
        shapes = [others if s is None else merge(s, others) for s in shapes]
        lengths = [s[axis] for s in shapes]
        total = None if None in lengths else sum(lengths)
        return shapes, [(*others[:axis], total, *others[axis + 1:])]

    def infer_inputs(self, shapes, outputs):
        """Returns all dimensions except the joined one."""
        out = outputs[0]
        if out is None:
            return shapes
        axis = self.axis_of(out)
        others = (*out[:axis], None, *out[axis + 1:])
        names = self.argument_names(len(shapes))
        return [self.require(name, shape, others) for name, shape in zip(names, shapes, strict=True)]

    def forward(self, *data):
        return np.concatenate(data, self.dim)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._concat_grad(out_grads[0], *inputs, dim=self.dim)


@register("*data", aliases=["concat"])
class Concat(_Join):
    """The arrays joined along axis `dim`, in order. All other dimensions must agree.

    data (*lead, n0, *rest), (*lead, n1, *rest), ... | out (*lead, n0 + n1 + ..., *rest)

    >>> nd.concat(nd.array([[1], [2]]), nd.array([[3, 4], [5, 6]]), dim=1).asnumpy()
    array([[1., 3., 4.],
           [2., 5., 6.]], dtype=float32)
    """


@register("*data")
class _rnn_param_concat(_Join):
    """Concat under the name that Gluon's RNN layers use for their flattened parameters.

    Several sizes may be unknown, namely those of the first layer's matrices in both directions. They are equal, so they
    follow from the total.
    """

    def infer_inputs(self, shapes, outputs):
        lengths = [None if s is None else s[0] for s in shapes]
        total = outputs[0] and outputs[0][0]
        if total is None or None not in lengths:
            return shapes
        share, remainder = divmod(total - sum(filter(None, lengths)), lengths.count(None))
        if share < 0 or remainder:
            return shapes
        return [(share,) if n is None else s for n, s in zip(lengths, shapes, strict=True)]


@register("*data")
class _concat_grad(Op):
    """Splits a gradient into the gradients of Concat's inputs. data: the gradient, then the inputs."""

    num_args: int
    dim: int = 1
    keeps = ("shapes",)

    @property
    def shape_only(self):
        """All inputs except the gradient; only their shapes are used, to split it."""
        return tuple(self.argument_names(self.num_args)[1:])

    @property
    def num_outputs(self):
        return self.num_args - 1

    def infer_shape(self, grad, *shapes):
        joined = Concat(num_args=len(shapes), dim=self.dim)
        shapes, (output,) = joined.infer_shape(*shapes)
        return [self.require("data0", grad, output), *shapes], list(shapes)

    def forward(self, grad, *data):
        ends = np.cumsum([x.shape[self.dim] for x in data])[:-1]
        parts = [part.copy() for part in np.split(grad, ends, self.dim)]
        return parts if self.num_outputs > 1 else parts[0]

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.Concat(*out_grads, dim=self.dim)] + [None] * self.num_outputs


@register("*data")
class stack(Op):
    """Arrays of the same shape joined along a new axis.

    data (*lead, *rest), the same shape for all | out (*lead, number of arrays, *rest)

    axis: the position of the new axis in the result.

    >>> nd.stack(nd.array([1, 2]), nd.array([3, 4]), axis=1).asnumpy()
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """

    axis: int = 0
    num_args: int
    keeps = ()

    def infer_shape(self, *shapes):
        shapes, (shape,) = super().infer_shape(*shapes)
        if shape is None:
            return shapes, [None]
        axis = self.normalize_axis(self.axis, len(shape) + 1)
        return shapes, [(*shape[:axis], len(shapes), *shape[axis:])]

    def forward(self, *data):
        return np.stack(data, self.axis)

    def gradient(self, F, out_grads, inputs, outputs):
        return F.SliceChannel(out_grads[0], num_outputs=self.num_args, axis=self.axis, squeeze_axis=True)


class _Split(Op):
    """Base class of the two splits: `cuts(length)` returns where axis `axis` is cut."""

    @property
    def keeps(self):
        """An element of a vector has the shape (1,), so the gradient needs the shape of the input."""
        return ("shapes",) if self.squeeze_axis and self.axis in (0, -1) else ()

    def cuts(self, length):
        """Returns where an axis of this length is cut: the first index of each part except the first."""
        raise NotImplementedError

    def infer_shape(self, data):
        if data is None:
            return [None], [None] * self.num_outputs
        axis = self.normalize_axis(self.axis, len(data))
        if data[axis] is None:
            middle = () if self.squeeze_axis else (None,)
            return [data], [data[:axis] + middle + data[axis + 1:] or (1,)] * self.num_outputs
        cuts = [0, *self.cuts(data[axis]), data[axis]]
        lengths = [b - a for a, b in zip(cuts, cuts[1:], strict=False)]
        if min(lengths) < 0:
            raise self.shape_clash(f"the cuts {cuts[1:-1]} are not in increasing order within the {data[axis]} "
                                   f"elements of axis {axis}", "data")
        if self.squeeze_axis and any(n != 1 for n in lengths):
            raise self.shape_clash(f"squeeze_axis=True needs parts of length 1, but axis {axis} of data {data} is "
                                   f"split into lengths {lengths}", "data")
        middle = [()] * len(lengths) if self.squeeze_axis else [(n,) for n in lengths]
        return [data], [data[:axis] + m + data[axis + 1:] or (1,) for m in middle]

    def infer_inputs(self, shapes, outputs):
        """Returns all dimensions except the one that is cut."""
        data, squeeze = shapes[0], 1 if self.squeeze_axis else 0
        for part in outputs:
            if part is None or (squeeze and len(part) == 1 and (data is None or len(data) == 1)):
                continue                # (1,) may come from a vector, or from rows of one element
            axis = self.normalize_axis(self.axis, len(part) + squeeze)
            data = self.require("data", data, (*part[:axis], None, *part[axis + 1 - squeeze:]))
        return [data]

    def forward(self, data):
        cuts = self.cuts(data.shape[self.axis])
        shapes = self.infer_shape(data.shape)[1]
        parts = [p.reshape(s).copy() for p, s in zip(np.split(data, cuts, self.axis), shapes, strict=True)]
        return parts if self.num_outputs > 1 else parts[0]


@register("data", aliases=["split"])
class SliceChannel(_Split):
    """Splits axis `axis` into `num_outputs` equal parts. A single part is returned as an array, several parts as a
    list.

    data (*lead, n, *rest) | outputs: (*lead, n / num_outputs, *rest) each, or (*lead, *rest) with squeeze_axis

    num_outputs: the number of parts; it must divide n.
    axis: the axis of length n.
    squeeze_axis: if True, remove the axis; the parts must have length 1.

    >>> a, b = nd.split(nd.array([[1, 2, 3, 4]]), num_outputs=2, axis=1)
    >>> a.asnumpy(), b.asnumpy()
    (array([[1., 2.]], dtype=float32), array([[3., 4.]], dtype=float32))
    """

    num_outputs: int
    axis: int = 1
    squeeze_axis: bool = False

    @cached_property
    def output_names(self):
        return [f"output{i}" for i in range(self.num_outputs)]          # even a single output is numbered

    def cuts(self, length):
        if self.num_outputs < 1 or length % self.num_outputs:
            raise self.shape_clash(f"axis {self.axis} has length {length}, which cannot be split into "
                                   f"{self.num_outputs} equal parts", "data")
        return [length // self.num_outputs * i for i in range(1, self.num_outputs)]

    def gradient(self, F, out_grads, inputs, outputs):
        return _joined(F, out_grads, self, inputs[0])


@register("data")
class _split_v2(_Split):
    """Splits axis `axis` at `indices`, or into `sections` equal parts if `sections` is not 0."""

    indices: Shape
    axis: int = 1
    squeeze_axis: bool = False
    sections: int = 0

    @property
    def num_outputs(self):
        return max(self.sections or len(self.indices), 1)

    def cuts(self, length):
        if self.sections < 0:
            raise self.shape_clash(f"sections={self.sections} must not be negative")
        if not self.sections:
            return [min(i, length) if i >= 0 else max(i + length, 0) for i in self.indices[1:]]
        if length % self.sections:
            raise self.shape_clash(f"axis {self.axis} has length {length}, which cannot be split into "
                                   f"{self.sections} equal parts", "data")
        return [length // self.sections * i for i in range(1, self.sections)]

    def gradient(self, F, out_grads, inputs, outputs):
        return _joined(F, out_grads, self, inputs[0])


def _joined(F, parts, op, data):
    """Returns the adjoint of a split: the parts joined."""
    if not op.squeeze_axis:
        return F.Concat(*parts, dim=op.axis)
    joined = F.stack(*parts, axis=op.axis)
    return F.reshape_like(joined, data) if op.keeps else joined
