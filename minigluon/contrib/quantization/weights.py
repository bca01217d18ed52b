"""Weight-only quantization: dense layers keep their inputs in floating point and their weights in 8 or 4 bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import ArgumentError, MXNetError
from ...common.types import DType
from ...gluon import nn
from ...gluon.block import Block
from ...gluon.hybrid_block import HybridBlock
from ...ops.quantized.weights import OFFSET, check_format, packed_shape

__all__ = ["WeightOnlyDense", "quantize_weights"]


class WeightOnlyDense(HybridBlock):
    """Fully connected layer with weights of 8 or 4 bits: act(x · (weight · scale)ᵀ + bias). For inference.

    x (N, *rest) if flatten else (*lead, in_units) | weight (units, in_units) int8, or (units, ⌈in_units / 2⌉) uint8
    scale (units, ⌈in_units / group_size⌉) float32 | bias (units,) | out (N, units) or (*lead, units)

    `quantize_weights` creates these layers; see `nd.contrib.weight_only_fully_connected` for the formats.

    units, in_units: the sizes of the output and of the input.
    bits: 8 or 4.
    group_size: the number of consecutive weights in a row that share one scale: a power of two, at least 32.
    activation, use_bias, flatten: as for `Dense`.
    dtype: the dtype of x, bias and out.
    kwargs: prefix and params, as for `Block`.

    Raises ArgumentError for any other bits or group_size.

    >>> layer = mx.contrib.quantization.WeightOnlyDense(units=2, in_units=64, bits=4, group_size=32)
    >>> layer.weight.shape, layer.scale.shape
    ((2, 32), (2, 2))
    """

    def __init__(self, units: int, in_units: int, bits: int = 8, group_size: int = 64, activation: str | None = None,
                 use_bias: bool = True, flatten: bool = True, dtype: DType = "float32", **kwargs: Any) -> None:
        check_format("WeightOnlyDense", bits, group_size)
        super().__init__(**kwargs)
        self._units, self._in_units, self._flatten = units, in_units, flatten
        self._bits, self._group_size = bits, group_size
        stored, scales = packed_shape(in_units, bits, group_size)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(units, stored), dtype="int8" if bits == 8 else "uint8",
                                          init="zeros", grad_req="null")
            self.scale = self.params.get("scale", shape=(units, scales), init="zeros", grad_req="null")
            self.bias: Any = self.params.get("bias", shape=(units,), dtype=dtype, init="zeros",
                                             grad_req="null") if use_bias else None
            self.act = nn.Activation(activation, prefix=activation + "_") if activation is not None else None

    def cast(self, dtype: DType) -> None:
        """Convert the bias; integers and scales keep their dtypes.

        >>> layer = mx.contrib.quantization.WeightOnlyDense(units=2, in_units=64)
        >>> layer.cast("float16")
        >>> layer.bias.dtype is np.float16, layer.weight.dtype is np.int8
        (True, True)
        """
        if self.bias is not None:
            self.bias.cast(dtype)
        self._forget_graphs()

    def hybrid_forward(self, F: Any, x: Any, weight: Any, scale: Any, bias: Any = None) -> Any:
        """Return act(x · (weight · scale)ᵀ + bias)."""
        inputs = [F.Flatten(x) if self._flatten else x, weight, scale, *([] if bias is None else [bias])]
        out = F.contrib.weight_only_fully_connected(*inputs, num_hidden=self._units, bits=self._bits,
                                                    group_size=self._group_size, no_bias=bias is None)
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        return (f"{type(self).__name__}({self._in_units} -> {self._units}, {self._bits} bits in groups of "
                f"{self._group_size}, {self.act or 'linear'})")


def quantize_weights(net: Block, bits: int = 8, group_size: int = 64,
                     exclude_layers: Sequence[str] | None = None) -> None:
    """Replace all `Dense` layers inside a net by layers with weights of 8 or 4 bits. The net is changed in place.

    Each group of weights w gets a scale s, and w becomes the nearest integer to w / s. With 8 bits, s is the largest
    magnitude / 127; with 4 bits, s is chosen so that the weight of the largest magnitude becomes -8. A net whose
    parameters have no values yet gets layers without values, so that a file of a quantized net can be loaded.

    An embedding that shares its weight with a Dense layer stays as it is.

    net: a Block; if it is itself a Dense, put it into a container first.
    bits, group_size: as for `WeightOnlyDense`. Smaller groups are more accurate, but each has a scale of four bytes.
    exclude_layers: names of layers that stay as they are, such as 'dense0'.

    Raises ArgumentError if the net has no Dense layer, or if a name is not that of a Dense layer; MXNetError if weights
    are not finite, or if a layer does not know its input size yet. The net is then unchanged.

    >>> net = nn.HybridSequential()
    >>> net.add(nn.Dense(16, in_units=64, activation="relu"), nn.Dense(2, in_units=16))
    >>> net.initialize(init.Xavier())
    >>> x = nd.random.normal(shape=(1, 64))
    >>> before = net(x)
    >>> mx.contrib.quantization.quantize_weights(net, bits=8)
    >>> bool(nd.abs(net(x) - before).max().asscalar() < 0.05)
    True
    """
    check_format("quantize_weights", bits, group_size)
    places = dense_layers(net)
    layers = {layer.name: layer for _, _, layer in places}
    unknown = sorted(set(exclude_layers or ()) - layers.keys())
    if not places or unknown:
        what = (f"no Dense layer is called {', '.join(map(repr, unknown))}" if unknown else
                "it contains no Dense layers. A net that is itself a Dense must first be put into a HybridSequential")
        raise ArgumentError(f"quantize_weights: {type(net).__name__} {net.name!r}: {what}"
                            + (f". Its Dense layers: {', '.join(map(repr, layers))}" if layers else ""))
    layers = {name: layer for name, layer in layers.items() if name not in (exclude_layers or ())}
    for layer in layers.values():
        check_weight(layer)
    quantized = {}
    for block, name, layer in places:
        if layer.name in layers:
            if layer.name not in quantized:
                quantized[layer.name] = weight_only(layer, bits, group_size)
            replace_child(block, name, quantized[layer.name])


def dense_layers(block: Block) -> list[tuple[Block, str, nn.Dense]]:
    """Return (block, name of its child, child) for all Dense layers in a tree of blocks."""
    found = []
    for name, child in block._children.items():
        found += [(block, name, child)] if type(child) is nn.Dense else dense_layers(child)
    return found


def check_weight(layer: nn.Dense) -> None:
    """Raise MXNetError unless a layer's weights can be quantized."""
    if not layer.weight.shape[1]:
        raise MXNetError(f"quantize_weights: {layer.name!r} does not know its input size yet. Run the net once, or "
                         "pass in_units.")
    if layer.weight.is_initialized:
        count = int((~np.isfinite(layer.weight.data().asnumpy())).sum())
        if count:
            raise MXNetError(f"quantize_weights: {layer.weight.name!r} has {count} weights that are NaN or infinite. "
                             "Check the net in floating point first, or pass the layer's name in exclude_layers.")


def weight_only(layer: nn.Dense, bits: int, group_size: int) -> WeightOnlyDense:
    """Return the layer that replaces a Dense layer, with its values if it has any."""
    units, in_units = layer.weight.shape
    activation = layer.act._act_type if layer.act is not None else None
    new = WeightOnlyDense(units, in_units, bits, group_size, activation, layer.bias is not None, layer._flatten,
                          layer.weight.dtype, prefix=layer.prefix)
    if layer.weight.is_initialized:
        new.initialize(ctx=layer.weight.list_ctx())
        integers, scales = quantized_groups(layer.weight.data().asnumpy(), bits, group_size)
        new.weight.set_data(integers)
        new.scale.set_data(scales)
        if layer.bias is not None:
            new.bias.set_data(layer.bias.data())
    return new


def replace_child(block: Block, name: str, new: Block) -> None:
    """Put a block in the place of a child, which may also be an attribute."""
    if block.__dict__.get(name) is block._children[name]:
        block.__dict__[name] = new          # setattr refuses a block of another class
    block.register_child(new, name)


def quantized_groups(weight: Any, bits: int, group_size: int) -> tuple[Any, Any]:
    """Return (integers as they are stored, scales) of a finite matrix.

    >>> from minigluon.contrib.quantization.weights import quantized_groups
    >>> quantized_groups(np.array([[1.0, -2.0, 0.5]]), bits=8, group_size=32)[0]
    array([[  64, -127,   32]], dtype=int8)
    """
    rows, depth = weight.shape
    groups = -(-depth // group_size)
    w = np.zeros((rows, groups * group_size), np.float32)
    w[:, :depth] = weight
    w = w.reshape(rows, groups, group_size)
    largest = np.take_along_axis(w, np.abs(w).argmax(axis=2)[:, :, None], axis=2)
    scale = np.abs(largest) / np.float32(127) if bits == 8 else largest / np.float32(-8)
    low, high = (-127, 127) if bits == 8 else (-OFFSET, OFFSET - 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):     # a scale may be 0, or almost
        integers = np.where(scale == 0, 0, np.clip(np.rint(w / scale), low, high)).astype(np.int8)
    integers = integers.reshape(rows, -1)[:, :depth]
    return packed(integers) if bits == 4 else integers, scale[:, :, 0]


def packed(integers: Any) -> Any:
    """Return integers of 4 bits with two in a byte, the first in the lower bits."""
    stored = (integers + np.int8(OFFSET)).astype(np.uint8)
    if stored.shape[1] % 2:
        stored = np.pad(stored, [(0, 0), (0, 1)], constant_values=OFFSET)
    return stored[:, ::2] | stored[:, 1::2] << 4
