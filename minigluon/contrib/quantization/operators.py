"""The operators with an 8-bit integer form, and the conversion of a float32 graph's node into a quantized one."""

from __future__ import annotations

from typing import Any

from ...ops import REGISTRY, Op

__all__ = ["ALWAYS", "QUANTIZED", "Form", "form_of"]


class Form:
    """The quantized form of one operator.

    name: its operator. sums: whether its output is int32, which a `requantize` converts. reals: the positions of inputs
    that stay float32, such as indices and statistics. calibrated: whether the operator itself keeps a calibrated range.
    """

    def __init__(self, name: str, sums: bool = False, reals: tuple[int, ...] = (), calibrated: bool = False):
        self.name, self.sums, self.reals, self.calibrated = f"_contrib_quantized_{name}", sums, reals, calibrated

    def of(self, op: Op) -> Op:
        """Return the quantized operator with the attributes of a float32 operator."""
        cls = REGISTRY[self.name]
        return cls(**{key: value for key, value in op.attributes.items() if key in cls.fields})


QUANTIZED = {
    "Convolution": Form("conv", sums=True), "FullyConnected": Form("fully_connected", sums=True),
    "elemwise_add": Form("elemwise_add", sums=True), "elemwise_mul": Form("elemwise_mul", sums=True),
    "Activation": Form("act"), "Concat": Form("concat"), "Flatten": Form("flatten"), "Pooling": Form("pooling"),
    "BatchNorm": Form("batch_norm", reals=(1, 2, 3, 4), calibrated=True), "Embedding": Form("embedding", reals=(0,)),
}
# With quantize_mode='smart', these operators are quantized, and others only if they lie between two of them.
ALWAYS = {"Convolution", "FullyConnected"}


def form_of(op: Any) -> Form | None:
    """Return the quantized form of an operator, or None if it has none for these attributes."""
    if op is None or op.name == "Activation" and op.act_type != "relu":
        return None
    if op.name == "Pooling" and op.pool_type not in ("max", "avg") or op.name == "BatchNorm" and op.output_mean_var:
        return None
    return QUANTIZED.get(op.name)
