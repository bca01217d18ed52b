"""The single operators of `operators_gluon` in PyTorch, eager."""

from functools import partial

import torch
from torch import nn

SIZE = (64, 512)


def makers(sizes):
    """Return {name: function of a mode (ignored) that sets up a program and returns its runner}."""
    return {
        "small operator": small_operator,
        "add, 64 x 512": partial(forward, lambda x: x + x, SIZE),
        "row sums, 64 x 512": partial(forward, lambda x: x.sum(1), SIZE),
        "normal numbers, 64 x 512": partial(forward, lambda x: torch.randn(SIZE), (1,)),
        "column x[:, 2]": partial(forward, lambda x: x[:, 2].clone(), SIZE),
        "LayerNorm step": partial(layer_step, nn.LayerNorm(512), SIZE),
        "BatchNorm inference": partial(forward, nn.BatchNorm2d(64).eval(), (32, 64, 28, 28)),
        "BatchNorm step": partial(layer_step, nn.BatchNorm2d(64), (32, 64, 28, 28)),
        "Conv2D 64 to 64 step": partial(layer_step, nn.Conv2d(64, 64, 3, padding=1), (16, 64, 28, 28)),
        "MaxPool2D step": partial(layer_step, nn.MaxPool2d(2), (32, 64, 28, 28)),
        "Embedding step": partial(step, nn.Embedding(10_000, 128), torch.randint(0, 10_000, (64, 35))),
        "cross entropy step": cross_entropy_step,
    }


def small_operator(mode):
    a, b = torch.ones(2, 3), torch.ones(2, 3)
    return lambda: a + b


def forward(function, shape, mode):
    x = torch.randn(shape)

    def run():
        with torch.no_grad():
            function(x)
    return run


def layer_step(layer, shape, mode):
    return step(layer, torch.randn(shape, requires_grad=True), mode)


def step(layer, x, mode):
    """Forward and backward to the input and the parameters, under a head gradient of ones."""
    def run():
        layer.zero_grad()
        x.grad = None
        y = layer(x)
        y.backward(torch.ones_like(y))
    return run


def cross_entropy_step(mode):
    loss, x, label = nn.CrossEntropyLoss(reduction="none"), torch.randn(64, 1000, requires_grad=True), torch.arange(64)

    def run():
        x.grad = None
        loss(x, label).backward(torch.ones(64))
    return run
