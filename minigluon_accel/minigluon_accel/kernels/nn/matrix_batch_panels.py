"""Fully connected layers in a chain whose share of the batch is transposed: csrc/nn/matrix_batch_panels.c."""

import math

from ...engine import Call, Phase
from ...operators.fused_convolution import PackedConv
from ..registry import kernel_for
from .matrix_packed import ACTIVATIONS, BATCH_PANEL, activation_of

__all__ = ["BatchPanelDense", "suits"]


class BatchPanelDense(PackedConv):
    """A fully connected layer, and the activation after it if there is one.

    reads, writes: whether its data and its result are transposed between the lines of a chain. Shapes are unchanged.

    Inputs: those of the program's lines. The weight need not be packed.
    """

    name = "_batch_panel_dense"
    fields = {"program": None, "reads": False, "writes": False}


def suits(program, data, share):
    """Returns whether a transposed share of the batch can pass through a layer. data: the shape of the whole batch."""
    names = [op.name for op, _ in program]
    flat = program[0][0].flatten or len(data) == 2
    return share == BATCH_PANEL and flat and "BatchNorm" not in names and (
        len(names) == 1 or len(names) == 2 and activation_of(program[1][0]) is not None)


@kernel_for("_batch_panel_dense")
def batch_panel_dense(op, inputs, outputs):
    layer = op.program[0][0]
    columns, depth = inputs[1].shape
    if inputs[0].shape[0] % BATCH_PANEL or math.prod(inputs[0].shape[1:]) != depth:
        return f"data of shape {inputs[0].shape}"
    activation = ACTIVATIONS.index(activation_of(op.program[-1][0])) if len(op.program) > 1 else 0
    return Call(Phase("matrix_batch_panels", inputs[0].dtype, 1, rows=inputs[0].shape[0], columns=columns, depth=depth,
                      activation=activation, reads_across=op.reads, writes_across=op.writes, data=0, weight=1,
                      bias=-1 if layer.no_bias else 2, out=len(inputs)))
