"""The parts of the engine that the learner writes, with tasks and hints."""

from __future__ import annotations

from functools import wraps
from typing import Any

from ...step import Hole, Part, Step

KERNELS, MATRIX = "minigluon.ops.nn.convolution_kernels", "minigluon.ops.nn.matrix"


def setup(learned: Any) -> None:
    """Replace the fast convolution functions with the simple ones that the learner wrote."""
    from .....ops.nn import convolution

    @wraps(convolution.convolve)
    def convolve(data, weight, geometry, out, bias=None):
        result = learned.convolve_direct(data, weight, geometry, out)
        return result if bias is None else result + bias.reshape(-1, *[1] * len(out))

    convolution.convolve = convolve
    convolution.data_gradient = learned.data_gradient_direct


STEP = Step(
    title="Dense, convolution and pooling",
    parts=[
        Part(MATRIX, "FullyConnected.forward", (Hole(
            "data · weightᵀ + bias. With self.flatten, data is treated as a matrix with one row per item; without, all "
            "axes except the last are rows, and the result has them again. bias may be None.",),)),
        Part(MATRIX, "FullyConnected.gradient", (Hole(
            "return the gradients of data, weight and bias as a list of functions without arguments; leave out bias if "
            "self.no_bias is set. F._fully_connected_data_grad(g, weight, data, flatten=...) and "
            "F._fully_connected_weight_grad(g, data, flatten=...) are the two products; F.sum with axis=-1 and "
            "exclude=True sums over all axes except the last.",),)),
        Part(KERNELS, "Geometry.out_space", (Hole(
            "return the number of windows along each axis, None if the size n is unknown. Padding is added on both "
            "sides; a kernel of k taps at distance d covers d · (k - 1) + 1 elements; windows start s elements "
            "apart.",),)),
        Part(KERNELS, "Geometry.taps", (Hole(
            "yield (tap, slices) for each tap of the kernel. A tap is a tuple such as (0, 2); slices has one slice per "
            "axis, which selects the padded elements that the windows see at this tap. There are out[i] windows along "
            "axis i.",),)),
        Part(KERNELS, "_groups"),
        Part(KERNELS, "convolve_direct", (Hole(
            "for each group (outs, ins: slices of the output and input channels) and each tap, add the elements that "
            "all windows see there, times the weights of this tap, to the result. Weights have the axes (output "
            "channels, input channels of a group, *taps).",
            "for outs, ins"),)),
        Part(KERNELS, "_inside"),
        Part(KERNELS, "data_gradient_direct", (Hole(
            "the reverse: for each group and each tap, add the gradient of all windows, times the weights of this tap, "
            "to the padded elements that they see there.",
            "for outs, ins"),)),
        Part("minigluon.ops.nn.pooling", "WindowGeometry.taps_along", (Hole(
            "for each tap of the kernel along space axis `number`, yield a view of padded with the elements that all "
            "windows see there. Space axis 0 is the array's axis self.first; the other axes stay complete.",),)),
        Part("minigluon.ops.nn.pooling_kernels", "MaxPoolingKernels.largest_along", (Hole(
            "write the largest of the elements that the taps along an axis see, self.places.taps_along(number, level), "
            "into the array target. There may be only one tap.",),)),
        Part("minigluon.gluon.nn.basic_layers", "Dense.hybrid_forward", (Hole(
            "call F.FullyConnected with name='fwd' and the layer's settings: self._units, self._flatten, and whether "
            "there is a bias. self.act is the activation, a block or None.",),)),
    ],
    hints={
        "FullyConnected.forward": [
            "lead is the tuple of the remaining axes: data.shape[:1] with flatten, data.shape[:-1] without. Reshape "
            "data to (size_of(lead), weight.shape[1]).",
            "matrix.dot(weight.T), plus bias, reshaped to (*lead, self.num_hidden).",
        ],
        "FullyConnected.gradient": [
            "out_grads[0] is g; inputs are data, weight, and perhaps bias.",
            "A lambda is called only if its gradient is needed.",
        ],
        "Geometry.out_space": [
            "Along an axis of n elements with padding p, the first window starts at 0, the last at n + 2 p - (d · (k - "
            "1) + 1) or before. How many multiples of s are in this range?",
        ],
        "Geometry.taps": [
            "itertools.product(*map(range, self.kernel)) yields all taps, the last axis varying fastest.",
            "At tap t, the first window sees element t · d, and the next ones every s-th element after it, n in total: "
            "where does a slice with exactly n elements end?",
        ],
        "convolve_direct": [
            "padded[(slice(None), ins, *under)] has the elements that the windows see at a tap: (batch, channels, "
            "*out).",
            "np.einsum('oc,nc...->no...', weights of the tap, view) sums over the channels c.",
        ],
        "data_gradient_direct": [
            "np.einsum('oc,no...->nc...', weights of the tap, grad[:, outs]) goes in the other direction.",
            "Use += on the padded array: windows overlap, and an element receives a contribution from each window that "
            "sees it.",
        ],
        "WindowGeometry.taps_along": [
            "Windows start self.stride[number] apart, and there are self.out[number] of them."],
        "MaxPoolingKernels.largest_along": [
            "np.maximum(a, b, out=target) writes the larger of each pair into target.",
            "With three taps: the larger of the first two, and then of that and the third.",
        ],
        "Dense.hybrid_forward": ["no_bias=bias is None. The activation is called with the result."],
    },
    setup=setup,
    equivalent={
        "MaxPoolingKernels.largest_along: np.maximum(first, tap, out=target)  ->  np.maximum(tap, first, out=target)":
            "the order of the two does not matter",
    },
)
