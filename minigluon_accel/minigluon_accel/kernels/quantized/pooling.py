"""Pooling of quantized arrays."""

from ...engine import Call, Phase
from ..integer_steps import TYPES, not_reals
from ..registry import kernel_for, parts, size


@kernel_for("_contrib_quantized_pooling")
def quantized_pooling(op, inputs, outputs):
    data = inputs[0]
    places = op.places(data.shape)
    if reason := not_reals(*inputs[1:]) or (f"{len(places.space)} axes of space" if len(places.space) > 2 else None):
        return reason
    if size(data) == 0:
        return "no elements"
    more = 2 - len(places.space)
    height, width = (1,) * more + tuple(places.space)
    out_height, out_width = (1,) * more + tuple(places.out)
    (taps_y, taps_x), (step_y, step_x), (pad_y, pad_x) = [
        (missing,) * more + tuple(values)
        for values, missing in ((places.kernel, 1), (places.stride, 1), (places.pad, 0))]
    batch, channels = (data.shape[0], data.shape[-1]) if op.last else (data.shape[0] * data.shape[1], 1)
    return Call(Phase("pool_integers", None, min(max(1, parts(size(data))), batch * out_height), batch=batch,
                      height=height, width=width, channels=channels, out_height=out_height, out_width=out_width,
                      taps_y=taps_y, taps_x=taps_x, step_y=step_y, step_x=step_x, pad_y=pad_y, pad_x=pad_x,
                      type=TYPES[data.dtype], mean=int(op.pool_type == "avg"),
                      count_padding=int(op.count_include_pad in (True, None)), source=0, out=3, low=1, high=2,
                      out_low=4, out_high=5))
