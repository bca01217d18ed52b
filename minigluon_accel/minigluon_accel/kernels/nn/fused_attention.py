"""Attention as one operator, and its gradient (see `csrc/nn/fused_attention.c`)."""

from ...engine import Call, Phase
from ...strides import heads_place, neighbours
from ..registry import kernel_for, parts, reals, size

__all__ = ["MACS", "backward", "forward", "reason_against"]

MASKING = {"none": 0, "add": 1, "where": 2, "length": 3, "until": 4}
NOWHERE = (0,) * 5
MAX_QUERIES = 128           # the maximum number of queries of a head that one part processes
MACS = 2 ** 19              # the number of multiplications in a part, which takes tens of microseconds


@kernel_for("_attention")
def attention(op, inputs, outputs):
    reason = reason_against(inputs, outputs)
    if reason:
        return reason
    return Call(forward(op, inputs))


def forward(op, inputs, **dropped):
    """Returns the Phase of attention. dropped: the fields that determine which weights are dropped, if any."""
    count = len(inputs)
    numbers = {**fields(op, inputs, 0, out_at=count, norms=count + 1), **dropped}
    blocks = -(-numbers["queries"] // MAX_QUERIES)
    return Phase("attention", inputs[0].dtype, _parts(numbers, 2, blocks), blocks=blocks, **numbers)


@kernel_for("_attention_grad")
def attention_grad(op, inputs, outputs):
    return reason_against(inputs, outputs) or backward(op, inputs, outputs, 3)


def backward(op, inputs, outputs, first, **dropped):
    """Returns the Call of the gradient. first: the index of the query among its inputs. dropped: as in `forward`."""
    numbers = {**fields(op, inputs[first:], first, out_at=1, norms=2), **dropped, "grad": 0}
    sizes = op.checked([spec.shape for spec in outputs])
    for name, (number, *where), lengths in zip(("to_query", "to_key", "to_value"), op.roles(), sizes, strict=True):
        numbers[name] = rows(len(inputs) + number, *where, lengths)
    return Call(Phase("attention_grad", inputs[0].dtype, _parts(numbers, 5), blocks=1, **numbers))


def reason_against(inputs, outputs):
    """Returns None, or a string that says why there is no kernel."""
    return reals(*inputs, *outputs) or (None if all(map(size, (*inputs, *outputs))) else "no elements")


def _parts(numbers, products, blocks=1):
    """Returns the number of parts into which the work is divided."""
    pairs = numbers["batch"] * numbers["heads"]
    work = products * pairs * numbers["queries"] * numbers["keys"] * max(numbers["depth"], numbers["width"])
    return min(pairs * blocks, parts(work, MACS))


def fields(op, inputs, first, out_at, norms):
    """Returns the sizes and array positions for the kernel. first: the index of the first input in io."""
    projections = inputs[:len(op.projections)]
    sizes = op.checked([spec.shape for spec in projections])
    (batch, heads, queries, depth), (_, _, keys, width) = sizes[0], sizes[2]
    arguments = {"batch": batch, "heads": heads, "queries": queries, "keys": keys, "depth": depth, "width": width,
                 "out": rows(out_at, op.out_layout, 1, 0, (batch, heads, queries, width)), "norms": norms,
                 "masking": MASKING[op.masking], "weighs": op.weighs, "scale": op.scale, "fill": op.fill}
    for name, (number, *where), lengths in zip(("query", "key", "value"), op.roles(), sizes, strict=True):
        arguments[name] = rows(first + number, *where, lengths)
    arguments.update(dict.fromkeys(("to_query", "to_key", "to_value"), NOWHERE), grad=-1, kept=-1, draws=-1, least=0,
                     factor=1.0)
    arguments["mask"] = first + len(projections) if op.masks else -1
    steps = neighbours(inputs[-1].shape) if op.masks else [0] * 4
    return {**arguments, **dict(zip(("mask_batch", "mask_head", "mask_query", "mask_key"), steps, strict=True))}


def rows(at, layout, parts, which, sizes):
    """Returns `Rows` of csrc/nn/fused_attention.h for one part of an array."""
    return at, *heads_place(layout, parts, which, sizes)
