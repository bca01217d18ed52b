"""The blocks of AlexNet, VGG, NiN, GoogLeNet, ResNet and DenseNet, small: shapes, outputs, gradients, printed forms."""

from ._tools import draw, fixed


def run(mx, show):
    nd, autograd, nn = mx.nd, mx.autograd, mx.gluon.nn

    def alexnet():
        net = nn.Sequential()
        net.add(nn.Conv2D(6, kernel_size=11, strides=4, activation="relu"), nn.MaxPool2D(pool_size=3, strides=2),
                nn.Conv2D(8, kernel_size=5, padding=2, activation="relu"), nn.LeakyReLU(0.1), nn.Flatten(),
                nn.Dense(16, activation="relu"), nn.Dropout(0.0), nn.Dense(10))
        return net

    def vgg_block(num_convs, num_channels):
        block = nn.Sequential()
        for _ in range(num_convs):
            block.add(nn.Conv2D(num_channels, kernel_size=3, padding=1, activation="relu"))
        block.add(nn.MaxPool2D(pool_size=2, strides=2))
        return block

    def nin_block(num_channels, kernel_size, strides, padding):
        block = nn.Sequential()
        block.add(nn.Conv2D(num_channels, kernel_size, strides, padding, activation="relu"),
                  nn.Conv2D(num_channels, kernel_size=1, activation="relu"), nn.GlobalAvgPool2D(), nn.Flatten())
        return block

    class Inception(nn.Block):
        def __init__(self, c1, c2, c3, c4, **kwargs):
            super(Inception, self).__init__(**kwargs)
            self.p1_1 = nn.Conv2D(c1, kernel_size=1, activation="relu")
            self.p2_1 = nn.Conv2D(c2[0], kernel_size=1, activation="relu")
            self.p2_2 = nn.Conv2D(c2[1], kernel_size=3, padding=1, activation="relu")
            self.p3_1 = nn.Conv2D(c3[0], kernel_size=1, activation="relu")
            self.p3_2 = nn.Conv2D(c3[1], kernel_size=5, padding=2, activation="relu")
            self.p4_1 = nn.MaxPool2D(pool_size=3, strides=1, padding=1)
            self.p4_2 = nn.Conv2D(c4, kernel_size=1, activation="relu")

        def forward(self, x):
            return nd.concat(self.p1_1(x), self.p2_2(self.p2_1(x)), self.p3_2(self.p3_1(x)),
                             self.p4_2(self.p4_1(x)), dim=1)

    class Residual(nn.HybridBlock):
        def __init__(self, num_channels, use_1x1conv=False, strides=1, **kwargs):
            super(Residual, self).__init__(**kwargs)
            self.conv1 = nn.Conv2D(num_channels, kernel_size=3, padding=1, strides=strides)
            self.conv2 = nn.Conv2D(num_channels, kernel_size=3, padding=1)
            self.conv3 = nn.Conv2D(num_channels, kernel_size=1, strides=strides) if use_1x1conv else None
            self.bn1, self.bn2 = nn.BatchNorm(), nn.BatchNorm()

        def hybrid_forward(self, F, X):
            Y = F.relu(self.bn1(self.conv1(X)))
            Y = self.bn2(self.conv2(Y))
            if self.conv3:
                X = self.conv3(X)
            return F.Activation(Y + X, act_type="relu")

    class DenseBlock(nn.Block):
        def __init__(self, num_convs, num_channels, **kwargs):
            super(DenseBlock, self).__init__(**kwargs)
            self.net = nn.Sequential()
            for _ in range(num_convs):
                block = nn.Sequential()
                block.add(nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(num_channels, kernel_size=3, padding=1))
                self.net.add(block)

        def forward(self, X):
            for block in self.net:
                X = nd.concat(X, block(X), dim=1)
            return X

    rgb = nd.array(draw(1, 2, 3, 6, 6))
    programs = [("alexnet", alexnet(), nd.array(draw(2, 1, 1, 40, 40))), ("vgg", vgg_block(2, 4), rgb),
                ("nin", nin_block(4, 3, 2, 1), rgb), ("googlenet", Inception(2, (2, 3), (1, 2), 2), rgb),
                ("resnet", Residual(3), rgb), ("resnet half", Residual(6, use_1x1conv=True, strides=2), rgb),
                ("densenet", DenseBlock(2, 4), rgb)]
    for name, net, X in programs:
        net.initialize(fixed(mx))
        show(f"{name} predicted", net(X).reshape((-1,))[:20])
        X.attach_grad()
        with autograd.record():
            Y = net(X)
        Y.backward()
        weights = [p for key, p in net.collect_params().items() if key.endswith("weight")]
        show(name, [Y.shape, Y.reshape((-1,))[:20], X.grad[0, 0, :3], weights[0].grad().reshape((-1,))[:12]])
        show(f"{name} printed", [str(net), list(net.collect_params())])
        show(f"{name} parameters", str(net.collect_params()))
    net.hybridize()
    show("hybridized", net(rgb).sum().asscalar())
