"""Cross-correlation and pooling with loops over elements, kernels that are learned, channels, padding and strides."""

from ._tools import draw


def run(mx, show):
    nd, autograd, nn = mx.nd, mx.autograd, mx.gluon.nn

    def corr2d(X, K):
        h, w = K.shape
        Y = nd.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
        for i in range(Y.shape[0]):
            for j in range(Y.shape[1]):
                Y[i, j] = (X[i: i + h, j: j + w] * K).sum()
        return Y

    def pool2d(X, pool_size, mode="max"):
        p_h, p_w = pool_size
        Y = nd.zeros((X.shape[0] - p_h + 1, X.shape[1] - p_w + 1))
        for i in range(Y.shape[0]):
            for j in range(Y.shape[1]):
                if mode == "max":
                    Y[i, j] = X[i: i + p_h, j: j + p_w].max()
                elif mode == "avg":
                    Y[i, j] = X[i: i + p_h, j: j + p_w].mean()
        return Y

    X = nd.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    show("loops", [corr2d(X, nd.array([[0, 1], [2, 3]])), pool2d(X, (2, 2)), pool2d(X, (2, 2), "avg")])

    class Conv2D(nn.Block):
        def __init__(self, kernel_size, **kwargs):
            super(Conv2D, self).__init__(**kwargs)
            self.weight = self.params.get("weight", shape=kernel_size, init=mx.init.Constant(0.5))
            self.bias = self.params.get("bias", shape=(1,))

        def forward(self, x):
            return corr2d(x, self.weight.data()) + self.bias.data()

    layer = Conv2D((1, 2))
    layer.initialize(mx.init.Zero())
    show("layer", layer(X))
    X = nd.ones((6, 8))
    X[:, 2:6] = 0
    Y = corr2d(X, nd.array([[1, -1]]))
    show("edges", Y)
    conv2d = nn.Conv2D(1, kernel_size=(1, 2))
    conv2d.initialize(mx.init.Constant(0.1))
    X, Y = X.reshape((1, 1, 6, 8)), Y.reshape((1, 1, 6, 7))
    for i in range(10):
        with autograd.record():
            loss = (conv2d(X) - Y) ** 2
        loss.backward()
        conv2d.weight.data()[:] -= 3e-2 * conv2d.weight.grad()
        if (i + 1) % 5 == 0:
            show(f"batch {i + 1}", "loss %.3f" % loss.sum().asscalar())
    show("learned", conv2d.weight.data().reshape((1, 2)))

    def comp_conv2d(conv2d, X):
        conv2d.initialize(mx.init.Constant(0.1))
        X = X.reshape((1, 1) + X.shape)
        Y = conv2d(X)
        return Y.reshape(Y.shape[2:])

    X = nd.array(draw(1, 8, 8))
    for kwargs in ({"kernel_size": 3, "padding": 1}, {"kernel_size": (5, 3), "padding": (2, 1)},
                   {"kernel_size": 3, "padding": 1, "strides": 2},
                   {"kernel_size": (3, 5), "padding": (0, 1), "strides": (3, 4)}, {"kernel_size": 2, "dilation": 2}):
        Y = comp_conv2d(nn.Conv2D(1, **kwargs), X)
        show(str(kwargs), [Y.shape, Y[0]])

    X = nd.array(draw(2, 2, 3, 3))
    K = nd.array(draw(3, 2, 2, 2))

    def corr2d_multi_in(X, K):
        return nd.add_n(*[corr2d(x, k) for x, k in zip(X, K)])

    def corr2d_multi_in_out_1x1(X, K):
        c_i, h, w = X.shape
        c_o = K.shape[0]
        return nd.dot(K.reshape((c_o, c_i)), X.reshape((c_i, h * w))).reshape((c_o, h, w))

    K = nd.stack(K, K + 1, K + 2)
    Y = nd.stack(*[corr2d_multi_in(X, k) for k in K])
    Z = nd.Convolution(X.expand_dims(0), K, nd.zeros(3), kernel=(2, 2), num_filter=3)
    show("channels", [K.shape, Y, (Y - Z[0]).norm().asscalar() < 1e-5])
    K = nd.array(draw(4, 3, 2, 1, 1))
    Z = nd.Convolution(X.expand_dims(0), K, no_bias=True, kernel=(1, 1), num_filter=3)
    show("1 x 1", [corr2d_multi_in_out_1x1(X, K), ((corr2d_multi_in_out_1x1(X, K) - Z[0]).norm() < 1e-6).asscalar()])
    X = nd.array(draw(5, 1, 2, 5, 5))
    for pool in (nn.MaxPool2D(3), nn.MaxPool2D(3, padding=1, strides=2), nn.AvgPool2D((2, 3), padding=(1, 2),
                 strides=(2, 3)), nn.AvgPool2D(2, ceil_mode=True), nn.GlobalMaxPool2D(),
                 nn.AvgPool2D(3, 2, 1, count_include_pad=False)):
        show(str(pool), pool(X)[0, 1])
    x = nd.array(draw(6, 1, 2, 9))
    layers = [nn.Conv1D(2, 3, strides=2, activation="tanh"), nn.Conv1DTranspose(2, 3), nn.MaxPool1D(2),
              nn.GlobalAvgPool1D()]
    for layer in layers:
        layer.initialize(mx.init.Constant(0.1))
        show(repr(layer), layer(x))
    cube = nd.array(draw(7, 1, 1, 3, 3, 3))
    for layer in (nn.Conv3D(1, 2), nn.AvgPool3D(2), nn.Conv3DTranspose(1, 2)):
        layer.initialize(mx.init.Constant(0.1))
        show(repr(layer), layer(cube).reshape((-1,))[:8])
    show("padded", [nn.ReflectionPad2D(1)(X)[0, 0, 0],
                    nd.pad(X, mode="edge", pad_width=(0, 0, 0, 0, 1, 0, 0, 2)).shape])
