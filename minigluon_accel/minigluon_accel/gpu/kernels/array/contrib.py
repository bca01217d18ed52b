"""Operators of `nd.contrib`. The shape of boolean_mask's result depends on values: its kernel allocates the result."""

import math

import numpy as np

from minigluon.backend import Spec

from ... import launch
from ...compile import Runner, prepare
from ...launch import In, Launch, Out, Scratch, Work, blocks, dims, types
from ..movement import ghost, move, word_of
from ..registry import kernel_for
from .indexing import scattered, split

__all__ = []


def _launch(function, defines, total, arguments):
    return Launch("array/contrib.cu", function, defines, blocks(total), launch.THREADS, arguments)


@kernel_for("_contrib_arange_like")
def arange_like(op, inputs, outputs):
    out = outputs[0]
    n = math.prod(out.shape)
    if not n:
        return Work()
    return Work(_launch("arange_like", types(out.dtype), n, [Out(0), n, float(op.start), float(op.step), op.repeat]))


@kernel_for("_contrib_index_array")
def index_array(op, inputs, outputs):
    shape, total = inputs[0].shape, math.prod(outputs[0].shape)
    axes = range(len(shape)) if op.axes is None else [op.normalize_axis(a, len(shape)) for a in op.axes]
    if len(axes) > launch.MAX_DIMS:
        return f"{len(axes)} axes"
    if not total:
        return Work()
    strides = [math.prod(shape[axis + 1:]) for axis in axes]
    return Work(_launch("index_array", {}, total, [Out(0), total, len(axes), dims(strides),
                                                   dims([shape[axis] for axis in axes])]))


@kernel_for("_contrib_index_copy")
def index_copy(op, inputs, outputs, device):
    old, index, new = inputs
    if new.dtype != old.dtype:
        return f"old_tensor of {old.dtype}, new_tensor of {new.dtype}"
    start = move(old.dtype, In(0), ghost(old.shape), Out(0), ghost(old.shape))
    columns = Spec((1, *index.shape), index.dtype)
    return scattered(op.name, device, start, outputs[0], new, In(2), columns, In(1), negative=False)


@kernel_for("_contrib_div_sqrt_dim")
def div_sqrt_dim(op, inputs, outputs):
    data = inputs[0]
    if data.dtype.kind != "f":
        return f"data of {data.dtype}"
    n = math.prod(data.shape)
    if not n:
        return Work()
    return Work(_launch("divide", types(data.dtype), n, [Out(0), In(0), n, data.dtype.type(math.sqrt(data.shape[-1]))]))


def _counting(defines, mask, operand, ranks):
    """The launch that numbers the elements of a mask that are not zero."""
    return Launch("array/contrib.cu", "count_chosen", defines, 1, 1024, [ranks, operand, math.prod(mask.shape)])


@kernel_for("_contrib_boolean_mask")
def boolean_mask(op, inputs, outputs, device):
    """Counts first and asks the device for the sum, since the host has to know the shape."""
    data, mask = inputs
    outer, n, inner = split(data.shape, op.axis)
    lead, rest = data.shape[:op.axis % len(data.shape)], data.shape[op.axis % len(data.shape) + 1:]
    total, places = math.prod(data.shape), {In: 0, Out: 1}
    defines = {**word_of(data.dtype), "TI": types(mask.dtype)["T"]}
    count = Runner(device, [prepare(device, _counting(defines, mask, In(0), Out(0)), places)], 2) if n else None

    def run(buffers):
        data, mask = [x if x.c_contiguous else x.copy() for x in buffers]
        ranks = device.memory.empty((n,), np.dtype(np.int64))
        if n:
            count.run([mask, ranks])
        kept = int(ranks[-1:].numpy()[0]) if n else 0
        out = device.memory.empty((*lead, kept, *rest), data.dtype)
        if out.size:
            keep = _launch("keep_chosen", defines, total, [Out(0), In(0), In(1), In(2), total, n, inner, kept])
            Runner(device, [prepare(device, keep, {In: 0, Out: 3})], 4).run([data, mask, ranks, out])
        return [out]
    return run


@kernel_for("_contrib_boolean_mask_grad")
def boolean_mask_grad(op, inputs, outputs):
    grad, data, mask = inputs
    _, n, inner = split(data.shape, op.axis)
    total = math.prod(data.shape)
    if not total:
        return Work()
    defines = {**word_of(data.dtype), "TI": types(mask.dtype)["T"]}
    spread = _launch("spread_chosen", defines, total, [Out(0), In(0), In(2), Scratch(0), total, n, inner,
                                                       split(grad.shape, op.axis)[1]])
    return Work(_counting(defines, mask, In(2), Scratch(0)), spread, scratch=[Spec((n,), np.dtype(np.int64))])
