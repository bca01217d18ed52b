"""Networks of PyTorch, for files that torch.onnx.export writes. Nothing here imports minigluon."""

import torch
from torch import nn
from torch.nn import functional

__all__ = ["NETWORKS"]


class Residual(nn.Module):
    """The basic block of ResNet."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        blocks, inputs = [], 64
        for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            blocks += [Residual(inputs, outputs, stride), Residual(outputs, outputs, 1)]
            inputs = outputs
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
                                  nn.MaxPool2d(3, 2, 1))
        self.blocks, self.pool, self.fc = nn.Sequential(*blocks), nn.AdaptiveAvgPool2d(1), nn.Linear(512, 1000)

    def forward(self, x):
        return self.fc(torch.flatten(self.pool(self.blocks(self.stem(x))), 1))


def separable(inputs, outputs, stride, times):
    """The layers of MobileNetV2's block."""
    inner = inputs * times
    wider = [nn.Conv2d(inputs, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU6()] if times != 1 else []
    return nn.Sequential(*wider, nn.Conv2d(inner, inner, 3, stride, 1, groups=inner, bias=False),
                         nn.BatchNorm2d(inner), nn.ReLU6(), nn.Conv2d(inner, outputs, 1, bias=False),
                         nn.BatchNorm2d(outputs))


class Added(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return x + self.body(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        layers, inputs = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6()], 32
        for times, outputs, count, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                             (6, 160, 3, 2), (6, 320, 1, 1)):
            for number in range(count):
                body = separable(inputs, outputs, first if number == 0 else 1, times)
                layers.append(Added(body) if number else body)
                inputs = outputs
        self.features = nn.Sequential(*layers, nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6())
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, x):
        return self.classifier(self.features(x).mean([2, 3]))


class Recurrent(nn.Module):
    """Two layers in both directions over embedded tokens."""

    def __init__(self, kind):
        super().__init__()
        self.embed, self.out = nn.Embedding(50, 16), nn.Linear(64, 5)
        self.layers = kind(16, 32, 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.out(self.layers(self.embed(x))[0][:, -1])


class Encoder(nn.Module):
    """A transformer's encoder over tokens."""

    def __init__(self):
        super().__init__()
        self.embed, self.positions = nn.Embedding(100, 64), nn.Parameter(torch.randn(1, 32, 64) * 0.02)
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, activation="gelu")
        self.layers, self.out = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(64, 100)

    def forward(self, x):
        return self.out(self.layers(self.embed(x) + self.positions[:, :x.shape[1]]))


def twice(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    """Down twice, and up by a transposed convolution and by interpolation."""

    def __init__(self):
        super().__init__()
        self.down, self.middle, self.bottom = twice(3, 16), twice(16, 32), twice(32, 64)
        self.pool, self.up = nn.MaxPool2d(2), nn.ConvTranspose2d(64, 32, 2, 2)
        self.scale = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.second, self.first, self.out = twice(64, 32), twice(48, 16), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        wide = self.down(x)
        half = self.middle(self.pool(wide))
        up = self.second(torch.cat([self.up(self.bottom(self.pool(half))), half], 1))
        return self.out(self.first(torch.cat([self.scale(up), wide], 1)))


class SpatialTransformer(nn.Module):
    """An image seen through an affine map that a network finds: affine_grid, grid_sample, einsum, group norm."""

    def __init__(self):
        super().__init__()
        self.find = nn.Sequential(nn.Conv2d(3, 8, 5, 2), nn.GroupNorm(2, 8), nn.SiLU(), nn.AdaptiveAvgPool2d(3),
                                  nn.Flatten(), nn.Linear(72, 6))
        self.mix, self.out = nn.Parameter(torch.randn(3, 4)), nn.Conv2d(4, 2, 3)

    def forward(self, x):
        grid = functional.affine_grid(self.find(x).view(-1, 2, 3), x.shape, align_corners=False)
        seen = functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
        return self.out(functional.hardswish(torch.einsum("nchw,cd->ndhw", seen, self.mix)))


def image(size):
    return lambda batch: torch.randn(batch, 3, size, size)


def tokens(count, length):
    return lambda batch: torch.randint(0, count, (batch, length))


# name: (the network, a function from a batch to its input)
NETWORKS = {
    "ResNet-18": (ResNet18, image(64)), "MobileNetV2": (MobileNetV2, image(64)),
    "LSTM, bidirectional, 2 layers": (lambda: Recurrent(nn.LSTM), tokens(50, 7)),
    "GRU, bidirectional, 2 layers": (lambda: Recurrent(nn.GRU), tokens(50, 7)),
    "transformer encoder": (Encoder, tokens(100, 12)), "U-Net": (UNet, image(32)),
    "spatial transformer": (SpatialTransformer, image(20)),
}
