"""Activations of quantized arrays."""

from ..integer_steps import elementwise_call, not_reals, relu
from ..registry import kernel_for


@kernel_for("_contrib_quantized_act")
def quantized_act(op, inputs, outputs):
    return not_reals(*inputs[1:]) or elementwise_call(inputs, outputs, [relu()])
