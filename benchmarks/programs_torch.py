"""The measured programs in PyTorch, eager."""

import torch
from torch import nn


def makers():
    """{name: function that sets a program up and returns the function that runs it once}."""
    return {"small operator": small_operator, "mlp forward": mlp_forward, "lenet forward": lenet_forward,
            "lenet train step": lenet_train_step}


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


def lenet_forward():
    net, x, _ = lenet()
    return lambda: net(x)


def lenet_train_step():
    net, x, label = lenet()
    loss = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)

    def run():
        optimizer.zero_grad()
        loss(net(x), label).backward()
        optimizer.step()
    return run
