"""`nd.image.resize`. The host works out what each new row and column is made of, with the reference's own functions,
and copies that small table to the device; the pixels stay there.
"""

import numpy as np

from minigluon.backend import Spec
from minigluon.pixels.resize import AREA, NEAREST, halves, method, scaled, taps

from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, Work, blocks, size, types
from ..movement import ghost, one_view
from ..philox import upload
from ..registry import kernel_for

__all__ = ["limits"]


@kernel_for("_image_resize")
def resize(op, inputs, outputs, device):
    data, out = inputs[0], outputs[0]
    if data.dtype.kind == "b":
        return f"data of {data.dtype}"
    old, new = data.shape[-3:-1], out.shape[-3:-1]
    if not size(out):
        return Work()
    if 0 in old:
        return f"data of shape {data.shape}"        # the reference says what is wrong
    how = method(*old, *new, op.interp)
    if old == new:
        return one_view(out, ghost(data.shape))
    sizes = [size(out), *old, data.shape[-1], *new]
    if how == NEAREST:
        steps = [1 / (after / before) for before, after in zip(old, new, strict=True)]
        return Work(_launch("nearest", out, [Out(0), In(0), *sizes, *steps]))
    if halves(data.dtype, *old, *new, how):
        return Work(_launch("mean_of_four", out, [Out(0), In(0), *sizes]))
    return _weighted(data.dtype, out, [taps(a, b, how) for a, b in zip(old, new, strict=True)], how, sizes, device)


def _weighted(dtype, out, axes, how, sizes, device):
    """axes: the places and weights of the taps of rows, and of columns."""
    integers = dtype == np.uint8 and how != AREA
    table = np.concatenate([part.ravel() for places, weights in axes for part in (
        places.astype(np.int32), scaled(weights) if integers else weights.view(np.int32))])

    def enqueue(stream, addresses):
        upload(device, stream, addresses[0], table)
    counts = [places.shape[1] for places, _ in axes]
    launch = _launch("in_integers" if integers else "weighted", out,
                     [Out(0), In(0), Scratch(0), *sizes, *counts])
    return Work(Enqueue("taps to the device", enqueue, [Scratch(0)], replayable=False), launch,
                scratch=[Spec(table.shape, table.dtype)])


def limits(dtype):
    """The defines LOWEST and HIGHEST of an integer type, to which rounded.cuh limits results; {} for others."""
    if dtype.kind not in "iu":
        return {}
    found = np.iinfo(dtype)
    return {"LOWEST": f"({float(found.min)!r})", "HIGHEST": f"({float(found.max)!r})"}


def _launch(function, out, arguments):
    """WIDE: the type that weighted sums are computed in."""
    defines = {**types(out.dtype), **limits(out.dtype), "WIDE": "double" if out.dtype == np.float64 else "float"}
    return Launch("vision/image_resize.cu", function, defines, blocks(size(out)), THREADS, arguments)
