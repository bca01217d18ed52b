"""Convolutional nets in Gluon, and those of MLPerf Tiny, with exactly the same code for minigluon and MXNet 1.9.1.

Each function returns the net, a batch and its labels, as in `programs_gluon`; for sizes, see `SIZES` in
`tools.bench.nets`. MLPerf Tiny: Banbury et al., "MLPerf Tiny Benchmark" (arXiv:2106.07597).
"""

__all__ = ["NETS", "initialized", "stack"]


def stack(mx, *layers):
    """Return the layers as a sequential block."""
    net = mx.gluon.nn.HybridSequential()
    net.add(*layers)
    return net


def initialized(mx, net):
    net.initialize(mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2))
    return net


def normal(mx, channels, kernel, stride=1, groups=1, active="relu", bias=False):
    """Return [convolution, BatchNorm, activation]; `active`: "relu", "relu6", None. Strides shrink the image."""
    nn = mx.gluon.nn
    layers = [nn.Conv2D(channels, kernel, stride, kernel // 2, groups=groups, use_bias=bias), nn.BatchNorm()]
    if active == "relu6":
        layers.append(nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)))
    elif active:
        layers.append(nn.Activation(active))
    return layers


def residual(mx, body, shortcut=None, active="relu"):
    """Return a block that computes active(body(x) + shortcut(x)); the default shortcut is x itself."""
    class Residual(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.body, self.shortcut = body, shortcut

        def hybrid_forward(self, F, x):
            x = self.body(x) + (self.shortcut(x) if self.shortcut else x)
            return F.Activation(x, active) if active else x
    return Residual()


def photographs(mx, sizes, batch):
    """Return images with three channels, and labels from 1000 classes."""
    image, batch = sizes["photo_image"], sizes[batch]
    return mx.nd.random.uniform(shape=(batch, 3, image, image)), mx.nd.array(range(batch))


def resnet50(mx, sizes):
    """Return ResNet-50 (arXiv:1512.03385, table 1); the stride is in the 3 x 3 convolution, as in PyTorch."""
    nn = mx.gluon.nn
    layers, before = [*normal(mx, 64, 7, 2), nn.MaxPool2D(3, 2, 1)], 64
    for channels, blocks, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for stride in (first, *[1] * (blocks - 1)):
            body = stack(mx, *normal(mx, channels, 1), *normal(mx, channels, 3, stride),
                         *normal(mx, 4 * channels, 1, active=None))
            same = before == 4 * channels
            layers.append(residual(mx, body, None if same else stack(mx, *normal(mx, 4 * channels, 1, stride,
                                                                                    active=None))))
            before = 4 * channels
    net = stack(mx, *layers, nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(1000))
    return initialized(mx, net), *photographs(mx, sizes, "resnet50_batch")


def mobilenetv2(mx, sizes):
    """Return MobileNetV2: Sandler et al., "Inverted Residuals and Linear Bottlenecks" (arXiv:1801.04381), table 2."""
    nn = mx.gluon.nn
    layers, before = normal(mx, 32, 3, 2, active="relu6"), 32
    for expansion, channels, blocks, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                               (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for stride in (first, *[1] * (blocks - 1)):
            wide = before * expansion
            body = stack(mx, *(normal(mx, wide, 1, active="relu6") if expansion > 1 else []),
                         *normal(mx, wide, 3, stride, groups=wide, active="relu6"),
                         *normal(mx, channels, 1, active=None))
            layers.append(residual(mx, body, active=None) if stride == 1 and before == channels else body)
            before = channels
    net = stack(mx, *layers, *normal(mx, 1280, 1, active="relu6"), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(1000))
    return initialized(mx, net), *photographs(mx, sizes, "mobilenetv2_batch")


def unet(mx, sizes):
    """Return the U-Net of Ronneberger, Fischer, Brox (arXiv:1505.04597), a quarter as wide.

    Images keep their size.

    The output has two classes for each pixel of an image with one channel: (batch, 2, image, image).
    """
    nn, image, batch = mx.gluon.nn, sizes["unet_image"], sizes["unet_batch"]
    twice = lambda channels: stack(mx, *normal(mx, channels, 3), *normal(mx, channels, 3))

    class Unet(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.down = stack(mx, *map(twice, (16, 32, 64, 128)))
            self.bottom = twice(256)
            self.up = stack(mx, *[layer for channels in (128, 64, 32, 16)
                                  for layer in (nn.Conv2DTranspose(channels, 2, 2), twice(channels))])
            self.head = nn.Conv2D(2, 1)

        def hybrid_forward(self, F, x):
            skipped = []
            for block in self.down:
                skipped.append(block(x))
                x = F.Pooling(skipped[-1], kernel=(2, 2), stride=(2, 2), pool_type="max")
            x = self.bottom(x)
            for i in (0, 2, 4, 6):
                x = self.up[i + 1](F.concat(skipped.pop(), self.up[i](x), dim=1))
            return self.head(x)

    x = mx.nd.random.uniform(shape=(batch, 1, image, image))
    return initialized(mx, Unet()), x, mx.nd.floor(mx.nd.random.uniform(0, 2, shape=(batch, image, image)))


def labelled(mx, sizes, shape, classes):
    """Return a batch of inputs of this shape, and labels, for the nets of MLPerf Tiny."""
    batch = sizes["tiny_batch"]
    return mx.nd.random.uniform(shape=(batch, *shape)), mx.nd.array([i % classes for i in range(batch)])


def ds_cnn(mx, sizes):
    """Return MLPerf Tiny's keyword spotting: depthwise separable convolutions on 49 frames of 10 values, no dropout."""
    nn = mx.gluon.nn
    separable = lambda: [*normal(mx, 64, 3, groups=64, bias=True), *normal(mx, 64, 1, bias=True)]
    net = stack(mx, nn.Conv2D(64, (10, 4), (2, 2), (5, 1)), nn.BatchNorm(), nn.Activation("relu"),
                *[layer for _ in range(4) for layer in separable()],
                nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(12))
    return initialized(mx, net), *labelled(mx, sizes, (1, 49, 10), 12)


def mobilenet(mx, sizes):
    """Return MLPerf Tiny's visual wake words (person or not), 96 x 96, with MobileNet (arXiv:1704.04861), a quarter as
    wide."""
    nn = mx.gluon.nn
    layers, before = normal(mx, 8, 3, 2, bias=True), 8
    for channels, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2),
                             (256, 1)):
        layers += [*normal(mx, before, 3, stride, groups=before, bias=True), *normal(mx, channels, 1, bias=True)]
        before = channels
    net = stack(mx, *layers, nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(2))
    return initialized(mx, net), *labelled(mx, sizes, (3, 96, 96), 2)


def resnet8(mx, sizes):
    """Return MLPerf Tiny's image classification on CIFAR-10, a residual net of three blocks."""
    nn = mx.gluon.nn

    def block(channels, stride):
        body = stack(mx, *normal(mx, channels, 3, stride, bias=True), *normal(mx, channels, 3, active=None, bias=True))
        return residual(mx, body, nn.Conv2D(channels, 1, stride) if stride > 1 else None)
    net = stack(mx, *normal(mx, 16, 3, bias=True), block(16, 1), block(32, 2), block(64, 2),
                nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(10))
    return initialized(mx, net), *labelled(mx, sizes, (3, 32, 32), 10)


def autoencoder(mx, sizes):
    """Return MLPerf Tiny's anomaly detection in sounds, which reduces 640 values to a bottleneck of eight and expands
    them to 640.
    """
    nn = mx.gluon.nn
    hidden = [layer for units in (128, 128, 128, 128, 8, 128, 128, 128, 128)
              for layer in (nn.Dense(units), nn.BatchNorm(), nn.Activation("relu"))]
    x, _ = labelled(mx, sizes, (640,), 2)
    return initialized(mx, stack(mx, *hidden, nn.Dense(640))), x, x


# net -> its constructor, and the name of its batch size
NETS = {"mobilenetv2": (mobilenetv2, "mobilenetv2_batch"), "resnet50": (resnet50, "resnet50_batch"),
        "unet": (unet, "unet_batch"), "ds-cnn": (ds_cnn, "tiny_batch"), "mobilenet0.25": (mobilenet, "tiny_batch"),
        "resnet8": (resnet8, "tiny_batch"), "autoencoder": (autoencoder, "tiny_batch")}
