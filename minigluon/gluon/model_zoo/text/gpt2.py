"""GPT-2. Radford et al., Language Models are Unsupervised Multitask Learners, 2019.

Attributes and parameters have the same names as in GluonNLP's model and its files.
"""

from __future__ import annotations

import math
from typing import Any

from .... import initializer
from ....base import ArgumentError
from ....context import cpu
from ... import nn
from ...hybrid_block import HybridBlock
from ..vision.classifier import with_parameters
from .attention import attend, join_heads, split_heads
from .causal_model import CausalModel

__all__ = ["GPT2FFNLayer", "GPT2Model", "GPT2SelfAttentionLayer", "gpt2_117m", "gpt2_345m"]

# The published sizes.
_SIZES = {"gpt2_117m": {"units": 768, "num_layers": 12, "num_heads": 12},
          "gpt2_345m": {"units": 1024, "num_layers": 24, "num_heads": 16}}


class GPT2SelfAttentionLayer(HybridBlock):
    """Causal self-attention, in which each position attends to itself and earlier positions.

    data (batch, length, units) | mask (1, length, all positions), see `causal_mask` | out (batch, length, units)

    states: None, or the keys and values of earlier positions, each of shape (batch, num_heads, earlier, units /
    num_heads). Returns the output and [keys, values] of all positions.

    units: the number of features per position, a multiple of num_heads.
    num_heads: number of heads, each with its own part of the features.
    dropout: the fraction of attention weights dropped in training.

    >>> layer = gluon.model_zoo.text.GPT2SelfAttentionLayer(units=8, num_heads=2)
    >>> layer.initialize()
    >>> out, (keys, values) = layer(nd.ones((1, 3, 8)), nd.zeros((1, 3, 3)))
    >>> out.shape, keys.shape
    ((1, 3, 8), (1, 2, 3, 4))
    """

    def __init__(self, units: int, num_heads: int, dropout: float = 0.0, **kwargs: Any) -> None:
        if units % num_heads:
            raise ArgumentError(f"GPT2SelfAttentionLayer: units is {units}, expected a multiple of num_heads, which is "
                                f"{num_heads}")
        super().__init__(**kwargs)
        self._num_heads = num_heads
        with self.name_scope():
            self._multi_head_qkv_proj = _dense(3 * units, units, prefix="qkv_proj_")
            self._dropout_layer = nn.Dropout(dropout)
            self._out_proj = _dense(units, units, prefix="out_proj_")

    def hybrid_forward(self, F: Any, data: Any, mask: Any, states: Any = None) -> Any:
        """Return out_proj(softmax(query · keyᵀ / √(units / num_heads) + mask) · value), and keys and values."""
        projected = F.split(self._multi_head_qkv_proj(data), num_outputs=3, axis=2)
        query, key, value = [split_heads(F, x, self._num_heads) for x in projected]
        if states is not None:
            key, value = [F.concat(old, new, dim=2) for old, new in zip(states, (key, value), strict=True)]
        context = attend(F, query, key, value, mask, self._dropout_layer)
        return self._out_proj(join_heads(F, context)), [key, value]

    def attend_in_place(self, F: Any, data: Any, filled: Any, key_cache: Any, value_cache: Any) -> Any:
        """Return only the output; write keys and values to caches (see `contrib.cached_attention`).

        F: `nd` or `sym`.
        data: (batch, length, units).
        filled: the number of positions in the caches, (batch,).
        key_cache: keys of earlier positions, (batch, num_heads, capacity, units / num_heads).
        value_cache: values of earlier positions, with the same shape.

        >>> layer = gluon.model_zoo.text.GPT2SelfAttentionLayer(units=8, num_heads=2)
        >>> layer.initialize()
        >>> layer.attend_in_place(nd, nd.ones((1, 1, 8)), nd.array([0]), nd.zeros((1, 2, 5, 4)),
        ...                       nd.zeros((1, 2, 5, 4))).shape
        (1, 1, 8)
        """
        context = F.contrib.cached_attention(self._multi_head_qkv_proj(data), key_cache, value_cache, filled,
                                             heads=self._num_heads)
        return self._out_proj(context)


class GPT2FFNLayer(HybridBlock):
    """Two dense layers, applied to each position: out_map(gelu(hidden_map(data))).

    data (batch, length, units) | out (batch, length, units)

    units: the number of features per position.
    hidden_size: the number of features between the layers.

    >>> layers = gluon.model_zoo.text.GPT2FFNLayer(units=8, hidden_size=32)
    >>> layers.initialize()
    >>> layers(nd.ones((1, 3, 8))).shape
    (1, 3, 8)
    """

    def __init__(self, units: int, hidden_size: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self._hidden_map = _dense(hidden_size, units)
            self._out_map = _dense(units, hidden_size)

    def hybrid_forward(self, F: Any, data: Any) -> Any:
        """Return out_map(gelu(hidden_map(data)))."""
        return self._out_map(gelu_by_tanh(F, self._hidden_map(data)))


class GPT2Model(CausalModel):
    """A language model that returns scores for the next token at each position, given the tokens up to that position.

    data (batch, length) token ids | out: scores (batch, length, vocab_size), before any softmax, and states

    states, the second argument, is None or the result of a call for earlier tokens: for each layer, keys and values
    (batch, num_heads, positions, units / num_heads). To decode many tokens one by one, see `GPT2Decoder`.

    units: the number of features per position.
    vocab_size: number of tokens.
    max_length: maximum number of positions.
    num_layers, num_heads: the number of layers, and of heads in each layer.
    dropout: the fraction of attention weights dropped in training.

    Raises ShapeError for more than max_length positions.

    >>> net = gluon.model_zoo.text.GPT2Model(units=8, vocab_size=5, max_length=16, num_layers=2, num_heads=2)
    >>> net.initialize()
    >>> scores, states = net(nd.array([[1, 2, 3]]))
    >>> scores.shape, len(states), states[0].shape
    ((1, 3, 5), 4, (1, 2, 3, 4))
    >>> longer, states = net(nd.array([[4]]), states)
    >>> whole, _ = net(nd.array([[1, 2, 3, 4]]))
    >>> bool(nd.abs(longer[0, 0] - whole[0, 3]).max().asscalar() < 1e-5)
    True
    """

    def __init__(self, units: int, vocab_size: int, max_length: int, num_layers: int, num_heads: int,
                 dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(max_length, num_layers, num_heads, units // num_heads, **kwargs)
        with self.name_scope():
            self._pos_embed = nn.Embedding(max_length, units, weight_initializer=initializer.Normal(0.01),
                                           prefix="pos_embed_")
            self._embed = nn.Embedding(vocab_size, units, weight_initializer=initializer.Normal(0.02), prefix="embed_")
            self._logits_proj = nn.Dense(vocab_size, in_units=units, use_bias=False, flatten=False,
                                         params=self._embed.params)
            self._self_attention_layers = nn.HybridSequential()
            self._ffn_layers = nn.HybridSequential()
            self._attn_ln = nn.HybridSequential()
            self._ffn_ln = nn.HybridSequential()
            for i in range(num_layers):
                self._self_attention_layers.add(GPT2SelfAttentionLayer(units, num_heads, dropout,
                                                                       prefix=f"self_attn{i}_"))
                self._ffn_layers.add(GPT2FFNLayer(units, 4 * units, prefix=f"ffn{i}_"))
                self._attn_ln.add(nn.LayerNorm(in_channels=units, prefix=f"attn_ln{i}_"))
                self._ffn_ln.add(nn.LayerNorm(in_channels=units, prefix=f"ffn_ln{i}_"))
            self._final_ln = nn.LayerNorm(in_channels=units, prefix=f"final_ln{num_layers - 1}_")

    def encode(self, F: Any, data: Any, place: Any, attend_to: Any) -> Any:
        """Return the features from which the scores are computed: (batch, length, units).

        F: `nd` or `sym`.
        data: the tokens (batch, length).
        place: their positions, (1, length) or (batch, length).
        attend_to: a function; attend_to(i, layer, x) returns the output of attention layer i for x.

        >>> net = gluon.model_zoo.text.GPT2Model(units=8, vocab_size=5, max_length=16, num_layers=2, num_heads=2)
        >>> net.initialize()
        >>> net.encode(nd, nd.array([[1, 2]]), nd.array([[0, 1]]), lambda i, layer, x: x).shape
        (1, 2, 8)
        """
        out = F.broadcast_add(self._embed(data), self._pos_embed(place))
        layers = zip(self._attn_ln, self._self_attention_layers, self._ffn_ln, self._ffn_layers, strict=True)
        for i, (attn_ln, attention, ffn_ln, ffn) in enumerate(layers):
            out = out + attend_to(i, attention, attn_ln(out))
            out = out + ffn(ffn_ln(out))
        return self._final_ln(out)

    def score(self, encoded: Any) -> Any:
        """Return the scores of all tokens for a result of `encode`.

        encoded: (batch, length, units).

        >>> net = gluon.model_zoo.text.GPT2Model(units=8, vocab_size=5, max_length=16, num_layers=2, num_heads=2)
        >>> net.initialize()
        >>> net.score(nd.ones((1, 2, 8))).shape
        (1, 2, 5)
        """
        return self._logits_proj(encoded)

    @property
    def _embedding(self) -> nn.Embedding:
        """The first layer, which returns the features of tokens."""
        return self._embed


def gelu_by_tanh(F: Any, x: Any) -> Any:
    """Return x · Φ(x) with a tanh approximation of Φ, as in the original GPT-2."""
    return 0.5 * x * (1 + F.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _dense(units, in_units, **kwargs):
    return nn.Dense(units, in_units=in_units, flatten=False, weight_initializer=initializer.Normal(0.02), **kwargs)


def _gpt2(name, pretrained, dataset_name, ctx, root, **kwargs):
    sizes = {**_SIZES[name], "vocab_size": 50257, "max_length": 1024, **kwargs}
    return with_parameters(GPT2Model(**sizes), f"{name}_{dataset_name}", pretrained, ctx, root)


def gpt2_117m(pretrained: bool = False, dataset_name: str = "openai_webtext", ctx: Any = cpu(),      # noqa: B008
              root: str | None = None, **kwargs: Any) -> GPT2Model:
    """Return the smallest GPT-2: 12 layers, 768 units, 12 heads, 124 million parameters. Arguments: see `get_model`.

    >>> net = gluon.model_zoo.text.gpt2_117m(num_layers=1, units=24, vocab_size=100)
    >>> net.initialize()
    >>> net(nd.array([[1, 2]]))[0].shape
    (1, 2, 100)
    """
    return _gpt2("gpt2_117m", pretrained, dataset_name, ctx, root, **kwargs)


def gpt2_345m(pretrained: bool = False, dataset_name: str = "openai_webtext", ctx: Any = cpu(),      # noqa: B008
              root: str | None = None, **kwargs: Any) -> GPT2Model:
    """Return the second-smallest GPT-2: 24 layers, 1024 units, 16 heads, 355 million parameters. Arguments: see
    `get_model`.

    >>> net = gluon.model_zoo.text.gpt2_345m(num_layers=1, units=32, vocab_size=100)
    >>> net.initialize()
    >>> net(nd.array([[1, 2]]))[0].shape
    (1, 2, 100)
    """
    return _gpt2("gpt2_345m", pretrained, dataset_name, ctx, root, **kwargs)
