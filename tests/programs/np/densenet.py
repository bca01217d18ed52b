"""DenseNet: blocks that append what they compute to their input, and transitions between them."""

from ._tools import batches, images, scaled, train, twice


def run(mx, show):
    np, gluon, nn = mx.np, mx.gluon, mx.gluon.nn

    def conv_block(num_channels):
        blk = nn.Sequential()
        blk.add(nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(num_channels, kernel_size=3, padding=1))
        return blk

    class DenseBlock(nn.Block):
        def __init__(self, num_convs, num_channels, **kwargs):
            super().__init__(**kwargs)
            self.net = nn.Sequential()
            for _ in range(num_convs):
                self.net.add(conv_block(num_channels))

        def forward(self, X):
            for blk in self.net:
                Y = blk(X)
                X = np.concatenate((X, Y), axis=1)
            return X

    def transition_block(num_channels):
        blk = nn.Sequential()
        blk.add(nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(num_channels, kernel_size=1),
                nn.AvgPool2D(pool_size=2, strides=2))
        return blk

    def make():
        net = nn.Sequential()
        net.add(nn.Conv2D(6, kernel_size=3, strides=2, padding=1), nn.BatchNorm(), nn.Activation("relu"))
        num_channels, growth_rate = 6, 3
        for i, num_convs in enumerate((2, 2)):
            net.add(DenseBlock(num_convs, growth_rate))
            num_channels += num_convs * growth_rate
            if i == 0:
                num_channels //= 2
                net.add(transition_block(num_channels))
        net.add(nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(2))
        net.initialize(scaled(mx))
        return net

    X, y = images(mx, 8, 16)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    twice(mx, show, "densenet", make,
          lambda net: [train(mx, net, loss, batches(4, X, y), epochs=2, learning_rate=0.1), net(X[:2])])
