"""Recognition of attention among a program's operators, from the last product back to the first."""

import math
from dataclasses import dataclass, field
from typing import Any

__all__ = ["AttentionMatch", "Factor", "read"]

VIEWS = {"Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like", "identity"}
MIXTURES = {"_contrib_interleaved_matmul_selfatt_valatt", "_contrib_interleaved_matmul_encdec_valatt"}
SCALES = {"_mul_scalar", "_div_scalar", "_contrib_div_sqrt_dim"}
SCORES = {"_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_encdec_qk"}
MAX_DEPTH = 8       # the maximum number of operators between the application of a mask and the product of query and key


@dataclass
class Factor:
    """Query, key or value as a product reads it: an output in the graph, and which part of it if heads are interleaved.

    turned: whether rows are columns here.
    """

    pair: Any
    turned: bool = False
    heads: int = 1
    parts: int = 1
    which: int = 0


@dataclass
class AttentionMatch:
    """Attention that ends in the product `node`.

    scores: the output of the first product. mask: an output, or None. level: the shape of the masked array. weighed:
    the output by which weights are multiplied, or None. dropout: the node that drops weights, or None. masking, fill,
    scale: attributes of `_attention`.
    """

    node: Any
    value: Factor
    query: Factor | None = None
    key: Factor | None = None
    scores: Any = None
    scale: float = 1.0
    masking: str = "none"
    fill: float = 0.0
    mask: Any = None
    level: tuple = ()
    weighed: Any = None
    dropout: Any = None
    operators: list = field(default_factory=list)


def read(walk, node):
    """Returns the AttentionMatch that ends in a node, or None."""
    op = node.op
    if op.name == "batch_dot" and not op.transpose_a:
        weights, value = node.inputs
        match = AttentionMatch(node, Factor(value, op.transpose_b))
    elif op.name in MIXTURES:
        value, weights = node.inputs
        match = AttentionMatch(node, Factor(value, False, op.heads, op.parts[0], op.value))
    else:
        return None
    match.operators.append(op.name)
    scores = _to_softmax(walk, match, weights)
    if scores is None or not _to_product(walk, match, scores):
        return None
    is_interleaved = match.query.parts > 1 or match.key.parts > 1
    fits = is_interleaved == (op.name in MIXTURES) and (match.weighed is None or match.masking == "where"
                                                        and match.weighed == match.mask)
    if is_interleaved and match.key.pair != match.value.pair:
        return None
    return match if fits and math.isfinite(match.scale) else None


def _to_softmax(walk, match, pair):
    """Returns the input of softmax, found from the weights, or None."""
    while (node := walk.inner(pair)) is not None:
        name = node.op.name
        match.operators.append(name)
        if name == "softmax":
            return _softmax(walk, match, node)
        if name in ("broadcast_mul", "elemwise_mul") and match.weighed is None:
            pair, match.weighed = _main_operand(walk, node, "softmax")
            if pair is None:
                return None
        elif name == "Dropout" and match.dropout is None:
            pair, match.dropout = node.inputs[0], node
        elif _keeps_rows(walk, node):
            pair = node.inputs[0]
        else:
            return None
    return None


def _softmax(walk, match, node):
    op, pair = node.op, node.inputs[0]
    if op.axis not in (-1, len(walk.shape(pair)) - 1) or op.dtype is not None or op.temperature not in (None, 1):
        return None
    if op.use_length:
        match.masking, match.mask, match.level = "length", node.inputs[1], (*walk.shape(pair)[:-1], 1)
    return pair


def _to_product(walk, match, pair):
    """Continues from softmax to the product of query and key; returns whether there is such a product."""
    while (node := walk.inner(pair)) is not None:
        name = node.op.name
        match.operators.append(name)
        if name in SCORES or name == "batch_dot":
            match.scores = pair
            return _product(walk, match, node)
        if name in SCALES:
            match.scale *= _scale(walk, node)
            pair = node.inputs[0]
        elif _keeps_rows(walk, node):
            pair = node.inputs[0]
        elif match.masking != "none" or match.scale != 1 or (pair := _mask(walk, match, node)) is None:
            return False                # a second mask, or a mask that is scaled with the scores
    return False


def _mask(walk, match, node):
    """Reads the scores' mask; returns the output to which the mask applies, or None."""
    name, full = node.op.name, walk.shape((node, 0))
    if name in ("broadcast_add", "elemwise_add"):
        scores, mask = _main_operand(walk, node, "batch_dot", *SCORES)
        match.masking, match.mask, match.level = "add", mask, full
        return scores
    if name == "where":
        mask, scores, other = node.inputs
        fill = _constant(other[0])
        if fill is None or walk.shape(mask) != full:
            return None
        match.masking, match.mask, match.level, match.fill = "where", mask, full, fill
        return scores
    if name == "SequenceMask" and node.op.use_sequence_length and node.op.axis == 1 and len(full) == 2:
        match.masking, match.mask, match.level, match.fill = "until", node.inputs[1], (full[0], 1), node.op.value
        return node.inputs[0]
    return None


def _product(walk, match, node):
    op = node.op
    if op.name in SCORES:
        (query, which_query), (key, which_key) = op.query, op.key
        match.query = Factor(node.inputs[query], False, op.heads, op.parts[query], which_query)
        match.key = Factor(node.inputs[key], False, op.heads, op.parts[key], which_key)
        match.scale *= (walk.shape(match.query.pair)[2] // (op.heads * op.parts[query])) ** -0.5
        return True
    if op.transpose_a:
        return False
    query, key = node.inputs
    while (inner := walk.inner(query)) is not None and inner.op.name in SCALES:
        match.operators.append(inner.op.name)
        match.scale *= _scale(walk, inner)
        query = inner.inputs[0]
    match.query, match.key = Factor(query), Factor(key, not op.transpose_b)
    return True


def _scale(walk, node):
    """Returns the factor of an operator in SCALES."""
    if node.op.name == "_contrib_div_sqrt_dim":
        return walk.shape(node.inputs[0])[-1] ** -0.5
    scalar = node.op.scalar
    return scalar if node.op.name == "_mul_scalar" else 1 / scalar if scalar else math.inf


def _main_operand(walk, node, *names):
    """Returns (the operand that leads to an operator of these names, the other one); (None, None) if neither does."""
    full = walk.shape((node, 0))
    for pair, other in (node.inputs, node.inputs[::-1]):
        if walk.shape(pair) == full and _leads_to(walk, pair, names):
            return pair, other
    return None, None


def _leads_to(walk, pair, names):
    """Returns whether going back through operators with one main input leads to an operator with one of these names."""
    for _ in range(MAX_DEPTH):
        node = walk.inner(pair)
        if node is None or node.op.name in names:
            return node is not None
        pair = node.inputs[1 if node.op.name == "where" else 0]
    return False


def _keeps_rows(walk, node):
    """Returns whether the node is a view that preserves the last axis."""
    return node.op.name in VIEWS and walk.shape(node.inputs[0])[-1:] == walk.shape((node, 0))[-1:]


def _constant(node):
    """Returns the value shared by all elements of a node's result, or None."""
    if node.op is None:
        return None
    if node.op.name in ("_zeros", "_ones", "zeros_like", "ones_like"):
        return 0.0 if "zeros" in node.op.name else 1.0
    if node.op.name == "_full":
        return float(node.op.value)
    if not node.inputs or node.op.name not in ("_mul_scalar", "_plus_scalar", *VIEWS):
        return None
    inner = _constant(node.inputs[0][0])
    if inner is None or node.op.name in VIEWS:
        return inner
    return inner * node.op.scalar if node.op.name == "_mul_scalar" else inner + node.op.scalar
