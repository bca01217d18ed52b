"""Some networks of the model zoo in PyTorch, without torchvision; the layers are those of `gluon.model_zoo.vision`."""

import importlib.util
from functools import partial
from pathlib import Path

import torch
from torch import nn

PROGRAMS = Path(__file__).parents[1] / "minigluon" / "bench" / "workers" / "programs_torch.py"


def makers(sizes):
    """{program: function of a mode that sets it up}; sizes: as in `zoo_gluon`."""
    spec = importlib.util.spec_from_file_location("programs_torch", PROGRAMS)
    programs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(programs)
    ways = {"forward": programs.forward, "train step": programs.train_step}
    return {f"{name} {way}": partial(what, partial(make, name), sizes)
            for name in sizes["zoo_nets"] if name in NETS for way, what in ways.items()}


def make(name, sizes):
    batch = sizes["zoo_batch"]
    return NETS[name](), torch.rand(batch, 3, 224, 224), torch.arange(batch)


def convolution(before, channels, kernel, stride=1, groups=1, bias=False, relu=True):
    layers = [nn.Conv2d(before, channels, kernel, stride, kernel // 2, groups=groups, bias=bias),
              nn.BatchNorm2d(channels), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers[:3 if relu else 2])


# -- ResNet V1 --------------------------------------------------------------------------------------------------------

class Residual(nn.Module):
    def __init__(self, body, before, channels, stride):
        super().__init__()
        self.body = body
        same = before == channels and stride == 1
        self.shortcut = nn.Identity() if same else convolution(before, channels, 1, stride, relu=False)

    def forward(self, x):
        return torch.relu_(self.body(x) + self.shortcut(x))


def basic(before, channels, stride):
    return nn.Sequential(convolution(before, channels, 3, stride), convolution(channels, channels, 3, relu=False))


def bottleneck(before, channels, stride):
    inner = channels // 4
    return nn.Sequential(convolution(before, inner, 1, stride, bias=True), convolution(inner, inner, 3),
                         convolution(inner, channels, 1, bias=True, relu=False))


def resnet(body, layers, channels):
    blocks, before = [], 64
    for stage, (count, width) in enumerate(zip(layers, channels)):
        for i in range(count):
            stride = 2 if stage and not i else 1
            blocks.append(Residual(body(before, width, stride), before, width, stride))
            before = width
    return nn.Sequential(convolution(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(before, 1000))


# -- the others -------------------------------------------------------------------------------------------------------

def mobilenet():
    layers, before = [convolution(3, 32, 3, 2)], 32
    for channels, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2),
                             (1024, 1)]:
        layers += [convolution(before, before, 3, stride, groups=before), convolution(before, channels, 1)]
        before = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000))


def vgg11():
    layers, before = [], 3
    for count, channels in zip([1, 1, 2, 2, 2], [64, 128, 256, 512, 512]):
        for _ in range(count):
            layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU(inplace=True)]
            before = channels
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(25088, 4096), nn.ReLU(inplace=True), nn.Dropout(),
                         nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(4096, 1000))


class Fire(nn.Module):
    def __init__(self, before, squeezed):
        super().__init__()
        self.squeeze = nn.Sequential(nn.Conv2d(before, squeezed, 1), nn.ReLU(inplace=True))
        self.narrow = nn.Sequential(nn.Conv2d(squeezed, 4 * squeezed, 1), nn.ReLU(inplace=True))
        self.wide = nn.Sequential(nn.Conv2d(squeezed, 4 * squeezed, 3, padding=1), nn.ReLU(inplace=True))

    def forward(self, x):
        x = self.squeeze(x)
        return torch.cat([self.narrow(x), self.wide(x)], 1)


def squeezenet():
    layers, before = [nn.Conv2d(3, 64, 3, 2), nn.ReLU(inplace=True)], 64
    for layer in ["pool", 16, 16, "pool", 32, 32, "pool", 48, 48, 64, 64]:
        layers.append(nn.MaxPool2d(3, 2, ceil_mode=True) if layer == "pool" else Fire(before, layer))
        before = before if layer == "pool" else 8 * layer
    return nn.Sequential(*layers, nn.Dropout(), nn.Conv2d(before, 1000, 1), nn.ReLU(inplace=True), nn.AvgPool2d(13),
                         nn.Flatten())


NETS = {"resnet18_v1": partial(resnet, basic, [2, 2, 2, 2], [64, 128, 256, 512]),
        "resnet50_v1": partial(resnet, bottleneck, [3, 4, 6, 3], [256, 512, 1024, 2048]),
        "mobilenet1.0": mobilenet, "vgg11": vgg11, "squeezenet1.1": squeezenet}
