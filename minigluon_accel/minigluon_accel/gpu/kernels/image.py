"""`nd.image`. What only moves or scales pixels is made of other kernels.

Resizing and random changes of colours are computed on the host, between two copies: they are for data on its way to the
device, which comes from the host.
"""

import numpy as np

from ..compose import composed
from ..launch import Enqueue, In, Out, Work, size
from .movement import ghost, move, one_view, zeros
from .philox import download, upload
from .registry import kernel_for

__all__ = []


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
    """Channel by channel, since their numbers are attributes and no arrays."""
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
    return Work(*zeros(out, Out(0)), *move(out.dtype, In(0), ghost(grad.shape), Out(0), _region(op, out)))


def _region(op, whole):
    return ghost(whole.shape)[..., op.y:op.y + op.height, op.x:op.x + op.width, :]


@kernel_for("_image_flip_left_right", "_image_flip_top_bottom")
def flip(op, inputs, outputs):
    return one_view(outputs[0], np.flip(ghost(inputs[0].shape), op.axis))


@kernel_for("_image_resize", "_image_adjust_lighting")
def on_host(op, inputs, outputs, device):
    return _computed_on_host(op, inputs[0], outputs[0], device, {})


@kernel_for("_image_random_flip_left_right", "_image_random_flip_top_bottom", "_image_random_brightness",
            "_image_random_contrast", "_image_random_saturation", "_image_random_hue", "_image_random_color_jitter",
            "_image_random_lighting")
def random_on_host(op, inputs, outputs, rng, device):
    return _computed_on_host(op, inputs[0], outputs[0], device, {"rng": rng})


def _computed_on_host(op, data, out, device, more):
    def enqueue(stream, addresses):
        array = op.forward(download(device, stream, addresses[0], data), **more)
        upload(device, stream, addresses[1], np.ascontiguousarray(array))
        device.synchronize()            # before the array's memory goes
    return Work(Enqueue(f"{op.name} on the host", enqueue, [In(0), Out(0)], replayable=False)) if size(out) else Work()
