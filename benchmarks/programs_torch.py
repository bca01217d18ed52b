"""The measured programs in PyTorch, eager."""

from functools import partial

import torch
from torch import nn


def makers():
    """{name: function that sets a program up and returns the function that runs it once}."""
    return {"small operator": small_operator, "mlp forward": mlp_forward,
            "lenet forward": partial(forward, lenet), "lenet train step": partial(train_step, lenet),
            "alexnet forward": partial(forward, alexnet), "alexnet train step": partial(train_step, alexnet)}


def small_operator():
    a, b = torch.ones(2, 3), torch.ones(2, 3)
    return lambda: a + b


def mlp_forward():
    net = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
    x = torch.randn(1, 512)
    return lambda: net(x)


def lenet():
    net = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 128), nn.ReLU(), nn.Linear(128, 10))
    return net, torch.rand(64, 1, 28, 28), torch.arange(64) % 10


def alexnet():
    net = nn.Sequential(nn.Conv2d(3, 64, 11, stride=4, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
                        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
                        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(),
                        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Flatten(),
                        nn.Linear(9216, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000))
    return net, torch.rand(32, 3, 227, 227), torch.arange(32)


def forward(make):
    net, x, _ = make()
    return lambda: net(x)


def train_step(make):
    net, x, label = make()
    loss = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)

    def run():
        optimizer.zero_grad()
        loss(net(x), label).backward()
        optimizer.step()
    return run
