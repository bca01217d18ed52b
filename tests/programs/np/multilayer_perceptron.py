"""Multilayer perceptrons: activations and their gradients, from scratch, with Gluon, and as blocks of one's own."""

from ._tools import batches, draw, fixed, images, train, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    x = np.arange(-2.0, 2.0, 0.5)
    x.attach_grad()
    for name, function in (("relu", npx.relu), ("sigmoid", npx.sigmoid), ("tanh", np.tanh)):
        with autograd.record():
            y = function(x)
        y.backward()
        show(name, [y, x.grad])

    X, y = images(mx, 16, 6)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    W1, b1 = np.array(draw(1, 36, 8, scale=0.1)), np.zeros(8)
    W2, b2 = np.array(draw(2, 8, 2, scale=0.1)), np.zeros(2)
    params = [W1, b1, W2, b2]
    for param in params:
        param.attach_grad()

    def relu(X):
        return np.maximum(X, 0)

    losses = []
    for _ in range(3):
        for features, labels in batches(8, X, y):
            with autograd.record():
                H = relu(np.dot(features.reshape((-1, 36)), W1) + b1)
                l = loss(np.dot(H, W2) + b2, labels)
            l.backward()
            for param in params:
                param[:] = param - 0.5 * param.grad / len(labels)
            losses.append(l.mean().item())
    show("scratch", [losses, W2])

    class MLP(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.hidden = nn.Dense(8, activation="relu")
            self.out = nn.Dense(2)

        def forward(self, X):
            return self.out(self.hidden(X))

    class FixedHiddenMLP(nn.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.rand_weight = self.params.get_constant("rand_weight", np.array(draw(6, 8, 8)))
            self.dense = nn.Dense(8, activation="relu")

        def forward(self, X):
            X = self.dense(X)
            X = npx.relu(np.dot(X, self.rand_weight.data()) + 1)
            X = self.dense(X)
            while np.abs(X).sum() > 1:
                X /= 2
            return X.sum()

    class HybridMLP(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.hidden = nn.Dense(8)
            self.out = nn.Dense(2)

        def hybrid_forward(self, F, X):
            return self.out(F.npx.relu(self.hidden(X)))

    def make(cls):
        def build():
            net = cls()
            net.initialize(fixed(mx))
            return net
        return build

    for cls in (MLP, HybridMLP):
        twice(mx, show, cls.__name__, make(cls),
              lambda net: [train(mx, net, loss, batches(8, X, y), epochs=3, learning_rate=0.5), net(X)])
    net = make(FixedHiddenMLP)()
    show("fixed", net(np.array(draw(7, 2, 8))))
