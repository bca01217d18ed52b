"""`nd.contrib` operators, and histogram.

The shape of boolean_mask's result depends on the mask's values, so its kernel allocates the result.
"""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.backend.wide import wide_dtype
from minigluon.base import ArgumentError
from minigluon.ops.shapes import around

from ....strides import placeholder
from ... import launch
from ...compile import Runner, prepare
from ...launch import Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, size, types
from ..movement import move, word_of
from ..reductions import ctype
from ..registry import kernel_for
from ..transfers import download
from .positions import scattered

__all__ = []

SOURCE = SourceFile("array/contrib.cu")
HISTOGRAM_SOURCE = SourceFile("array/contrib_histogram.cu")


def _launch(function, defines, total, arguments):
    return Launch(SOURCE, function, defines, blocks(total), launch.THREADS, arguments)


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
    start = move(old.dtype, In(0), placeholder(old.shape), Out(0), placeholder(old.shape))
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
    root = wide_dtype(data.dtype).type(math.sqrt(data.shape[-1]))
    return Work(_launch("divide", types(data.dtype), n, [Out(0), In(0), n, root]))


def _counting(defines, mask, operand, ranks):
    """Returns the launch that counts the nonzero elements of a mask up to each position."""
    return Launch(SOURCE, "count_chosen", defines, 1, 1024, [ranks, operand, math.prod(mask.shape)])


@kernel_for("_contrib_boolean_mask")
def boolean_mask(op, inputs, outputs, device):
    """Counts first, then reads the sum from the device, because the host must know the shape."""
    data, mask = inputs
    outer, n, inner = around(data.shape, op.axis)
    lead, trailing = data.shape[:op.axis % len(data.shape)], data.shape[op.axis % len(data.shape) + 1:]
    total, places = math.prod(data.shape), {In: 0, Out: 1}
    defines = {**word_of(data.dtype), "TI": types(mask.dtype)["T"]}
    count = Runner(device, [prepare(device, _counting(defines, mask, In(0), Out(0)), places)], 2) if n else None

    def run(buffers):
        data, mask = [x if x.c_contiguous else x.copy() for x in buffers]
        ranks = device.memory.empty((n,), np.dtype(np.int64))
        if n:
            count.run([mask, ranks])
        chosen_count = int(ranks[-1:].numpy()[0]) if n else 0
        out = device.memory.empty((*lead, chosen_count, *trailing), data.dtype)
        if out.size:
            keep = _launch("keep_chosen", defines, total, [Out(0), In(0), In(1), In(2), total, n, inner, chosen_count])
            Runner(device, [prepare(device, keep, {In: 0, Out: 3})], 4).run([data, mask, ranks, out])
        return [out]
    return run


@kernel_for("_boolean_mask_grad")
def boolean_mask_grad(op, inputs, outputs):
    grad, data, mask = inputs
    _, n, inner = around(data.shape, op.axis)
    total = math.prod(data.shape)
    if not total:
        return Work()
    defines = {**word_of(data.dtype), "TI": types(mask.dtype)["T"]}
    spread = _launch("spread_chosen", defines, total, [Out(0), In(0), In(2), Scratch(0), total, n, inner,
                                                       around(grad.shape, op.axis)[1]])
    return Work(_counting(defines, mask, In(2), Scratch(0)), spread, scratch=[Spec((n,), np.dtype(np.int64))])


@kernel_for("_histogram")
def histogram(op, inputs, outputs, device):
    data, equal = inputs[0], op.bin_cnt is not None
    bins = outputs[0].shape[0]
    # The reference's edges have this dtype before they are rounded to data's dtype.
    computed = wide_dtype(data.dtype)
    edge = (computed if computed.kind == "f" else np.dtype("float64")) if equal else inputs[1].dtype
    defines = {"T": ctype(data.dtype), "EDGE": ctype(edge)}

    def run(function, count, *arguments):
        return Launch(HISTOGRAM_SOURCE, function, defines, blocks(count), launch.THREADS, arguments)
    if equal:
        low, high = (float(end) for end in op.range)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges, before = Scratch(0), [run("equal_edges", bins + 1, Scratch(0), Out(1), bins, low, high)]
    else:
        edges = In(1)
        before = [Enqueue("_histogram: bins", _order(op, inputs[1], device), [In(1)], replayable=False),
                  run("given_edges", bins + 1, In(1), Out(1), bins + 1)]
    if bins:
        before.append(run("no_counts", bins, Out(0), bins))
    if bins and size(data):
        before.append(run("count_in_bins", size(data), In(0), edges, Out(0), size(data), bins))
    return Work(*before, scratch=[Spec((bins + 1,), edge)] if equal else [])


def _order(op, bins, device):
    """Returns a function that raises ArgumentError if the edges decrease."""
    def check(stream, pointers):
        edges = download(device, stream, pointers[0], bins)
        if not (edges[1:] >= edges[:-1]).all():
            raise ArgumentError(f"{op.name}: bins must not decrease, found {edges.tolist()}")
    return check
