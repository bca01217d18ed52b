"""Operators that return their input, converted or unchanged; sums; and checks of whole arrays."""

import functools

import numpy as np

from minigluon.backend import Spec
from minigluon.backend.wide import wide_dtype, widened
from minigluon.ops.numeric import cast

from ...elementwise_codegen import Formula, Operand, elementwise_work
from ...expressions import elementwise, reason_against
from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, size, types
from ..registry import kernel_for
from .sources import fill, source_work

__all__ = []

SOURCE = SourceFile("array/convert.cu")
MAX_SUMMANDS = 32       # the maximum number of inputs that one launch adds


@kernel_for("Cast", "_cast_like", "amp_cast", "_copyto", "_identity_with_attr_like_rhs", "MakeLoss")
def converted(op, inputs, outputs):
    """Returns the Work whose formula is the element itself."""
    return elementwise(op, inputs, outputs)


@kernel_for("amp_multicast")
def multicast(op, inputs, outputs):
    """Returns the Work with one launch per input."""
    reason = reason_against(*inputs)
    if reason:
        return reason
    formula = Formula("multicast_kernel", "in0 in another type", lambda x: ((), x), "multicast")
    works = [elementwise_work(formula, [Operand(k, *reversed(spec))], out, Out(k))
             for k, (spec, out) in enumerate(zip(inputs, outputs, strict=True))]
    return Work(*[launch for work in works for launch in work.launches])


@kernel_for("_make_loss_grad")
def make_loss_grad(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if op.normalization != "valid":
        return fill(out, op.value(data.shape, data.dtype))
    if not size(out):
        return Work()
    defines = types(data.dtype)
    threshold = cast(np.array(op.valid_thresh), wide_dtype(data.dtype)) if data.dtype.kind == "f" else op.valid_thresh
    count = [Scratch(0), In(0), float(threshold), size(data)]
    spread = [Out(0), Scratch(0), float(op.grad_scale), size(out)]
    return Work(Launch(SOURCE, "clear", defines, 1, 1, [Scratch(0)]),
                Launch(SOURCE, "count_above", defines, blocks(size(data)), THREADS, count),
                Launch(SOURCE, "share", defines, blocks(size(out)), THREADS, spread),
                scratch=[Spec((), np.dtype("int64"))])


@kernel_for("all_finite", "multi_all_finite")
def all_finite(op, inputs, outputs):
    """Writes 1; the launch for each input then writes 0 if it finds a non-finite element."""
    reason = reason_against(*inputs)
    if reason:
        return reason
    launches = [Launch(SOURCE, "deny", types(spec.dtype), blocks(size(spec)), THREADS,
                       [Out(0), In(k), size(spec)])
                for k, spec in enumerate(inputs) if spec.dtype.kind == "f" and size(spec)]
    return Work(*fill(outputs[0], 1).launches, *launches)


@kernel_for("add_n")
def add_n(op, inputs, outputs):
    """Returns one launch or, for many inputs, several with a buffer in between, because the output may be an input."""
    reason = reason_against(*inputs)
    if reason:
        return reason
    out, launches = outputs[0], []
    operands = [Operand(k, *reversed(spec)) for k, spec in enumerate(inputs)]
    between = widened(out)
    while len(operands) > MAX_SUMMANDS:
        launches += _sum(operands[:MAX_SUMMANDS], between, Scratch(0)).launches
        operands = [Operand(0, between.dtype, between.shape, Scratch(0)), *operands[MAX_SUMMANDS:]]
    launches += _sum(operands, out).launches
    return Work(*launches, scratch=[between] * (len(inputs) > MAX_SUMMANDS))


def _sum(operands, out, address=None):
    def write(*values):
        return (), functools.reduce(np.add, values[1:], values[0].copy())
    formula = Formula("add_n_kernel", "the sum of all operands", write, ("add_n", len(operands)))
    return elementwise_work(formula, operands, out, address)


@kernel_for("shape_array")
def shape_array(op, inputs, outputs):
    return source_work("numbers", outputs[0], dims(inputs[0].shape))


@kernel_for("size_array")
def size_array(op, inputs, outputs):
    return source_work("numbers", outputs[0], dims([size(inputs[0])]))
