"""LeNet: convolutions with sigmoids and average pooling, trained on small images; the shapes layer by layer."""

from ._tools import batches, images, scaled, train, twice


def run(mx, show):
    gluon, nn = mx.gluon, mx.gluon.nn

    def make():
        net = nn.HybridSequential()
        net.add(nn.Conv2D(channels=6, kernel_size=5, padding=2, activation="sigmoid"),
                nn.AvgPool2D(pool_size=2, strides=2),
                nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
                nn.AvgPool2D(pool_size=2, strides=2),
                nn.Dense(32, activation="sigmoid"), nn.Dense(16, activation="sigmoid"), nn.Dense(2))
        net.initialize(scaled(mx))
        return net

    X, y = images(mx, 16, 16)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def use(net):
        losses = train(mx, net, loss, batches(8, X, y), epochs=5, learning_rate=0.5)
        shapes, out = [], X[:1]
        for layer in net:
            out = layer(out)
            shapes.append([layer.name, out.shape])
        return [losses, shapes, out, net[0].weight.grad()[0]]

    twice(mx, show, "lenet", make, use)
