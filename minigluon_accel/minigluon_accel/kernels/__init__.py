"""Which kernel does the work of an operator: a function for each, in the same street and file as its class.

    @kernel_for("_sum_like")
    def sum_like(op, inputs, outputs):
        ...
        return reduce("sum", inputs, axes, outputs[0])

The function gets the operator and the Specs of its arrays, and returns a Call, or a text that says why it declines.
One that takes `train` or `rng` gets those, too. What several families share stands here, beside the streets:

    matrix_product    products of matrices                  loops       elementwise operators, as lines of a program
    reductions        reductions over axes                  programs    programs of such lines, and broadcasting
    movement          copies to other places, and filling   fused       chains of elementwise operators
    philox            NumPy's random numbers                registry    the table of kernels, and their division
    wide              float16 and bfloat16, in float32      batch_chain several kernels for a share of the batch

A file in a street that is about one way to compute begins with its family: `matrix_packed`, `convolution_winograd`.
"""

from ..operators import blocked_images, fused_convolution
from . import array, batch_chain, fused, linalg, math, nn, optimizer, random, registry, rnn, vision
from .nn.convolution_packed import FilterPrepack
from .nn.matrix_batch_panels import BatchPanelDense
from .nn.matrix_packed import DensePrepack, PackedDense
from .registry import prepared_operators
from .rnn.rnn_packed import PackedRNN, RNNPrepack
from .rnn.rnn_separate_weights import SeparateWeightsRNN, SeparateWeightsRNNDataGrad, SeparateWeightsRNNGrad
from .wide import between_conversions, is_narrow

__all__ = ["OWN_OPERATORS", "find", "prepared_operators"]

OWN_OPERATORS = tuple([operator.name for operator in (     # in no table of the base
    *fused_convolution.OPERATORS, *blocked_images.OPERATORS, FilterPrepack, DensePrepack, PackedDense, BatchPanelDense,
    RNNPrepack, PackedRNN, SeparateWeightsRNN, SeparateWeightsRNNGrad, SeparateWeightsRNNDataGrad)])


def find(op, inputs, outputs, train, rng):
    """The Call for an operator on arrays of these Specs, or a text: why it has none."""
    call = registry.find(op, inputs, outputs, train, rng)
    if isinstance(call, str) and any(is_narrow(spec.dtype) for spec in (*inputs, *outputs)):
        return between_conversions(lambda *specs: registry.find(op, *specs, train, rng), op, inputs, outputs)
    return call
