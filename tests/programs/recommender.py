"""Recommenders: matrix factorization with biases, a factorization machine, a deep one on fields, ranking losses."""

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn

    class MF(nn.Block):
        def __init__(self, num_factors, num_users, num_items, **kwargs):
            super(MF, self).__init__(**kwargs)
            self.P = nn.Embedding(input_dim=num_users, output_dim=num_factors)
            self.Q = nn.Embedding(input_dim=num_items, output_dim=num_factors)
            self.user_bias = nn.Embedding(num_users, 1)
            self.item_bias = nn.Embedding(num_items, 1)

        def forward(self, user_id, item_id):
            P_u, Q_i, b_u, b_i = self.P(user_id), self.Q(item_id), self.user_bias(user_id), self.item_bias(item_id)
            outputs = (P_u * Q_i).sum(axis=1) + nd.squeeze(b_u) + nd.squeeze(b_i)
            return outputs.flatten().reshape((-1,))

    users = nd.array([0, 1, 2, 3, 0, 1], dtype="int32")
    items = nd.array([1, 2, 0, 1, 4, 3], dtype="int32")
    ratings = nd.array([5, 3, 1, 4, 2, 2], dtype="float32")
    net = MF(3, num_users=4, num_items=5)
    net.initialize(ctx=mx.cpu(), force_reinit=True, init=fixed(mx))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1, "wd": 1e-5})
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(users, items, ratings), batch_size=4, last_batch="rollover")
    rmse = mx.metric.RMSE()
    for epoch in range(4):
        for u, i, r in data:
            with autograd.record():
                loss = gluon.loss.L2Loss()(net(u, i), r)
            loss.backward()
            trainer.step(len(u))
        rmse.reset()
        rmse.update(labels=[ratings], preds=[net(users, items)])
        show(f"epoch {epoch + 1}", rmse.get())
    show("factors", [net.P.weight.data(), str(net), net(users, items)])

    class FM(nn.HybridBlock):
        def __init__(self, num_inputs, num_factors, **kwargs):
            super().__init__(**kwargs)
            self.embedding = nn.Embedding(num_inputs, num_factors)
            self.fc = nn.Embedding(num_inputs, 1)
            self.linear = nn.Dense(1, use_bias=True)
            self.mlp = nn.HybridSequential()
            for units in (6, 4):
                self.mlp.add(nn.Dense(units, "relu"), nn.Dropout(rate=0.0))
            self.mlp.add(nn.Dense(in_units=4, units=1))

        def hybrid_forward(self, F, x):
            embedded = self.embedding(x)
            square_of_sum = F.sum(embedded, axis=1) ** 2
            sum_of_square = F.sum(embedded ** 2, axis=1)
            pairs = 0.5 * (square_of_sum - sum_of_square).sum(axis=1, keepdims=True)
            x = self.linear(self.fc(x).sum(axis=1)) + pairs + self.mlp(F.flatten(embedded))
            return F.sigmoid(x)

    fields = nd.array([[0, 3, 7], [1, 4, 8], [2, 5, 9], [0, 5, 8]])
    clicks = nd.array([1, 0, 0, 1])
    net = FM(10, 4)
    net.initialize(fixed(mx))
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss(from_sigmoid=True)
    trainer = gluon.Trainer(net.collect_params(), "rmsprop", {"learning_rate": 0.01, "clip_gradient": 5})
    for epoch in range(3):
        with autograd.record():
            cost = loss(net(fields), clicks)
        cost.backward()
        trainer.step(4)
        show(f"machine {epoch + 1}", cost)
    show("embedding gradient", net.embedding.weight.grad())

    class BPRLoss(gluon.loss.Loss):
        def __init__(self, weight=None, batch_axis=0, **kwargs):
            super(BPRLoss, self).__init__(weight=None, batch_axis=0, **kwargs)

        def forward(self, positive, negative):
            distances = positive - negative
            return -nd.sum(nd.log(nd.sigmoid(distances)), 0, keepdims=True)

    class HingeLossbRec(gluon.loss.Loss):
        def forward(self, positive, negative, margin=1):
            return nd.sum(nd.maximum(-(positive - negative) + margin, 0))

    p, n = nd.array(draw(1, 5)), nd.array(draw(2, 5))
    show("ranking", [BPRLoss()(p, n), HingeLossbRec(weight=None, batch_axis=0)(p, n), repr(BPRLoss())])
    order = nd.argsort(p, is_ascend=False)
    show("ranked", [order, p[order], nd.sort(n)[-2:], nd.topk(nd.stack(p, n), k=2, axis=1, ret_typ="both")])
