"""Causal self-attention for a few new positions, with the keys and values of earlier positions in caches."""

import math

import numpy as np

from ..op import Op
from ..registry import register

__all__ = []


@register("data", "key_cache", "value_cache", "filled")
class _contrib_cached_attention(Op):
    """softmax(query · keyᵀ / √d) · value for each head, where a position attends to itself and to earlier positions.

    data (batch, length, (heads + 2 · kv_heads) · d) with queries, keys and values side by side | key_cache, value_cache
    (batch, kv_heads, capacity, d) | filled (batch,), the number of cached positions for each item
    out (batch, length, heads · d)

    Keys and values in data are appended to those in the caches; later elements of the caches are not read. The shapes
    stay the same, so a hybridized decoding step needs only one plan for all positions.
    filled is clipped to capacity - length. There is no gradient.

    heads: the number of heads of queries.
    kv_heads: the number of heads of keys and values, a divisor of heads: consecutive heads of queries share one
        (grouped-query attention). None means as many as heads.

    >>> keys, values = nd.zeros((1, 1, 4, 1)), nd.zeros((1, 1, 4, 1))
    >>> nd.contrib.cached_attention(nd.array([[[0, 0, 2]]]), keys, values, nd.array([0]), heads=1).item()
    2.0
    >>> nd.contrib.cached_attention(nd.array([[[0, 0, 4]]]), keys, values, nd.array([1]), heads=1).item()
    3.0
    >>> values.asnumpy().ravel().tolist()
    [2.0, 4.0, 0.0, 0.0]
    """

    heads: int
    kv_heads: int | None = None
    keeps = ()
    mutates = ("key_cache", "value_cache")
    gradient = None

    @property
    def shared_heads(self):
        """Returns the number of heads of keys and values."""
        return self.heads if self.kv_heads is None else self.kv_heads

    def infer_shape(self, data, key_cache, value_cache, filled):
        self.require_rank("data", data, 3)
        batch, length, width = (None, None, None) if data is None else data
        shared = self.shared_heads
        if min(self.heads, shared) < 1 or self.heads % shared:
            raise self.shape_clash(f"heads={self.heads} and kv_heads={shared}, expected heads to be a multiple of "
                                   "kv_heads, both at least 1")
        if width is not None and width % (self.heads + 2 * shared):
            raise self.shape_clash(f"data has shape {data}, expected a last axis of (heads + 2 · kv_heads) · d, with "
                                   f"heads={self.heads} and kv_heads={shared}", "data")
        size = None if width is None else width // (self.heads + 2 * shared)
        cache = (batch, shared, None, size)
        for name, shape in (("key_cache", key_cache), ("value_cache", value_cache)):
            cache = self.require(name, shape, cache)
        if None not in (length, cache[2]) and length > cache[2]:
            raise self.shape_clash(f"the caches have shape {cache}, of {cache[2]} positions, and data has {length}",
                                   "key_cache")
        out = None if None in (batch, length, size) else (batch, length, self.heads * size)
        return [data, cache, cache, self.require("filled", filled, (batch,))], [out]

    def infer_dtype(self, data, key_cache, value_cache, filled):
        dtype = next((candidate for candidate in (data, key_cache, value_cache) if candidate is not None), None)
        for name, actual in (("data", data), ("key_cache", key_cache), ("value_cache", value_cache)):
            if actual is not None:
                self.require_float(name, actual)
                if actual != dtype:
                    raise self.dtype_clash((data, key_cache, value_cache, filled))
        return [dtype] * 3 + [filled], [dtype]

    def forward(self, data, key_cache, value_cache, filled):
        out = np.empty((*data.shape[:2], self.heads * key_cache.shape[3]), data.dtype)
        caches = key_cache.copy(), value_cache.copy()
        self.attend(data, *caches, filled, out)
        return out, *caches

    def attend(self, data, key_cache, value_cache, filled, out):
        """Runs the operator: updates the caches in place and writes the result to `out`."""
        batch, length, _ = data.shape
        shared, size = self.shared_heads, key_cache.shape[3]
        query, key, value = np.split(data.reshape(batch, length, self.heads + 2 * shared, size).transpose(0, 2, 1, 3),
                                     [self.heads, self.heads + shared], axis=1)
        out = out.reshape(batch, length, shared, self.heads // shared, size).transpose(0, 2, 3, 1, 4)
        query = query.reshape(batch, shared, self.heads // shared, length, size)
        for row, count in enumerate(filled):
            first = min(max(int(count), 0), key_cache.shape[2] - length)
            key_cache[row, :, first:first + length] = key[row]
            value_cache[row, :, first:first + length] = value[row]
            seen = key_cache[row, :, None, :first + length], value_cache[row, :, None, :first + length]
            out[row] = _look_back(query[row], *seen)


def _look_back(query, key, value):
    """Returns softmax(query · keyᵀ / √d) · value for query (kv_heads, group, length, d), and key and value (kv_heads,
    1, positions, d); the last query corresponds to the last key."""
    wide = np.promote_types(query.dtype, np.float32)
    query, key, value = (x.astype(wide, copy=False) for x in (query, key, value))
    scores = np.matmul(query, key.swapaxes(-1, -2))
    scores /= wide.type(math.sqrt(query.shape[-1]))
    length, count = scores.shape[2:]
    if length > 1:
        scores[:, :, ~np.tri(length, count, count - length, bool)] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return np.matmul(scores, value)
