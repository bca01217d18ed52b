"""AlexNet, VGG and NiN with a few channels: deep stacks made by functions, dropout off, trained some steps."""

from ._tools import batches, images, scaled, train, twice


def run(mx, show):
    gluon, nn = mx.gluon, mx.gluon.nn
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    X, y = images(mx, 8, 24)

    def alexnet():
        net = nn.HybridSequential()
        net.add(nn.Conv2D(8, kernel_size=5, strides=2, activation="relu"), nn.MaxPool2D(pool_size=3, strides=2),
                nn.Conv2D(12, kernel_size=3, padding=1, activation="relu"), nn.MaxPool2D(pool_size=3, strides=2),
                nn.Conv2D(12, kernel_size=3, padding=1, activation="relu"), nn.Dense(16, activation="relu"),
                nn.Dropout(0), nn.Dense(16, activation="relu"), nn.Dropout(0), nn.Dense(2))
        return net

    def vgg_block(num_convs, num_channels):
        blk = nn.Sequential()
        for _ in range(num_convs):
            blk.add(nn.Conv2D(num_channels, kernel_size=3, padding=1, activation="relu"))
        blk.add(nn.MaxPool2D(pool_size=2, strides=2))
        return blk

    def vgg():
        net = nn.Sequential()
        for (num_convs, num_channels) in ((1, 4), (1, 6), (2, 8)):
            net.add(vgg_block(num_convs, num_channels))
        net.add(nn.Dense(16, activation="relu"), nn.Dense(2))
        return net

    def nin_block(num_channels, kernel_size, strides, padding):
        blk = nn.Sequential()
        blk.add(nn.Conv2D(num_channels, kernel_size, strides, padding, activation="relu"),
                nn.Conv2D(num_channels, kernel_size=1, activation="relu"),
                nn.Conv2D(num_channels, kernel_size=1, activation="relu"))
        return blk

    def nin():
        net = nn.Sequential()
        net.add(nin_block(8, 5, 2, 0), nn.MaxPool2D(pool_size=3, strides=2), nin_block(2, 3, 1, 1),
                nn.GlobalAvgPool2D(), nn.Flatten())
        return net

    for build in (alexnet, vgg, nin):
        def make():
            net = build()
            net.initialize(scaled(mx), ctx=mx.npx.cpu())
            return net

        twice(mx, show, build.__name__, make,
              lambda net: [train(mx, net, loss, batches(4, X, y), epochs=2, learning_rate=0.05), net(X[:2])])
