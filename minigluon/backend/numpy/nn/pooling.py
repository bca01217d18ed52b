"""Pooling and its gradients, a few images at a time (`ops/nn/pooling_kernels`)."""

from ....ops.nn.pooling import Pooling, _max_pooling_grad, _sum_pooling_grad
from ....ops.shapes import Spec
from ..table import Writer, kernel_for

_DECLINED = "a pooling that is computed in another type"


@kernel_for(Pooling)
def pooling(op, inputs, outputs):
    kernels = op.kernels(inputs[0])
    return _DECLINED if kernels is None else Writer(
        lambda inputs, targets: kernels.forward(inputs[0], *targets), [Spec((kernels.forward_size,), inputs[0].dtype)])


@kernel_for(_sum_pooling_grad)
def sum_pooling_grad(op, inputs, outputs):
    kernels = op.kernels(inputs)
    return _DECLINED if kernels is None else Writer(
        lambda inputs, targets: kernels.gradient(inputs[0], *targets),
        [Spec((kernels.gradient_size,), inputs[0].dtype)])


@kernel_for(_max_pooling_grad)
def max_pooling_grad(op, inputs, outputs):
    largest = op.largest(inputs[1].shape)
    return Writer(lambda inputs, targets: largest.gradient(*inputs, *targets),
                  [Spec((largest.gradient_size,), inputs[1].dtype)])
