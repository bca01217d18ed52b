"""Attention with dropout on its weights, and its gradient (see `csrc/nn/fused_attention.c`)."""

import math

from ...engine import Call
from ..philox import DRAWS, state_of
from ..registry import kernel_for
from .dropout import drawn, keep_factor
from .fused_attention import backward, forward, reason_against


@kernel_for("_attention_dropout")
def attention_dropout(op, inputs, outputs, rng):
    reason = reason_against(inputs, outputs[:2])
    state = state_of(rng)
    if reason or isinstance(state, str):
        return reason or state
    draws = len(inputs) + len(outputs)
    count = math.prod(op.weights_shape([spec.shape for spec in inputs]))
    take, dropped = drawn(inputs[0].dtype, state, op.p, count, draws)
    return Call(take, forward(op, inputs, kept=draws - 1, **dropped), scratch=[DRAWS])


@kernel_for("_attention_dropout_grad")
def attention_dropout_grad(op, inputs, outputs):
    reason = reason_against((*inputs[:3], *inputs[4:]), outputs)
    return reason or backward(op, inputs, outputs, 4, kept=3, factor=keep_factor(op.p))
