"""Nets whose elementwise operators one kernel can compute together."""

import minigluon as mx


class Chains(mx.gluon.HybridBlock):
    """Chains with arrays to be stretched, reductions between them, and what several chains use."""

    def hybrid_forward(self, F, x, scale):
        square = x * x
        centered = F.broadcast_sub(square, F.mean(square, axis=1, keepdims=True))
        y = F.broadcast_mul(centered, scale) * F.sigmoid(x) + F.tanh(square * 0.5 + 1)
        return F.relu(y) * F.broadcast_add(y, F.sum(F.exp(-F.abs(y)), axis=0)), y.max(axis=1)
