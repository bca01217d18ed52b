"""The networks of the model zoo in PyTorch, without torchvision; the layers are those of `gluon.model_zoo.vision`.

    $MINIGLUON_TORCH_PYTHON benchmarks/zoo_torch.py

prints as JSON the shapes of each network's parameters and scores; `test_model_zoo.py` compares them. NASNet-A is not
included.
"""

import json
from functools import partial

import torch
from torch import nn


def makers(sizes):
    """Return {program: function of a mode that sets it up}. sizes: as in `zoo_gluon`."""
    from workers import programs_torch as programs  # the bench's: its worker runs this
    ways = {"forward": programs.forward, "train step": programs.train_step}
    return {f"{name} {way}": partial(what, partial(make, name), sizes)
            for name in sizes["zoo_nets"] if name in NETS for way, what in ways.items()}


def make(name, sizes):
    batch = sizes["zoo_batch"]
    return NETS[name](), torch.rand(batch, 3, side(name), side(name)), torch.arange(batch)


def side(name):
    return 299 if name == "inceptionv3" else 224


def convolution(before, channels, kernel, stride=1, groups=1, bias=False, active=nn.ReLU):
    layers = [nn.Conv2d(before, channels, kernel, stride, kernel // 2, groups=groups, bias=bias),
              nn.BatchNorm2d(channels)]
    return nn.Sequential(*layers, *[active(inplace=True)] if active else [])


def normalized(channels):
    return nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(inplace=True))


def averaged():
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Joined(nn.ModuleList):
    """Branches side by side."""

    def forward(self, x):
        return torch.cat([branch(x) for branch in self], 1)


# -- ResNet -----------------------------------------------------------------------------------------------------------

class ResidualV1(nn.Module):
    def __init__(self, body, before, channels, stride):
        super().__init__()
        self.body = body
        same = before == channels and stride == 1
        self.shortcut = nn.Identity() if same else convolution(before, channels, 1, stride, active=None)

    def forward(self, x):
        return torch.relu_(self.body(x) + self.shortcut(x))


class ResidualV2(nn.Module):
    def __init__(self, body, before, channels, stride):
        super().__init__()
        self.first, self.body = normalized(before), body
        same = before == channels and stride == 1
        self.shortcut = None if same else nn.Conv2d(before, channels, 1, stride, bias=False)

    def forward(self, x):
        active = self.first(x)
        return self.body(active) + (x if self.shortcut is None else self.shortcut(active))


def basic_v1(before, channels, stride):
    return nn.Sequential(convolution(before, channels, 3, stride), convolution(channels, channels, 3, active=None))


def bottleneck_v1(before, channels, stride):
    inner = channels // 4
    return nn.Sequential(convolution(before, inner, 1, stride, bias=True), convolution(inner, inner, 3),
                         convolution(inner, channels, 1, bias=True, active=None))


def basic_v2(before, channels, stride):
    return nn.Sequential(convolution(before, channels, 3, stride), nn.Conv2d(channels, channels, 3, 1, 1, bias=False))


def bottleneck_v2(before, channels, stride):
    inner = channels // 4
    return nn.Sequential(convolution(before, inner, 1), convolution(inner, inner, 3, stride),
                         nn.Conv2d(inner, channels, 1, bias=False))


def resnet(version, layers, channels):
    residual, body = RESIDUALS[version, channels[0] > 64]
    blocks, before = [], 64
    for stage, (count, width) in enumerate(zip(layers, channels)):
        for i in range(count):
            stride = 2 if stage and not i else 1
            blocks.append(residual(body(before, width, stride), before, width, stride))
            before = width
    layers = [convolution(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1), *blocks]
    if version == 2:
        layers = [nn.BatchNorm2d(3, affine=False), *layers, normalized(before)]
    return nn.Sequential(*layers, averaged(), nn.Linear(before, 1000))


RESIDUALS = {(1, False): (ResidualV1, basic_v1), (1, True): (ResidualV1, bottleneck_v1),
             (2, False): (ResidualV2, basic_v2), (2, True): (ResidualV2, bottleneck_v2)}
NARROW, WIDE = [64, 128, 256, 512], [256, 512, 1024, 2048]
RESNETS = {18: ([2, 2, 2, 2], NARROW), 34: ([3, 4, 6, 3], NARROW), 50: ([3, 4, 6, 3], WIDE),
           101: ([3, 4, 23, 3], WIDE), 152: ([3, 8, 36, 3], WIDE)}


# -- MobileNet --------------------------------------------------------------------------------------------------------

def mobilenet(multiplier):
    before = int(32 * multiplier)
    layers = [convolution(3, before, 3, 2)]
    for out, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2),
                        (1024, 1)]:
        channels = int(out * multiplier)
        layers += [convolution(before, before, 3, stride, groups=before), convolution(before, channels, 1)]
        before = channels
    return nn.Sequential(*layers, averaged(), nn.Linear(before, 1000))


class Added(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return self.body(x) + x


def inverted(before, channels, times, stride):
    inner = before * times
    body = nn.Sequential(convolution(before, inner, 1, active=nn.ReLU6),
                         convolution(inner, inner, 3, stride, groups=inner, active=nn.ReLU6),
                         convolution(inner, channels, 1, active=None))
    return Added(body) if stride == 1 and before == channels else body


def mobilenet_v2(multiplier):
    before = int(32 * multiplier)
    layers = [convolution(3, before, 3, 2, active=nn.ReLU6)]
    for times, out, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                      (6, 160, 3, 2), (6, 320, 1, 1)]:
        channels = int(out * multiplier)
        for i in range(count):
            layers.append(inverted(before, channels, times, 1 if i else stride))
            before = channels
    return nn.Sequential(*layers, convolution(before, 1280, 1, active=nn.ReLU6), nn.AdaptiveAvgPool2d(1),
                         nn.Conv2d(1280, 1000, 1, bias=False), nn.Flatten())


# -- AlexNet, VGG, SqueezeNet -----------------------------------------------------------------------------------------

def dense(before):
    return nn.Sequential(nn.Flatten(), nn.Linear(before, 4096), nn.ReLU(inplace=True), nn.Dropout(),
                         nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(4096, 1000))


def plain(before, channels, kernel, stride=1, padding=0):
    return nn.Sequential(nn.Conv2d(before, channels, kernel, stride, padding), nn.ReLU(inplace=True))


def alexnet():
    return nn.Sequential(plain(3, 64, 11, 4, 2), nn.MaxPool2d(3, 2), plain(64, 192, 5, 1, 2), nn.MaxPool2d(3, 2),
                         plain(192, 384, 3, 1, 1), plain(384, 256, 3, 1, 1), plain(256, 256, 3, 1, 1),
                         nn.MaxPool2d(3, 2), dense(9216))


def vgg(counts, norm=False):
    layers, before = [], 3
    for count, channels in zip(counts, [64, 128, 256, 512, 512]):
        for _ in range(count):
            layers.append(convolution(before, channels, 3, bias=True) if norm else plain(before, channels, 3, 1, 1))
            before = channels
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers, dense(25088))


VGGS = {11: [1, 1, 2, 2, 2], 13: [2, 2, 2, 2, 2], 16: [2, 2, 3, 3, 3], 19: [2, 2, 4, 4, 4]}


def fire(before, squeezed):
    return nn.Sequential(plain(before, squeezed, 1), Joined([plain(squeezed, 4 * squeezed, 1),
                                                             plain(squeezed, 4 * squeezed, 3, 1, 1)]))


def squeezenet(before, kernel, fires):
    layers = [plain(3, before, kernel, 2)]
    for layer in fires:
        layers.append(nn.MaxPool2d(3, 2, ceil_mode=True) if layer == "pool" else fire(before, layer))
        before = before if layer == "pool" else 8 * layer
    return nn.Sequential(*layers, nn.Dropout(), plain(before, 1000, 1), nn.AvgPool2d(13), nn.Flatten())


# -- DenseNet ---------------------------------------------------------------------------------------------------------

def growing(before, growth):
    return Joined([nn.Identity(), nn.Sequential(normalized(before), convolution(before, 4 * growth, 1),
                                                nn.Conv2d(4 * growth, growth, 3, 1, 1, bias=False))])


def densenet(before, growth, counts):
    layers = [convolution(3, before, 7, 2), nn.MaxPool2d(3, 2, 1)]
    for block, count in enumerate(counts):
        if block:
            layers += [normalized(before), nn.Conv2d(before, before // 2, 1, bias=False), nn.AvgPool2d(2)]
            before //= 2
        for _ in range(count):
            layers.append(growing(before, growth))
            before += growth
    return nn.Sequential(*layers, normalized(before), nn.AvgPool2d(7), nn.Flatten(), nn.Linear(before, 1000))


# -- Inception V3 -----------------------------------------------------------------------------------------------------

def unit(before, channels, kernel, stride=1, padding=0):
    return nn.Sequential(nn.Conv2d(before, channels, kernel, stride, padding, bias=False),
                         nn.BatchNorm2d(channels, eps=0.001), nn.ReLU(inplace=True))


def branch(before, *units, last=()):
    """Return units with the arguments of `unit` after the first one, and another layer."""
    layers = []
    for channels, *rest in units:
        layers.append(unit(before, channels, *rest))
        before = channels
    return nn.Sequential(*layers, *last)


def pooled(before, channels):
    return nn.Sequential(nn.AvgPool2d(3, 1, 1), unit(before, channels, 1))


def wide(channels):
    return channels, (1, 7), 1, (0, 3)


def tall(channels):
    return channels, (7, 1), 1, (3, 0)


def figure5(before, channels):
    return Joined([branch(before, (64, 1)), branch(before, (48, 1), (64, 5, 1, 2)),
                   branch(before, (64, 1), (96, 3, 1, 1), (96, 3, 1, 1)), pooled(before, channels)])


def figure6(inner):
    return Joined([branch(768, (192, 1)), branch(768, (inner, 1), wide(inner), tall(192)),
                   branch(768, (inner, 1), tall(inner), wide(inner), tall(inner), wide(192)), pooled(768, 192)])


def figure7(before):
    ends = [[Joined([unit(384, 384, (1, 3), 1, (0, 1)), unit(384, 384, (3, 1), 1, (1, 0))])] for _ in range(2)]
    return Joined([branch(before, (320, 1)), branch(before, (384, 1), last=ends[0]),
                   branch(before, (448, 1), (384, 3, 1, 1), last=ends[1]), pooled(before, 192)])


def inception():
    return nn.Sequential(
        unit(3, 32, 3, 2), unit(32, 32, 3), unit(32, 64, 3, 1, 1), nn.MaxPool2d(3, 2), unit(64, 80, 1),
        unit(80, 192, 3), nn.MaxPool2d(3, 2), figure5(192, 32), figure5(256, 64), figure5(288, 64),
        Joined([branch(288, (384, 3, 2)), branch(288, (64, 1), (96, 3, 1, 1), (96, 3, 2)), nn.MaxPool2d(3, 2)]),
        figure6(128), figure6(160), figure6(160), figure6(192),
        Joined([branch(768, (192, 1), (320, 3, 2)), branch(768, (192, 1), wide(192), tall(192), (192, 3, 2)),
                nn.MaxPool2d(3, 2)]),
        figure7(1280), figure7(2048), nn.AvgPool2d(8), nn.Dropout(), nn.Flatten(), nn.Linear(2048, 1000))


NETS = {
    "alexnet": alexnet, "inceptionv3": inception,
    "densenet121": partial(densenet, 64, 32, [6, 12, 24, 16]),
    "densenet161": partial(densenet, 96, 48, [6, 12, 36, 24]),
    "densenet169": partial(densenet, 64, 32, [6, 12, 32, 32]),
    "densenet201": partial(densenet, 64, 32, [6, 12, 48, 32]),
    "squeezenet1.0": partial(squeezenet, 96, 7, ["pool", 16, 16, 32, "pool", 32, 48, 48, 64, "pool", 64]),
    "squeezenet1.1": partial(squeezenet, 64, 3, ["pool", 16, 16, "pool", 32, 32, "pool", 48, 48, 64, 64]),
    **{f"mobilenet{m}": partial(mobilenet, m) for m in (1.0, 0.75, 0.5, 0.25)},
    **{f"mobilenetv2_{m}": partial(mobilenet_v2, m) for m in (1.0, 0.75, 0.5, 0.25)},
    **{f"resnet{n}_v{version}": partial(resnet, version, *RESNETS[n]) for n in RESNETS for version in (1, 2)},
    **{f"vgg{n}{'_bn' if norm else ''}": partial(vgg, VGGS[n], norm) for n in VGGS for norm in (False, True)}}


def shapes(name):
    """Return [sorted shapes of the parameters, shape of the scores], without computing anything."""
    with torch.device("meta"):
        net, images = NETS[name](), torch.empty(2, 3, side(name), side(name))
        return [sorted(list(p.shape) for p in net.parameters()), list(net(images).shape)]


if __name__ == "__main__":
    print(json.dumps({name: shapes(name) for name in NETS}))
