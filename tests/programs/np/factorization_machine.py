"""Clicks: a factorization machine and a deep one on fields of categories, with one embedding table."""

from ._tools import batches, draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    field_dims = [4, 5, 6]
    offsets = np.array([0, *np.cumsum(np.array(field_dims)).asnumpy().astype(int)[:-1]], dtype="int32")
    show("offsets", offsets)
    fields = abs(draw(1, 40, 3) * 50).astype("int32") % [4, 5, 6]
    X, y = np.array(fields.astype("int32")) + offsets, np.array((draw(2, 40) > 0).astype("float32"))

    class FM(nn.Block):
        def __init__(self, num_factors):
            super().__init__()
            num_inputs = int(sum(field_dims))
            self.embedding = nn.Embedding(num_inputs, num_factors)
            self.fc = nn.Embedding(num_inputs, 1)
            self.linear_layer = nn.Dense(1, use_bias=True)

        def forward(self, x):
            square_of_sum = np.sum(self.embedding(x), axis=1) ** 2
            sum_of_square = np.sum(self.embedding(x) ** 2, axis=1)
            x = self.linear_layer(self.fc(x).sum(1)) + 0.5 * (square_of_sum - sum_of_square).sum(1, keepdims=True)
            return npx.sigmoid(x)

    class DeepFM(nn.Block):
        def __init__(self, num_factors, mlp_dims, drop_rate=0):
            super().__init__()
            num_inputs = int(sum(field_dims))
            self.embedding = nn.Embedding(num_inputs, num_factors)
            self.fc = nn.Embedding(num_inputs, 1)
            self.linear_layer = nn.Dense(1, use_bias=True)
            self.embed_output_dim = len(field_dims) * num_factors
            self.mlp = nn.Sequential()
            for dim in mlp_dims:
                self.mlp.add(nn.Dense(dim, "relu", True, in_units=self.embed_output_dim), nn.Dropout(rate=drop_rate))
                self.embed_output_dim = dim
            self.mlp.add(nn.Dense(in_units=mlp_dims[-1], units=1))

        def forward(self, x):
            embed_x = self.embedding(x)
            square_of_sum, sum_of_square = np.sum(embed_x, axis=1) ** 2, np.sum(embed_x ** 2, axis=1)
            inputs = np.reshape(embed_x, (-1, 12))
            x = self.linear_layer(self.fc(x).sum(1)) + 0.5 * (square_of_sum - sum_of_square).sum(1, keepdims=True) \
                + self.mlp(inputs)
            return npx.sigmoid(x)

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        loss, curve = gluon.loss.SigmoidBinaryCrossEntropyLoss(from_sigmoid=True), []
        for _ in range(3):
            for features, labels in batches(10, X, y):
                with autograd.record():
                    l = loss(net(features), labels.reshape(-1, 1))
                l.backward()
                trainer.step(10)
                curve.append(float(l.mean()))
        right = ((net(X).reshape(-1) > 0.5).astype("float32") == y).mean()
        return [curve, net(X[:4]), float(right) > 0.4]

    for name, build in (("FM", lambda: FM(4)), ("DeepFM", lambda: DeepFM(4, [6, 5]))):
        def make():
            net = build()
            net.initialize(fixed(mx))
            return net

        twice(mx, show, name, make, use)
