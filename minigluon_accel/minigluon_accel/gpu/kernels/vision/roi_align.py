"""Regions of interest resized to one size by interpolation, upright and rotated."""

import math

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..movement import zeros
from ..reductions import wide
from ..registry import kernel_for

__all__ = ["in_planes"]

SOURCE = SourceFile("vision/roi_align.cu")


def in_planes(source, function, out, planes, arguments, where=None):
    """Returns the Work of an adjoint: one thread per plane adds to zero-initialized memory of the wider dtype.

    function(planes, *arguments). out: the Spec of operand `where`, with the dtype to which the sums are rounded.
    """
    where = Out(0) if where is None else where
    if not size(out):
        return Work()
    among = Spec(out.shape, wide(out.dtype))
    exact = among.dtype == out.dtype
    sums = where if exact else Scratch(0)
    add = Launch(source, function, types(out.dtype), blocks(planes), THREADS, [sums, *arguments])
    down = [] if exact else [Launch(source, "rounded", types(out.dtype), blocks(size(out)), THREADS,
                                    [where, sums, size(out)])]
    return Work(*zeros(among, sums), add, *down, scratch=[] if exact else [among])


def _how(op):
    """Returns the kernels' arguments for the division into bins."""
    turned = op.columns == 6
    samples = op.sampling_ratio if turned else op.sample_ratio
    return [*op.pooled, samples, float(op.spatial_scale), int(not turned and op.aligned), int(turned)]


def _sensitive(op):
    return int(op.columns == 5 and op.position_sensitive)


@kernel_for("_contrib_ROIAlign", "_contrib_RROIAlign")
def align(op, inputs, outputs):
    (data, _), out = inputs, outputs[0]
    if not size(out):
        return Work()
    if data.dtype != inputs[1].dtype:
        return f"data of {data.dtype}, rois of {inputs[1].dtype}"
    return Work(Launch(SOURCE, "align", types(data.dtype), blocks(size(out)), THREADS, [
        Out(0), In(0), In(1), size(out), data.shape[0], out.shape[1], *data.shape[2:], op.columns, _sensitive(op),
        *_how(op)]))


@kernel_for("_ROIAlign_grad", "_RROIAlign_grad")
def align_grad(op, inputs, outputs):
    grad, data, rois = inputs
    planes = math.prod(data.shape[:2])
    return in_planes(SOURCE, "align_grad", outputs[0], planes, [
        In(0), In(2), planes, rois.shape[0], grad.shape[1], *data.shape[2:], op.operator.columns,
        _sensitive(op.operator), *_how(op.operator)])
