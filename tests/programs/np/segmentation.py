"""A class for each pixel: transposed convolution from scratch and as a layer, bilinear kernels, a network."""

from ._tools import draw, scaled, twice


def run(mx, show):
    np, autograd, gluon, init, nn = mx.np, mx.autograd, mx.gluon, mx.init, mx.gluon.nn

    def trans_conv(X, K):
        h, w = K.shape
        Y = np.zeros((X.shape[0] + h - 1, X.shape[1] + w - 1))
        for i in range(X.shape[0]):
            for j in range(X.shape[1]):
                Y[i: i + h, j: j + w] += X[i, j] * K
        return Y

    X, K = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[0.0, 1.0], [2.0, 3.0]])
    show("scratch", trans_conv(X, K))
    for options in ({}, {"padding": 1}, {"strides": 2}):
        tconv = nn.Conv2DTranspose(1, kernel_size=2, **options)
        tconv.initialize(init.Constant(K.reshape(1, 1, 2, 2)))
        show(f"layer {options}", tconv(X.reshape(1, 1, 2, 2)))

    def kernel2matrix(K):
        k, W = np.zeros(5), np.zeros((4, 9))
        k[:2], k[3:5] = K[0, :], K[1, :]
        W[0, :5], W[1, 1:6], W[2, 3:8], W[3, 4:] = k, k, k, k
        return W

    show("matrix", [kernel2matrix(K), np.dot(kernel2matrix(K).T, X.reshape(-1)).reshape(3, 3)])

    def bilinear_kernel(in_channels, out_channels, kernel_size):
        factor = (kernel_size + 1) // 2
        center = factor - 1 if kernel_size % 2 == 1 else factor - 0.5
        og = (np.arange(kernel_size).reshape(-1, 1), np.arange(kernel_size).reshape(1, -1))
        filt = (1 - np.abs(og[0] - center) / factor) * (1 - np.abs(og[1] - center) / factor)
        weight = np.zeros((in_channels, out_channels, kernel_size, kernel_size))
        weight[range(in_channels), range(out_channels), :, :] = filt
        return np.array(weight)

    up = nn.Conv2DTranspose(2, kernel_size=4, padding=1, strides=2)
    up.initialize(init.Constant(bilinear_kernel(2, 2, 4)))
    show("bilinear", up(np.array(draw(1, 1, 2, 3, 3))))

    pixels = np.array(draw(2, 2, 3, 16, 16))
    classes = np.array((draw(3, 2, 16, 16) > 0.3).astype("int32"))
    colors = np.array([[0, 0, 0], [128, 0, 0]], dtype="uint8")
    show("colors", colors[classes[0, :2, :3].astype("int32"), :])
    loss = gluon.loss.SoftmaxCrossEntropyLoss(axis=1)

    def make():
        net = nn.HybridSequential()
        net.add(nn.Conv2D(6, kernel_size=3, padding=1, strides=2, activation="relu"),
                nn.Conv2D(8, kernel_size=3, padding=1, strides=2), nn.BatchNorm(), nn.Activation("relu"),
                nn.Conv2D(2, kernel_size=1), nn.Conv2DTranspose(2, kernel_size=8, padding=2, strides=4))
        net[-1].initialize(init.Constant(bilinear_kernel(2, 2, 8)))
        net.initialize(scaled(mx))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 1e-3})
        losses = []
        for _ in range(4):
            with autograd.record():
                l = loss(net(pixels), classes)
            l.backward()
            trainer.step(2)
            losses.append(float(l.mean()))
        pred = net(pixels[:1]).argmax(axis=1)
        right = (net(pixels).argmax(axis=1).astype(classes.dtype) == classes).sum()
        return [losses, pred.reshape(pred.shape[1], pred.shape[2])[:3], int(right), net[-1].weight.data()[0, 0, :2]]

    twice(mx, show, "network", make, use)
