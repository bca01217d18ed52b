"""Attention as one operator, and its gradient (see `nn/fused_attention.cu`)."""

import os
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec

from ....strides import heads_place, neighbours
from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, types
from ..reductions import wide
from ..registry import kernel_for

__all__ = ["reason_against_heads"]

SOURCE = SourceFile("nn/fused_attention.cu")
GRAD_SOURCE = SourceFile("nn/fused_attention_grad.cu")
MASKING = {"none": 0, "add": 1, "where": 2, "length": 3, "until": 4}
MAX_SIZE = 128          # the maximum size of a head, because registers hold a thread's share of its rows
STEP = 32               # head sizes are rounded up to multiples of this number
PAD = 4                 # padding of each row in shared memory, in elements
MAX_GRID = 2 ** 31 - 1  # blocks
NOWHERE = (0,) * 4


class Tiles(NamedTuple):
    """A block's tile of scores, and a thread's share of it, as in fused_attention.cuh."""

    rows: int
    columns: int
    thread_rows: int
    thread_columns: int

    @property
    def threads(self):
        return self.rows // self.thread_rows * 8

    def forward(self, depth, width):
        """Returns the number of elements in shared memory."""
        return ((self.rows + self.columns) * (depth + PAD) + self.columns * (width + PAD)
                + self.columns * (self.rows + PAD))

    def backward(self, depth, width):
        return ((self.rows + self.columns) * (depth + PAD + width + PAD) + self.columns * (self.rows + PAD))


# Large tiles read less shared memory per product. They require enough registers and shared memory.
LARGE, LONG, SMALL = Tiles(64, 64, 4, 8), Tiles(64, 32, 4, 4), Tiles(32, 32, 4, 4)


def tiles_for(dtype, depth, width, device, backwards):
    """Returns (Tiles, bytes of shared memory), or a string that says why there are none."""
    if max(depth, width) > MAX_SIZE:
        return f"heads of {max(depth, width)} numbers, and the kernel takes {MAX_SIZE}"
    depth, width, itemsize = rounded(depth), rounded(width), wide(dtype).itemsize
    for tiles in (SMALL,) if itemsize == 8 else (LARGE, LONG, SMALL):
        if tiles is LARGE and max(depth, width) > 64:
            continue
        shared = (tiles.backward if backwards else tiles.forward)(depth, width) * itemsize
        if shared <= device.most_shared:
            return tiles, shared
    return "too little shared memory for heads of this size"


def reason_against_heads(dtype, depth, width, device):
    """Returns None, or the reason why attention with heads of these sizes is not fused: forward or backward kernels are
    missing, or the products should run on tensor cores, which these kernels do not use."""
    if np.dtype(dtype) == np.float32 and os.environ.get("MINIGLUON_TF32") == "1":
        return "MINIGLUON_TF32=1 wants products on tensor cores"
    choices = [tiles_for(dtype, depth, width, device, backwards) for backwards in (False, True)]
    return next((each for each in choices if isinstance(each, str)), None)


def rounded(number):
    return max(-(-number // STEP), 1) * STEP


class AttentionCall(NamedTuple):
    """The kernels' arguments, such as the sizes of query, key and value."""

    query: tuple
    key: tuple
    value: tuple
    tiles: Tiles
    shared: int
    defines: dict
    operands: list
    numbers: np.ndarray
    floats: list

    def launch(self, source, function, length, *operands):
        """Returns [a launch with one block per tile of rows], or []. operands: the operands after query, key, value and
        mask."""
        grid = self.query[0] * self.query[1] * -(-length // self.tiles.rows)
        return [Launch(source, function, self.defines, grid, self.tiles.threads,
                       [*self.operands, *operands, self.numbers, *self.floats], self.shared)] if grid else []


def attention_call(op, inputs, first, device, backwards):
    """Returns the AttentionCall of attention or its gradient, or the reason for declining. first: the index of the
    query."""
    projections = inputs[first:first + len(op.projections)]
    if len({spec.dtype for spec in inputs}) > 1:
        return "several dtypes"
    query, key, value = op.checked([spec.shape for spec in projections])
    (batch, heads, queries, depth), (_, _, keys, width) = query, value
    chosen = tiles_for(inputs[0].dtype, depth, width, device, backwards)
    if isinstance(chosen, str):
        return chosen
    tiles, shared = chosen
    if batch * heads * -(-max(queries, keys) // tiles.rows) > MAX_GRID:
        return "more tiles than a grid has blocks"
    roles = [(number, heads_place(*where, lengths))
             for (number, *where), lengths in zip(op.roles(), (query, key, value), strict=True)]
    places = [where for _, where in roles]
    steps = neighbours(inputs[-1].shape) if op.masks else NOWHERE
    numbers = [heads, queries, keys, depth, width, batch * heads * queries, *steps, *sum(places, ()),
               *heads_place(op.out_layout, 1, 0, (batch, heads, queries, width)), *sum(places, ())]
    defines = {**types(inputs[0].dtype), "BM": tiles.rows, "BN": tiles.columns, "TM": tiles.thread_rows,
               "TN": tiles.thread_columns, "DEPTH": rounded(depth), "WIDTH": rounded(width),
               "MASKING": MASKING[op.masking], "WEIGHS": int(op.weighs)}
    operands = [*[In(first + number) for number, _ in roles], In(len(inputs) - 1 if op.masks else first)]
    return AttentionCall(query, key, value, tiles, shared, defines, operands, np.array(numbers, np.int64),
                         [float(op.scale), float(op.fill)])


@kernel_for("_attention")
def attention(op, inputs, outputs, device):
    call = attention_call(op, inputs, 0, device, backwards=False)
    if isinstance(call, str):
        return call
    return Work(*call.launch(SOURCE, "attention", call.query[2], Out(0), Out(1)))


@kernel_for("_attention_grad")
def attention_grad(op, inputs, outputs, device):
    call = attention_call(op, inputs, 3, device, backwards=True)
    if isinstance(call, str):
        return call
    batch, heads, queries, _ = call.query
    count, operands = batch * heads * queries, [In(0), In(2), Scratch(0)]
    to_query, to_key, to_value = [Out(number) for number, *_ in op.roles()]
    return Work(
        Launch(GRAD_SOURCE, "attention_totals", call.defines, blocks(32 * count), THREADS,
               [In(0), In(1), Scratch(0), call.numbers, count]),
        *call.launch(GRAD_SOURCE, "attention_to_keys", call.key[2], *operands, to_key, to_value),
        *call.launch(GRAD_SOURCE, "attention_to_queries", queries, *operands, to_query),
        scratch=[Spec((count,), wide(inputs[0].dtype))])
