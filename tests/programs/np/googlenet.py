"""GoogLeNet: inception blocks whose four paths are joined along the channels."""

from ._tools import batches, images, scaled, train, twice


def run(mx, show):
    np, gluon, nn = mx.np, mx.gluon, mx.gluon.nn

    class Inception(nn.Block):
        def __init__(self, c1, c2, c3, c4, **kwargs):
            super().__init__(**kwargs)
            self.p1_1 = nn.Conv2D(c1, kernel_size=1, activation="relu")
            self.p2_1 = nn.Conv2D(c2[0], kernel_size=1, activation="relu")
            self.p2_2 = nn.Conv2D(c2[1], kernel_size=3, padding=1, activation="relu")
            self.p3_1 = nn.Conv2D(c3[0], kernel_size=1, activation="relu")
            self.p3_2 = nn.Conv2D(c3[1], kernel_size=5, padding=2, activation="relu")
            self.p4_1 = nn.MaxPool2D(pool_size=3, strides=1, padding=1)
            self.p4_2 = nn.Conv2D(c4, kernel_size=1, activation="relu")

        def forward(self, x):
            p1, p2 = self.p1_1(x), self.p2_2(self.p2_1(x))
            p3, p4 = self.p3_2(self.p3_1(x)), self.p4_2(self.p4_1(x))
            return np.concatenate((p1, p2, p3, p4), axis=1)

    class HybridInception(Inception, nn.HybridBlock):
        def forward(self, x):
            return nn.HybridBlock.forward(self, x)

        def hybrid_forward(self, F, x):
            paths = (self.p1_1(x), self.p2_2(self.p2_1(x)), self.p3_2(self.p3_1(x)), self.p4_2(self.p4_1(x)))
            return F.np.concatenate(paths, axis=1)

    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    X, y = images(mx, 8, 16)
    for cls in (Inception, HybridInception):
        def make():
            net = nn.Sequential() if cls is Inception else nn.HybridSequential()
            net.add(nn.Conv2D(4, kernel_size=5, strides=2, padding=2, activation="relu"),
                    cls(2, (2, 3), (1, 2), 2), nn.MaxPool2D(pool_size=3, strides=2, padding=1),
                    cls(3, (2, 4), (2, 3), 2), nn.GlobalAvgPool2D(), nn.Dense(2))
            net.initialize(scaled(mx))
            return net

        twice(mx, show, cls.__name__, make,
              lambda net: [train(mx, net, loss, batches(4, X, y), epochs=2, learning_rate=0.05), net(X[:2])])
