"""Batch normalization and its gradient; a separate kernel handles channels on the last axis."""

from minigluon.backend import Spec
from minigluon.ops.shapes import around

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


def _batch_norm(op, data, relu, eps=0.0, momentum=0.0):
    """Returns (whether channels are on the last axis, the fields, the number of row pieces or channel parts)."""
    outer, channels, inner = around(data.shape, op.axis)
    settings = {"fix_gamma": op.fix_gamma, "relu": relu, "eps": eps, "momentum": momentum}
    pieces = max(parts(size(data)), 1)
    if inner == 1 and channels > 1:
        return True, {"rows": outer, "channels": channels, "pieces": pieces, **settings}, pieces
    return False, {"outer": outer, "channels": channels, "inner": inner, **settings}, pieces


@kernel_for("BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")
def batch_norm(op, inputs, outputs, train):
    data, channels = inputs[0], size(inputs[1])
    reason = ("output_mean_var" if op.gives_variance else "statistics over several processes"
              if op.add_over_processes is not None else reals(*inputs, *outputs))
    if reason:
        return reason
    batch = train and not op.use_global_stats
    last, fields, pieces = _batch_norm(op, data, op.name == "_contrib_BatchNormWithReLU", op.eps, op.momentum)

    def phase(name, count):
        return Phase(name, data.dtype, count, **fields)

    if last and batch:
        return Call(*(phase(f"batch_norm_last_{step}", pieces) for step in ("sums", "squares", "train")),
                    scratch=[Spec((pieces, channels), data.dtype)] * 2)
    if last:
        return Call(phase("batch_norm_last_predict", pieces), writes_inputs=False)
    if batch:
        return Call(phase("batch_norm_train", max(min(pieces, channels), 1)))
    return Call(phase("batch_norm_predict", max(min(pieces, fields["outer"] * channels), 1)), writes_inputs=False)


@kernel_for("_batch_norm_recompute")
def batch_norm_recompute(op, inputs, outputs):
    data, reason = inputs[0], reals(*inputs, *outputs)
    if reason:
        return reason
    last, fields, pieces = _batch_norm(op, data, op.relu)
    if last:
        return Call(Phase("batch_norm_last_again", data.dtype, pieces, **fields))
    most = max(fields["outer"] * fields["channels"], 1)
    return Call(Phase("batch_norm_recompute", data.dtype, min(pieces, most), **fields))


@kernel_for("_batch_norm_grad")
def batch_norm_grad(op, inputs, outputs):
    data, channels = inputs[1], size(inputs[2])
    reason = "statistics over several processes" if op.key else reals(*inputs, *outputs)
    if reason:
        return reason
    last, fields, pieces = _batch_norm(op, data, False)
    if last:
        return Call(Phase("batch_norm_last_grad_sums", data.dtype, pieces, **fields),
                    Phase("batch_norm_last_grad", data.dtype, pieces, **fields),
                    scratch=[Spec((pieces, channels), data.dtype)] * 2)
    return Call(Phase("batch_norm_grad", data.dtype, max(min(pieces, channels), 1), **fields))
