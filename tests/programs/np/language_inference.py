"""Does a sentence follow from another? Attend, compare, aggregate: two inputs to each block, and a loader of pairs."""

from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn

    def mlp(num_hiddens, flatten):
        net = nn.Sequential()
        net.add(nn.Dropout(0), nn.Dense(num_hiddens, activation="relu", flatten=flatten))
        net.add(nn.Dropout(0), nn.Dense(num_hiddens, activation="relu", flatten=flatten))
        return net

    class Attend(nn.Block):
        def __init__(self, num_hiddens, **kwargs):
            super().__init__(**kwargs)
            self.f = mlp(num_hiddens=num_hiddens, flatten=False)

        def forward(self, A, B):
            f_A, f_B = self.f(A), self.f(B)
            e = npx.batch_dot(f_A, f_B, transpose_b=True)
            beta = npx.batch_dot(npx.softmax(e), B)
            alpha = npx.batch_dot(npx.softmax(e.transpose(0, 2, 1)), A)
            return beta, alpha

    class Compare(nn.Block):
        def __init__(self, num_hiddens, **kwargs):
            super().__init__(**kwargs)
            self.g = mlp(num_hiddens=num_hiddens, flatten=False)

        def forward(self, A, B, beta, alpha):
            V_A = self.g(np.concatenate([A, beta], axis=2))
            V_B = self.g(np.concatenate([B, alpha], axis=2))
            return V_A, V_B

    class Aggregate(nn.Block):
        def __init__(self, num_hiddens, num_outputs, **kwargs):
            super().__init__(**kwargs)
            self.h = mlp(num_hiddens=num_hiddens, flatten=True)
            self.h.add(nn.Dense(num_outputs))

        def forward(self, V_A, V_B):
            return self.h(np.concatenate([V_A.sum(axis=1), V_B.sum(axis=1)], axis=1))

    class DecomposableAttention(nn.Block):
        def __init__(self, vocab_size, embed_size, num_hiddens, **kwargs):
            super().__init__(**kwargs)
            self.embedding = nn.Embedding(vocab_size, embed_size)
            self.attend, self.compare = Attend(num_hiddens), Compare(num_hiddens)
            self.aggregate = Aggregate(num_hiddens, 3)

        def forward(self, X):
            premises, hypotheses = X
            A, B = self.embedding(premises), self.embedding(hypotheses)
            beta, alpha = self.attend(A, B)
            return self.aggregate(*self.compare(A, B, beta, alpha))

    class Pairs(gluon.data.Dataset):
        def __init__(self):
            words = abs(draw(1, 12, 2, 5) * 100).astype("int32") % 15
            self.premises, self.hypotheses = np.array(words[:, 0]), np.array(words[:, 1])
            self.labels = np.array([0, 1, 2] * 4)

        def __getitem__(self, idx):
            return (self.premises[idx], self.hypotheses[idx]), self.labels[idx]

        def __len__(self):
            return len(self.premises)

    loader = gluon.data.DataLoader(Pairs(), 6, num_workers=0)
    for X, Y in loader:
        show("batch", [X[0], X[1], Y])
        break

    def make():
        net = DecomposableAttention(15, 6, 8)
        net.initialize(fixed(mx, 0.5))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
        for _ in range(4):
            for X, y in loader:
                Xs = [gluon.utils.split_and_load(part, [npx.cpu()], even_split=False) for part in X]
                ys = gluon.utils.split_and_load(y, [npx.cpu()], even_split=False)
                with autograd.record():
                    ls = [loss(net(pair), label) for pair, label in zip(zip(*Xs), ys)]
                for l in ls:
                    l.backward()
                trainer.step(6, ignore_stale_grad=True)
                losses.append(float(sum(l.sum() for l in ls)) / 6)
        label = np.argmax(net([X[0][:1], X[1][:1]]), axis=1)
        return [losses, net(X), label.shape]

    twice(mx, show, "training", make, use)
