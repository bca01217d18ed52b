"""Products for multi-head attention on interleaved projections: (length, batch, heads · parts · head_dim).

Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin 2017, Attention is all you need, arXiv:1706.03762.
The parts of each head are its query, key and value (3), its key and value (2), or only its query (1). The operators are
composed of operators from F, which gives gradients of any order.
"""

import math

import numpy as np

from ..op import Op
from ..registry import register

__all__ = []


def part_of(x, heads, parts, which):
    """Extracts one part of each head, (batch · heads, length, d), from a NumPy array (length, batch, heads · parts ·
    d).
    """
    length, batch, width = x.shape
    size = width // (heads * parts)
    split = x.reshape(length, batch, heads, parts, size)
    return np.ascontiguousarray(split[:, :, :, which].transpose(1, 2, 0, 3)).reshape(batch * heads, length, size)


def take_part(F, x, heads, parts, which):
    """Computes the same part with operators from F."""
    split = F.reshape(x, shape=(0, 0, -4, heads, -1))
    split = F.reshape(split, shape=(0, 0, 0, -4, parts, -1))
    split = F.slice_axis(split, axis=3, begin=which, end=which + 1)
    return F.reshape(F.transpose(split, axes=(1, 2, 0, 3, 4)), shape=(-3, 0, -3))


def interleave(F, heads, parts):
    """Inverts `take_part`: joins a list of arrays (batch · heads, length, d), where None stands for zeros."""
    some = next(part for part in parts if part is not None)
    full = [F.zeros_like(some) if part is None else part for part in parts]
    split = [F.expand_dims(F.transpose(F.reshape(part, shape=(-4, -1, heads, 0, 0)), axes=(2, 0, 1, 3)), axis=3)
             for part in full]
    joined = F.concat(*split, dim=3) if len(split) > 1 else split[0]
    return F.reshape(F.reshape(joined, shape=(0, 0, 0, -3)), shape=(0, 0, -3))


class InterleavedAttention(Op):
    """Shape rules and the two products. `query`, `key` and `value` are (index of the input, part), set by each
    operator.

    heads: the number of heads along the last axis.
    """

    keeps = ("inputs",)
    parts = ()                  # the number of parts per head in each input with projections

    def check_projections(self, name, shape, parts):
        """Checks (length, batch, heads · parts · d)."""
        self.require_rank(name, shape, 3)
        if self.heads < 1 or shape is not None and shape[2] is not None and shape[2] % (self.heads * parts):
            raise self.shape_clash(f"{name} has shape {shape}, expected a last axis of heads · {parts} · head_dim, "
                                   f"with heads={self.heads}", name)

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.arguments, dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    def pairs(self, batch):
        """Returns batch · heads, or None if the batch size is unknown."""
        return None if batch is None else batch * self.heads


class AttentionScores(InterleavedAttention):
    """query · keyᵀ / √head_dim for each head."""

    def forward(self, *inputs):
        query, key = (part_of(inputs[i], self.heads, self.parts[i], which) for i, which in (self.query, self.key))
        return np.matmul(query / query.dtype.type(math.sqrt(query.shape[-1])), key.transpose(0, 2, 1))

    def composed(self, F, *inputs):
        """Computes the same result with operators from F."""
        query, key = (take_part(F, inputs[i], self.heads, self.parts[i], which) for i, which in (self.query, self.key))
        return F.batch_dot(F._contrib_div_sqrt_dim(query), key, transpose_b=True)

    def gradient(self, F, out_grads, inputs, outputs):
        query, key = (take_part(F, inputs[i], self.heads, self.parts[i], which) for i, which in (self.query, self.key))
        by = [[None] * count for count in self.parts]
        by[self.query[0]][self.query[1]] = F._contrib_div_sqrt_dim(F.batch_dot(out_grads[0], key))
        by[self.key[0]][self.key[1]] = F._contrib_div_sqrt_dim(F.batch_dot(out_grads[0], query, transpose_a=True))
        return [interleave(F, self.heads, parts) for parts in by]


class WeightedSum(InterleavedAttention):
    """attention · value for each head, with the heads side by side: (length, batch, heads · head_dim)."""

    def infer_shape(self, projections, attention):
        name, parts = self.arguments[0], self.parts[0]
        self.check_projections(name, projections, parts)
        length, batch, width = (None,) * 3 if projections is None else projections
        attention = self.require("attention", attention, (self.pairs(batch), None, length))
        width = None if width is None else width // parts
        return [projections, attention], [(attention[1], batch, width)]

    def forward(self, projections, attention):
        value = part_of(projections, self.heads, self.parts[0], self.value)
        mixed = np.matmul(attention, value)
        split = mixed.reshape(-1 if mixed.size else projections.shape[1], self.heads, *mixed.shape[1:])
        return np.ascontiguousarray(split.transpose(2, 0, 1, 3)).reshape(
            attention.shape[1], projections.shape[1], projections.shape[2] // self.parts[0])

    def composed(self, F, projections, attention):
        """Computes the same result with operators from F."""
        value = take_part(F, projections, self.heads, self.parts[0], self.value)
        return interleave(F, self.heads, [F.batch_dot(attention, value)])

    def gradient(self, F, out_grads, inputs, outputs):
        projections, attention = inputs
        value = take_part(F, projections, self.heads, self.parts[0], self.value)
        grad = take_part(F, out_grads[0], self.heads, 1, 0)
        by = [None] * self.parts[0]
        by[self.value] = F.batch_dot(attention, grad, transpose_a=True)
        return [interleave(F, self.heads, by), F.batch_dot(grad, value, transpose_b=True)]


@register("queries_keys_values")
class _contrib_interleaved_matmul_selfatt_qk(AttentionScores):
    """Scores of self-attention: query · keyᵀ / √head_dim for each head.

    queries_keys_values (length, batch, heads · 3 · head_dim) | out (batch · heads, length, length)

    Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

    >>> x = nd.array([[[1, 10, 0]], [[2, 20, 0]]])              # one head of size 1: query, key, value
    >>> print(nd.contrib.interleaved_matmul_selfatt_qk(x, heads=1).asnumpy())
    [[[10. 20.]
      [20. 40.]]]
    """

    heads: int
    parts, query, key = (3,), (0, 0), (0, 1)

    def infer_shape(self, projections):
        self.check_projections("queries_keys_values", projections, 3)
        length, batch = (None, None) if projections is None else projections[:2]
        return [projections], [(self.pairs(batch), length, length)]


@register("queries_keys_values", "attention")
class _contrib_interleaved_matmul_selfatt_valatt(WeightedSum):
    """The weighted values of self-attention: attention · value for each head.

    queries_keys_values (length, batch, heads · 3 · head_dim) | attention (batch · heads, length, length) |
    out (length, batch, heads · head_dim)

    Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

    >>> x = nd.array([[[0, 0, 4]], [[0, 0, 8]]])                # one head of size 1: query, key, value
    >>> weights = nd.array([[[0.5, 0.5], [0, 1]]])
    >>> print(nd.contrib.interleaved_matmul_selfatt_valatt(x, weights, heads=1).asnumpy().ravel())
    [6. 8.]
    """

    heads: int
    parts, value = (3,), 2


@register("queries", "keys_values")
class _contrib_interleaved_matmul_encdec_qk(AttentionScores):
    """Scores of attention to another sequence: query · keyᵀ / √head_dim for each head.

    queries (length, batch, heads · head_dim) | keys_values (other length, batch, heads · 2 · head_dim) |
    out (batch · heads, length, other length)

    Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

    >>> queries, others = nd.array([[[3]]]), nd.array([[[1, 0]], [[2, 0]]])
    >>> print(nd.contrib.interleaved_matmul_encdec_qk(queries, others, heads=1).asnumpy())
    [[[3. 6.]]]
    """

    heads: int
    parts, query, key = (1, 2), (0, 0), (1, 0)

    def infer_shape(self, queries, keys_values):
        self.check_projections("queries", queries, 1)
        self.check_projections("keys_values", keys_values, 2)
        length, batch, width = (None,) * 3 if queries is None else queries
        keys_values = self.require("keys_values", keys_values, (None, batch, None if width is None else 2 * width))
        return [queries, keys_values], [(self.pairs(keys_values[1]), length, keys_values[0])]


@register("keys_values", "attention")
class _contrib_interleaved_matmul_encdec_valatt(WeightedSum):
    """The weighted values of another sequence: attention · value for each head.

    keys_values (other length, batch, heads · 2 · head_dim) | attention (batch · heads, length, other length) |
    out (length, batch, heads · head_dim)

    Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

    >>> others, weights = nd.array([[[0, 4]], [[0, 8]]]), nd.array([[[0.5, 0.5]]])
    >>> print(nd.contrib.interleaved_matmul_encdec_valatt(others, weights, heads=1).asnumpy())
    [[[6.]]]
    """

    heads: int
    parts, value = (2,), 1
