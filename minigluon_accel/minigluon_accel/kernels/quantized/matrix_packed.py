"""Quantized layers with prepacked weights, and the operators fused after them, for inference plans.

The sums of a layer stay in registers: they are requantized, normalized, added and bounded there, and only bytes are
stored. All roundings are those of the separate operators.
"""

import numpy as np

from minigluon.hybrid.parameter_constants import PrepackOp
from minigluon.ops.shapes import Spec

from ...engine import Call
from ...operators.packed_integers import channels_first
from ...strides import layer_rows
from ..integer_steps import add, add_reals, clip, dequantize, normalize, not_reals, quantize, relu, requantize
from ..registry import kernel_for
from .batch_norm import factors
from .convolution import sizes_of, unsupported
from .fused import fused_rows, is_fused, numbers_of, suits_fused
from .linear import turn
from .matrix import layer_of, multiplying, packed_length, packing, rows_of

__all__ = ["FusedPrepack", "IntegersPrepack", "fused_parameters", "suits"]


def sizes_for(layer, data, weight, result):
    """Returns the Sizes of a layer. data, weight, result: shapes, those of images with channels first."""
    plain = plain_layer(layer)
    if plain.name == "Convolution":
        return sizes_of(plain.geometry(), data, weight, result)
    return rows_of(layer_rows(plain, data), weight[1], weight[0])


def plain_layer(layer):
    """Returns the float32 operator of a quantized layer."""
    return layer.parts.layer if is_fused(layer) else layer.layer()


def suits(layer, inputs, result):
    """Returns whether such a layer has a kernel. inputs, result: Specs."""
    if is_fused(layer) and not layer.quantized:
        return False
    _, ranges = layer_of(layer)
    shapes = [spec.shape for spec in (*inputs[:2], result)]
    if not_reals(*inputs[ranges:]) or not all(isinstance(n, int) and n for shape in shapes for n in shape):
        return False
    if is_fused(layer) and not suits_fused(layer):
        return False
    plain = plain_layer(layer)
    return plain.name != "Convolution" or not unsupported(plain.geometry(), *shapes)


# -- packing --------------------------------------------------------------------------------------------------------

class IntegersPrepack(PrepackOp):
    """The weight of a layer in the order in which a kernel reads it, then the factors of the BatchNorm after it.

    sizes: the Sizes of the layer. norm: the quantized BatchNorm, or None. way: the instruction set and the way to
    multiply, which determine the order.

    Inputs: the weight, then gamma and the variance of the BatchNorm.
    """

    name = "_pack_integers"
    fields = dict.fromkeys(("sizes", "norm", "way"))

    def infer_shape(self, *shapes):
        return list(shapes), [(packed_length(self.sizes) + 4 * self.sizes.filters * (self.norm is not None),)]

    def infer_dtype(self, *dtypes):
        return list(dtypes), [np.dtype("int8")]

    def forward(self, *inputs):
        result = np.zeros(self.infer_shape(*[x.shape for x in inputs])[1][0], "int8")
        specs = [Spec(x.shape, x.dtype) for x in inputs]
        pack_integers(self, specs, [Spec(result.shape, result.dtype)])(list(inputs), [result])
        return result


@kernel_for("_pack_integers")
def pack_integers(op, inputs, outputs):
    out, phases = len(inputs), [packing(op.sizes, 0, len(inputs))]
    if op.norm is not None:
        phases.append(factors(op.norm, op.sizes.filters, 1, 2, out, packed_length(op.sizes)))
    return Call(*phases)


class FusedPrepack(PrepackOp):
    """The weight of a fused layer as bytes in the order in which a kernel reads it, then `numbers_of` the layer.

    layer: the operator. sizes: its Sizes. way: as for `IntegersPrepack`. data: the type of its data. magnitude: the
    larger magnitude of the data's range, or None if it is found when the graph runs.

    Inputs: those of the layer except data and sum, without the ranges of the data if they are known.
    """

    name = "_pack_fused_integers"
    fields = dict.fromkeys(("layer", "sizes", "way", "data", "magnitude"))

    def infer_shape(self, *shapes):
        return list(shapes), [(packed_length(self.sizes) + 12 * self.sizes.filters,)]

    def infer_dtype(self, *dtypes):
        return list(dtypes), [np.dtype("int8")]

    def forward(self, *inputs):
        known = dict(zip(fused_parameters(self.layer, self.magnitude is None), inputs, strict=True))
        known["data"] = np.empty(0, self.data)
        if self.magnitude is not None:
            known["min_data"] = known["max_data"] = np.full(1, self.magnitude, np.float32)
        own = self.layer.weight_of(known)
        weight = IntegersPrepack(sizes=self.sizes, norm=None, way=self.way).forward(np.ascontiguousarray(own.weight))
        numbers = numbers_of(self.layer, own, self.layer.data_scale(known))
        return np.concatenate([weight, numbers.view(np.int8)])


def fused_parameters(layer, with_range):
    """Returns the names of the inputs that are packed. with_range: whether the range of the data is among them."""
    left_out = ("data", "sum", "min_sum", "max_sum", *(() if with_range else ("min_data", "max_data")))
    return [name for name in layer.list_arguments() if name not in left_out]


# -- multiplying ----------------------------------------------------------------------------------------------------

@kernel_for("_packed_integers")
def packed_integers(op, inputs, outputs):
    layer, operands = op.program[0]
    bias, ranges = layer_of(layer)
    data, weight = [channels_first(inputs[k].shape) if k in op.last else inputs[k].shape for k in operands[:2]]
    result = channels_first(outputs[0].shape) if op.out_last else outputs[0].shape
    sizes, packed, out = sizes_for(layer, data, weight, result), len(inputs) - 1, len(inputs)
    ends = (out + 1, out + 2) if len(outputs) == 3 else (-1, -1)
    rows = fused_rows(layer, inputs, outputs, packed, packed_length(sizes)) if is_fused(layer) else []
    rows += [row_of(line, operands, inputs, packed, packed_length(sizes)) for line, operands in op.program[1:]]
    return Call(multiplying(sizes, inputs[0].dtype, packed, out, bias, ranges, outputs[0].dtype, ends, rows))


def row_of(op, operands, inputs, packed, factor_at):
    """Returns the row of an operator after a layer. factor_at: where the factors of a BatchNorm are in `packed`."""
    own = [k for k in operands if not isinstance(k, tuple)]
    match op.name:
        case "_contrib_quantize_v2":
            return quantize(op.chosen_dtype(), op.min_calib_range, op.max_calib_range)
        case "_contrib_requantize":
            return requantize(op.chosen_dtype(), op.min_calib_range, op.max_calib_range)
        case "_contrib_quantized_act":
            return relu()
        case "_contrib_quantized_batch_norm":
            return normalize(op, own[1], own[2], packed, factor_at)
        case "_contrib_quantized_elemwise_add":
            return add(op, np.dtype("int32"), own[0], inputs[own[0]].dtype, *own[1:])
        case "_contrib_dequantize":
            return dequantize()
        case "_reals_plus_integers":
            return add_reals(inputs[own[0]].dtype, *own)
        case "clip":
            return clip(op.a_min, op.a_max)


# -- images ---------------------------------------------------------------------------------------------------------

@kernel_for("_channels_last")
def channels_last(op, inputs, outputs):
    batch, *space, channels = outputs[0].shape
    return Call(turn(batch, channels, int(np.prod(space)), inputs[0].dtype.itemsize, 0, 1))


@kernel_for("_channels_first")
def channels_first_again(op, inputs, outputs):
    batch, *space, channels = inputs[0].shape
    return Call(turn(batch, int(np.prod(space)), channels, inputs[0].dtype.itemsize, 0, 1))
