"""The nets of `transformers_gluon` in PyTorch, with the same parameters in the same order.

Each function returns the net, a batch and its labels. Attention is PyTorch's own function,
`scaled_dot_product_attention`.
"""

import torch
from torch import nn
from torch.nn import functional

from .convolutional_torch import photographs

__all__ = ["NETS"]


class Attention(nn.Module):
    def __init__(self, units, heads):
        super().__init__()
        self.heads, self.project, self.out = heads, nn.Linear(units, 3 * units), nn.Linear(units, units)

    def forward(self, x, *before):
        parts = [part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in self.project(x).chunk(3, 2)]
        cache = [torch.cat(pair, 2) for pair in zip(before, parts[1:])]
        mixed = functional.scaled_dot_product_attention(parts[0], *(cache or parts[1:]))
        x = self.out(mixed.transpose(1, 2).flatten(2))
        return (x, *cache) if cache else x


class Layer(nn.Module):
    def __init__(self, units, heads, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.norm, self.attention = nn.LayerNorm(units), Attention(units, heads)
        self.after = nn.LayerNorm(units)
        self.mlp = nn.Sequential(nn.Linear(units, 4 * units), nn.GELU(), nn.Linear(4 * units, units))

    def forward(self, x, *before):
        if not self.norm_first:
            x = self.norm(x + self.attention(x))
            return self.after(x + self.mlp(x))
        mixed = self.attention(self.norm(x), *before)
        mixed, *cache = mixed if before else [mixed]
        x = x + mixed
        x = x + self.mlp(self.after(x))
        return (x, *cache) if before else x


def parameter(*shape):
    return nn.Parameter(torch.randn(*shape) * 0.02)


class Vit(nn.Module):
    def __init__(self, patches, units=192):
        super().__init__()
        self.token, self.position = parameter(1, 1, units), parameter(1, patches + 1, units)
        self.patches = nn.Conv2d(3, units, 16, 16)
        self.layers = nn.Sequential(*[Layer(units, 3, True) for _ in range(12)])
        self.norm, self.head = nn.LayerNorm(units), nn.Linear(units, 1000)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = self.layers(torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.position)
        return self.head(self.norm(x[:, 0]))


def vit_tiny(sizes):
    return Vit((sizes["photo_image"] // 16) ** 2), *photographs(sizes, "vit_batch")


class Bert(nn.Module):
    def __init__(self, words, units=256):
        super().__init__()
        self.words, self.position, self.types = parameter(words, units), parameter(512, units), parameter(2, units)
        self.norm = nn.LayerNorm(units)
        self.layers = nn.Sequential(*[Layer(units, 4, False) for _ in range(4)])
        self.pool, self.head = nn.Linear(units, units), nn.Linear(units, 2)

    def forward(self, x):
        place = self.position[:x.shape[1]] + self.types[0]
        x = self.layers(self.norm(functional.embedding(x, self.words) + place))
        return self.head(torch.tanh(self.pool(x[:, 0])))


def bert_mini(sizes):
    words, tokens, batch = (sizes[f"bert_{name}"] for name in ("words", "tokens", "batch"))
    x = (torch.arange(batch * tokens) * 7 % words).reshape(batch, tokens)
    return Bert(words), x, torch.arange(batch) % 2


class Gpt(nn.Module):
    def __init__(self, words, tokens, units=256):
        super().__init__()
        self.tokens, self.words, self.position = tokens, parameter(words, units), parameter(1024, units)
        self.layers = nn.ModuleList(Layer(units, 4, True) for _ in range(4))
        self.norm = nn.LayerNorm(units)

    def forward(self, x, *before):
        x, cache = functional.embedding(x, self.words) + self.position[self.tokens], []
        for i, layer in enumerate(self.layers):
            x, *longer = layer(x, *before[2 * i:2 * i + 2])
            cache += longer
        return (functional.linear(self.norm(x)[:, 0], self.words), *cache)


def gpt(sizes):
    words, tokens, batch = (sizes[f"gpt_{name}"] for name in ("words", "tokens", "batch"))
    past = [torch.randn(batch, 4, tokens, 64) for _ in range(8)]
    return Gpt(words, tokens), ((torch.arange(batch) * 7 % words).reshape(batch, 1), *past), None


# net -> its constructor, and the name of its batch size
NETS = {"vit-tiny": (vit_tiny, "vit_batch"), "bert-mini": (bert_mini, "bert_batch"), "gpt": (gpt, "gpt_batch")}
