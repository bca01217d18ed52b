"""The nets of `transformers_gluon` in JAX, with the same parameters in the same order.

Each function returns the net, a batch and its labels.
"""

import jax
import numpy as np
from jax import numpy as jnp

from .convolutional_jax import photographs
from .layers_jax import attend, conv, dense, embed, layer_norm

__all__ = ["NETS"]


def attention(p, x, heads, *before):
    """Compute the self-attention of (batch, length, units).

    Given earlier keys and values, also return both of them extended.
    """
    parts = jnp.split(dense(p, x, 3 * x.shape[-1]), 3, -1)
    parts = [part.reshape(*x.shape[:2], heads, -1) for part in parts]
    cache = [jnp.concatenate(pair, 1) for pair in zip(before, parts[1:])]
    return dense(p, attend(parts[0], *(cache or parts[1:])).reshape(x.shape), x.shape[-1]), cache


def mlp(p, x):
    units = x.shape[-1]
    return dense(p, jax.nn.gelu(dense(p, x, 4 * units), approximate=False), units)


def vit_tiny(sizes):
    units = 192

    def net(p, x):
        token = jnp.broadcast_to(p(1, 1, units, inputs=units), (len(x), 1, units))
        position = p(1, (x.shape[1] // 16) ** 2 + 1, units, inputs=units)
        x = conv(p, x, units, 16, 16, padding=0, bias=True).reshape(len(x), -1, units)
        x = jnp.concatenate([token, x], 1) + position
        for _ in range(12):
            x = x + attention(p, layer_norm(p, units)(x), 3)[0]
            x = x + mlp(p, layer_norm(p, units)(x))
        return dense(p, layer_norm(p, units)(x[:, 0]), 1000)
    return net, *photographs(sizes, "vit_batch")


def bert_mini(sizes):
    (words, tokens, batch), units = (sizes[f"bert_{name}"] for name in ("words", "tokens", "batch")), 256

    def net(p, x):
        x, _ = embed(p, x, words, units)
        x = x + p(512, units, inputs=units)[:tokens] + p(2, units, inputs=units)[0]
        x = layer_norm(p, units)(x)
        for _ in range(4):
            norm = layer_norm(p, units)
            x = norm(x + attention(p, x, 4)[0])
            norm = layer_norm(p, units)
            x = norm(x + mlp(p, x))
        return dense(p, jnp.tanh(dense(p, x[:, 0], units)), 2)
    return net, (np.arange(batch * tokens) * 7 % words).reshape(batch, tokens), np.arange(batch) % 2


def gpt(sizes):
    """Return a decoding step. Keys and values are (batch, length, heads, size), as JAX's attention requires."""
    (words, tokens, batch), units = (sizes[f"gpt_{name}"] for name in ("words", "tokens", "batch")), 256

    def net(p, x, *before):
        x, table = embed(p, x, words, units)
        x, cache = x + p(1024, units, inputs=units)[tokens], []
        for i in range(4):
            mixed, longer = attention(p, layer_norm(p, units)(x), 4, *before[2 * i:2 * i + 2])
            x = x + mixed
            x = x + mlp(p, layer_norm(p, units)(x))
            cache += longer
        return layer_norm(p, units)(x)[:, 0] @ table.T, *cache
    past = [np.random.default_rng(i).normal(size=(batch, tokens, 4, 64)).astype("float32") for i in range(8)]
    return net, ((np.arange(batch) * 7 % words).reshape(batch, 1), *past), None


# net -> its constructor, and the name of its batch size
NETS = {"vit-tiny": (vit_tiny, "vit_batch"), "bert-mini": (bert_mini, "bert_batch"), "gpt": (gpt, "gpt_batch")}
