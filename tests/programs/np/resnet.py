"""ResNet: residual blocks with and without 1x1 convolutions, stages made by a function, a hybrid one with F.npx."""

from ._tools import batches, images, scaled, train, twice


def run(mx, show):
    np, npx, gluon, nn = mx.np, mx.npx, mx.gluon, mx.gluon.nn

    class Residual(nn.Block):
        def __init__(self, num_channels, use_1x1conv=False, strides=1, **kwargs):
            super().__init__(**kwargs)
            self.conv1 = nn.Conv2D(num_channels, kernel_size=3, padding=1, strides=strides)
            self.conv2 = nn.Conv2D(num_channels, kernel_size=3, padding=1)
            self.conv3 = nn.Conv2D(num_channels, kernel_size=1, strides=strides) if use_1x1conv else None
            self.bn1 = nn.BatchNorm()
            self.bn2 = nn.BatchNorm()

        def forward(self, X):
            Y = npx.relu(self.bn1(self.conv1(X)))
            Y = self.bn2(self.conv2(Y))
            if self.conv3:
                X = self.conv3(X)
            return npx.relu(Y + X)

    class HybridResidual(nn.HybridBlock):
        def __init__(self, num_channels, use_1x1conv=False, strides=1, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.HybridSequential()
                self.body.add(nn.Conv2D(num_channels, kernel_size=3, padding=1, strides=strides), nn.BatchNorm(),
                              nn.Activation("relu"), nn.Conv2D(num_channels, kernel_size=3, padding=1), nn.BatchNorm())
                self.short = nn.Conv2D(num_channels, kernel_size=1, strides=strides) if use_1x1conv else None

        def hybrid_forward(self, F, X):
            Y = self.body(X)
            return F.npx.relu(Y + (X if self.short is None else self.short(X)))

    def stage(cls, num_channels, num_residuals, first_block=False):
        blk = nn.Sequential() if cls is Residual else nn.HybridSequential()
        for i in range(num_residuals):
            if i == 0 and not first_block:
                blk.add(cls(num_channels, use_1x1conv=True, strides=2))
            else:
                blk.add(cls(num_channels))
        return blk

    blk = Residual(3)
    blk.initialize(scaled(mx))
    X = np.array(images(mx, 4, 6, 3)[0])
    show("block", blk(X)[0])
    X, y = images(mx, 8, 16)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for cls in (Residual, HybridResidual):
        def make():
            net = nn.Sequential() if cls is Residual else nn.HybridSequential()
            net.add(nn.Conv2D(4, kernel_size=3, strides=1, padding=1), nn.BatchNorm(), nn.Activation("relu"),
                    nn.MaxPool2D(pool_size=3, strides=2, padding=1), stage(cls, 4, 2, first_block=True),
                    stage(cls, 6, 2), nn.GlobalAvgPool2D(), nn.Dense(2))
            net.initialize(scaled(mx))
            return net

        twice(mx, show, cls.__name__, make,
              lambda net: [train(mx, net, loss, batches(4, X, y), epochs=2, learning_rate=0.05), net(X[:2]),
                           net[1].running_mean.data()])
