"""A vision transformer: patches by a convolution, a token and positions as parameters, GELU, and its files."""

from ._tools import fixed, images, train, twice


def run(mx, show):
    np, gluon, nn = mx.np, mx.gluon, mx.gluon.nn

    class MLP(nn.HybridBlock):
        def __init__(self, hidden, out, **kwargs):
            super().__init__(**kwargs)
            self.first, self.act = nn.Dense(hidden, flatten=False), nn.GELU()
            self.second = nn.Dense(out, flatten=False)

        def hybrid_forward(self, F, x):
            return self.second(self.act(self.first(x)))

    class Attention(nn.HybridBlock):
        def __init__(self, hidden, heads, **kwargs):
            super().__init__(**kwargs)
            self._heads, self._scale = heads, (hidden / heads) ** -0.5
            self.query, self.key = nn.Dense(hidden, flatten=False), nn.Dense(hidden, flatten=False)
            self.value, self.out = nn.Dense(hidden, flatten=False), nn.Dense(hidden, flatten=False)

        def hybrid_forward(self, F, x):
            def split(part):
                part = F.npx.reshape(part, (-2, -2, self._heads, -1))
                return F.npx.reshape(F.np.transpose(part, (0, 2, 1, 3)), (-5, -2, -1))
            q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
            weights = F.npx.softmax(F.npx.batch_dot(q, k, transpose_b=True) * self._scale, axis=-1)
            joined = F.npx.reshape(F.npx.batch_dot(weights, v), (-6, -1, self._heads, -2, -2))
            return self.out(F.npx.reshape(F.np.transpose(joined, (0, 2, 1, 3)), (-2, -2, -5)))

    class ViT(nn.HybridBlock):
        def __init__(self, hidden=8, patches=4, classes=2, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.patch = nn.Conv2D(hidden, kernel_size=4, strides=4)
                self.token = self.params.get("token", shape=(1, 1, hidden), init="zeros")
                self.positions = self.params.get("positions", shape=(1, patches + 1, hidden),
                                                 init=mx.init.Constant(0.1))
                self.norm1, self.attention = nn.LayerNorm(), Attention(hidden, 2)
                self.norm2, self.mlp = nn.LayerNorm(), MLP(12, hidden)
                self.head = nn.Dense(classes)

        def hybrid_forward(self, F, x, token, positions):
            x = F.np.transpose(F.npx.reshape(self.patch(x), (-2, -2, -1)), (0, 2, 1))
            first = F.np.mean(x, axis=1, keepdims=True) * 0 + token
            x = F.np.concatenate([first, x], axis=1) + positions
            x = x + self.attention(self.norm1(x))
            x = x + self.mlp(self.norm2(x))
            return self.head(x[:, 0])

    X, y = images(mx, 8)

    def make():
        net = ViT()
        net.initialize(fixed(mx))
        return net

    def use(net):
        losses = train(mx, net, gluon.loss.SoftmaxCrossEntropyLoss(), [[X, y]], "sgd", 5, learning_rate=0.1)
        return [net(X), losses, net.token.data(), net.positions.grad()[0, 1]]

    twice(mx, show, "vit", make, use)
    net = make()
    show("names", sorted(name.partition("_")[2] for name in net.collect_params()))
    show("activation", [nn.GELU()(np.array([-1.0, 0, 2])), nn.SELU()(np.array([-1.0, 2])),
                        nn.Swish()(np.array([1.0, -3])), nn.ELU(0.5)(np.array([-2.0, 1])),
                        nn.LeakyReLU(0.1)(np.array([-2.0, 1]))])
