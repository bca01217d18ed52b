"""Boxes: overlaps, matching of rows and columns, and offsets between boxes."""

import math

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("vision/boxes.cu", fmad=False)     # see vision/boxes.cuh


def _work(function, dtype, threads, arguments):
    """Returns Work with one launch, with one thread for each item, or empty Work if there are no items."""
    if not threads:
        return Work()
    return Work(Launch(SOURCE, function, types(dtype), blocks(threads), THREADS, arguments))


@kernel_for("_contrib_box_iou")
def box_iou(op, inputs, outputs):
    total = size(outputs[0])
    return _work("overlaps", outputs[0].dtype, total, [Out(0), In(0), In(1), total, size(inputs[1]) // 4,
                                                       int(op.format == "center")])


@kernel_for("_contrib_bipartite_matching")
def bipartite_matching(op, inputs, outputs):
    *lead, n, m = inputs[0].shape
    batch, pairs = math.prod(lead), min(n, m) if op.topk < 1 else min(op.topk + 1, n, m)
    return _work("match", inputs[0].dtype, batch * (n + m) and batch * THREADS, [
        Out(0), Out(1), In(0), batch, n, m, pairs, float(op.threshold), int(op.is_ascend)])


@kernel_for("_contrib_box_encode")
def box_encode(op, inputs, outputs):
    total = size(outputs[0])
    return _work("encode", outputs[0].dtype, total, [
        Out(0), Out(1), *[In(k) for k in range(6)], total, inputs[0].shape[1], inputs[3].shape[1]])


@kernel_for("_contrib_box_decode")
def box_decode(op, inputs, outputs):
    boxes = size(outputs[0]) // 4
    return _work("decode", outputs[0].dtype, boxes, [
        Out(0), In(0), In(1), boxes, inputs[0].shape[1], op.std0, op.std1, op.std2, op.std3, op.clip,
        int(op.format == "center")])
