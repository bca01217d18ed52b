"""Convolution, Deconvolution, and the three operators that express their gradients of any order."""

from typing import Literal

from ..fields import Shape
from ..op import Op
from ..registry import register
from ..remedies import to_convolve, to_fit
from .convolution_kernels import Geometry, convolve, data_gradient, weight_gradient

__all__ = ["Convolution", "Deconvolution"]

Layout = Literal["NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC"]


class Windows(Op):
    """Base class of these operators: the attributes that define the windows, and the shapes in a layout.

    kernel: the size of a window along each of 1, 2 or 3 spatial axes.
    stride: the step from one window to the next, one for each axis of kernel; 1 by default.
    dilate: the step from one element of a window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    num_filter: the number of filters, which is the number of output channels.
    num_group: the number of groups of channels and filters; each group of filters reads only its own channels.
    no_bias: if True, omit the bias.
    layout: the order of the axes. If it ends in C, channels are the last axis of data, weight and out.
    cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
    cudnn_tune: how cuDNN's algorithm is chosen: by cuDNN's own ranking ('off'), or by measured time, within the
        workspace ('limited_workspace') or without a limit ('fastest'). None reads MXNET_CUDNN_AUTOTUNE_DEFAULT (0, 1 or
        2; 0 if it is unset).
    workspace: the size in MB of cuDNN's workspace.
    """

    def geometry(self):
        """Returns the completed attributes. Raises ShapeError if they contradict each other."""
        d = len(self.kernel)
        if d not in (1, 2, 3):
            raise self.shape_clash(f"kernel={self.kernel} has {d} numbers, expected 1, 2 or 3")
        values = [self.kernel]
        for name, least, default in ("stride", 1, 1), ("dilate", 1, 1), ("pad", 0, 0):
            value = getattr(self, name) or (default,) * d
            if len(value) != d:
                raise self.shape_clash(f"{name}={value} has {len(value)} numbers, but kernel={self.kernel} has {d}")
            if min(value) < least:
                raise self.shape_clash(f"{name}={value} must be at least {least} along each axis")
            values.append(value)
        if min(self.kernel) < 1:
            raise self.shape_clash(f"kernel={self.kernel} must be at least 1 along each axis")
        if self.layout is not None and len(self.layout) != d + 2:
            raise self.shape_clash(f"layout={self.layout!r} has {len(self.layout) - 2} axes of space, but "
                                   f"kernel={self.kernel} has {d}")
        return Geometry(*values, self.num_group, last=(self.layout or "NC")[-1] == "C" and self.layout is not None)

    def split(self, geometry, shape):
        """Splits an array's shape into (batch, channels, space); all are unknown if the shape is unknown."""
        if shape is None:
            return None, None, (None,) * len(geometry.kernel)
        space = ", ".join(("depth", "height", "width")[-len(geometry.kernel):])
        meaning = f": batch, {space}, channels" if geometry.last else f": batch, channels, {space}"
        self.require_rank("data", shape, len(geometry.kernel) + 2, meaning=meaning)
        return shape[0], shape[-1 if geometry.last else 1], geometry.space(shape)

    def divide(self, what, count):
        """Returns count / num_group, or None if unknown. Raises ShapeError if num_group does not divide count."""
        if count is None:
            return None
        if self.num_group < 1 or count % self.num_group:
            raise self.shape_clash(f"num_group={self.num_group} does not divide {what}")
        return count // self.num_group

    @property
    def window_attributes(self):
        """Returns the attributes for `_conv` and its adjoints."""
        names = "kernel", "stride", "dilate", "pad", "num_group", "layout"
        if self.cudnn_off or self.cudnn_tune or self.workspace != _ConvAdjoint.workspace:
            names += "workspace", "cudnn_off", "cudnn_tune"
        return {name: getattr(self, name) for name in names}

    @property
    def channel_axis(self):
        return -1 if self.layout is not None and self.layout[-1] == "C" else 1


@register("data", "weight", "bias", aliases=["Convolution_v1"])
class Convolution(Windows):
    """Slides num_filter filters over 1, 2 or 3 spatial axes: each output is the sum of filter times window, plus bias.

    data (N, C, *space) | weight (num_filter, C / num_group, *kernel) | bias (num_filter,), absent with no_bias
    out  (N, num_filter, *windows), windows = (space + 2 pad - dilate (kernel - 1) - 1) // stride + 1

    Filters are not flipped, so mathematically this is a cross-correlation.

    >>> data, weight = nd.array([[[1, 2, 3, 4]]]), nd.array([[[1, 10]]])
    >>> print(nd.Convolution(data, weight, kernel=2, num_filter=1, no_bias=True).asnumpy())
    [[[21. 32. 43.]]]
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: int
    num_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    cudnn_tune: Literal["off", "limited_workspace", "fastest"] | None = None
    cudnn_off: bool = False
    layout: Layout | None = None
    keeps = ("inputs",)

    def list_arguments(self):
        return self.arguments[:2] if self.no_bias else self.arguments

    def infer_inputs(self, shapes, outputs):
        """Infers the batch size of data from the output, and also the length of axes with stride 1."""
        if outputs[0] is None:
            return shapes
        geometry = self.geometry()
        n, _, windows = self.split(geometry, outputs[0])
        space = [None if covered is None or stride > 1 else covered - 2 * pad for covered, stride, pad
                 in zip(reach(geometry, windows), geometry.stride, geometry.pad, strict=True)]
        return [self.require("data", shapes[0], geometry.shape(n, None, space)), *shapes[1:]]

    def infer_shape(self, data, weight, bias=None):
        geometry = self.geometry()
        n, channels, space = self.split(geometry, data)
        self.divide(f"num_filter={self.num_filter}", self.num_filter)
        ins = self.divide(f"the {channels} channels of data {data}", channels)
        remedy = to_convolve(data, weight, geometry.last)
        weight = self.require("weight", weight, geometry.shape(self.num_filter, ins, self.kernel), remedy)
        out_space = geometry.out_space(space)
        for i, windows in enumerate(out_space):
            if windows is not None and windows < 1:
                sizes = tuple((k - 1) * d + 1 for k, d in zip(self.kernel, geometry.dilate, strict=True))
                raise self.shape_clash(
                    f"kernel={self.kernel} with dilate={geometry.dilate} is larger than data {data} with "
                    f"pad={geometry.pad}: {sizes[i]} against {space[i] + 2 * geometry.pad[i]} along axis "
                    f"{i + (1 if geometry.last else 2)}", "data", to_fit(sizes, space, geometry.pad))
        if data is not None and channels is None:
            depth = weight[self.channel_axis]
            data = geometry.shape(n, None if depth is None else depth * self.num_group, space)
        out = None if data is None else geometry.shape(n, self.num_filter, out_space)
        if self.no_bias:
            return [data, weight], [out]
        return [data, weight, self.require("bias", bias, (self.num_filter,))], [out]

    def forward(self, data, weight, bias=None):
        geometry = self.geometry()
        return convolve(data, weight, geometry, geometry.out_space(geometry.space(data.shape)), bias)

    def gradient(self, F, out_grads, inputs, outputs):
        g, (data, weight) = out_grads[0], inputs[:2]
        grads = [lambda: F._conv_data_grad(g, weight, data, **self.window_attributes),
                 lambda: F._conv_weight_grad(g, data, weight, **self.window_attributes)]
        return grads if self.no_bias else [*grads, lambda: F.sum(g, axis=self.channel_axis, exclude=True)]


def add_bias(out, bias, axis):
    """Adds one number to each channel, in place."""
    if bias is not None:
        out += bias if axis == -1 else bias.reshape(-1, *(1,) * (out.ndim - 2))
    return out


@register("data", "weight", "bias")
class Deconvolution(Windows):
    """The transpose of a convolution: each element of data adds a multiple of a filter to a window of out.

    data (N, C, *space) | weight (C, num_filter / num_group, *kernel) | bias (num_filter,), absent with no_bias
    out  (N, num_filter, *size), size = stride (space - 1) + dilate (kernel - 1) + 1 - 2 pad + adj

    adj: the number of extra elements of out along each axis; less than stride.
    target_shape: the output size; pad and adj are then computed from it.

    >>> data, weight = nd.array([[[1, 2]]]), nd.array([[[1, 1, 1]]])
    >>> print(nd.Deconvolution(data, weight, kernel=3, stride=2, num_filter=1).asnumpy())
    [[[1. 1. 3. 2. 2.]]]
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    adj: Shape = ()
    target_shape: Shape = ()
    num_filter: int
    num_group: int = 1
    workspace: int = 512
    no_bias: bool = True
    cudnn_tune: Literal["off", "limited_workspace", "fastest"] | None = None
    cudnn_off: bool = False
    layout: Layout | None = None
    keeps = ("inputs",)

    def list_arguments(self):
        return self.arguments[:2] if self.no_bias else self.arguments

    def infer_shape(self, data, weight, bias=None):
        geometry = self.geometry()
        n, channels, space = self.split(geometry, data)
        outs = self.divide(f"num_filter={self.num_filter}", self.num_filter)
        self.divide(f"the {channels} channels of data {data}", channels)
        weight = self.require("weight", weight, geometry.shape(channels, outs, self.kernel))
        if data is not None:
            data = geometry.shape(n, weight[0], space)
        out = None if data is None else geometry.shape(n, self.num_filter, self.out_size(geometry, space))
        if self.no_bias:
            return [data, weight], [out]
        return [data, weight, self.require("bias", bias, (self.num_filter,))], [out]

    def out_size(self, geometry, space):
        """Returns the spatial shape of the result. Raises ShapeError if it is empty."""
        d = len(self.kernel)
        adj = self.adj or (0,) * d
        for name, value in ("adj", adj), ("target_shape", self.target_shape or (0,) * d):
            if len(value) != d:
                raise self.shape_clash(f"{name}={value} has {len(value)} numbers, but kernel={self.kernel} has {d}")
        if any(self.target_shape):
            for i, (size, most) in enumerate(zip(self.target_shape, reach(geometry, space), strict=True)):
                if most is not None and size > most:
                    raise self.shape_clash(f"target_shape={self.target_shape} is larger than what the windows reach, "
                                           f"{size} against {most} along axis {i + (1 if geometry.last else 2)}")
            return self.target_shape
        if any(a >= s for a, s in zip(adj, geometry.stride, strict=True)):
            raise self.shape_clash(f"adj={adj} must be smaller than stride={geometry.stride} along each axis")
        size = tuple(None if n is None else n - 2 * p + a
                     for n, p, a in zip(reach(geometry, space), geometry.pad, adj, strict=True))
        if any(n is not None and n < 1 for n in size):
            raise self.shape_clash(f"pad={geometry.pad} leaves nothing: the result would have space {size}", "data")
        return size

    def forward(self, data, weight, bias=None):
        geometry = self.geometry()
        space = geometry.space(data.shape)
        size = self.out_size(geometry, space)
        if any(self.target_shape):
            geometry = fitted(geometry, size, space)
        return add_bias(data_gradient(data, weight, geometry, size), bias, self.channel_axis)

    def gradient(self, F, out_grads, inputs, outputs):
        g, (data, weight) = out_grads[0], inputs[:2]
        how = {**self.window_attributes, "fit": any(self.target_shape)}
        grads = [lambda: F._conv(g, weight, data, **how), lambda: F._conv_weight_grad(data, g, weight, **how)]
        return grads if self.no_bias else [*grads, lambda: F.sum(g, axis=self.channel_axis, exclude=True)]


def reach(geometry, windows):
    """Returns the number of elements that these windows cover along each axis."""
    return tuple(None if n is None else s * (n - 1) + d * (k - 1) + 1
                 for n, k, s, d in zip(windows, geometry.kernel, geometry.stride, geometry.dilate, strict=True))


def fitted(geometry, space, windows):
    """Returns the geometry with padding that makes these windows fit this space."""
    pad = tuple((most - n + 1) // 2 for most, n in zip(reach(geometry, windows), space, strict=True))
    return Geometry(geometry.kernel, geometry.stride, geometry.dilate, pad, geometry.groups, geometry.last)


class _ConvAdjoint(Windows):
    """Base class of the three partial derivatives of a convolution's sum. The last input only determines the result's
    shape.

    fit: if True, compute pad from the shapes, as in a Deconvolution with target_shape.
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_group: int = 1
    workspace: int = 1024
    cudnn_tune: Literal["off", "limited_workspace", "fastest"] | None = None
    cudnn_off: bool = False
    layout: Layout | None = None
    fit: bool = False
    keeps = ("inputs",)

    def infer_shape(self, *shapes):
        of = dict(zip(self.arguments, shapes, strict=True))
        of["data"], of["weight"], of["grad"] = self.complete_shapes(of["data"], of["weight"], of["grad"])
        inputs = [of[name] for name in self.arguments]
        return inputs, [inputs[-1]]

    def complete_shapes(self, data, weight, grad):
        """Returns the shapes of a convolution's data, weight and result, completed from each other."""
        geometry = self.geometry()
        n, channels, space = self.split(geometry, data)
        _, filters, windows = self.split(geometry, grad)
        ins = self.divide(f"the {channels} channels of data {data}", channels)
        self.divide(f"the {filters} channels of grad {grad}", filters)
        weight = self.require("weight", weight, geometry.shape(filters, ins, self.kernel))
        if self.fit:
            self.require_reach(geometry, space, windows)
        else:
            windows = geometry.out_space(space)
        grad = self.require("grad", grad, geometry.shape(n, weight[0], windows))
        return self.require("data", data, geometry.shape(grad[0], None, (None,) * len(space))), weight, grad

    def require_reach(self, geometry, space, windows):
        """Raises ShapeError if the windows would need negative padding to cover that space."""
        for size, most in zip(space, reach(geometry, windows), strict=True):
            if size is not None and most is not None and size > most:
                raise self.shape_clash(f"{windows} windows reach {most} of the {size} elements along an axis of "
                                       f"{space}", "grad")

    def fitted(self, data, grad):
        """Returns the geometry that relates a convolution's data to its result, from their shapes."""
        geometry = self.geometry()
        return fitted(geometry, geometry.space(data), geometry.space(grad)) if self.fit else geometry


@register("data", "weight", "grad")
class _conv(_ConvAdjoint):
    """The convolution of data with weight, with the shape of grad."""

    shape_only = ("grad",)

    def forward(self, data, weight, grad):
        geometry = self.fitted(data.shape, grad.shape)
        return convolve(data, weight, geometry, geometry.space(grad.shape))

    def gradient(self, F, out_grads, inputs, outputs):
        (data, weight, _), h = inputs, out_grads[0]
        return [lambda: F._conv_data_grad(h, weight, data, **self.attributes),
                lambda: F._conv_weight_grad(h, data, weight, **self.attributes), None]


@register("grad", "weight", "data")
class _conv_data_grad(_ConvAdjoint):
    """The gradient of data, computed from that of the result."""

    shape_only = ("data",)

    def forward(self, grad, weight, data):
        geometry = self.fitted(data.shape, grad.shape)
        return data_gradient(grad, weight, geometry, geometry.space(data.shape))

    def gradient(self, F, out_grads, inputs, outputs):
        (grad, weight, _), h = inputs, out_grads[0]
        return [lambda: F._conv(h, weight, grad, **self.attributes),
                lambda: F._conv_weight_grad(grad, h, weight, **self.attributes), None]


@register("grad", "data", "weight")
class _conv_weight_grad(_ConvAdjoint):
    """The gradient of weight, computed from that of the result."""

    shape_only = ("weight",)

    def forward(self, grad, data, weight):
        return weight_gradient(grad, data, self.fitted(data.shape, grad.shape))

    def gradient(self, F, out_grads, inputs, outputs):
        (grad, data, _), h = inputs, out_grads[0]
        return [lambda: F._conv(data, h, grad, **self.attributes),
                lambda: F._conv_data_grad(grad, h, data, **self.attributes), None]
