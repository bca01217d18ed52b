"""Causal self-attention for a few new positions, with the keys and values of earlier positions in caches."""

import math

import numpy as np

from ..op import Op
from ..registry import register

__all__ = []


@register("data", "key_cache", "value_cache", "filled")
class _contrib_cached_attention(Op):
    """softmax(query · keyᵀ / √d) · value for each head, where a position attends to itself and to earlier positions.

    data (batch, length, 3 · heads · d) with queries, keys and values side by side | key_cache, value_cache (batch,
    heads, capacity, d) | filled (batch,), the number of cached positions for each item | out (batch, length, heads · d)

    Keys and values in data are appended to those in the caches; later elements of the caches are not read. The shapes
    stay the same, so a hybridized decoding step needs only one plan for all positions.
    filled is clipped to capacity - length. There is no gradient.

    heads: the number of heads in each part of data.

    >>> keys, values = nd.zeros((1, 1, 4, 1)), nd.zeros((1, 1, 4, 1))
    >>> nd.contrib.cached_attention(nd.array([[[0, 0, 2]]]), keys, values, nd.array([0]), heads=1).item()
    2.0
    >>> nd.contrib.cached_attention(nd.array([[[0, 0, 4]]]), keys, values, nd.array([1]), heads=1).item()
    3.0
    >>> values.asnumpy().ravel().tolist()
    [2.0, 4.0, 0.0, 0.0]
    """

    heads: int
    keeps = ()
    mutates = ("key_cache", "value_cache")
    gradient = None

    def infer_shape(self, data, key_cache, value_cache, filled):
        self.require_rank("data", data, 3)
        batch, length, width = (None, None, None) if data is None else data
        if self.heads < 1 or width is not None and width % (3 * self.heads):
            raise self.shape_clash(f"data has shape {data}, expected a last axis of 3 · heads · d, with "
                                   f"heads={self.heads}", "data")
        size = None if width is None else width // (3 * self.heads)
        cache = (batch, self.heads, None, size)
        for name, shape in (("key_cache", key_cache), ("value_cache", value_cache)):
            cache = self.require(name, shape, cache)
        if None not in (length, cache[2]) and length > cache[2]:
            raise self.shape_clash(f"the caches have shape {cache}, of {cache[2]} positions, and data has {length}",
                                   "key_cache")
        out = None if None in (batch, length, width) else (batch, length, width // 3)
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
        out = np.empty((*data.shape[:2], data.shape[2] // 3), data.dtype)
        caches = key_cache.copy(), value_cache.copy()
        self.attend(data, *caches, filled, out)
        return out, *caches

    def attend(self, data, key_cache, value_cache, filled, out):
        """Runs the operator: updates the caches in place and writes the result to `out`."""
        batch, length, width = data.shape
        size = width // (3 * self.heads)
        query, key, value = data.reshape(batch, length, 3, self.heads, size).transpose(2, 0, 3, 1, 4)
        out = out.reshape(batch, length, self.heads, size).transpose(0, 2, 1, 3)
        for row, count in enumerate(filled):
            first = min(max(int(count), 0), key_cache.shape[2] - length)
            key_cache[row, :, first:first + length] = key[row]
            value_cache[row, :, first:first + length] = value[row]
            out[row] = _look_back(query[row], key_cache[row, :, :first + length], value_cache[row, :, :first + length])


def _look_back(query, key, value):
    """Returns softmax(query · keyᵀ / √d) · value for (heads, length, d); the last query corresponds to the last key."""
    wide = np.promote_types(query.dtype, np.float32)
    query, key, value = (x.astype(wide, copy=False) for x in (query, key, value))
    scores = np.matmul(query, key.transpose(0, 2, 1))
    scores /= wide.type(math.sqrt(query.shape[-1]))
    length, count = scores.shape[1:]
    if length > 1:
        scores[:, ~np.tri(length, count, count - length, bool)] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return np.matmul(scores, value)
