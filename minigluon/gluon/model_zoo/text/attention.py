"""Multi-head attention built from operators: two matrix products with a softmax between them."""

from __future__ import annotations

from typing import Any

__all__ = ["attend", "causal_mask", "join_heads", "split_heads"]

FORBIDDEN = -1e9        # added to a score to make its exponential 0


def split_heads(F: Any, x: Any, heads: int) -> Any:
    """Reshape (batch, length, units) to (batch, heads, length, units / heads)."""
    return F.transpose(F.reshape(x, shape=(0, 0, -4, heads, -1)), axes=(0, 2, 1, 3))


def join_heads(F: Any, x: Any) -> Any:
    """Reshape (batch, heads, length, units / heads) to (batch, length, units)."""
    return F.reshape(F.transpose(x, axes=(0, 2, 1, 3)), shape=(0, 0, -3))


def causal_mask(F: Any, queries_at: Any, keys_at: Any) -> Any:
    """Return the term to add to scores, (1, queries, keys): 0 unless the key comes after the query.

    queries_at, keys_at: their positions.
    """
    visible = F.broadcast_lesser_equal(F.reshape(keys_at, shape=(1, 1, -1)), F.reshape(queries_at, shape=(1, -1, 1)))
    return (1 - visible) * FORBIDDEN


def attend(F: Any, query: Any, key: Any, value: Any, mask: Any, dropout: Any) -> Any:
    """Return softmax(query · keyᵀ / √d + mask) · value; all (batch, heads, length, d).

    mask: (1 or batch · heads, queries, keys) to be added, or None.
    dropout: the block applied to the weights.
    """
    heads_first = [F.reshape(x, shape=(-3, 0, 0)) for x in (query, key, value)]
    scores = F.batch_dot(F.contrib.div_sqrt_dim(heads_first[0]), heads_first[1], transpose_b=True)
    if mask is not None:
        scores = F.broadcast_add(scores, mask)
    context = F.batch_dot(dropout(F.softmax(scores, axis=-1)), heads_first[2])
    return F.reshape_like(context, query)
