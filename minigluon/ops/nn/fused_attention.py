"""Attention as one operator: softmax(scale · query · keyᵀ, masked) · value for each head, and its gradient.

A pass substitutes it for a program's own composition of operators. `forward` computes all scores at once; a kernel may
compute them block by block. The kernel then keeps each row's largest score and running sum, and rescales the sum when a
larger score appears, so the scores are never stored. The gradient recomputes the weights from these two numbers per
row.

Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762. Milakov, Gimelshein 2018, Online normalizer
calculation for softmax, arXiv:1805.02867. Dao, Fu, Ermon, Rudra, Ré 2022, FlashAttention, arXiv:2205.14135.
"""

from typing import Literal

import numpy as np

from ...base import OpAttributeError
from ..op import Op
from ..registry import register

__all__ = ["AttentionGradOp", "AttentionOp"]

Layout = Literal["PTC", "NTC", "TNC"]

# How query, key and value are joined -> (names of the inputs; for each of the three: index of the input, number of
# parts per head in it, index of the part)
ROLES = {
    "apart": (("query", "key", "value"), ((0, 1, 0), (1, 1, 0), (2, 1, 0))),
    "keys_values": (("queries", "keys_values"), ((0, 1, 0), (1, 2, 0), (1, 2, 1))),
    "all": (("queries_keys_values",), ((0, 3, 0), (0, 3, 1), (0, 3, 2))),
}


class AttentionOp(Op):
    """Base class of the operator and its gradient: the layout of query, key and value, and the masking of scores.

    heads: the number of heads per item in the batch.
    joined: which of query, key and value are parts of the same input.
    query_layout, key_layout, value_layout, out_layout: the layout of each: NTC (batch, length, heads · parts · size),
    TNC (length, batch, heads · parts · size), PTC (batch · heads, length, size). Parts of the same input share a
    layout.
    scale: the factor of the scores, applied first.
    masking: how the mask is used. add: it is added to the scores. where: scores become fill where it is 0. length:
    weights are 0 after this many keys. until: scores become fill after this many keys.
    fill: see masking.
    weighs: if True with where, also multiply the weights by the mask.
    """

    heads: int = 1
    joined: Literal["apart", "keys_values", "all"] = "apart"
    query_layout: Layout = "PTC"
    key_layout: Layout = "PTC"
    value_layout: Layout = "PTC"
    out_layout: Layout = "PTC"
    scale: float = 1.0
    masking: Literal["none", "add", "where", "length", "until"] = "none"
    fill: float = 0.0
    weighs: bool = False

    @classmethod
    def complete(cls, attributes):
        values = super().complete(attributes)
        if values["weighs"] and values["masking"] != "where":
            raise OpAttributeError(f"{cls.name}: weighs is only for masking='where', found masking="
                                   f"{values['masking']!r}.")
        return values

    @property
    def projections(self):
        """Returns the names of the inputs that contain query, key and value."""
        return ROLES[self.joined][0]

    @property
    def masks(self):
        return () if self.masking == "none" else ("mask",)

    def roles(self):
        """Returns (index of the input, layout, number of parts, index of the part) for query, key and value."""
        layouts = self.query_layout, self.key_layout, self.value_layout
        return [(number, layout, parts, which)
                for layout, (number, parts, which) in zip(layouts, ROLES[self.joined][1], strict=True)]

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.list_arguments(), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    def sizes(self, name, shape, layout, parts):
        """Returns (batch, heads, length, size of a part) for an input of that shape. Raises ShapeError."""
        self.require_rank(name, shape, 3)
        along, heads = (0 if layout == "PTC" else 2), self.heads
        divisor = heads if layout == "PTC" else heads * parts
        if heads < 1 or shape[along] % divisor:
            raise self.shape_clash(f"{name} has shape {shape}, expected axis {along} to be a multiple of {divisor}: "
                                   f"{heads} heads of {parts} parts", name)
        if layout == "PTC":
            return shape[0] // heads, heads, *shape[1:]
        batch, length = shape[:2] if layout == "NTC" else shape[1::-1]
        return batch, heads, length, shape[2] // divisor

    def checked(self, projections, mask=None):
        """Returns the sizes of query, key and value. Raises ShapeError if they do not match each other or the mask."""
        names = self.projections
        query, key, value = (self.sizes(names[number], projections[number], layout, parts)
                             for number, layout, parts, _ in self.roles())
        fits = key[:2] == query[:2] == value[:2] and key[3] == query[3] and key[2] == value[2]
        if not fits:
            raise self.shape_clash(f"{', '.join(names)} have shapes {', '.join(map(str, projections))}: query, key and "
                                   f"value are (batch, heads, length, size) {query}, {key}, {value}", names[-1])
        if mask is not None:
            full = (*query[:3], 1 if self.masking in ("length", "until") else key[2])
            if len(mask) != 4 or any(m not in (1, n) for m, n in zip(mask, full, strict=True)):
                raise self.shape_clash(f"mask has shape {mask}, expected {full} or 1 in place of any of it", "mask")
        return query, key, value

    def shape_out(self, query, value):
        """Returns the result's shape."""
        (batch, heads, length, _), size = query, value[3]
        return {"PTC": (batch * heads, length, size), "NTC": (batch, length, heads * size),
                "TNC": (length, batch, heads * size)}[self.out_layout]

    def view(self, array, layout, parts=1, which=0):
        """Returns a part of an array as a view (batch, heads, length, size)."""
        batch, heads, length, size = self.sizes("", array.shape, layout, parts)
        if layout == "PTC":
            return array.reshape(batch, heads, length, size)
        split = array.reshape(*array.shape[:2], heads, parts, size)[:, :, :, which]
        return split.transpose(0, 2, 1, 3) if layout == "NTC" else split.transpose(1, 2, 0, 3)

    def parts_of(self, projections):
        """Returns query, key and value, each of shape (batch, heads, length, size)."""
        return [self.view(projections[number], *where) for number, *where in self.roles()]

    def keep_mask(self, mask, keys):
        """Returns a mask of the scores that are not replaced; None if none are replaced."""
        if self.masking == "where":
            return mask != 0
        return np.arange(keys) < mask if self.masking in ("length", "until") else None

    def scores(self, query, key, mask):
        """Returns the input of softmax, (batch, heads, length, keys)."""
        scores = query @ key.swapaxes(-1, -2) * query.dtype.type(self.scale)
        if self.masking == "add":
            return scores + mask
        keep = self.keep_mask(mask, key.shape[2])
        fill = -np.inf if self.masking == "length" else self.fill
        return scores if keep is None else np.where(keep, scores, scores.dtype.type(fill))

    def weights(self, scores, norms):
        """Returns the softmax of the scores, computed from each row's maximum and the sum of its exponentials."""
        largest, sums = norms[..., None]
        if self.masking != "length":
            return np.exp(scores - largest) / sums
        empty = sums == 0           # if no key is valid, all weights are 0
        return np.exp(scores - np.where(empty, 0, largest)) / np.where(empty, 1, sums)

    def factor(self, mask, dropped):
        """Returns the factor of the weights before they are multiplied by value; None for 1. dropped: an array, or
        None.
        """
        if not self.weighs:
            return dropped
        return mask if dropped is None else mask * dropped


@register("query", "key", "value", "mask")
class _attention(AttentionOp):
    """softmax(scale · query · keyᵀ, masked) · value for each head. See `AttentionOp` for the layouts.

    query (batch, heads, length, size) | key (batch, heads, keys, size) | value (batch, heads, keys, value size) |
    mask (batch, heads, length, keys), or for lengths (batch, heads, length, 1); each length may be 1 |
    out (batch, heads, length, value size) | hidden: norms (2, batch, heads, length): the maximum of each row of scores,
    and the sum of the exponentials relative to it

    >>> x = nd.array([[[0], [0]]]), nd.array([[[1], [2]]]), nd.array([[[4], [8]]])
    >>> print(nd._internal._attention(*x).asnumpy().ravel())
    [6. 6.]
    """

    num_outputs = 2
    output_names = ("output",)

    def list_arguments(self):
        return (*self.projections, *self.masks)

    def infer_shape(self, *shapes):
        if any(shape is None or None in shape for shape in shapes):
            return list(shapes), [None, None]
        count = len(self.projections)
        query, _, value = self.checked(shapes[:count], *shapes[count:])
        return list(shapes), [self.shape_out(query, value), (2, *query[:3])]

    def forward(self, *inputs):
        return self.attend(inputs)

    def attend(self, inputs, dropped=None):
        """Returns (out, norms). dropped: the factor of each weight, or None."""
        count = len(self.projections)
        query, key, value = self.parts_of(inputs[:count])
        mask = inputs[count] if self.masks else None
        scores = self.scores(query, key, mask)
        largest = np.fmax.reduce(scores, axis=-1, initial=-np.inf)      # the sum propagates NaN
        sums = np.exp(scores - np.where(largest == -np.inf, 0, largest)[..., None]).sum(axis=-1)
        norms = np.stack([largest, sums])
        weights, factor = self.weights(scores, norms), self.factor(mask, dropped)
        out = np.empty(self.shape_out(query.shape, value.shape), query.dtype)
        np.matmul(weights if factor is None else weights * factor, value, out=self.view(out, self.out_layout))
        return out, norms

    def gradient(self, F, out_grads, inputs, outputs):
        grads = F._attention_grad(out_grads[0], *outputs, *inputs, **self.attributes)
        return [*([grads] if len(self.projections) == 1 else grads), *[None for _ in self.masks]]


class AttentionGradOp(AttentionOp):
    """The gradients of the inputs that contain query, key and value, computed from the gradient of the result."""

    gradient = None             # passes do not rewrite graphs of second-order gradients

    @property
    def num_outputs(self):
        return len(self.projections)

    def list_arguments(self):
        return ("out_grad", "result", "norms", *self.projections, *self.masks)

    def infer_shape(self, out_grad, result, norms, *shapes):
        projections, mask = shapes[:self.num_outputs], shapes[self.num_outputs:]
        if any(shape is None or None in shape for shape in shapes):
            return [out_grad, result, norms, *shapes], list(projections)
        query, _, value = self.checked(projections, *mask)
        result = self.require("result", result, self.require("out_grad", out_grad, self.shape_out(query, value)))
        norms = self.require("norms", norms, (2, *query[:3]))
        return [result, result, norms, *shapes], list(projections)

    def go_back(self, out_grad, result, norms, inputs, dropped=None):
        """Computes the gradients of the inputs. dropped: the factor of each weight, or None."""
        projections, mask = inputs[:self.num_outputs], inputs[-1] if self.masks else None
        query, key, value = self.parts_of(projections)
        grad, out = self.view(out_grad, self.out_layout), self.view(result, self.out_layout)
        weights, factor = self.weights(self.scores(query, key, mask), norms), self.factor(mask, dropped)
        to_weights = grad @ value.swapaxes(-1, -2)
        if factor is not None:
            to_weights *= factor
        to_scores = weights * (to_weights - (grad * out).sum(axis=-1, keepdims=True))
        keep = self.keep_mask(mask, key.shape[2])
        if keep is not None:
            to_scores = np.where(keep, to_scores, 0)
        to_scores = to_scores * query.dtype.type(self.scale)
        grads = tuple([np.empty_like(x) for x in projections])
        to_query, to_key, to_value = self.parts_of(grads)
        to_query[...] = to_scores @ key
        to_key[...] = to_scores.swapaxes(-1, -2) @ query
        to_value[...] = (weights if factor is None else weights * factor).swapaxes(-1, -2) @ grad
        return grads if len(grads) > 1 else grads[0]


@register("out_grad", "result", "norms", "query", "key", "value", "mask")
class _attention_grad(AttentionGradOp):
    """out_grad, result like the output of `_attention` | norms (2, batch, heads, length) | the inputs of `_attention`
    """

    def forward(self, out_grad, result, norms, *inputs):
        return self.go_back(out_grad, result, norms, inputs)
