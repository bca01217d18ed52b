"""Recommenders: matrix factorization, an autoencoder of ratings, and pairs of liked and other items."""

from ._tools import batches, draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    users = np.array(abs(draw(1, 48) * 100).astype("int32") % 8)
    items = np.array(abs(draw(2, 48) * 100).astype("int32") % 10)
    ratings = np.array(abs(draw(3, 48) * 2).clip(1, 5).round())

    class MF(nn.Block):
        def __init__(self, num_factors, num_users, num_items, **kwargs):
            super().__init__(**kwargs)
            self.P = nn.Embedding(input_dim=num_users, output_dim=num_factors)
            self.Q = nn.Embedding(num_items, num_factors)
            self.user_bias = nn.Embedding(num_users, 1)
            self.item_bias = nn.Embedding(num_items, 1)

        def forward(self, user_id, item_id):
            P_u, Q_i = self.P(user_id), self.Q(item_id)
            b_u, b_i = self.user_bias(user_id), self.item_bias(item_id)
            return (P_u * Q_i).sum(axis=1) + np.squeeze(b_u) + np.squeeze(b_i)

    class AutoRec(nn.Block):
        def __init__(self, num_hidden, num_users, dropout=0.0):
            super().__init__()
            self.encoder = nn.Dense(num_hidden, activation="sigmoid", use_bias=True)
            self.decoder = nn.Dense(num_users, use_bias=True)
            self.dropout = nn.Dropout(dropout)

        def forward(self, input):
            pred = self.decoder(self.dropout(self.encoder(input)))
            return pred * np.sign(input) if autograd.is_training() else pred

    class NeuMF(nn.Block):
        def __init__(self, num_factors, num_users, num_items, nums_hiddens, **kwargs):
            super().__init__(**kwargs)
            self.P, self.U = nn.Embedding(num_users, num_factors), nn.Embedding(num_users, num_factors)
            self.Q, self.V = nn.Embedding(num_items, num_factors), nn.Embedding(num_items, num_factors)
            self.mlp = nn.Sequential()
            for num_hiddens in nums_hiddens:
                self.mlp.add(nn.Dense(num_hiddens, activation="relu", use_bias=True))
            self.prediction_layer = nn.Dense(1, activation="sigmoid", use_bias=False)

        def forward(self, user_id, item_id):
            gmf = self.P(user_id) * self.Q(item_id)
            mlp = self.mlp(np.concatenate([self.U(user_id), self.V(item_id)], axis=1))
            return self.prediction_layer(np.concatenate([gmf, mlp], axis=1))

    class BPRLoss(gluon.loss.Loss):
        def __init__(self, weight=None, batch_axis=0, **kwargs):
            super().__init__(weight=None, batch_axis=0, **kwargs)

        def forward(self, positive, negative):
            distances = positive - negative
            return - np.sum(np.log(npx.sigmoid(distances)), 0, keepdims=True)

    class HingeLossbRec(gluon.loss.Loss):
        def __init__(self, weight=None, batch_axis=0, **kwargs):
            super().__init__(weight=None, batch_axis=0, **kwargs)

        def forward(self, positive, negative, margin=1):
            return np.sum(np.maximum(-(positive - negative) + margin, 0))

    def rmse(net):
        metric = mx.metric.RMSE()
        for u, i, r in batches(16, users, items, ratings):
            metric.update(labels=[r], preds=[net(u, i)])
        return float(metric.get()[1])

    def initialized(net, scale=0.3):
        net.initialize(fixed(mx, scale), ctx=npx.cpu())
        return net

    def factorize(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, "wd": 1e-5})
        loss, curve = gluon.loss.L2Loss(), []
        for _ in range(3):
            for u, i, r in batches(16, users, items, ratings):
                with autograd.record():
                    l = loss(net(u, i), r)
                l.backward()
                trainer.step(16)
                curve.append(float(l.mean()))
        return [curve, rmse(net), net.P.weight.data()[0]]

    matrix = np.zeros((10, 8))
    matrix[items, users] = ratings

    def autoencode(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        loss, curve = gluon.loss.L2Loss(), []
        for _ in range(6):
            with autograd.record():
                l = loss(net(matrix), matrix)
            l.backward()
            trainer.step(10)
            curve.append(float(l.mean()))
        error = np.sign(matrix) * (net(matrix) - matrix) ** 2
        return [curve, float(np.sqrt(error.sum() / np.sign(matrix).sum()))]

    def rank(loss):
        def use(net):
            trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
            curve = []
            others = (items + 3) % 10
            for _ in range(2):
                for u, i, o in batches(16, users, items, others):
                    with autograd.record():
                        l = loss(net(u, i), net(u, o))
                    l.backward()
                    trainer.step(16)
                    curve.append(float(l.mean()))
            scores = net(np.full((10,), 2, dtype="int32"), np.arange(10, dtype="int32")).reshape(-1)
            return [curve, scores, scores.argsort()[::-1][:3]]
        return use

    show("matrix", [matrix.sum(axis=0), int((matrix > 0).sum())])
    twice(mx, show, "MF", lambda: initialized(MF(4, 8, 10)), factorize)
    twice(mx, show, "AutoRec", lambda: initialized(AutoRec(5, 8)), autoencode)
    for loss in (BPRLoss, HingeLossbRec):
        twice(mx, show, f"NeuMF {loss.__name__}", lambda: initialized(NeuMF(4, 8, 10, [6, 6]), 0.5), rank(loss()))
