"""`nd.image`. Operators that only move or scale pixels are built from other kernels.

Random operators draw on the host, as the reference does, and send the numbers to the device. For resizing, the host
computes the taps and weights of each new row and column with the reference's own functions, and copies this small table
to the device; the pixels remain on the device.
"""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.imaging import color
from minigluon.imaging.resize import AREA, NEAREST, halves, method, scaled, taps
from minigluon.ops.vision.image import ADJUSTMENTS

from ....strides import placeholder
from ...launch import MAX_BLOCKS, THREADS, Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..compose import composed
from ..movement import move, one_view, zeros
from ..registry import kernel_for

__all__ = []

RESIZE_SOURCE = SourceFile("vision/image_resize.cu")
COLOR_SOURCE = SourceFile("vision/image_color.cu")


@composed("_image_to_tensor")
def to_tensor(op, F, data, specs):
    lead = range(len(specs[0].shape) - 3)
    axes = (*lead, *(len(lead) + axis for axis in (2, 0, 1)))
    return F.cast(F.transpose(data, axes=axes), dtype="float32") / 255


@composed("_to_tensor_grad")
def to_tensor_grad(op, F, grad, data, specs):
    lead = range(len(specs[0].shape) - 3)
    axes = (*lead, *(len(lead) + axis for axis in (1, 2, 0)))
    return F.cast(F.transpose(grad, axes=axes) / 255, dtype=specs[1].dtype.name)


@composed("_image_normalize")
def normalize(op, F, data, specs):
    """Works channel by channel, because the per-channel values are attributes, not arrays."""
    mean, std = op.per_channel()
    if len(mean) == len(std) == 1:
        return (data - mean[0]) / std[0]
    axis = len(specs[0].shape) - 3
    channels = specs[0].shape[axis]
    mean, std = (values * channels if len(values) == 1 else values for values in (mean, std))
    if channels == 1:
        return (data - mean[0]) / std[0]
    planes = F.SliceChannel(data, num_outputs=channels, axis=axis)
    return F.concat(*[(planes[k] - mean[k]) / std[k] for k in range(channels)], dim=axis)


@kernel_for("_image_crop")
def crop(op, inputs, outputs):
    return one_view(outputs[0], _region(op, inputs[0]))


@kernel_for("_crop_image_grad")
def crop_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    return Work(*zeros(out, Out(0)), *move(out.dtype, In(0), placeholder(grad.shape), Out(0), _region(op, out)))


def _region(op, whole):
    return placeholder(whole.shape)[..., op.y:op.y + op.height, op.x:op.x + op.width, :]


@kernel_for("_image_flip_left_right", "_image_flip_top_bottom")
def flip(op, inputs, outputs):
    return one_view(outputs[0], np.flip(placeholder(inputs[0].shape), op.axis))


# -- resize -----------------------------------------------------------------------------------------------------------


@kernel_for("_image_resize")
def resize(op, inputs, outputs, device):
    data, out = inputs[0], outputs[0]
    if data.dtype.kind == "b":
        return f"data of {data.dtype}"
    old, new = data.shape[-3:-1], out.shape[-3:-1]
    if not size(out):
        return Work()
    if 0 in old:
        return f"data of shape {data.shape}"        # the reference reports the error
    how = method(*old, *new, op.interp)
    if old == new:
        return one_view(out, placeholder(data.shape))
    sizes = [size(out), *old, data.shape[-1], *new]
    if how == NEAREST:
        steps = [1 / (after / before) for before, after in zip(old, new, strict=True)]
        return Work(_resizing("nearest", out, [Out(0), In(0), *sizes, *steps]))
    if halves(data.dtype, *old, *new, how):
        return Work(_resizing("mean_of_four", out, [Out(0), In(0), *sizes]))
    return _weighted(data.dtype, out, [taps(a, b, how) for a, b in zip(old, new, strict=True)], how, sizes, device)


def _weighted(dtype, out, axes, how, sizes, device):
    """axes: the positions and weights of the taps, for rows and for columns."""
    integers = dtype == np.uint8 and how != AREA
    table = np.concatenate([part.ravel() for places, weights in axes for part in (
        places.astype(np.int32), scaled(weights) if integers else weights.view(np.int32))])

    def enqueue(stream, addresses):
        device.memory.send(table, addresses[0])
    counts = [places.shape[1] for places, _ in axes]
    launch = _resizing("in_integers" if integers else "weighted", out, [Out(0), In(0), Scratch(0), *sizes, *counts])
    return Work(Enqueue("taps to the device", enqueue, [Scratch(0)], replayable=False), launch,
                scratch=[Spec(table.shape, table.dtype)])


def _resizing(function, out, arguments):
    """Returns the launch of a kernel that computes `out`. WIDE: the type of weighted sums."""
    defines = {**types(out.dtype), **_limits(out.dtype), "WIDE": "double" if out.dtype == np.float64 else "float"}
    return Launch(RESIZE_SOURCE, function, defines, blocks(size(out)), THREADS, arguments)


def _limits(dtype):
    """Returns the defines LOWEST and HIGHEST of an integer dtype, to which pixel_rounding.cuh clamps; {} otherwise."""
    if dtype.kind not in "iu":
        return {}
    limits = np.iinfo(dtype)
    return {"LOWEST": f"({float(limits.min)!r})", "HIGHEST": f"({float(limits.max)!r})"}


# -- with numbers from the host ---------------------------------------------------------------------------------------

NUMBERS = Spec((8,), np.dtype("float64"))


def _upload(op, device, find):
    """Returns the Enqueue that writes the result of find(), up to eight numbers, to NUMBERS, which is Scratch(0)."""
    def enqueue(stream, addresses):
        numbers, values = np.zeros(NUMBERS.shape, NUMBERS.dtype), np.ravel(find())
        numbers[:len(values)] = values
        device.memory.send(numbers, addresses[0])
    return Enqueue(f"the numbers of {op.name}", enqueue, [Scratch(0)], replayable=False)


def _launch(function, out, arguments, grid=None):
    """NUMBER: the type of a factor or a gray level. WIDE: the type of its product with an element, as in NumPy.

    WHITE: the largest element, which hue treats as 1.
    """
    number = "double" if out.dtype == np.float64 else "float"
    wide = "double" if out.dtype in (np.int32, np.int64) else number
    defines = {**types(out.dtype), **_limits(out.dtype), "NUMBER": number, "WIDE": wide,
               "WHITE": 1 if out.dtype.kind == "f" else 255}
    return Launch(COLOR_SOURCE, function, defines, blocks(size(out)) if grid is None else grid,
                  THREADS, arguments)


@kernel_for("_image_random_flip_left_right", "_image_random_flip_top_bottom")
def random_flip(op, inputs, outputs, rng, device):
    out = outputs[0]
    inner = math.prod(out.shape[op.axis + len(out.shape) + 1:])
    upload = _upload(op, device, lambda: op.draw(rng))
    return Work(upload, _launch("flip", out, [Out(0), In(0), Scratch(0), size(out), out.shape[op.axis], inner]),
                scratch=[NUMBERS])


@kernel_for("_image_adjust_lighting")
def adjust_lighting(op, inputs, outputs, device):
    return _lighting(op, inputs[0], outputs[0], device, op.draw)


@kernel_for("_image_random_lighting")
def random_lighting(op, inputs, outputs, rng, device):
    return _lighting(op, inputs[0], outputs[0], device, lambda: op.draw(rng))


def _lighting(op, data, out, device, alpha):
    upload = _upload(op, device, lambda: color.light_of(alpha()))
    if out.shape[-1] != 3:
        return _unchanged(upload, out)
    return Work(upload, _launch("lighting", out, [Out(0), In(0), Scratch(0), size(out)]), scratch=[NUMBERS])


def _unchanged(upload, out):
    """Returns a copy of the input; random numbers are still drawn."""
    return Work(upload, *one_view(out, placeholder(out.shape)).launches, scratch=[NUMBERS])


KINDS = [f"_image_random_{name}" for name in ADJUSTMENTS]       # numbered as in vision/image_color.cu
CONTRAST = KINDS.index("_image_random_contrast")


@kernel_for(*KINDS)
def adjust(op, inputs, outputs, rng, device):
    kind = KINDS.index(op.name)
    upload = _upload(op, device, lambda: (kind, op.draw(rng)))
    return _adjusted(upload, outputs[0], 1, kind == CONTRAST)


@kernel_for("_image_random_color_jitter")
def color_jitter(op, inputs, outputs, rng, device):
    """Lets each launch look up its operation, because the order is random."""
    upload = _upload(op, device, lambda: op.draw(rng))
    return _adjusted(upload, outputs[0], sum(strength > 0 for strength in op.attributes.values()), op.contrast > 0)


def _adjusted(upload, out, steps, needs_grey):
    """Returns consecutive steps; the first reads the input, and the others work in place.

    needs_grey: whether the image's mean gray level is needed.
    """
    *lead, rows, columns, channels = out.shape
    images, pixels = math.prod(lead), rows * columns
    if images > MAX_BLOCKS:
        return f"{images} images"
    if not steps or not size(out):
        return _unchanged(upload, out)
    launches = []
    for step in range(steps):
        source = Out(0) if step else In(0)
        if needs_grey:
            launches.append(_launch("mean_grey", out, [Scratch(1), source, pixels, channels], grid=images))
        launches.append(_launch("adjust", out, [Out(0), source, Scratch(0), Scratch(1), images * pixels, pixels,
                                                channels, step]))
    return Work(upload, *launches, scratch=[NUMBERS, Spec((images,), np.dtype("float64"))])
