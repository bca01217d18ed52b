"""Transformers in Gluon, with exactly the same code for minigluon and MXNet 1.9.1.

Each function returns the net, a batch and its labels, as in `programs_gluon`; for sizes, see `SIZES` in
`tools.bench.nets`.
"""

from .convolutional_gluon import initialized, photographs, stack

__all__ = ["NETS"]


def heads_apart(F, x, heads):
    """Split (batch, length, units) into heads: (batch, heads, length, units / heads)."""
    return F.transpose(F.reshape(x, shape=(0, 0, -4, heads, -1)), axes=(0, 2, 1, 3))


def attend(F, queries, keys, values, heads, size):
    """Compute the scaled dot-product attention of (batch, heads, length, size), as (batch, length, units)."""
    queries, keys, values = (F.reshape(x, shape=(-3, 0, 0)) for x in (queries, keys, values))
    weights = F.softmax(F.batch_dot(queries, keys, transpose_b=True) * size ** -0.5)
    mixed = F.reshape(F.batch_dot(weights, values), shape=(-4, -1, heads, 0, 0))
    return F.reshape(F.transpose(mixed, axes=(0, 2, 1, 3)), shape=(0, 0, -3))


def attention(mx, units, heads):
    """Compute self-attention.

    Given the keys and values of earlier tokens, also return these with the new keys and values appended.
    """
    class Attention(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            dense = mx.gluon.nn.Dense
            self.project, self.out = dense(3 * units, flatten=False), dense(units, flatten=False)

        def hybrid_forward(self, F, x, *before):
            parts = [heads_apart(F, part, heads) for part in F.split(self.project(x), num_outputs=3, axis=2)]
            cache = [F.concat(old, new, dim=2) for old, new in zip(before, parts[1:])]
            x = self.out(attend(F, parts[0], *(cache or parts[1:]), heads, units // heads))
            return (x, *cache) if cache else x
    return Attention()


def transformer_layer(mx, units, heads, norm_first):
    """Apply attention and two layers with GELU, each with a residual connection, and with LayerNorm before or after."""
    nn = mx.gluon.nn

    class Layer(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.norm, self.attention = nn.LayerNorm(), attention(mx, units, heads)
            self.after = nn.LayerNorm()
            self.mlp = stack(mx, nn.Dense(4 * units, flatten=False), nn.GELU(), nn.Dense(units, flatten=False))

        def hybrid_forward(self, F, x, *before):
            if not norm_first:
                x = self.norm(x + self.attention(x))
                return self.after(x + self.mlp(x))
            mixed = self.attention(self.norm(x), *before)
            mixed, *cache = mixed if before else [mixed]
            x = x + mixed
            x = x + self.mlp(self.after(x))
            return (x, *cache) if before else x
    return Layer()


def vit_tiny(mx, sizes):
    """Return ViT-Ti/16 of Touvron et al. (arXiv:2012.12877), a 12 x 192 encoder on patches of 16 x 16 pixels."""
    nn, units, patches = mx.gluon.nn, 192, (sizes["photo_image"] // 16) ** 2

    class Vit(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.token = self.params.get("token", shape=(1, 1, units))
            self.position = self.params.get("position", shape=(1, patches + 1, units))
            self.patches = nn.Conv2D(units, 16, 16)
            self.layers = stack(mx, *[transformer_layer(mx, units, 3, True) for _ in range(12)])
            self.norm, self.head = nn.LayerNorm(), nn.Dense(1000)

        def hybrid_forward(self, F, x, token, position):
            x = F.transpose(F.reshape(self.patches(x), shape=(0, 0, -1)), axes=(0, 2, 1))
            token = F.broadcast_like(token, x, lhs_axes=(0,), rhs_axes=(0,))
            x = self.layers(F.broadcast_add(F.concat(token, x, dim=1), position))
            return self.head(self.norm(F.slice_axis(x, axis=1, begin=0, end=1)))
    return initialized(mx, Vit()), *photographs(mx, sizes, "vit_batch")


def bert_mini(mx, sizes):
    """Return BERT-mini (arXiv:1908.08962): a 4 x 256 encoder that assigns texts of 128 tokens to two classes."""
    nn, units, words, tokens = mx.gluon.nn, 256, sizes["bert_words"], sizes["bert_tokens"]

    class Bert(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.words = self.params.get("words", shape=(words, units))
            self.position = self.params.get("position", shape=(512, units))
            self.types = self.params.get("types", shape=(2, units))
            self.norm = nn.LayerNorm()
            self.layers = stack(mx, *[transformer_layer(mx, units, 4, False) for _ in range(4)])
            self.pool, self.head = nn.Dense(units, activation="tanh"), nn.Dense(2)

        def hybrid_forward(self, F, x, words, position, types):
            place = F.broadcast_add(F.slice_axis(position, axis=0, begin=0, end=tokens),
                                    F.slice_axis(types, axis=0, begin=0, end=1))
            x = F.Embedding(x, words, input_dim=self.words.shape[0], output_dim=units)
            x = self.layers(self.norm(F.broadcast_add(x, F.expand_dims(place, axis=0))))
            return self.head(self.pool(F.slice_axis(x, axis=1, begin=0, end=1)))

    batch = sizes["bert_batch"]
    x = mx.nd.array([i * 7 % words for i in range(batch * tokens)]).reshape((batch, tokens))
    return initialized(mx, Bert()), x, mx.nd.array([i % 2 for i in range(batch)])


def gpt(mx, sizes):
    """Return a decoding step of a 4 x 256 GPT-2: one token after 128 others, whose keys and values are cached.

    The inputs are the token, and the keys and values (batch, heads, length, size) of each layer; the results are the
    scores of all words, and the keys and values, which are longer by one token.
    """
    nn, units, heads, words, tokens = mx.gluon.nn, 256, 4, sizes["gpt_words"], sizes["gpt_tokens"]

    class Gpt(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.words = self.params.get("words", shape=(words, units))
            self.position = self.params.get("position", shape=(1024, units))
            self.layers = stack(mx, *[transformer_layer(mx, units, heads, True) for _ in range(4)])
            self.norm = nn.LayerNorm()

        def hybrid_forward(self, F, x, *before, words, position):
            x = F.Embedding(x, words, input_dim=self.words.shape[0], output_dim=units)
            x, cache = F.broadcast_add(x, F.slice_axis(position, axis=0, begin=tokens, end=tokens + 1)), []
            for i, layer in enumerate(self.layers):
                x, *longer = layer(x, *before[2 * i:2 * i + 2])
                cache += longer
            scores = F.FullyConnected(self.norm(x), words, None, no_bias=True, num_hidden=self.words.shape[0])
            return (scores, *cache)

    batch = sizes["gpt_batch"]
    past = [mx.nd.random.normal(shape=(batch, heads, tokens, units // heads)) for _ in range(8)]
    return initialized(mx, Gpt()), (mx.nd.array([[i * 7 % words] for i in range(batch)]), *past), None


# net -> its constructor, and the name of its batch size
NETS = {"vit-tiny": (vit_tiny, "vit_batch"), "bert-mini": (bert_mini, "bert_batch"), "gpt": (gpt, "gpt_batch")}
