"""Sums of quantized arrays."""

from ...engine import Call
from ..integer_steps import add, elementwise, not_reals
from ..registry import kernel_for


@kernel_for("_contrib_quantized_elemwise_add")
def quantized_elemwise_add(op, inputs, outputs):
    row = add(op, outputs[0].dtype, 1, inputs[1].dtype, 4, 5)
    return not_reals(*inputs[2:]) or Call(elementwise(inputs[0], outputs[0], [row], 0, 2, 3, 6, 7, 8))
