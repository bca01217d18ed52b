"""Dropout: masks from scratch, whose numbers are given, and the layer when it predicts and when it drops all."""

from ._tools import batches, draw, fixed, images, twice


def run(mx, show):
    np, autograd, gluon, nn = mx.np, mx.autograd, mx.gluon, mx.gluon.nn
    uniform = np.array(abs(draw(9, 16, 8)) % 1)

    def dropout_layer(X, dropout):
        assert 0 <= dropout <= 1
        if dropout == 1:
            return np.zeros_like(X)
        if dropout == 0:
            return X
        mask = uniform[:len(X)] > dropout
        return mask.astype(np.float32) * X / (1.0 - dropout)

    X = np.arange(16).reshape(2, 8)
    for p in (0, 0.5, 1):
        show(f"layer {p}", dropout_layer(X, p))
    images_, labels = images(mx, 16, 6)
    W1, b1 = np.array(draw(1, 36, 8, scale=0.2)), np.zeros(8)
    W2, b2 = np.array(draw(2, 8, 2, scale=0.2)), np.zeros(2)
    params = [W1, b1, W2, b2]
    for param in params:
        param.attach_grad()

    def net(X):
        H = np.maximum(np.dot(X.reshape(-1, 36), W1) + b1, 0)
        if autograd.is_training():
            H = dropout_layer(H, 0.3)
        return np.dot(H, W2) + b2

    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(3):
        for features, y in batches(8, images_, labels):
            with autograd.record():
                l = loss(net(features), y)
            l.backward()
            for param in params:
                param[:] -= 0.3 * param.grad / 8
            losses.append(float(l.mean()))
    show("scratch", [losses, W2, net(images_)[:2]])

    def make():
        concise = nn.HybridSequential()
        concise.add(nn.Dense(8, activation="relu"), nn.Dropout(0.5), nn.Dense(2))
        concise.initialize(fixed(mx))
        return concise

    def use(concise):
        predicted = concise(images_)
        with autograd.record():
            trained = concise[1](np.ones((100, 100)))
        kept = float((trained != 0).mean())
        return [predicted[:3], 0.45 < kept < 0.55, sorted(set(trained[0].asnumpy().tolist())), str(concise[1])]

    twice(mx, show, "layers", make, use)
