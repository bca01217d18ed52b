"""box_nms: the order of the rows, the selection of the rows that survive, and the output."""

import math

import numpy as np

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..movement import zeros
from ..registry import kernel_for

__all__ = ["Rows", "too_many"]

SOURCE = SourceFile("vision/box_nms.cu", fmad=False)     # see vision/boxes.cuh
NO_LIMIT = 2 ** 62
MAX_ROWS = 2 ** 31 - 1      # the maximum number of boxes per image, because their indices are 32-bit integers


def too_many(n):
    """Returns the reason why there is no kernel for n boxes in an image, or None."""
    return f"{n} boxes of an image" if n > MAX_ROWS else None


class Rows:
    """Rows (batch, n, width) of boxes in operand `where`, and the vision/box_nms.cu launches that process them.

    first, score, kind: the columns of coordinates, score and class (-1 for none).
    """

    def __init__(self, dtype, where, batch, n, width, first, score, kind):
        self.defines, self.where, self.batch, self.n, self.width = types(dtype), where, batch, n, width
        self.first, self.score, self.kind = first, score, kind
        self.order, self.alive = Spec((batch, n), np.dtype("int32")), Spec((batch, n), np.dtype(bool))

    def launch(self, function, threads, arguments):
        return Launch(SOURCE, function, self.defines, blocks(threads), THREADS, arguments)

    def ordered(self, to, above, background, by_score=True):
        """Returns the launches that sort the rows above a score, best first, omitting the background class."""
        total = self.batch * self.n
        return self.launch("order_rows", total, [to, self.where, total, self.n, self.width, self.score, self.kind,
                                                 float(above), float(background), int(by_score)])

    def suppressed(self, to, order, threshold, kind=-1, reaches=False, pixel=0, topk=-1, most=-1, centered=False):
        """Returns the launches that decide which of the ordered rows survive; kind=-1 treats all rows as one class."""
        return self.launch("suppress", self.batch * THREADS, [
            to, order, self.where, self.batch, self.n, self.width, self.first, kind, float(threshold), int(reaches),
            float(pixel), topk if topk > 0 else NO_LIMIT, most, int(centered)])


@kernel_for("_contrib_box_nms")
def box_nms(op, inputs, outputs):
    data = inputs[0]
    *lead, n, width = data.shape
    batch = math.prod(lead)
    if not batch * n or too_many(n):
        return too_many(n) or Work()
    rows = Rows(data.dtype, In(0), batch, n, width, op.coord_start, op.score_index, op.id_index)
    turn = 0 if op.in_format == op.out_format else 1 if op.out_format == "center" else 2
    kind = -1 if op.force_suppress else op.id_index
    return Work(
        rows.ordered(Scratch(0), op.valid_thresh, op.background_id),
        rows.suppressed(Scratch(1), Scratch(0), op.overlap_thresh, kind, topk=op.topk,
                        centered=op.in_format == "center"),
        rows.launch("collect", batch * n, [Out(0), Out(1), Scratch(1), Scratch(0), In(0), batch * n, n, width,
                                           op.coord_start, turn]),
        scratch=[rows.order, rows.alive])


def _by_index(function, inputs, before):
    data, count = inputs[0], size(inputs[0])
    if not count:
        return Work(*before)
    return Work(*before, Launch(SOURCE, function, types(data.dtype), blocks(count), THREADS, [
        Out(0), In(0), In(1), count, *data.shape[-2:]]))


@kernel_for("_box_nms_grad")
def box_nms_grad(op, inputs, outputs):
    return _by_index("back_to_rows", inputs, zeros(outputs[0], Out(0)))


@kernel_for("_box_nms_chosen")
def box_nms_chosen(op, inputs, outputs):
    return _by_index("chosen_rows", inputs, [])
