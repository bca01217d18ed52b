"""Layers fused with the operators after them, as in the files of networks that MXNet has quantized for a CPU.

MXNet's CPU library computes a convolution, BatchNorm, an activation, an addition and a second activation in one call. A
node of this kind contains these operators as a graph, and reads the float32 parameters of all of them:

    BatchNorm is folded into weight and bias        weight · γ / √(variance + eps)
    each filter is rounded to int8                  with its own step, if the output's range is calibrated
    the bias is rounded to int32                    in steps of the products
    integers are multiplied and added               exactly, in int32
    sums become bytes of the calibrated range       in float32, rounded once
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...base import OpAttributeError
from ..fields import Graph
from ..graph.holder import GraphHolder
from ..math.elementwise import round_half_away
from ..registry import register
from .broadcast import product_range
from .ranges import FLOAT32, INT8, INT32, STEPS, UINT8, Quantized, both_ends, magnitude, nearest

__all__ = ["Parts", "QuantizedWeight", "folded", "quantized_weight"]

ACTIVATIONS = "Activation", "LeakyReLU", "clip", "square", "sqrt", "abs", "exp"
POSITIVE = "relu", "sigmoid", "softrelu"


class Parts(NamedTuple):
    """The operators in a node's graph, in the order in which they are applied; None if one is missing.

    has_sum: whether another array is added after `act`, and before `last_act`.
    """

    layer: object
    norm: object = None
    act: object = None
    has_sum: bool = False
    last_act: object = None

    @classmethod
    def of(cls, graph, layer):
        """Returns the Parts of a graph, or None if it is another one. layer: the name of the first operator."""
        rest = [node.op for node in graph.nodes if node.op is not None]

        def take(*names):
            return rest.pop(0) if rest and rest[0].name in names else None
        first, norm, act, add = take(layer), take("BatchNorm"), take(*ACTIVATIONS), take("elemwise_add")
        last = take(*ACTIVATIONS) if add is not None else None
        return None if rest or first is None else cls(first, norm, act, add is not None, last)

    @property
    def final_act(self):
        """The activation whose result is the output, or None."""
        return self.last_act if self.has_sum else self.act


class QuantizedWeight(NamedTuple):
    """A layer's parameters as integers: int8 weight, bias (a float32 array of whole numbers, or None), and the number
    of integers per unit of the weight: one for each filter, or one for all."""

    weight: np.ndarray
    bias: np.ndarray | None
    scales: np.ndarray


def scale_of(dtype, m):
    """Returns the number of integers per unit; infinity for an empty range."""
    with np.errstate(all="ignore"):
        return STEPS[dtype] / m


def folded(norm, weight, bias, gamma, beta, moving_mean, moving_var):
    """Returns (weight, bias) of a layer that includes a BatchNorm. bias: None if there is none before."""
    root = np.sqrt(moving_var.astype(np.float64) + norm.eps)        # in float64, as in MXNet
    alpha = ((1 if norm.fix_gamma else gamma) / root).astype(np.float32)
    before = -moving_mean if bias is None else bias - moving_mean
    return weight * alpha.reshape(-1, *[1] * (weight.ndim - 1)), beta + alpha * before


def quantized_weight(weight, bias, data_scale, by_filter):
    """Returns the QuantizedWeight of float32 parameters. data_scale: integers per unit of the data."""
    m = np.abs(weight.reshape(len(weight), -1)).max(1, initial=0)
    scales = scale_of(INT8, m if by_filter else m.max(keepdims=True, initial=0))
    with np.errstate(all="ignore"):
        if by_filter and bias is not None:      # a bias must have space in int32
            scales = np.where(bias == 0, scales, np.minimum(scales, np.float32(2 ** 30) / (np.abs(bias) * data_scale)))
        integers = nearest(weight * scales.reshape(-1, *[1] * (weight.ndim - 1)), INT8)
        return QuantizedWeight(integers, None if bias is None else whole(bias * (scales * data_scale)), scales)


def whole(x):
    """Returns the nearest whole numbers as float32, 0 for NaN."""
    return np.nan_to_num(np.rint(x), nan=0)


class _Fused(GraphHolder, Quantized):
    """Base class of both layers.

    quantized: if True, data are integers with a range; if False, everything is float32.
    min_calib_range, max_calib_range: the range of the output, from calibration. Without it, the output is int32.
    subgraph: the operators.
    """

    layer_name = ""             # the first operator in the graph

    @staticmethod
    def scale(dtype, m):
        """Returns the number of integers per unit of an array with magnitude m."""
        return scale_of(dtype, m)

    @classmethod
    def complete(cls, attributes):
        """Also checks that the graph is one that can be fused."""
        values = super().complete(attributes)
        parts = Parts.of(values["subgraph"], cls.layer_name)
        if parts is None:
            names = ", ".join(node.op.name for node in values["subgraph"].nodes if node.op is not None)
            raise OpAttributeError(f"{cls.name}: its graph contains {names or 'no operators'}, expected "
                                   f"{cls.layer_name}, BatchNorm, an activation, elemwise_add and an activation, in "
                                   f"this order, of which only {cls.layer_name} is required.")
        cls.check(parts, values)
        return values

    @classmethod
    def check(cls, parts, values):
        """Raises OpAttributeError if the attributes contradict the graph."""

    @cached_property
    def parts(self):
        """The Parts of the graph."""
        return Parts.of(self.subgraph, self.layer_name)

    @property
    def calibrated(self):
        """Returns whether a range was measured during calibration."""
        return self.min_calib_range is not None and self.max_calib_range is not None

    @property
    def calibrated_range(self):
        """(min, max) of the output as float32 numbers."""
        return np.float32(self.min_calib_range), np.float32(self.max_calib_range)

    @property
    def range_names(self):
        """Names of the inputs that are ranges."""
        return ("min_data", "max_data") if self.quantized else ()

    def list_arguments(self):
        parts = self.parts
        return (*parts.layer.list_arguments(), *(parts.norm.arguments[1:] if parts.norm else ()),
                *(["sum"] if parts.has_sum else ()), *self.range_names)

    @property
    def mutates(self):
        return ("moving_mean", "moving_var") if self.parts.norm else ()

    @property
    def num_outputs(self):
        return 3 if self.quantized else 1

    @property
    def output_names(self):
        return Quantized.output_names[:self.num_outputs]

    @property
    def out_dtype(self):
        """The type of the output."""
        if not self.quantized:
            return FLOAT32
        return (UINT8 if is_positive(self.parts.final_act) else INT8) if self.calibrated else INT32

    def infer_shape(self, *shapes):
        known, parts = dict(zip(self.list_arguments(), shapes, strict=True)), self.parts
        names = parts.layer.list_arguments()
        inputs, (out,) = parts.layer.infer_shape(*[known[name] for name in names])
        known |= zip(names, inputs, strict=True)
        if parts.norm:
            (out, *vectors), _ = parts.norm.infer_shape(out, *[known[name] for name in parts.norm.arguments[1:]])
            known |= zip(parts.norm.arguments[1:], vectors, strict=True)
        if parts.has_sum:
            known["sum"] = out = self.require("sum", known["sum"], out)
        known |= zip(self.range_names, self.require_ranges(self.range_names, [known[n] for n in self.range_names]),
                     strict=True)
        return [known[name] for name in self.list_arguments()], [out, (1,), (1,)][:self.num_outputs]

    def infer_dtype(self, *dtypes):
        inputs = [self.input_dtype(name, dtype) for name, dtype in zip(self.list_arguments(), dtypes, strict=True)]
        return inputs, [self.out_dtype, FLOAT32, FLOAT32][:self.num_outputs]

    def input_dtype(self, name, dtype):
        """Returns the type of an input, which must be float32 unless it consists of integers."""
        if self.quantized and name in ("data", "sum"):
            return self.require_bytes(name, dtype)
        return self.require_dtype(name, dtype, FLOAT32)

    def forward(self, *inputs):
        known = dict(zip(self.list_arguments(), inputs, strict=True))
        outputs = self.of_integers(known) if self.quantized else [self.of_reals(known)]
        return (*outputs, *[None] * len(self.mutates)) if len(outputs) > 1 or self.mutates else outputs[0]

    def of_reals(self, known):
        """Returns the output of a node in float32. known: {name: array} of the inputs."""
        parts = self.parts
        x = parts.layer.forward(*[known[name] for name in parts.layer.list_arguments()])
        if parts.norm:
            x = parts.norm.forward(x, *[known[name] for name in parts.norm.arguments[1:]], False)[0]
        return self.after(x, known.get("sum"))

    def after(self, x, other):
        """Returns the result of the operators after the layer. other: the array to add, or None."""
        parts = self.parts
        x = x if parts.act is None else parts.act.forward(x)
        x = x if other is None else x + other
        return x if parts.last_act is None else parts.last_act.forward(x)

    def weight_of(self, known):
        """Returns the QuantizedWeight of a node."""
        weight, bias = known["weight"], known.get("bias")
        if self.parts.norm:
            weight, bias = folded(self.parts.norm, weight, bias,
                                  *[known[name] for name in self.parts.norm.arguments[1:]])
        return quantized_weight(weight, bias, self.data_scale(known), self.by_filter)

    def data_scale(self, known):
        """Returns the number of integers per unit of the data."""
        return scale_of(known["data"].dtype, magnitude(known["min_data"], known["max_data"]))

    @property
    def by_filter(self):
        """Whether each filter has its own step."""
        return self.calibrated

    def sums(self, data, own):
        """Returns the sums of products plus the bias as float32. own: the QuantizedWeight."""
        layer = type(self.parts.layer)(**{**self.parts.layer.attributes, "no_bias": True})
        x = layer.forward(data.astype(np.float64), own.weight.astype(np.float64)).astype(np.float32)
        return x if own.bias is None else x + self.along(own.bias, x)

    def along(self, vector, x):
        """Returns one number per filter in a shape that broadcasts against the output."""
        return vector.reshape(-1, *[1] * (x.ndim - 2))

    def sums_range(self, known, own):
        """Returns the ends of the range of sums in int32."""
        step = STEPS[INT8] / own.scales[0]
        m = product_range(known["data"].dtype, magnitude(known["min_data"], known["max_data"]), INT8, step)
        return both_ends(-m, m)


def is_positive(act):
    """Returns whether the results of an activation are never negative."""
    if act is None:
        return False
    return {"Activation": lambda: act.act_type in POSITIVE, "clip": lambda: act.a_min >= 0,
            "LeakyReLU": lambda: False}.get(act.name, lambda: True)()


def _is_cut(act):
    """Returns whether integers of a range that is never negative, cut at its ends, need nothing else."""
    return act is None or act.name == "Activation" and act.act_type == "relu" or act.name == "clip" and act.a_min == 0


@register("data", "weight", "bias", "gamma", "beta", "moving_mean", "moving_var", "sum", "min_data", "max_data",
          "min_sum", "max_sum", name="_sg_mkldnn_conv")
class fused_conv(_Fused):
    """`Convolution` and the operators after it.

    data, weight, bias: as for `Convolution`; float32, with quantized=True data are int8 or uint8
    gamma, beta, moving_mean, moving_var (num_filter,): those of BatchNorm, if there is one
    sum: the array that is added, like out | min_data, max_data, min_sum, max_sum (1,): the ranges of integers
    out: like `Convolution`; with quantized=True also its range (1,), (1,)

    with_bn, with_act, with_sum, with_postsum_act: whether the graph contains these operators.
    with_relu, with_postsum_relu: the names of with_act and with_postsum_act in older files.
    """

    with_bn: bool = False
    with_act: bool = False
    with_sum: bool = False
    with_postsum_act: bool = False
    quantized: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None
    with_relu: bool = False
    with_postsum_relu: bool = False
    subgraph: Graph
    layer_name = "Convolution"

    @classmethod
    def check(cls, parts, values):
        found = {"with_bn": parts.norm, "with_act": parts.act, "with_postsum_act": parts.last_act}
        found = {"with_sum": parts.has_sum, **{key: part is not None for key, part in found.items()}}
        for key, is_there in found.items():
            if is_there != (values[key] or values.get(key.replace("act", "relu"), False)):
                raise OpAttributeError(f"{cls.name}: {key}={not is_there}, but its graph contains "
                                       f"{', '.join(n.op.name for n in values['subgraph'].nodes if n.op is not None)}.")
        if (parts.layer.layout or "NC")[-1] == "C" and parts.layer.layout is not None:
            raise OpAttributeError(f"{cls.name}: layout={parts.layer.layout!r}, expected channels before space, such "
                                   "as 'NCHW'.")
        act = parts.last_act if parts.has_sum else parts.act
        if values["quantized"] and not (_is_cut(act) and (not parts.has_sum or _is_cut(parts.act))):
            raise OpAttributeError(f"{cls.name}: {parts.act or act!r} is not computed on integers, only relu and "
                                   "clip(a_min=0).")

    @property
    def range_names(self):
        names = ("min_data", "max_data", "min_sum", "max_sum")
        return names[:4 if self.parts.has_sum else 2] if self.quantized else ()

    def of_integers(self, known):
        """Returns the integers and their range. known: {name: array} of the inputs."""
        own = self.weight_of(known)
        x = self.sums(known["data"], own)
        if self.calibrated:
            low, high = self.calibrated_range
            scale = scale_of(self.out_dtype, magnitude(low, high))
            ends = both_ends(low, high)
            x = x * self.along(scale / self.data_scale(known) / own.scales, x)
        else:
            scale, ends = self.data_scale(known) * own.scales[0], self.sums_range(known, own)
        if self.parts.has_sum:
            if self.parts.act is not None:
                x = np.maximum(x, 0)
            m = magnitude(known["min_sum"], known["max_sum"])
            x = x + known["sum"].astype(np.float32) * (scale / scale_of(known["sum"].dtype, m))
        if self.parts.final_act is not None:
            x = np.maximum(x, 0)
        if self.out_dtype == UINT8 and self.parts.has_sum and known["sum"].dtype == INT8:
            x = np.minimum(x, 127)      # MXNet stores the result as int8, where the other array was
        return nearest(x if self.calibrated else x.astype(np.float64), self.out_dtype), *ends


@register("data", "weight", "bias", "min_data", "max_data", "min_weight", "max_weight", "min_bias", "max_bias",
          name="_sg_mkldnn_fully_connected")
class fused_fully_connected(_Fused):
    """`FullyConnected` and an activation after it.

    data, weight, bias: as for `FullyConnected`; float32. With quantized=True, data are int8 or uint8, weight and bias
        int8, or float32 with channel_wise_quantize
    min_data, max_data, min_weight, max_weight, min_bias, max_bias (1,): the ranges of integers
    out: like `FullyConnected`; with quantized=True and without enable_float_output also its range (1,), (1,)

    enable_float_output: if True, return the real numbers as float32, and no range.
    with_eltwise: whether the graph contains an activation.
    channel_wise_quantize: if True, each row of the weight is rounded to int8 with its own step.
    """

    quantized: bool = False
    enable_float_output: bool = False
    with_eltwise: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None
    channel_wise_quantize: bool = False
    subgraph: Graph
    layer_name = "FullyConnected"

    @classmethod
    def check(cls, parts, values):
        if parts.norm or parts.has_sum or (parts.act is not None) != values["with_eltwise"]:
            raise OpAttributeError(f"{cls.name}: with_eltwise={values['with_eltwise']}, but its graph contains "
                                   f"{', '.join(n.op.name for n in values['subgraph'].nodes if n.op is not None)}.")

    @property
    def range_names(self):
        names = ("min_data", "max_data", "min_weight", "max_weight", "min_bias", "max_bias")
        few = 2 if self.by_filter else 4 if self.parts.layer.no_bias else 6
        return names[:few] if self.quantized else ()

    @property
    def num_outputs(self):
        return 3 if self.quantized and not self.enable_float_output else 1

    @property
    def out_dtype(self):
        return FLOAT32 if self.enable_float_output else super().out_dtype

    @property
    def by_filter(self):
        return self.channel_wise_quantize

    def input_dtype(self, name, dtype):
        if self.quantized and not self.by_filter and name in ("weight", "bias"):
            return self.require_bytes(name, dtype, (INT8,))
        return super().input_dtype(name, dtype)

    def weight_of(self, known):
        if self.by_filter:
            return super().weight_of(known)
        scale = scale_of(INT8, magnitude(known["min_weight"], known["max_weight"]))
        if self.parts.layer.no_bias:
            return QuantizedWeight(known["weight"], None, scale[None])
        m = magnitude(known["min_bias"], known["max_bias"])
        weight, most = known["weight"], np.float32(2 ** 30) / STEPS[INT8]
        with np.errstate(all="ignore"):
            factor = self.data_scale(known) * scale / scale_of(INT8, m)
            if factor > most:           # a bias must have space in int32
                weight = nearest(round_half_away(weight * (most / factor)), INT8)
                scale, factor = scale * (most / factor), most
            bias = np.nan_to_num(round_half_away(known["bias"].astype(np.float32) * factor), nan=0)
        return QuantizedWeight(weight, bias, scale[None])

    def along(self, vector, x):
        return vector

    def of_integers(self, known):
        """Returns the integers and their range. known: {name: array} of the inputs."""
        own = self.weight_of(known)
        x, act = self.sums(known["data"], own), self.parts.act
        if not self.calibrated and not self.enable_float_output:
            x = x if act is None else np.maximum(x, 0)
            return nearest(x.astype(np.float64), INT32), *self.sums_range(known, own)
        unit = np.float32(1) / self.data_scale(known) / own.scales
        if self.enable_float_output:
            return [self.after(x * unit, None)]
        low, high = self.calibrated_range
        scale = scale_of(self.out_dtype, magnitude(low, high))
        x = x * (scale * unit) if act is None else self.after(x * unit, None) * scale
        return nearest(x, self.out_dtype), *both_ends(low, high)
