"""Llama. Touvron et al., LLaMA: Open and Efficient Foundation Language Models, 2023.

Attributes have the same names as in the package transformers, so its files fit (see `load_transformers`).
"""

from __future__ import annotations

from typing import Any

from .... import initializer
from ....base import ArgumentError
from ... import nn
from ...hybrid_block import HybridBlock
from .attention import attend, join_heads, split_heads
from .causal_model import CausalModel

__all__ = ["LlamaDecoderLayer", "LlamaFFNLayer", "LlamaModel", "LlamaSelfAttentionLayer", "RMSNorm", "llama_1b",
           "llama_tiny"]

# Sizes: those of TinyLlama 1.1B, and small ones for tests.
_SIZES = {"llama_1b": {"units": 2048, "hidden_size": 5632, "num_layers": 22, "num_heads": 32, "num_kv_heads": 4,
                       "vocab_size": 32000, "max_length": 2048},
          "llama_tiny": {"units": 64, "hidden_size": 160, "num_layers": 2, "num_heads": 4, "num_kv_heads": 2,
                         "vocab_size": 100, "max_length": 64}}


class RMSNorm(HybridBlock):
    """x / √(mean of x² + epsilon) · weight, with the mean along the last axis.

    x (*lead, units) | weight (units,) | out like x

    units: length of the last axis.
    epsilon: a small number that keeps the root away from 0.

    Source: Zhang and Sennrich 2019, Root Mean Square Layer Normalization.

    >>> layer = gluon.model_zoo.text.RMSNorm(units=2)
    >>> layer.initialize()
    >>> layer(nd.array([[1, 7]])).asnumpy().round(3)
    array([[0.2, 1.4]], dtype=float32)
    """

    def __init__(self, units: int, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._epsilon = epsilon
        self.weight = self.params.get("weight", shape=(units,), init="ones")

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        """Return x normalized."""
        scale = F.rsqrt(F.mean(F.square(x), axis=-1, keepdims=True) + self._epsilon)
        return F.broadcast_mul(F.broadcast_mul(x, scale), weight)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.weight.shape[0]}, epsilon={self._epsilon})"


class LlamaSelfAttentionLayer(HybridBlock):
    """Causal self-attention with rotary positions, in which groups of heads share keys and values.

    data (batch, length, units) | rotation: see `rotary_positions` | mask (1, length, all positions), see `causal_mask`
    out (batch, length, units)

    states: None, or the keys and values of earlier positions, each of shape (batch, num_kv_heads, earlier, units /
    num_heads). Returns the output and [keys, values] of all positions.

    units: the number of features per position, a multiple of num_heads.
    num_heads: number of heads of queries, a multiple of num_kv_heads; units / num_heads must be even.
    num_kv_heads: number of heads of keys and values.

    Sources: Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding; Ainslie et al. 2023, GQA:
    Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints.

    >>> layer = gluon.model_zoo.text.LlamaSelfAttentionLayer(units=8, num_heads=4, num_kv_heads=2)
    >>> layer.initialize()
    >>> rotation = nd.ones((1, 3, 1, 1)), nd.zeros((1, 3, 1, 1))        # the cosine and sine of 0
    >>> out, (keys, values) = layer(nd.ones((1, 3, 8)), rotation, nd.zeros((1, 3, 3)))
    >>> out.shape, keys.shape
    ((1, 3, 8), (1, 2, 3, 2))
    """

    def __init__(self, units: int, num_heads: int, num_kv_heads: int, **kwargs: Any) -> None:
        if units % (2 * num_heads) or num_heads % num_kv_heads:
            raise ArgumentError(f"LlamaSelfAttentionLayer: units is {units}, num_heads {num_heads} and num_kv_heads "
                                f"{num_kv_heads}; expected units to be a multiple of 2 · num_heads, and num_heads of "
                                "num_kv_heads")
        super().__init__(**kwargs)
        self._num_heads, self._num_kv_heads, self._size = num_heads, num_kv_heads, units // num_heads
        with self.name_scope():
            self.q_proj = _dense(units, units, prefix="q_proj_")
            self.k_proj = _dense(num_kv_heads * self._size, units, prefix="k_proj_")
            self.v_proj = _dense(num_kv_heads * self._size, units, prefix="v_proj_")
            self.o_proj = _dense(units, units, prefix="o_proj_")

    def hybrid_forward(self, F: Any, data: Any, rotation: Any, mask: Any, states: Any = None) -> Any:
        """Return o_proj(softmax(query · keyᵀ / √(units / num_heads) + mask) · value), and keys and values."""
        projected, ends = self.project(F, data, rotation), [0]
        parts = []
        for heads in (self._num_heads, self._num_kv_heads, self._num_kv_heads):
            ends.append(ends[-1] + heads * self._size)
            parts.append(split_heads(F, F.slice_axis(projected, axis=2, begin=ends[-2], end=ends[-1]), heads))
        query, *states_now = parts
        if states is not None:
            states_now = [F.concat(old, new, dim=2) for old, new in zip(states, states_now, strict=True)]
        key, value = [F.repeat(x, repeats=self._num_heads // self._num_kv_heads, axis=1) for x in states_now]
        context = attend(F, query, key, value, mask, lambda weights: weights)
        return self.o_proj(join_heads(F, context)), states_now

    def project(self, F: Any, data: Any, rotation: Any) -> Any:
        """Return rotated queries, rotated keys, and values, side by side: (batch, length, units · (1 + 2 · num_kv_heads
        / num_heads)).

        F: `nd` or `sym`.
        data: (batch, length, units).
        rotation: see `rotary_positions`.

        >>> layer = gluon.model_zoo.text.LlamaSelfAttentionLayer(units=8, num_heads=4, num_kv_heads=2)
        >>> layer.initialize()
        >>> layer.project(nd, nd.ones((1, 1, 8)), (nd.ones((1, 1, 1, 1)), nd.zeros((1, 1, 1, 1)))).shape
        (1, 1, 16)
        """
        both = F.concat(self.q_proj(data), self.k_proj(data), dim=2)
        heads = F.reshape(both, shape=(0, 0, -4, self._num_heads + self._num_kv_heads, -1))
        return F.concat(F.reshape(rotate(F, heads, rotation), shape=(0, 0, -3)), self.v_proj(data), dim=2)

    def attend_in_place(self, F: Any, data: Any, rotation: Any, filled: Any, key_cache: Any, value_cache: Any) -> Any:
        """Return only the output; write keys and values to caches (see `contrib.cached_attention`).

        F: `nd` or `sym`.
        data: (batch, length, units).
        rotation: see `rotary_positions`.
        filled: the number of positions in the caches, (batch,).
        key_cache: keys of earlier positions, (batch, num_kv_heads, capacity, units / num_heads).
        value_cache: values of earlier positions, with the same shape.

        >>> layer = gluon.model_zoo.text.LlamaSelfAttentionLayer(units=8, num_heads=4, num_kv_heads=2)
        >>> layer.initialize()
        >>> layer.attend_in_place(nd, nd.ones((1, 1, 8)), (nd.ones((1, 1, 1, 1)), nd.zeros((1, 1, 1, 1))),
        ...                       nd.array([0]), nd.zeros((1, 2, 5, 2)), nd.zeros((1, 2, 5, 2))).shape
        (1, 1, 8)
        """
        return self.o_proj(F.contrib.cached_attention(self.project(F, data, rotation), key_cache, value_cache, filled,
                                                      heads=self._num_heads, kv_heads=self._num_kv_heads))


class LlamaFFNLayer(HybridBlock):
    """A gated pair of dense layers, applied to each position: down_proj(silu(gate_proj(data)) · up_proj(data)).

    data (batch, length, units) | out (batch, length, units)

    units: the number of features per position.
    hidden_size: the number of features between the layers.

    Source: Shazeer 2020, GLU Variants Improve Transformer (SwiGLU).

    >>> layers = gluon.model_zoo.text.LlamaFFNLayer(units=8, hidden_size=32)
    >>> layers.initialize()
    >>> layers(nd.ones((1, 3, 8))).shape
    (1, 3, 8)
    """

    def __init__(self, units: int, hidden_size: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.gate_proj = _dense(hidden_size, units, prefix="gate_proj_")
            self.up_proj = _dense(hidden_size, units, prefix="up_proj_")
            self.down_proj = _dense(units, hidden_size, prefix="down_proj_")

    def hybrid_forward(self, F: Any, data: Any) -> Any:
        """Return down_proj(silu(gate_proj(data)) · up_proj(data))."""
        gate = self.gate_proj(data)
        return self.down_proj(gate * F.sigmoid(gate) * self.up_proj(data))


class LlamaDecoderLayer(HybridBlock):
    """One layer: attention, then `LlamaFFNLayer`, each with normalization before it and a residual connection.

    data (batch, length, units) | rotation, mask, states: as in `LlamaSelfAttentionLayer` | out like data, and [keys,
    values]

    units, hidden_size, num_heads, num_kv_heads: as in `LlamaModel`.
    epsilon: as in `RMSNorm`.

    >>> layer = gluon.model_zoo.text.LlamaDecoderLayer(units=8, hidden_size=32, num_heads=4, num_kv_heads=2)
    >>> layer.initialize()
    >>> rotation = nd.ones((1, 3, 1, 1)), nd.zeros((1, 3, 1, 1))        # the cosine and sine of 0
    >>> out, (keys, values) = layer(nd.ones((1, 3, 8)), rotation, nd.zeros((1, 3, 3)))
    >>> out.shape, keys.shape
    ((1, 3, 8), (1, 2, 3, 2))
    """

    def __init__(self, units: int, hidden_size: int, num_heads: int, num_kv_heads: int, epsilon: float = 1e-5,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.input_layernorm = RMSNorm(units, epsilon, prefix="input_layernorm_")
            self.self_attn = LlamaSelfAttentionLayer(units, num_heads, num_kv_heads, prefix="self_attn_")
            self.post_attention_layernorm = RMSNorm(units, epsilon, prefix="post_attention_layernorm_")
            self.mlp = LlamaFFNLayer(units, hidden_size, prefix="mlp_")

    def hybrid_forward(self, F: Any, data: Any, rotation: Any, mask: Any, states: Any = None) -> Any:
        """Return the output, and keys and values."""
        context, states = self.self_attn(self.input_layernorm(data), rotation, mask, states)
        return self.feed_forward(data + context), states

    def feed_forward(self, data: Any) -> Any:
        """Return the part of the layer after attention: data + mlp(post_attention_layernorm(data)).

        data: (batch, length, units).

        >>> layer = gluon.model_zoo.text.LlamaDecoderLayer(units=8, hidden_size=32, num_heads=4, num_kv_heads=2)
        >>> layer.initialize()
        >>> layer.feed_forward(nd.ones((1, 3, 8))).shape
        (1, 3, 8)
        """
        return data + self.mlp(self.post_attention_layernorm(data))


class LlamaModel(CausalModel):
    """A language model that returns scores for the next token at each position, given the tokens up to that position.

    data (batch, length) token ids | out: scores (batch, length, vocab_size), before any softmax, and states

    states, the second argument, is None or the result of a call for earlier tokens: for each layer, keys and values
    (batch, num_kv_heads, positions, units / num_heads). To decode many tokens one by one, see `LlamaDecoder`.

    units: the number of features per position.
    hidden_size: the number of features inside `LlamaFFNLayer`.
    vocab_size: number of tokens.
    max_length: maximum number of positions.
    num_layers: the number of layers.
    num_heads, num_kv_heads: the number of heads of queries, and of keys and values, in each layer.
    epsilon: as in `RMSNorm`.
    theta: the base of the wavelengths of `rotary_positions`.
    tie_weights: if True, the scores are products with the embedding.

    Raises ShapeError for more than max_length positions.

    >>> net = gluon.model_zoo.text.LlamaModel(units=64, hidden_size=160, vocab_size=100, max_length=16, num_layers=2,
    ...                                       num_heads=4, num_kv_heads=2)
    >>> net.initialize()
    >>> scores, states = net(nd.array([[1, 2, 3]]))
    >>> scores.shape, len(states), states[0].shape
    ((1, 3, 100), 4, (1, 2, 3, 16))
    >>> longer, states = net(nd.array([[4]]), states)
    >>> whole, _ = net(nd.array([[1, 2, 3, 4]]))
    >>> bool(nd.abs(longer[0, 0] - whole[0, 3]).max().asscalar() < 1e-5)
    True
    """

    def __init__(self, units: int, hidden_size: int, vocab_size: int, max_length: int, num_layers: int, num_heads: int,
                 num_kv_heads: int, epsilon: float = 1e-5, theta: float = 10000.0, tie_weights: bool = False,
                 **kwargs: Any) -> None:
        super().__init__(max_length, num_layers, num_kv_heads, units // num_heads, **kwargs)
        self._theta = theta
        with self.name_scope():
            self.embed_tokens = nn.Embedding(vocab_size, units, weight_initializer=initializer.Normal(0.02),
                                             prefix="embed_tokens_")
            self.layers = nn.HybridSequential(prefix="layers_")
            for i in range(num_layers):
                self.layers.add(LlamaDecoderLayer(units, hidden_size, num_heads, num_kv_heads, epsilon,
                                                  prefix=f"layer{i}_"))
            self.norm = RMSNorm(units, epsilon, prefix="norm_")
            shared = {"params": self.embed_tokens.params} if tie_weights else {"prefix": "lm_head_"}
            self.lm_head = _dense(vocab_size, units, **shared)

    def encode(self, F: Any, data: Any, place: Any, attend_to: Any) -> Any:
        """Return the features from which the scores are computed: (batch, length, units).

        F: `nd` or `sym`.
        data: the tokens (batch, length).
        place: their positions, (1, length) or (batch, length).
        attend_to: a function; attend_to(i, layer, x, rotation) returns the output of attention layer i for x.

        >>> net = gluon.model_zoo.text.llama_tiny()
        >>> net.initialize()
        >>> net.encode(nd, nd.array([[1, 2]]), nd.array([[0, 1]]), lambda i, layer, x, rotation: x).shape
        (1, 2, 64)
        """
        rotation = [F.cast(x, dtype=self.dtype) for x in rotary_positions(F, place, self._size, self._theta)]
        out = self.embed_tokens(data)
        for i, layer in enumerate(self.layers):
            out = layer.feed_forward(out + attend_to(i, layer.self_attn, layer.input_layernorm(out), rotation))
        return self.norm(out)

    def score(self, encoded: Any) -> Any:
        """Return the scores of all tokens for a result of `encode`.

        encoded: (batch, length, units).

        >>> net = gluon.model_zoo.text.llama_tiny()
        >>> net.initialize()
        >>> net.score(nd.ones((1, 2, 64))).shape
        (1, 2, 100)
        """
        return self.lm_head(encoded)

    @property
    def _embedding(self) -> nn.Embedding:
        """The first layer, which returns the features of tokens."""
        return self.embed_tokens


def rotary_positions(F: Any, place: Any, size: int, theta: float) -> list[Any]:
    """Return the cosine and the sine of position · theta ** (-2i / size) for i = 0, ..., size / 2 - 1: the angles by
    which `rotate` turns pairs of features. Each is (batch or 1, length, 1, size / 2) in float32.

    place: positions, (batch or 1, length).
    size: the number of features of a head.
    theta: the base of the wavelengths.
    """
    frequencies = F.reshape(1 / theta ** (F.arange(0, size, 2) / size), shape=(1, 1, 1, -1))
    angles = F.broadcast_mul(F.reshape(F.cast(place, dtype="float32"), shape=(0, 0, 1, 1)), frequencies)
    return [F.cos(angles), F.sin(angles)]


def rotate(F: Any, x: Any, rotation: Any) -> Any:
    """Return x (batch, length, heads, size) with each pair (x[i], x[i + size / 2]) turned by the angle of its position.

    The product of a query and a key then depends on their positions only through the distance between them.
    rotation: see `rotary_positions`.
    """
    (cos, sin), (a, b) = rotation, F.split(x, num_outputs=2, axis=3)
    first = F.broadcast_mul(a, cos) - F.broadcast_mul(b, sin)
    second = F.broadcast_mul(b, cos) + F.broadcast_mul(a, sin)
    return F.concat(first, second, dim=3)


def _dense(units, in_units, **kwargs):
    return nn.Dense(units, in_units=in_units, use_bias=False, flatten=False,
                    weight_initializer=initializer.Normal(0.02), **kwargs)


def llama_1b(**kwargs: Any) -> LlamaModel:
    """Return a net with the sizes of TinyLlama: 22 layers, 2048 units, 32 heads, 4 heads of keys and values, 1.1
    billion parameters.

    kwargs: arguments of `LlamaModel`, which replace these sizes.

    >>> net = gluon.model_zoo.text.llama_1b(num_layers=1, units=64, hidden_size=96, vocab_size=100)
    >>> net.initialize()
    >>> net(nd.array([[1, 2]]))[0].shape
    (1, 2, 100)
    """
    return LlamaModel(**{**_SIZES["llama_1b"], **kwargs})


def llama_tiny(**kwargs: Any) -> LlamaModel:
    """Return a very small net for tests: 2 layers, 64 units, 4 heads, 2 heads of keys and values, 100 tokens.

    kwargs: arguments of `LlamaModel`, which replace these sizes.

    >>> net = gluon.model_zoo.text.llama_tiny()
    >>> sum(p.shape[0] * p.shape[1] for p in net.collect_params(".*proj.*").values())
    86016
    """
    return LlamaModel(**{**_SIZES["llama_tiny"], **kwargs})
