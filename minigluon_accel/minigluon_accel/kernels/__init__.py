"""The table of kernels: one function per operator, in the same category and file as the operator's class.

    @kernel_for("_sum_like")
    def sum_like(op, inputs, outputs):
        ...
        return reduce("sum", inputs, axes, outputs[0])

A kernel function receives the operator and the Specs of its arrays, and returns a Call, or a string that says why it
declines. If it has the parameters `train` or `rng`, it also receives these. Code that several families share is at the
top
level:

    matrix_product    matrix products                       loops       elementwise operators, as lines of a program
    reductions        reductions over axes                  programs          programs of such lines, and broadcasting
    movement          copying and filling                   fused       chains of elementwise operators
    philox            NumPy's random numbers                registry    the table of kernels, and division into parts
    wide              float16 and bfloat16, in float32      batch_chain several kernels for a share of the batch
    integer_steps     elementwise operators on integers

The name of a file about one method of computation begins with the name of the family: `matrix_packed`,
`convolution_winograd`.
"""

from ..operators import blocked_images, fused_convolution, packed_integers
from . import array, batch_chain, fused, linalg, math, nn, optimizer, quantized, random, registry, rnn, vision
from .nn.convolution_packed import FilterPrepack
from .nn.matrix_batch_panels import BatchPanelDense
from .nn.matrix_packed import DensePrepack, PackedDense
from .quantized.matrix_packed import IntegersPrepack
from .registry import prepared_operators
from .rnn.rnn_packed import PackedRNN, RNNPrepack
from .rnn.rnn_separate_weights import SeparateWeightsRNN, SeparateWeightsRNNDataGrad, SeparateWeightsRNNGrad
from .wide import between_conversions, is_narrow

__all__ = ["OWN_OPERATORS", "find", "prepared_operators"]

OWN_OPERATORS = tuple([operator.name for operator in (     # the base package's tables do not contain them
    *fused_convolution.OPERATORS, *blocked_images.OPERATORS, *packed_integers.OPERATORS, FilterPrepack, DensePrepack,
    PackedDense, BatchPanelDense, IntegersPrepack, RNNPrepack, PackedRNN, SeparateWeightsRNN, SeparateWeightsRNNGrad,
    SeparateWeightsRNNDataGrad)])


def find(op, inputs, outputs, train, rng):
    """Returns the Call for an operator on arrays of these Specs, or a string that says why there is none."""
    call = registry.find(op, inputs, outputs, train, rng)
    if isinstance(call, str) and any(is_narrow(spec.dtype) for spec in (*inputs, *outputs)):
        return between_conversions(lambda *specs: registry.find(op, *specs, train, rng), op, inputs, outputs)
    return call
