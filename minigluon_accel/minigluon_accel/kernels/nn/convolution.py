"""Convolution, Deconvolution and their gradients.

All arrays here have three spatial axes: z, y and x (see csrc/nn/convolution_windows.h). A convolution and its data
gradient share one kernel, csrc/nn/convolution.c; the weight gradient has its own kernel, csrc/nn/convolution_weight.c.
For few windows or channels, csrc/nn/convolution_fold.c computes the gradient of the data in a different order.
"""

import itertools
import math

from minigluon.backend import Spec
from minigluon.ops.nn.convolution import fitted

from ...engine import Call, Phase
from ..registry import kernel_for, reals
from ..registry import parts as parts_of
from . import convolution_winograd as winograd

__all__ = []

SCENE = 2 ** 17         # the number of source elements that a part reads, which stay in the second-level cache
COLUMNS = 1024          # the number of windows in a part
GRADS = 256             # the number of windows whose gradients are accumulated tap by tap, in the first-level cache
WORK = 2 ** 20          # the number of multiplications in a part, which takes about 20 microseconds
PARTS = 8               # the minimum number of parts, if there is enough work
MIN_CHANNELS = 8            # with fewer channels, Winograd's transforms do not pay off
ROWS = 16               # the maximum number of padding rows in a packed matrix
MOST_PASSES = 2 ** 16   # the maximum number of positions relative to the strides, each of which is a pass
MOST = 2 ** 15          # the maximum number of parts, if there are enough images and groups
FOLD_ROWS = 64          # the number of windows in a part that is folded, all of which use the packed weight
# Chosen by measurement; the unit is one multiplication of a product:
PACKING = 8             # the cost of copying an element of a window for the product
FOLDING = 32            # the cost of adding an element of a product's result to the data
GAIN = 2.5              # the ratio above which the usual method needs too many multiplications


# -- the operators --------------------------------------------------------------------------------------------------

@kernel_for("Convolution")
def convolution(op, inputs, outputs):
    data, weight = inputs[:2]
    return reason_against(op, inputs) or forward(
        op.geometry(), data, weight, outputs[0], bias=-1 if op.no_bias else 2, out=len(inputs))


@kernel_for("_conv")
def conv(op, inputs, outputs):
    data, weight, like = inputs
    return reason_against(op, inputs[:2]) or forward(op.fitted(data.shape, like.shape), data, weight, outputs[0], out=3)


@kernel_for("_conv_data_grad")
def conv_data_grad(op, inputs, outputs):
    grad, weight, data = inputs
    return reason_against(op, inputs[:2]) or backward(
        op.fitted(data.shape, grad.shape), grad, weight, outputs[0], out=3)


@kernel_for("Deconvolution")
def deconvolution(op, inputs, outputs):
    data, weight = inputs[:2]
    geometry = op.geometry()
    if any(op.target_shape):
        geometry = fitted(geometry, geometry.space(outputs[0].shape), geometry.space(data.shape))
    return reason_against(op, inputs) or backward(
        geometry, data, weight, outputs[0], bias=-1 if op.no_bias else 2, out=len(inputs))


@kernel_for("_conv_weight_grad")
def conv_weight_grad(op, inputs, outputs):
    grad, data, _ = inputs
    return reason_against(op, inputs[:2]) or weight_gradient(op.fitted(data.shape, grad.shape), grad, data, outputs[0])


def reason_against(op, specs):
    """Returns the reason for declining, or None."""
    if op.layout is not None and op.layout[-1] == "C":
        return f"layout {op.layout}"
    return reals(*specs)


# -- axes -----------------------------------------------------------------------------------------------------------

def three(values, missing):
    """Returns one value for each of z, y and x; for an image, rows are along z, and y has length 1."""
    return {1: (missing, missing, *values), 2: (values[0], missing, *values[1:]), 3: values}[len(values)]


class Axes:
    """The geometry of a convolution from `space` to `windows` along z, y and x: rows (in, out, kernel, ...)."""

    def __init__(self, geometry, space, windows):
        self.rows = list(zip(three(space, 1), three(windows, 1), three(geometry.kernel, 1), three(geometry.stride, 1),
                             three(geometry.dilate, 1), three(geometry.pad, 0), strict=True))

    def forward(self):
        """Returns (fields of the windows along each axis, output positions, kernel taps) of the convolution."""
        return [((n, out, stride, kernel, -pad, dilate), (0, 1, out), (0, 1, kernel))
                for n, out, kernel, stride, dilate, pad in self.rows]

    def backward(self):
        """Yields the same for the gradient of the data, once for each position of an element relative to the strides.

        Element first + i * stride of the data receives a contribution of tap t from window i + (first + pad - t *
        dilate) / stride, if this is an integer. That is the case for every (stride / gcd)-th tap, or for none.
        """
        return itertools.product(*[list(map(self._residue, itertools.repeat(row), range(min(row[3], row[0]))))
                                   for row in self.rows])

    @staticmethod
    def _residue(row, first):
        n, out, kernel, stride, dilate, pad = row
        every = stride // math.gcd(stride, dilate)
        taps = [t for t in range(kernel) if (first + pad - t * dilate) % stride == 0]
        start = taps[0] if taps else 0
        windows = (out, (n - first + stride - 1) // stride, 1, len(taps), (first + pad - start * dilate) // stride,
                   -(every * dilate // stride))
        return windows, (first, stride, n), (start, every, kernel)


def axis_fields(axes):
    """Returns the fields for three axes: all windows, then the output positions and kernel taps along each axis."""
    fields = {"windows": window_numbers(axes)}
    for name, (_, place, taps) in zip("zyx", axes, strict=True):
        fields[f"{name}_at"], fields[f"{name}_kernel"] = place, taps
    return fields


def window_numbers(axes):
    """Returns the windows of three axes as a flat list: the struct Windows in csrc/nn/convolution_windows.h."""
    return [number for windows, _, _ in axes for number in windows]


# -- calls ----------------------------------------------------------------------------------------------------------

NO_POOLING = {"pools_z": 0, "pools_x": 0, "pool_z": 0, "pool_x": 0, "pool_z_step": 1, "pool_x_step": 1, "winners": -1}


def goes_by_winograd(geometry, data, weight, result):
    """Returns whether Winograd's method is used to compute a convolution."""
    places = {"data": 0, "weight": 1, "bias": -1, "out": 2, "stash": 3}
    enough = min(weight.shape[:2]) >= MIN_CHANNELS
    return enough and winograd.forward(geometry, data, weight, result, places) is not None


def forward(geometry, data, weight, result, bias=-1, out=3, relu=0, pooling=NO_POOLING, scratch=None):
    """Returns the Call of a convolution. bias and out: indices of these arrays in io.

    pooling: fields of the max pooling that follows; result is then the intermediate array, which is not stored.
    scratch: the index of the first scratch buffer, if more than one output precedes it.
    """
    places = {"data": 0, "weight": 1, "bias": bias, "out": out, "stash": out + 1}
    many = min(weight.shape[:2]) >= MIN_CHANNELS and not pooling["pools_z"]
    quicker = winograd.forward(geometry, data, weight, result, places, bool(relu)) if many else None
    if quicker is not None:
        return quicker
    filters, channels, *kernel = weight.shape
    axes = Axes(geometry, data.shape[2:], result.shape[2:])
    taps = math.prod(kernel)
    sizes = {"batch": data.shape[0], "groups": geometry.groups, "rows": filters // geometry.groups,
             "channels": channels, "row_stride": channels * taps, "channel_stride": taps}
    return product_call([axes.forward()], sizes, result, relu, bias, out, pooling=pooling, packed_at=scratch or out + 1)


def backward(geometry, grad, weight, result, bias=-1, out=3):
    """Returns the Call of the gradient of the data, with the shape of result, or the reason for declining."""
    places = {"data": 0, "weight": 1, "out": out, "stash": out + 1}
    many = bias < 0 and min(weight.shape[:2]) >= MIN_CHANNELS
    quicker = winograd.data_gradient(geometry, grad, weight, result, places) if many else None
    if quicker is not None:
        return quicker
    filters, channels, *kernel = weight.shape
    axes = Axes(geometry, result.shape[2:], grad.shape[2:])
    if math.prod(min(stride, n) for n, _, _, stride, _, _ in axes.rows) > MOST_PASSES:
        return f"strides with more than {MOST_PASSES} positions"
    passes = list(axes.backward())
    taps = math.prod(kernel)
    sizes = {"batch": grad.shape[0], "groups": geometry.groups, "rows": channels,
             "channels": filters // geometry.groups, "row_stride": taps, "channel_stride": channels * taps}
    if folding_pays(passes, axes.forward(), sizes):
        return fold_call(axes.forward(), sizes, result, bias, out)
    return product_call(passes, sizes, result, 0, bias, out, finite=1, packed_at=out + 1)


def folding_pays(passes, windows, sizes):
    """Returns whether the gradient of the data is faster as a product of gradient and weight that is folded back.

    This product needs one multiplication for each window, tap, filter and channel, and each element of its result (one
    for each window, tap and channel) is added to the data. The usual method needs one multiplication for each *element
    of the data*, tap, filter and channel, even where there is no window, and packs one value for each element, tap and
    filter. If the kernel is as large as the image, there is one window, but one element per tap.
    """
    filters, channels = sizes["channels"], sizes["rows"]
    usual = sum(math.prod(w[1] * w[3] for w, _, _ in axes) for axes in passes) * filters * (channels + PACKING)
    folded = math.prod(w[1] * w[3] for w, _, _ in windows) * channels * (filters + FOLDING)
    return 0 < GAIN * folded < usual


def fold_call(axes, sizes, result, bias, out):
    """Returns the Call of the product that is folded back, along the axes of the convolution."""
    windows, taps = (math.prod(axis[0][place] for axis in axes) for place in (1, 3))
    batch, groups, filters, channels = (sizes[name] for name in ("batch", "groups", "channels", "rows"))
    plane = math.prod((w[1] - 1) * w[2] + (w[3] - 1) * w[5] + 1 for w, _, _ in axes)      # the number of elements that
                                                                                          # the windows span
    images = max(1, min(batch, -(-FOLD_ROWS // windows), 2 * SCENE // plane), batch * groups // MOST)
    blocks = -(-batch // images)
    work = batch * windows * taps * channels * (filters + FOLDING)
    target = max(PARTS // max(1, blocks * groups), channels * plane * images // SCENE, 1)
    share = -(-channels // max(1, min(target, channels, work // WORK, MOST // (blocks * groups))))
    fields = {"windows": window_numbers(axes), "batch": batch, "groups": groups, "filters": filters,
              "channels": channels, "images": images, "share": share, "grad": 0, "weight": 1, "bias": bias, "out": out}
    parts = blocks * groups * -(-channels // share)
    return Call(*([Phase("fold_windows", result.dtype, parts, **fields)] if parts else []))


def product_call(passes, sizes, result, relu, bias, out, packed_at, finite=0, pooling=NO_POOLING):
    """Returns a Call with one packing and one multiplying pass for each of `passes`, in the same scratch memory."""
    if sizes["rows"] == sizes["channels"] == 1 and not pooling["pools_z"]:
        return depthwise_call(passes, sizes, result, relu, bias, out, finite)
    phases, packed = [], 0
    for axes in passes:
        fields = {**axis_fields(axes), **sizes}
        depth = sizes["channels"] * math.prod(windows[3] for windows, _, _ in axes)
        packed = max(packed, sizes["groups"] * (sizes["rows"] + ROWS) * depth)
        images, lines, shares, parts = division(axes, sizes, depth, pooling["pool_z_step"])
        fields.update(images=images, lines=lines, shares=shares, relu=relu, finite=finite and meets_zeros(axes),
                      source=0, weight=1, bias=bias, other=-1, bias_at=0, cap=0.0, out=out, packed=packed_at, **pooling)
        if not parts:
            continue
        if depth:
            packing = parts_of(sizes["groups"] * sizes["rows"] * depth, 2 ** 15, 16)
            phases.append(Phase("pack_weights", result.dtype, packing, **fields))
        phases.append(Phase("convolve", result.dtype, parts, **fields))
    return Call(*phases, scratch=[Spec((packed,), result.dtype)])


def depthwise_call(passes, sizes, result, relu, bias, out, finite):
    """Returns the Call of csrc/nn/convolution_depthwise.c, for groups of one channel and one filter."""
    phases = []
    for axes in passes:
        windows, taps = (math.prod(axis[0][place] for axis in axes) for place in (1, 3))
        planes = sizes["batch"] * sizes["groups"]
        if planes * windows:
            fields = dict(axis_fields(axes), batch=sizes["batch"], channels=sizes["groups"], relu=relu,
                          finite=finite and meets_zeros(axes), source=0, other=1, bias=bias, bias_at=0, cap=0.0,
                          out=out)
            parts = min(parts_of(planes * windows * (taps + 1), 2 ** 18, 64), planes)
            phases.append(Phase("depthwise", result.dtype, parts, **fields))
    return Call(*phases)


def meets_zeros(axes):
    """Returns whether a window reaches beyond the source."""
    return int(any(low + min(0, span) < 0 or (out - 1) * step + low + max(0, span) >= n
                   for (n, out, step, taps, low, apart), _, _ in axes for span in [(taps - 1) * apart]))


def division(axes, sizes, depth, unit):
    """Returns (images per part, lines per part, shares of the rows, number of parts). unit: lines are divided into
    multiples of this number."""
    lines = axes[0][0][1]
    across = axes[1][0][1] * axes[2][0][1]
    windows = lines * across
    work = sizes["rows"] * max(depth, 1)
    elements = sizes["channels"] * math.prod(min(w[0], w[1] * w[2]) for w, _, _ in axes)
    if not (sizes["batch"] and windows and sizes["rows"]):
        return 1, 1, 1, 0
    images = 1              # if rows are shared, windows are packed more than once, so a few parts are enough
    if windows < 128 or work * windows < WORK:
        most = max(1, min(COLUMNS // windows, 2 * SCENE // max(elements, 1), sizes["batch"] // 2))
        enough = max(1, -(-256 // windows), WORK // (work * windows))
        images = min(most, enough, max(sizes["batch"] // PARTS, 2))
    cuts = 1
    if images == 1:
        fewest = min(PARTS / (sizes["batch"] * sizes["groups"]), work * windows / WORK)
        target = max(windows / COLUMNS, elements / SCENE, fewest)
        cuts = max(1, min(lines, round(target)))
    each = -(-lines // cuts // unit) * unit
    cuts = -(-lines // each)
    blocks = -(-sizes["batch"] // images) * cuts * sizes["groups"]
    shares = max(1, min(PARTS // 2 // blocks, -(-sizes["rows"] // ROWS), work * windows * images // cuts // WORK))
    return images, each, shares, blocks * shares


def weight_gradient(geometry, grad, data, result):
    """Returns the Call of the gradient of the weight."""
    filters, channels, *kernel = result.shape
    axes = Axes(geometry, data.shape[2:], grad.shape[2:]).forward()
    rows = channels * math.prod(kernel)
    across, batch, groups = axes[1][0][1] * axes[2][0][1], data.shape[0], geometry.groups
    if not (result.shape and math.prod(result.shape)):
        return Call()
    if not math.prod(grad.shape):
        return "an empty gradient"
    if filters == groups and channels == 1:
        fields = dict(axis_fields(axes), batch=batch, channels=groups, relu=0, finite=0, source=1, other=0, bias=-1,
                      bias_at=0, cap=0.0, out=3)
        parts = min(parts_of(math.prod(grad.shape) * rows, 2 ** 18, 64), groups)
        return Call(Phase("depthwise_weight_grad", result.dtype, parts, **fields))
    places = {"grad": 0, "data": 1, "out": 3, "stash": 4}
    many = min(result.shape[:2]) >= MIN_CHANNELS
    quicker = winograd.weight_gradient(geometry, grad, data, result, places) if many else None
    if quicker is not None:
        return quicker
    stride = -(-(filters // groups) // 16) * 16
    blocks = min(batch, PARTS, max(1, 2 ** 20 // (groups * rows * stride)))
    images = -(-batch // blocks)
    blocks = -(-batch // images)
    shares = max(1, min(channels, PARTS // (blocks * groups)))
    share = -(-channels // shares)
    shares = -(-channels // share)
    elements = share * math.prod(min(w[0], w[1] * w[2]) for w, _, _ in axes) // axes[0][0][1]
    lines = max(1, min(axes[0][0][1], GRADS // across, SCENE // max(elements, 1)))
    lines = -(-axes[0][0][1] // -(-axes[0][0][1] // lines))        # evenly
    fields = {"windows": window_numbers(axes), "batch": batch, "groups": groups, "filters": filters // groups,
              "channels": channels, "images": images, "share": share, "lines": lines, "source": 1, "grad": 0,
              "sums": 4, "out": 3}
    return Call(Phase("weight_grad", result.dtype, blocks * groups * shares, **fields),
                Phase("weight_sum", result.dtype, parts_of(filters * rows * blocks, 2 ** 16, 16), **fields),
                scratch=[Spec((blocks * groups * rows * stride,), result.dtype)])
