"""Fully connected layers whose weights are integers of 8 or 4 bits, while data stays in floating point."""

from typing import Any

import numpy as np

from ...base import ArgumentError
from ..op import Op
from ..registry import register
from ..shapes import size_of
from .ranges import FLOAT32, INT8, UINT8

__all__ = ["integers_of", "packed_shape"]

OFFSET = 8          # is added to integers of 4 bits, so that they are stored as 0 to 15


@register("data", "weight", "scale", "bias", name="_contrib_weight_only_fully_connected")
class weight_only_fully_connected(Op):
    """data · (integers · scale)ᵀ + bias, with one scale for each group of consecutive integers in a row of weight.

    data (*lead, K) | weight (num_hidden, K) int8, or (num_hidden, ⌈K / 2⌉) uint8 | bias like a row of out
    scale (num_hidden, ⌈K / group_size⌉) float32 | out (*lead, num_hidden)

    For each group, the products of data and integers are summed, and the sum is multiplied by its scale.
    `contrib.quantization.quantize_weights` makes such layers from `Dense`. The operator has no gradient: its
    result cannot be used in a loss.

    num_hidden: the number of outputs per row.
    bits: 8, or 4: a byte then holds two integers, each plus 8, the first in its lower bits.
    group_size: the number of integers in a group: 32, 64, 128 and so on. The last group of a row may be shorter.
    no_bias: if True, omit the bias.

    >>> weight, scale = nd.array([[1, -2, 3]], dtype="int8"), nd.array([[0.5]])
    >>> out = nd.contrib.weight_only_fully_connected(nd.array([[1, 1, 2]]), weight, scale, num_hidden=1, no_bias=True)
    >>> round(out.item(), 3)
    2.5
    >>> two_in_a_byte = nd.array([[9 + 16 * 6, 11]], dtype="uint8")         # 1 and -2, 3
    >>> out = nd.contrib.weight_only_fully_connected(nd.array([[1, 1, 2]]), two_in_a_byte, scale, num_hidden=1, bits=4,
    ...                                              no_bias=True)
    >>> round(out.item(), 3)
    2.5
    """

    num_hidden: int
    bits: int = 8
    group_size: int = 64
    no_bias: bool = False
    keeps = ()

    def list_arguments(self):
        return self.arguments[:3] if self.no_bias else self.arguments

    def infer_shape(self, data, weight, scale, bias=None):
        self.require_least_rank("data", data, 1)
        check_format(self.name, self.bits, self.group_size)
        depth = None if data is None else data[-1]
        wanted = (None, None) if depth is None else packed_shape(depth, self.bits, self.group_size)
        weight = self.require("weight", weight, (self.num_hidden, wanted[0]))
        scale = self.require("scale", scale, (self.num_hidden, wanted[1]))
        inputs, out = [data, weight, scale], None if data is None else (*data[:-1], self.num_hidden)
        return [*inputs] if self.no_bias else [*inputs, self.require("bias", bias, (self.num_hidden,))], [out]

    def infer_dtype(self, data, weight, scale, bias=None):
        for name, actual in (("data", data), ("scale", scale), ("bias", bias)):
            self.require_float(name, actual)
        dtype = self.require_dtype("bias", bias, data)
        inputs = [dtype, self.require_dtype("weight", weight, INT8 if self.bits == 8 else UINT8),
                  FLOAT32 if scale is None else scale]
        return [*inputs] if self.no_bias else [*inputs, dtype], [dtype]

    @np.errstate(all="ignore")
    def forward(self, data, weight, scale, bias=None):
        wide = np.promote_types(data.dtype, np.float32)
        rows, depth = size_of(data.shape[:-1]), data.shape[-1]
        x = data.reshape(rows, depth).astype(wide, copy=False)
        integers = integers_of(weight, self.bits, depth).astype(wide)
        out = np.zeros((rows, self.num_hidden), wide)
        for group in range(scale.shape[1]):
            part = slice(group * self.group_size, (group + 1) * self.group_size)
            out += x[:, part] @ integers[:, part].T * scale[:, group]
        if bias is not None:
            out += bias
        return out.astype(data.dtype, copy=False).reshape(*data.shape[:-1], self.num_hidden)


def check_format(name: str, bits: int, group_size: int) -> None:
    """Raises ArgumentError unless weights can have this many bits, and groups this many integers. name: the caller."""
    if bits not in (4, 8):
        raise ArgumentError(f"{name}: bits is {bits}, expected 8 or 4")
    if group_size < 32 or group_size & (group_size - 1):
        raise ArgumentError(f"{name}: group_size is {group_size}, expected a power of two, at least 32")


def packed_shape(depth: int, bits: int, group_size: int) -> tuple[int, int]:
    """Returns how many bytes and scales a row of `depth` integers has."""
    return -(-depth * bits // 8), -(-depth // group_size)


def integers_of(weight: Any, bits: int, depth: int) -> Any:
    """Returns the integers in a weight, (rows, depth) int8. weight: int8, or uint8 with two integers in a byte."""
    if bits == 8:
        return weight
    pairs = np.stack([weight & 15, weight >> 4], axis=2).reshape(len(weight), 2 * weight.shape[1])
    return pairs[:, :depth].astype(np.int8) - np.int8(OFFSET)
