"""Attention with dropout on its weights as one operator, and its gradient.

One number is drawn per weight, in the order (batch, heads, length, keys), as `Dropout` does for an array of weights.
The gradient needs to know which weights were dropped, so one bit per weight is saved.

Srivastava et al., JMLR 15 (2014). Attention itself is in `fused_attention.py`.
"""

import numpy as np

from ..registry import register
from .fused_attention import AttentionGradOp, _attention

__all__ = ["bytes_of"]


def bytes_of(keys):
    """Returns the number of bytes needed for one bit per key."""
    return -(-keys // 8)


def packed(stays):
    """Packs booleans (..., keys) as (..., bytes): eight adjacent keys per byte, lowest bit first."""
    return np.packbits(stays, axis=-1, bitorder="little")


def require_probability(op):
    """Raises ShapeError if p is not a probability, as `Dropout` does."""
    if not 0 <= op.p <= 1:
        raise op.shape_clash(f"p={op.p} is not a probability, expected 0 to 1")


def factors(stays, p, dtype):
    """Returns the factors of the weights: 1 / (1 - p) for those that are kept, else 0."""
    return stays * dtype.type(1 / (1 - p) if p < 1 else 0)


@register("query", "key", "value", "mask")
class _attention_dropout(_attention):
    """`_attention` in which each weight is dropped with probability p or multiplied by 1 / (1 - p).

    It always drops weights, because it replaces a program's `Dropout` in training.

    inputs and out as in `_attention` | hidden: norms as in `_attention`; kept (batch, heads, length, bytes), uint8: one
    bit per weight, 1 if it is kept, eight keys per byte

    >>> x = nd.array([[[0], [0]]]), nd.array([[[1], [2]]]), nd.array([[[4], [8]]])
    >>> print(nd._internal._attention_dropout(*x, p=0.0).asnumpy().ravel())
    [6. 6.]
    """

    p: float = 0.5
    num_outputs = 3

    def infer_dtype(self, *dtypes):
        inputs, outputs = super().infer_dtype(*dtypes)
        return inputs, [*outputs[:2], np.dtype("uint8")]

    def infer_shape(self, *shapes):
        require_probability(self)
        shapes, (out, norms, *_) = super().infer_shape(*shapes)
        return shapes, [out, norms, None if norms is None else (*norms[1:], bytes_of(self.weights_shape(shapes)[3]))]

    def weights_shape(self, shapes):
        """Returns (batch, heads, length, keys), inferred from the inputs' shapes."""
        query, key, _ = self.checked(shapes[:len(self.projections)])
        return *query[:3], key[2]

    def forward(self, *inputs, rng):
        stays = rng.random(self.weights_shape([x.shape for x in inputs]), np.float32) >= self.p
        return *self.attend(inputs, factors(stays, self.p, inputs[0].dtype)), packed(stays)

    def gradient(self, F, out_grads, inputs, outputs):
        grads = F._attention_dropout_grad(out_grads[0], *outputs, *inputs, **self.attributes)
        return [*([grads] if len(self.projections) == 1 else grads), *[None for _ in self.masks]]


@register("out_grad", "result", "norms", "kept", "query", "key", "value", "mask")
class _attention_dropout_grad(AttentionGradOp):
    """out_grad, result like the output of `_attention_dropout` | norms, kept: its hidden outputs | its inputs"""

    p: float = 0.5

    def list_arguments(self):
        out_grad, result, norms, *rest = super().list_arguments()
        return out_grad, result, norms, "kept", *rest

    def infer_dtype(self, *dtypes):
        inputs, outputs = super().infer_dtype(*dtypes[:3], dtypes[0], *dtypes[4:])
        return [*inputs[:3], np.dtype("uint8"), *inputs[4:]], outputs

    def infer_shape(self, out_grad, result, norms, kept, *shapes):
        require_probability(self)
        (out_grad, result, norms, *shapes), grads = super().infer_shape(out_grad, result, norms, *shapes)
        if norms is not None and None not in shapes:
            keys = self.checked(shapes[:self.num_outputs])[1][2]
            kept = self.require("kept", kept, (*norms[1:], bytes_of(keys)))
        return [out_grad, result, norms, kept, *shapes], grads

    def forward(self, out_grad, result, norms, kept, *inputs):
        keys = self.checked([x.shape for x in inputs[:self.num_outputs]])[1][2]
        stays = np.unpackbits(kept, axis=-1, count=keys, bitorder="little")
        return self.go_back(out_grad, result, norms, inputs, factors(stays, self.p, out_grad.dtype))
