"""BatchNorm by cuDNN: the launches around what the library computes."""

import numpy as np

from minigluon.backend import Spec

from ...cudnn import normalization
from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, size
from ..reductions import filled

__all__ = ["backward", "forward"]

SOURCE = SourceFile("nn/batch_norm_library.cu")


def forward(op, inputs, outputs, sides, defines, device):
    """The Work of a training step without relu, or a text: why cuDNN does not do it. See `batch_norm`."""
    reason = _reason(op)
    plan = reason or normalization.forward(inputs[0], sides, float(op.eps), device)
    if isinstance(plan, str):
        return plan
    gamma, ones, scratch = _gamma(op, inputs[1], In(1))
    moved = Launch(SOURCE, "move_averages", defines, blocks(sides[1]), THREADS,
                   [Out(1), Out(2), In(3), In(4), Out(3), sides[1], float(op.momentum), float(op.eps)])
    return Work(*ones, Enqueue("cuDNN BatchNorm", plan.enqueue, [In(0), gamma, In(2), Out(0), Out(1), Out(2)]), moved,
                scratch=scratch, told=plan.name)


def backward(op, inputs, outputs, sides, defines, device):
    """The Work of the gradient, or a text: why cuDNN does not do it. See `batch_norm_grad`."""
    plan = _reason(op) or normalization.backward(inputs[1], sides, device)
    if isinstance(plan, str):
        return plan
    gamma, ones, scratch = _gamma(op, inputs[2], In(2))
    found = Enqueue("cuDNN BatchNorm gradient", plan.enqueue,
                    [In(0), In(1), gamma, In(3), In(4), Out(0), Out(1), Out(2)])
    # Whether the statistics were the batch's is known on the device alone.
    beside = Launch(SOURCE, "gradient_beside_statistics", defines, blocks(size(inputs[1])), THREADS,
                    [In(0), Out(0), In(4), gamma, In(5), size(inputs[1]), sides[1], sides[2]])
    none = filled(outputs[1], 0, Out(1)).launches if op.fix_gamma else []
    return Work(*ones, found, beside, *none, scratch=scratch, told=plan.name)


def _reason(op):
    if getattr(op, "cudnn_off", False):
        return "cudnn_off=True"
    return "cuDNN has no BatchNorm with relu behind it for these layouts" if getattr(op, "relu", False) else None


def _gamma(op, spec, given):
    """(the operand that is gamma, launches that make it, Specs of scratch): fix_gamma takes ones."""
    if not op.fix_gamma:
        return given, [], []
    ones = Spec(spec.shape, np.dtype(spec.dtype))
    return Scratch(0), filled(ones, 1, Scratch(0)).launches, [ones]
