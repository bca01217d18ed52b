"""The operators with an 8-bit integer form, and the conversion of a float32 graph's node into a quantized one."""

from __future__ import annotations

from typing import Any

from ...ops import REGISTRY, Op

__all__ = ["ALWAYS", "QUANTIZED", "Form", "FusedForm", "form_of"]


class Form:
    """The quantized form of one operator.

    name: its operator. sums: whether its output is int32, which a `requantize` converts. reals: the positions of inputs
    that stay float32, such as indices and statistics. calibrated: whether the operator itself keeps a calibrated range.
    """

    def __init__(self, name: str, sums: bool = False, reals: tuple[int, ...] = (), calibrated: bool = False):
        self.name, self.sums, self.reals, self.calibrated = f"_contrib_quantized_{name}", sums, reals, calibrated

    def of(self, op: Op, by_channel: bool = False) -> Op:
        """Return the quantized operator with the attributes of a float32 operator. by_channel: see `FusedForm`."""
        cls = REGISTRY[self.name]
        return cls(**{key: value for key, value in op.attributes.items() if key in cls.fields})


class FusedForm(Form):
    """The quantized form of a fused layer: the same operator with quantized=True.

    Its parameters stay float32, unless they are rounded with one step for the whole weight: those of a fully connected
    layer without `by_channel`.
    """

    def __init__(self, name: str):
        super().__init__("", sums=True)
        self.name = name

    def attributes(self, by_channel: bool) -> dict[str, str]:
        """Return the attributes in the form used in files."""
        is_conv = self.name == "_sg_mkldnn_conv"
        more = {"channel_wise_quantize": "True"} if by_channel and not is_conv else {}
        return {"quantized": "true" if is_conv else "True", **more}

    def of(self, op: Op, by_channel: bool = False) -> Op:
        return type(op)(**{**op.attributes, **self.attributes(by_channel)})

    def float_inputs(self, op: Op, by_channel: bool) -> tuple[int, ...]:
        """Return the positions of inputs that stay float32."""
        names = op.list_arguments()
        integers = ("data", "sum") if by_channel or self.name == "_sg_mkldnn_conv" else names
        return tuple(i for i, name in enumerate(names) if name not in integers)


QUANTIZED = {
    "Convolution": Form("conv", sums=True), "FullyConnected": Form("fully_connected", sums=True),
    "elemwise_add": Form("elemwise_add", sums=True), "elemwise_mul": Form("elemwise_mul", sums=True),
    "Activation": Form("act"), "Concat": Form("concat"), "Flatten": Form("flatten"), "Pooling": Form("pooling"),
    "BatchNorm": Form("batch_norm", reals=(1, 2, 3, 4), calibrated=True), "Embedding": Form("embedding", reals=(0,)),
    "_sg_mkldnn_conv": FusedForm("_sg_mkldnn_conv"),
    "_sg_mkldnn_fully_connected": FusedForm("_sg_mkldnn_fully_connected"),
}
# With quantize_mode='smart', these operators are quantized, and others only if they lie between two of them.
ALWAYS = {"Convolution", "FullyConnected", "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"}


def form_of(op: Any) -> Form | None:
    """Return the quantized form of an operator, or None if it has none for these attributes."""
    if op is None or op.name == "Activation" and op.act_type != "relu":
        return None
    if op.name == "Pooling" and op.pool_type not in ("max", "avg") or op.name == "BatchNorm" and op.output_mean_var:
        return None
    if getattr(op, "quantized", False):
        return None
    return QUANTIZED.get(op.name)
