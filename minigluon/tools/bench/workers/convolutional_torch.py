"""The nets of `convolutional_gluon` in PyTorch, with the same parameters in the same order.

Each function returns the net, a batch and its labels.
"""

import torch
from torch import nn

__all__ = ["NETS", "photographs"]


def normal(before, channels, kernel, stride=1, groups=1, active=nn.ReLU, bias=False):
    """Return [convolution, BatchNorm, activation]. The height and width of the images are divided by stride."""
    layers = [nn.Conv2d(before, channels, kernel, stride, kernel // 2, groups=groups, bias=bias),
              nn.BatchNorm2d(channels)]
    return [*layers, active(inplace=True)] if active else layers


class Residual(nn.Module):
    """A residual block: active(body(x) + shortcut(x)); the default shortcut is x itself."""

    def __init__(self, body, shortcut=None, active=torch.relu):
        super().__init__()
        self.body, self.shortcut, self.active = body, shortcut, active

    def forward(self, x):
        x = self.body(x) + (self.shortcut(x) if self.shortcut else x)
        return self.active(x) if self.active else x


def ended(layers, channels, classes):
    """Return a net that consists of these layers, global pooling and a linear layer."""
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


def photographs(sizes, batch):
    image, batch = sizes["photo_image"], sizes[batch]
    return torch.rand(batch, 3, image, image), torch.arange(batch)


def resnet50(sizes):
    layers, before = [*normal(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for channels, blocks, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for stride in (first, *[1] * (blocks - 1)):
            body = nn.Sequential(*normal(before, channels, 1), *normal(channels, channels, 3, stride),
                                 *normal(channels, 4 * channels, 1, active=None))
            same = before == 4 * channels
            layers.append(Residual(body, None if same else nn.Sequential(*normal(before, 4 * channels, 1, stride,
                                                                                 active=None))))
            before = 4 * channels
    return ended(layers, 2048, 1000), *photographs(sizes, "resnet50_batch")


def mobilenetv2(sizes):
    layers, before = normal(3, 32, 3, 2, active=nn.ReLU6), 32
    for expansion, channels, blocks, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                               (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for stride in (first, *[1] * (blocks - 1)):
            wide = before * expansion
            body = nn.Sequential(*(normal(before, wide, 1, active=nn.ReLU6) if expansion > 1 else []),
                                 *normal(wide, wide, 3, stride, groups=wide, active=nn.ReLU6),
                                 *normal(wide, channels, 1, active=None))
            layers.append(Residual(body, active=None) if stride == 1 and before == channels else body)
            before = channels
    layers += normal(320, 1280, 1, active=nn.ReLU6)
    return ended(layers, 1280, 1000), *photographs(sizes, "mobilenetv2_batch")


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        twice = lambda before, channels: nn.Sequential(*normal(before, channels, 3), *normal(channels, channels, 3))
        widths = [16, 32, 64, 128, 256]
        self.down = nn.ModuleList(map(twice, [1, *widths], widths[:-1]))
        self.bottom = twice(128, 256)
        self.up = nn.ModuleList(layer for width in widths[-2::-1]
                                for layer in (nn.ConvTranspose2d(2 * width, width, 2, 2), twice(2 * width, width)))
        self.head = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        skipped = []
        for block in self.down:
            skipped.append(block(x))
            x = nn.functional.max_pool2d(skipped[-1], 2)
        x = self.bottom(x)
        for i in (0, 2, 4, 6):
            x = self.up[i + 1](torch.cat([skipped.pop(), self.up[i](x)], 1))
        return self.head(x)


def unet(sizes):
    image, batch = sizes["unet_image"], sizes["unet_batch"]
    return Unet(), torch.rand(batch, 1, image, image), torch.randint(0, 2, (batch, image, image))


def labelled(sizes, shape, classes):
    batch = sizes["tiny_batch"]
    return torch.rand(batch, *shape), torch.arange(batch) % classes


def ds_cnn(sizes):
    separable = lambda: [*normal(64, 64, 3, groups=64, bias=True), *normal(64, 64, 1, bias=True)]
    first = [nn.Conv2d(1, 64, (10, 4), (2, 2), (5, 1)), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    layers = [*first, *[layer for _ in range(4) for layer in separable()]]
    return ended(layers, 64, 12), *labelled(sizes, (1, 49, 10), 12)


def mobilenet(sizes):
    layers, before = normal(3, 8, 3, 2, bias=True), 8
    for channels, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2),
                             (256, 1)):
        layers += [*normal(before, before, 3, stride, groups=before, bias=True),
                   *normal(before, channels, 1, bias=True)]
        before = channels
    return ended(layers, 256, 2), *labelled(sizes, (3, 96, 96), 2)


def resnet8(sizes):
    def block(before, channels, stride):
        body = nn.Sequential(*normal(before, channels, 3, stride, bias=True),
                             *normal(channels, channels, 3, active=None, bias=True))
        return Residual(body, nn.Conv2d(before, channels, 1, stride) if stride > 1 else None)
    layers = [*normal(3, 16, 3, bias=True), block(16, 16, 1), block(16, 32, 2), block(32, 64, 2)]
    return ended(layers, 64, 10), *labelled(sizes, (3, 32, 32), 10)


def autoencoder(sizes):
    widths = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128]
    hidden = [layer for a, b in zip(widths, widths[1:])
              for layer in (nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU(inplace=True))]
    x, _ = labelled(sizes, (640,), 2)
    return nn.Sequential(*hidden, nn.Linear(128, 640)), x, x


# net -> its constructor, and the name of its batch size
NETS = {"mobilenetv2": (mobilenetv2, "mobilenetv2_batch"), "resnet50": (resnet50, "resnet50_batch"),
        "unet": (unet, "unet_batch"), "ds-cnn": (ds_cnn, "tiny_batch"), "mobilenet0.25": (mobilenet, "tiny_batch"),
        "resnet8": (resnet8, "tiny_batch"), "autoencoder": (autoencoder, "tiny_batch")}
