"""Operators that pass their input on: in another type, or as it is; and questions about whole arrays."""

import numpy as np

from minigluon.backend import Spec
from minigluon.ops.numeric import cast

from ...generated import Formula, Operand, elementwise_work
from ...launch import THREADS, In, Launch, Out, Scratch, Work, blocks, size, types
from ..math.elementwise import declined, elementwise
from ..registry import kernel_for
from .sources import fill

kernel_for("Cast", "_cast_like", "amp_cast", "_copyto", "_identity_with_attr_like_rhs", "MakeLoss")(elementwise)


@kernel_for("amp_multicast")
def multicast(op, inputs, outputs):
    """A launch for each input."""
    reason = declined(*inputs)
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
    threshold = cast(np.array(op.valid_thresh), data.dtype) if data.dtype.kind == "f" else op.valid_thresh
    count = [Scratch(0), In(0), float(threshold), size(data)]
    spread = [Out(0), Scratch(0), float(op.grad_scale), size(out)]
    return Work(Launch("array/convert.cu", "clear", defines, 1, 1, [Scratch(0)]),
                Launch("array/convert.cu", "count_above", defines, blocks(size(data)), THREADS, count),
                Launch("array/convert.cu", "share", defines, blocks(size(out)), THREADS, spread),
                scratch=[Spec((), np.dtype("int64"))])


@kernel_for("all_finite", "multi_all_finite")
def all_finite(op, inputs, outputs):
    """1, and then each input's launch writes 0 where it finds something infinite."""
    reason = declined(*inputs)
    if reason:
        return reason
    launches = [Launch("array/convert.cu", "deny", types(spec.dtype), blocks(size(spec)), THREADS,
                       [Out(0), In(k), size(spec)])
                for k, spec in enumerate(inputs) if spec.dtype.kind == "f" and size(spec)]
    return Work(*fill(outputs[0], 1).launches, *launches)
