"""UpSampling."""

from typing import Literal

import numpy as np

from ..op import Op
from ..registry import register
from .convolution_kernels import Geometry, data_gradient

__all__ = ["UpSampling"]


@register("*data")
class UpSampling(Op):
    """Makes the two spatial axes `scale` times as long.

    data: for nearest, any number of arrays (N, C, h, w); for bilinear, (N, num_filter, h, w) and weight (num_filter, 1,
    k, k), k = 2 scale - scale % 2 | out (N, C, scale · h, scale · w)

    nearest repeats each element. All inputs are scaled to `scale` times the size of the first, then joined along the
    channels (concat) or added (sum). bilinear applies a Deconvolution with the filter weight to each channel.

    scale: the factor for height and width.
    num_filter: the number of channels, only for bilinear.
    sample_type: nearest or bilinear.
    multi_input_mode: how several inputs of nearest are combined.
    num_args: the number of inputs, which is set automatically.

    >>> print(nd.UpSampling(nd.array([[[[1, 2]]]]), scale=2, sample_type="nearest").asnumpy())
    [[[[1. 1. 2. 2.]
       [1. 1. 2. 2.]]]]
    """

    scale: int
    num_filter: int = 0
    sample_type: Literal["bilinear", "nearest"]
    multi_input_mode: Literal["concat", "sum"] = "concat"
    num_args: int = 1
    workspace: int = 512

    keeps = ("inputs",)

    @property
    def window(self):
        """Returns the attributes of the Deconvolution that computes 'bilinear'."""
        k = 2 * self.scale - self.scale % 2
        return {"kernel": (k, k), "stride": (self.scale,) * 2, "pad": (self.scale // 2,) * 2,
                "num_group": self.num_filter}

    @property
    def num_inputs(self):
        return 2 if self.sample_type == "bilinear" else self.num_args

    def list_arguments(self):
        return ("data", "weight") if self.sample_type == "bilinear" else self.argument_names(self.num_args)

    def argument_names(self, count):
        return ["data", "weight"][:count] if self.sample_type == "bilinear" else [f"arg{i}" for i in range(count)]

    def infer_shape(self, data, *others):
        self.require_rank("data", data, 4)
        if self.scale < 1:
            raise self.shape_clash(f"scale={self.scale} must be at least 1")
        space = (None, None) if data is None else tuple(None if n is None else n * self.scale for n in data[2:])
        if self.sample_type == "bilinear":
            if len(others) != 1:
                raise self.shape_clash(f"sample_type='bilinear' takes data and weight, found {1 + len(others)} inputs")
            data = self.require("data", data, (None, self.num_filter, None, None))
            weights = [self.require("weight", w, (self.num_filter, 1, *self.window["kernel"])) for w in others]
            return [data, *weights], [(data[0], self.num_filter, *space)]
        if data is None or None in others:
            return [data, *others], [None]
        channels = data[1]
        for i, other in enumerate(others, 1):
            self.require_rank(f"arg{i}", other, 4)
            self.require(f"arg{i}", other[:1], data[:1])
            if any(None not in (whole, n) and (whole % n if n else whole)
                   for whole, n in zip(space, other[2:], strict=True)):
                raise self.shape_clash(f"arg{i} {other} cannot be repeated to the space {space}", f"arg{i}")
            if self.multi_input_mode == "sum":
                self.require(f"arg{i}", other[1:2], (channels,))
            else:
                channels = None if None in (channels, other[1]) else channels + other[1]
        return [data, *others], [(data[0], channels, *space)]

    def forward(self, *arrays):
        space = tuple(n * self.scale for n in arrays[0].shape[2:])
        if self.sample_type == "bilinear":
            data, weight = arrays
            if not data.size:
                return np.zeros((data.shape[0], self.num_filter, *space), data.dtype)
            how = self.window
            geometry = Geometry(how["kernel"], how["stride"], (1, 1), how["pad"], self.num_filter)
            return data_gradient(data, weight, geometry, space)
        large = [a.repeat(space[0] // max(a.shape[2], 1), 2).repeat(space[1] // max(a.shape[3], 1), 3) for a in arrays]
        if self.multi_input_mode == "concat":
            return np.concatenate(large, 1) if len(large) > 1 else large[0]
        return sum(large[1:], start=large[0])

    def gradient(self, F, out_grads, inputs, outputs):
        g = out_grads[0]
        if self.sample_type == "bilinear":
            data, weight = inputs
            return [F._conv(g, weight, data, **self.window), F._conv_weight_grad(data, g, weight, **self.window)]
        return F._upsampling_grad(g, *inputs, **self.attributes)


@register("*data")
class _upsampling_grad(UpSampling):
    """The adjoint of 'nearest': the sum of each block of grad, for each input. data: grad, then the inputs."""

    @property
    def num_inputs(self):
        return self.num_args

    @property
    def num_outputs(self):
        return self.num_args - 1

    def list_arguments(self):
        return self.argument_names(self.num_args)

    def infer_shape(self, grad, *inputs):
        of = UpSampling(**{**self.attributes, "num_args": len(inputs)})
        inputs, (output,) = of.infer_shape(*inputs)
        return [self.require("arg0", grad, output), *inputs], list(inputs)

    def forward(self, grad, *inputs):
        out, channel = [], 0
        for x in inputs:
            n, c, h, w = x.shape
            part = grad[:, channel:channel + c]
            channel += c if self.multi_input_mode == "concat" else 0
            rows = np.add.reduce(part.reshape(n, c, h, part.shape[2] // h, part.shape[3]), 3, grad.dtype)
            times = part.shape[3] // w          # column by column, because NumPy is slow along short axes
            out.append(sum((rows[..., i::times] for i in range(1, times)), start=rows[..., ::times]))
        return tuple(out) if len(out) > 1 else out[0]

    def gradient(self, F, out_grads, inputs, outputs):
        attributes = {**self.attributes, "num_args": len(out_grads)}
        return [F.UpSampling(*out_grads, **attributes)] + [None] * len(out_grads)
