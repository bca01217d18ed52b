"""Convolution and pooling from scratch: cross-correlation, a kernel that is learned, several channels, padding."""

from ._tools import draw, fixed


def run(mx, show):
    np, npx, autograd, nn = mx.np, mx.npx, mx.autograd, mx.gluon.nn

    def corr2d(X, K):
        h, w = K.shape
        Y = np.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
        for i in range(Y.shape[0]):
            for j in range(Y.shape[1]):
                Y[i, j] = (X[i:i + h, j:j + w] * K).sum()
        return Y

    X = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
    K = np.array([[0.0, 1.0], [2.0, 3.0]])
    show("corr2d", corr2d(X, K))

    class Conv2D(nn.Block):
        def __init__(self, kernel_size, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=kernel_size)
            self.bias = self.params.get("bias", shape=(1,))

        def forward(self, x):
            return corr2d(x, self.weight.data()) + self.bias.data()

    conv = Conv2D((2, 2))
    conv.initialize(fixed(mx))
    show("layer", conv(X))

    edges = np.ones((6, 8))
    edges[:, 2:6] = 0
    kernel = np.array([[1.0, -1.0]])
    Y = corr2d(edges, kernel)
    show("edges", [Y, corr2d(edges.T, kernel)])
    conv2d = nn.Conv2D(1, kernel_size=(1, 2), use_bias=False)
    conv2d.initialize(fixed(mx))
    edges, Y = edges.reshape(1, 1, 6, 8), Y.reshape(1, 1, 6, 7)
    losses = []
    for _ in range(6):
        with autograd.record():
            l = (conv2d(edges) - Y) ** 2
        l.backward()
        conv2d.weight.data()[:] -= 3e-2 * conv2d.weight.grad()
        losses.append(float(l.sum()))
    show("learned", [losses, conv2d.weight.data().reshape((1, 2))])

    def corr2d_multi_in(X, K):
        return sum(corr2d(x, k) for x, k in zip(X, K))

    def corr2d_multi_in_out(X, K):
        return np.stack([corr2d_multi_in(X, k) for k in K], 0)

    def corr2d_multi_in_out_1x1(X, K):
        c_i, h, w = X.shape
        c_o = K.shape[0]
        return np.dot(K.reshape((c_o, c_i)), X.reshape((c_i, h * w))).reshape((c_o, h, w))

    X3, K3 = np.array(draw(1, 3, 3, 3)), np.array(draw(2, 2, 3, 1, 1))
    Y1, Y2 = corr2d_multi_in_out_1x1(X3, K3), corr2d_multi_in_out(X3, K3)
    show("channels", [np.stack((K, K + 1, K + 2), 0).shape, Y1, float(np.abs(Y1 - Y2).sum()) < 1e-4])
    show("operators", [npx.convolution(X3.reshape(1, 3, 3, 3), K3, num_filter=2, kernel=(1, 1), no_bias=True),
                       npx.pooling(X3.reshape(1, 3, 3, 3), kernel=(2, 2), pool_type="max")])
    image = np.arange(16).reshape(1, 1, 4, 4)
    for layer in (nn.MaxPool2D(3), nn.MaxPool2D(3, padding=1, strides=2), nn.AvgPool2D((2, 3), padding=(0, 1)),
                  nn.GlobalAvgPool2D(), nn.MaxPool2D((2, 3), strides=(2, 3), padding=(0, 1))):
        show(str(layer), layer(image))
