"""What is cut out of the engine."""

from __future__ import annotations

from functools import wraps
from typing import Any

from ...step import Hole, Part, Step

KERNELS, MATRIX = "minigluon.ops.nn.convolution_kernels", "minigluon.ops.nn.matrix"


def setup(learned: Any) -> None:
    """Have arrays convolved by the plain functions, which are the learner's, in place of the quick ones."""
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
            "data · weightᵀ + bias. With self.flatten, data is seen as a matrix of one row for each item; without, all "
            "axes but the last are rows, and they are there again in the result. bias may be None.",),)),
        Part(MATRIX, "FullyConnected.gradient", (Hole(
            "the gradients of data, weight and bias as a list of functions without arguments, without that of bias "
            "where self.no_bias is set. F._fully_connected_data_grad(g, weight, data, flatten=...) and "
            "F._fully_connected_weight_grad(g, data, flatten=...) are the two products; F.sum with axis=-1 and "
            "exclude=True sums over all axes but the last.",),)),
        Part(KERNELS, "Geometry.out_space", (Hole(
            "for each axis: how many windows there are, None where the size n is unknown. Padding is put on both "
            "sides; a kernel of k taps that are d apart covers d · (k - 1) + 1 elements; windows begin s apart.",),)),
        Part(KERNELS, "Geometry.taps", (Hole(
            "yield (tap, slices) for each tap of the kernel, a tuple such as (0, 2): slices are one slice for each "
            "axis, of the padded elements that all windows see at this tap. There are out[i] windows along axis "
            "i.",),)),
        Part(KERNELS, "_groups"),
        Part(KERNELS, "convolve_direct", (Hole(
            "for each group (outs, ins: slices of the output and input channels) and each tap, what all windows see "
            "there, times the weights of this tap, is added to the result. Weights have the axes (output channels, "
            "input channels of a group, *taps).",
            "for outs, ins"),)),
        Part(KERNELS, "_inside"),
        Part(KERNELS, "data_gradient_direct", (Hole(
            "the same from the other side: for each group and each tap, the gradient of all windows times the weights "
            "of this tap is added to the padded elements that they have seen there.",
            "for outs, ins"),)),
        Part("minigluon.ops.nn.pooling", "Places.taps_along", (Hole(
            "for each tap of the kernel along space axis `number` yield a view of padded: what all windows see there. "
            "Space axis 0 is the array's axis self.first; other axes stay whole.",),)),
        Part("minigluon.ops.nn.pooling_kernels", "Largest.largest_along", (Hole(
            "write the largest of what all taps along an axis see, self.places.taps_along(number, level), into the "
            "array target. There may be just one tap.",),)),
        Part("minigluon.gluon.nn.basic_layers", "Dense.hybrid_forward", (Hole(
            "call F.FullyConnected with name='fwd' and what the layer knows: self._units, self._flatten, and whether "
            "there is a bias. self.act is the activation, a block, or None.",),)),
    ],
    hints={
        "FullyConnected.forward": [
            "lead is the tuple of axes that stay: data.shape[:1] with flatten, data.shape[:-1] without. Reshape data "
            "to (size_of(lead), weight.shape[1]).",
            "matrix.dot(weight.T), plus bias, reshaped to (*lead, self.num_hidden).",
        ],
        "FullyConnected.gradient": [
            "out_grads[0] is g; inputs are data, weight, and perhaps bias.",
            "A lambda is called only where its gradient is wanted.",
        ],
        "Geometry.out_space": [
            "Along an axis of n elements with padding p the first window begins at 0, the last at most at "
            "n + 2 p - (d · (k - 1) + 1). How many multiples of s lie between?",
        ],
        "Geometry.taps": [
            "itertools.product(*map(range, self.kernel)) gives all taps, the last axis running fastest.",
            "At tap t the first window sees element t · d, and the next ones every s-th behind it, n in all: where "
            "does a slice end that has just n elements?",
        ],
        "convolve_direct": [
            "padded[(slice(None), ins, *under)] is what the windows see at a tap: (batch, channels, *out).",
            "np.einsum('oc,nc...->no...', weights of the tap, seen) sums over the channels c.",
        ],
        "data_gradient_direct": [
            "np.einsum('oc,no...->nc...', weights of the tap, grad[:, outs]) goes the other way.",
            "Use += on the padded array: windows overlap, and an element gets something from each that has seen it.",
        ],
        "Places.taps_along": ["Windows begin self.stride[number] apart, and there are self.out[number]."],
        "Largest.largest_along": [
            "np.maximum(a, b, out=target) writes the larger of each pair into target.",
            "With three taps: the larger of the first two, and then of that and the third.",
        ],
        "Dense.hybrid_forward": ["no_bias=bias is None. The activation is called with the result."],
    },
    setup=setup,
    equivalent={
        "Largest.largest_along: np.maximum(first, seen, out=target)  ->  np.maximum(seen, first, out=target)":
            "the larger of two has no order",
    },
)
