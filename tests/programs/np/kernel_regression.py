"""Attention pooling: averages, a Gaussian kernel, and one whose width is learned."""

from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    n_train = 12
    x_train = np.sort(np.array(abs(draw(1, n_train)) % 1 * 5))

    def f(x):
        return 2 * np.sin(x) + x ** 0.8

    y_train = f(x_train) + np.array(draw(2, n_train, scale=0.5))
    x_test = np.arange(0, 5, 0.5)
    y_hat = np.repeat(y_train.mean(), len(x_test))
    show("average", [x_train, f(x_test), y_hat])
    X_repeat = x_test.repeat(n_train).reshape((-1, n_train))
    attention_weights = npx.softmax(-(X_repeat - x_train) ** 2 / 2)
    show("kernel", [np.dot(attention_weights, y_train), attention_weights[0]])
    show("batches", [npx.batch_dot(np.ones((2, 1, 4)), np.ones((2, 4, 6))).shape,
                     npx.batch_dot(np.expand_dims(np.ones((2, 10)) * 0.1, 1), np.expand_dims(np.arange(20).reshape(
                         (2, 10)), -1))])

    class NWKernelRegression(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = self.params.get("w", shape=(1,))

        def forward(self, queries, keys, values):
            queries = queries.repeat(keys.shape[1]).reshape((-1, keys.shape[1]))
            self.attention_weights = npx.softmax(-((queries - keys) * self.w.data()) ** 2 / 2)
            return npx.batch_dot(np.expand_dims(self.attention_weights, 1), np.expand_dims(values, -1)).reshape(-1)

    tiles = [np.tile(v, (n_train, 1)) for v in (x_train, y_train)]
    others = (1 - np.eye(n_train)).astype("bool")
    keys, values = [v[others].reshape((n_train, -1)) for v in tiles]
    show("others", [keys[0], values[-1]])

    def make():
        net = NWKernelRegression()
        net.initialize(fixed(mx, 1))
        return net

    def use(net):
        loss = gluon.loss.L2Loss()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        losses = []
        for _ in range(4):
            with autograd.record():
                l = loss(net(x_train, keys, values), y_train)
            l.backward()
            trainer.step(1)
            losses.append(float(l.sum()))
        keys_test = np.tile(x_train, (len(x_test), 1))
        y_hat = net(x_test, keys_test, np.tile(y_train, (len(x_test), 1)))
        return [losses, y_hat, np.expand_dims(np.expand_dims(net.attention_weights, 0), 0)[0, 0, 1]]

    twice(mx, show, "learned", make, use)
