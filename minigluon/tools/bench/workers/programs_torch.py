"""The measured programs in PyTorch.

    eager        operator by operator; a forward pass in `no_grad`
    inference    the same in `inference_mode`
    compile      through torch.compile with its defaults
    frozen       a trace of the forward pass, torch.jit.trace and freeze, in `inference_mode`
"""

from functools import partial

import torch
from torch import nn

from . import convolutional_torch, transformers_torch
from .names import programs_of

__all__ = ["MODES", "makers"]

MODES = {"torch": ["eager", "inference", "compile", "frozen"]}


def makers(sizes):
    """Return {name: function of a mode that sets up the program and returns the function that runs it once}."""
    return {
        **programs_of(NETS, sizes, forward, train_step),
        "mlp forward": partial(forward, mlp, sizes),
        "lenet forward": partial(forward, lenet, sizes),
        "lenet256 forward": partial(forward, lenet, large(sizes)),
        "lenet256 train step": partial(train_step, lenet, large(sizes)),
        "alexnet forward": partial(forward, alexnet, sizes),
        "resnet forward": partial(forward, resnet, sizes),
        "deep mlp forward": partial(forward, deep_mlp, sizes),
        "deep mlp train step": partial(train_step, deep_mlp, sizes),
        **{f"{net} forward": partial(forward, partial(text, net), sizes) for net in ("lstm", "gru")},
        **{f"{net} train step": partial(train_step, partial(text, net), sizes) for net in ("lstm", "gru")},
        **{f"{net} layers train step": partial(train_step, partial(text_layers, net), sizes)
           for net in ("lstm", "gru")},
        "chain forward": partial(forward, chain_net, sizes),
        "chain forward and backward": partial(chain_backward, sizes),
    }


def large(sizes):
    return {**sizes, "lenet_batch": sizes["lenet256_batch"]}


def mlp(sizes):
    net = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
    return net, torch.randn(1, 512), torch.zeros(1, dtype=torch.long)


def lenet(sizes):
    batch = sizes["lenet_batch"]
    net = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 128), nn.ReLU(), nn.Linear(128, 10))
    return net, torch.rand(batch, 1, 28, 28), torch.arange(batch) % 10


def alexnet(sizes):
    batch, units = sizes["alexnet_batch"], sizes["alexnet_units"]
    net = nn.Sequential(nn.Conv2d(3, 64, 11, stride=4, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
                        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
                        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(),
                        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Flatten(),
                        nn.Linear(9216, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU(), nn.Linear(units, 1000))
    return net, torch.rand(batch, 3, 227, 227), torch.arange(batch)


class Residual(nn.Module):
    """As in `programs_gluon`."""

    def __init__(self, before, channels, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(before, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))
        self.shortcut = nn.Identity() if before == channels else nn.Sequential(
            nn.Conv2d(before, channels, 1, stride, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return torch.relu_(self.body(x) + self.shortcut(x))


def resnet(sizes):
    """Return ResNet-18, as in `programs_gluon`."""
    batch, image = sizes["resnet_batch"], sizes["resnet_image"]
    blocks = [Residual(before, channels, 1 if number or channels == 64 else 2)
              for channels in (64, 128, 256, 512) for number in range(2)
              for before in [channels if number or channels == 64 else channels // 2]]
    net = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                        nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))
    return net, torch.rand(batch, 3, image, image), torch.arange(batch)


def deep_mlp(sizes):
    """Return the same net as in `programs_gluon`, which explains the choices."""
    widths = [784, *[sizes["deep_width"]] * (sizes["deep_layers"] - 1)]
    hidden = [layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.ReLU())]
    net = nn.Sequential(*hidden, nn.Linear(widths[-1], 10))
    for layer in net:
        if isinstance(layer, nn.Linear):
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
    batch = sizes["deep_batch"]
    return net, torch.rand(batch, 784), torch.arange(batch) % 10


class Layers(nn.Module):
    """Two recurrent layers whose outputs are reshaped to (steps · batch, units)."""

    def __init__(self, kind, units):
        super().__init__()
        self.layers = {"lstm": nn.LSTM, "gru": nn.GRU}[kind](units, units, 2)

    def forward(self, x):
        return self.layers(x)[0].flatten(0, 1)


def text(kind, sizes):
    """Return the same net as in `programs_gluon`, which names the source."""
    words, units, batch, steps = (sizes[f"text_{name}"] for name in ("words", "units", "batch", "steps"))
    net = nn.Sequential(nn.Embedding(words, units), Layers(kind, units), nn.Linear(units, words))
    numbers = torch.arange(steps * batch) * 7 % words
    return net, numbers.reshape(steps, batch), numbers.roll(-1)


def text_layers(kind, sizes):
    units, batch, steps = (sizes[f"text_{name}"] for name in ("units", "batch", "steps"))
    return Layers(kind, units), torch.randn(steps, batch, units), torch.arange(steps * batch) % units


def chain(x):
    return x * (torch.tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1) * 0.5


# net -> its constructor, and the name of its batch size, for nets whose forward passes run at several batch sizes
NETS = {"lenet": (lenet, "lenet_batch"), "alexnet": (alexnet, "alexnet_batch"), "resnet": (resnet, "resnet_batch"),
        **convolutional_torch.NETS, **transformers_torch.NETS}


def compiled(mode, function):
    return torch.compile(function) if mode == "compile" else function


def forward(make, sizes, mode):
    """A forward pass that is not recorded for gradients, as in Gluon outside `record()`."""
    net, x, _ = make(sizes)
    inputs, function = x if isinstance(x, tuple) else (x,), net.eval()
    if mode == "frozen":
        function = torch.jit.freeze(torch.jit.trace(function, inputs))
    function = compiled(mode, function)
    silent = torch.inference_mode if mode in ("inference", "frozen") else torch.no_grad

    def run():
        with silent():
            function(*inputs)
    return run


def loss_of(label):
    """Return the loss for labels that are classes, or else for target values: half the squared error, as in Gluon."""
    return (lambda output, label: nn.functional.mse_loss(output, label) / 2) if label.is_floating_point() else (
        nn.CrossEntropyLoss())


def train_step(make, sizes, mode):
    net, x, label = make(sizes)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    net, loss = compiled(mode, net), compiled(mode, loss_of(label))

    def run():
        optimizer.zero_grad()
        loss(net(x), label).backward()
        optimizer.step()
    return run


class Chain(nn.Module):
    """A module, because only modules can be frozen."""

    def forward(self, x):
        return chain(x)


def chain_net(sizes):
    return Chain(), torch.randn(sizes["chain_elements"]), None


def chain_backward(sizes, mode):
    function, x = compiled(mode, chain), torch.randn(sizes["chain_elements"], requires_grad=True)
    ones = torch.ones(sizes["chain_elements"])

    def run():
        x.grad = None
        function(x).backward(ones)
    return run
