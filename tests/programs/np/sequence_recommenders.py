"""Recommenders by a neural product of embeddings, and by convolutions over the last items of each user."""

from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    users, items = 6, 9

    class NeuMF(nn.Block):
        def __init__(self, factors, hiddens, **kwargs):
            super().__init__(**kwargs)
            self.P, self.Q = nn.Embedding(users, factors), nn.Embedding(items, factors)
            self.U, self.V = nn.Embedding(users, factors), nn.Embedding(items, factors)
            self.mlp = nn.Sequential()
            for hidden in hiddens:
                self.mlp.add(nn.Dense(hidden, activation="relu", use_bias=True))
            self.prediction = nn.Dense(1, activation="sigmoid", use_bias=False)

        def forward(self, user, item):
            gmf = self.P(user) * self.Q(item)
            mlp = self.mlp(np.concatenate([self.U(user), self.V(item)], axis=1))
            return self.prediction(np.concatenate([gmf, mlp], axis=1))

    class Caser(nn.Block):
        def __init__(self, factors, L=4, d=2, d_prime=2, **kwargs):
            super().__init__(**kwargs)
            self.P, self.Q = nn.Embedding(users, factors), nn.Embedding(items, factors)
            self.conv_v = nn.Conv2D(d_prime, (L, 1), in_channels=1)
            self.conv_h, self.maxpool = nn.Sequential(), nn.Sequential()
            for i in range(1, L + 1):
                self.conv_h.add(nn.Conv2D(d, (i, factors), in_channels=1))
                self.maxpool.add(nn.MaxPool1D(L - i + 1))
            self.fc = nn.Dense(factors, activation="relu", in_units=d_prime * factors + d * L)
            self.Q_prime, self.b = nn.Embedding(items, 2 * factors), nn.Embedding(items, 1)
            self.dropout = nn.Dropout(0)

        def forward(self, user_id, seq, item_id):
            embs = np.expand_dims(self.Q(seq), 1)
            user_emb = self.P(user_id)
            out_v = self.conv_v(embs)
            out_v = out_v.reshape(out_v.shape[0], -1)
            out_hs = []
            for conv, maxp in zip(self.conv_h, self.maxpool):
                conv_out = np.squeeze(npx.relu(conv(embs)), axis=3)
                out_hs.append(np.squeeze(maxp(conv_out), axis=2))
            out = np.concatenate([out_v, np.concatenate(out_hs, axis=1)], axis=1)
            x = np.concatenate([self.fc(self.dropout(out)), user_emb], axis=1)
            q, b = np.squeeze(self.Q_prime(item_id)), np.squeeze(self.b(item_id))
            return (x * q).sum(1) + b

    class BPRLoss(gluon.loss.Loss):
        def __init__(self, weight=None, batch_axis=0, **kwargs):
            super().__init__(weight=weight, batch_axis=batch_axis, **kwargs)

        def forward(self, positive, negative):
            distances = positive - negative
            return -np.sum(np.log(npx.sigmoid(distances)), 0, keepdims=True)

    class HingeLoss(gluon.loss.Loss):
        def __init__(self, weight=None, batch_axis=0, **kwargs):
            super().__init__(weight=weight, batch_axis=batch_axis, **kwargs)

        def forward(self, positive, negative, margin=1):
            return np.sum(np.maximum(-(positive - negative) + margin, 0))

    user = np.array([0, 1, 2, 3, 4, 5, 0, 1])
    seen = np.array([[(i + j) % items for j in range(4)] for i in range(8)])
    liked, other = np.array([(i * 2) % items for i in range(8)]), np.array([(i * 5 + 1) % items for i in range(8)])

    def trained(net, loss, *inputs):
        trainer, curve = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, "wd": 1e-4}), []
        for _ in range(5):
            with autograd.record():
                error = loss(net(*inputs, liked), net(*inputs, other))
            error.backward()
            trainer.step(len(user))
            curve.append(error.mean())
        return [curve, net(*inputs, liked)]

    def make(kind, *args):
        def build():
            net = kind(*args)
            net.initialize(fixed(mx))
            return net
        return build

    twice(mx, show, "neural factors", make(NeuMF, 3, [5, 4]), lambda net: trained(net, BPRLoss(), user))
    twice(mx, show, "caser", make(Caser, 3), lambda net: trained(net, HingeLoss(), user, seen))
    scores = np.array(draw(5, 3, items))
    ranks = [list(scores[i].argsort()[::-1].asnumpy().astype(int).tolist()) for i in range(3)]
    hits = [1 if ranks[i].index(i) < 3 else 0 for i in range(3)]
    auc = [float((scores[i] < scores[i, i]).sum()) / (items - 1) for i in range(3)]
    show("evaluation", [ranks, hits, auc])
