"""A transformer of hybrid blocks with `F.np` and `F.npx`: masks by comparison, smoothed labels, a warm-up, files."""

import math
import os
import tempfile

from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn

    class MultiHeadAttention(nn.HybridBlock):
        def __init__(self, units, heads, **kwargs):
            super().__init__(**kwargs)
            self.units, self.heads = units, heads
            with self.name_scope():
                self.query = nn.Dense(units, flatten=False, use_bias=False)
                self.key = nn.Dense(units, flatten=False, use_bias=False)
                self.value = nn.Dense(units, flatten=False, use_bias=False)
                self.out = nn.Dense(units, flatten=False, use_bias=False)

        def split(self, F, x):
            x = F.npx.reshape(x, (-2, -2, self.heads, -1))
            return F.npx.reshape(F.np.transpose(x, axes=(0, 2, 1, 3)), (-1, -2, -2), reverse=True)

        def hybrid_forward(self, F, query, key, value, mask):
            q, k, v = self.split(F, self.query(query)), self.split(F, self.key(key)), self.split(F, self.value(value))
            scores = F.npx.batch_dot(q, k, transpose_b=True) / math.sqrt(self.units // self.heads)
            scores = F.np.where(F.np.repeat(mask, self.heads, axis=0), scores, F.np.ones_like(scores) * -1e9)
            y = F.npx.batch_dot(F.npx.softmax(scores, axis=-1), v)
            y = F.npx.reshape(y, (-1, self.heads, -2, -2), reverse=True)
            return self.out(F.npx.reshape(F.np.transpose(y, axes=(0, 2, 1, 3)), (-2, -2, -5)))

    class Sublayers(nn.HybridBlock):
        """An encoder's block, or a decoder's if it attends to the encoder, too."""

        def __init__(self, units, is_decoder, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.attention, self.norm = MultiHeadAttention(units, 2), nn.LayerNorm()
                if is_decoder:
                    self.cross, self.cross_norm = MultiHeadAttention(units, 2), nn.LayerNorm()
                self.hidden, self.out = nn.Dense(12, flatten=False, activation="relu"), nn.Dense(units, flatten=False)
                self.out_norm = nn.LayerNorm()

        def hybrid_forward(self, F, x, mask, memory=None, memory_mask=None):
            x = self.norm(x + self.attention(x, x, x, mask))
            if memory is not None:
                x = self.cross_norm(x + self.cross(x, memory, memory, memory_mask))
            return self.out_norm(x + self.out(self.hidden(x)))

    class Transformer(nn.HybridBlock):
        def __init__(self, words, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units
            with self.name_scope():
                self.source, self.target = nn.Embedding(words, units), nn.Embedding(words, units)
                self.encoder, self.decoder = Sublayers(units, False), Sublayers(units, True)
                self.out = nn.Dense(words, flatten=False)

        def embedded(self, F, table, words):
            x = table(words) * math.sqrt(self.units)
            steps = F.np.expand_dims(F.npx.arange_like(x, axis=1), 1)
            waves = F.np.expand_dims(F.np.arange(0, self.units, 2, dtype="float32"), 0) / self.units
            angles = steps / F.np.power(10000.0, waves)
            return x + F.np.expand_dims(F.np.concatenate([F.np.sin(angles), F.np.cos(angles)], axis=-1), 0)

        def hybrid_forward(self, F, source, target, lengths):
            steps, places = F.npx.arange_like(source, axis=1), F.npx.arange_like(target, axis=1)
            valid = F.np.expand_dims(F.np.expand_dims(steps, 0) < F.np.expand_dims(lengths, 1), 1)
            causal = F.np.expand_dims(F.np.expand_dims(places, 0) <= F.np.expand_dims(places, 1), 0)
            memory = self.encoder(self.embedded(F, self.source, source), F.np.broadcast_to(valid, (3, 5, 5)))
            return self.out(self.decoder(self.embedded(F, self.target, target), F.np.broadcast_to(causal, (3, 4, 4)),
                                         memory, F.np.broadcast_to(valid, (3, 4, 5))))

    class WarmUp(mx.lr_scheduler.LRScheduler):
        def __call__(self, step):
            return 8 ** -0.5 * min((step + 1) ** -0.5, (step + 1) * 4 ** -1.5)

    source = np.array([[1, 2, 3, 4, 5], [2, 3, 4, 0, 0], [5, 4, 3, 2, 0]])
    target = np.array([[6, 1, 2, 3], [6, 2, 3, 4], [6, 5, 4, 3]])
    labels = np.array([[1, 2, 3, 0], [2, 3, 4, 0], [5, 4, 3, 0]])
    lengths, weights = np.array([5, 3, 4]), np.expand_dims((labels > 0).astype("float32"), -1)
    loss, smoothed = gluon.loss.SoftmaxCELoss(), gluon.loss.SoftmaxCELoss(sparse_label=False)

    def make():
        net = Transformer(8, 8)
        net.initialize(fixed(mx))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": WarmUp(0.001), "beta2": 0.98})
        losses = []
        for _ in range(6):
            with autograd.record():
                scores = net(source, target, lengths)
                error = smoothed(scores, npx.one_hot(labels, 8) * 0.9 + 0.1 / 8).mean()
                error = error + loss(scores, labels, weights).mean()
            error.backward()
            trainer.step(1)
            losses.append(error)
        return [losses, net(source, target, lengths), trainer.learning_rate]

    twice(mx, show, "transformer", make, use)
    with tempfile.TemporaryDirectory() as folder:
        net = make()
        net.hybridize()
        expected = net(source, target, lengths)
        net.export(folder + "/net", 3)
        again = gluon.SymbolBlock.imports(folder + "/net-symbol.json", ["data0", "data1", "data2"],
                                          folder + "/net-0003.params")
        difference = abs(again(source, target, lengths) - expected).max()
        show("files", [sorted(os.listdir(folder)), difference < 1e-5])
    scores = np.array(draw(8, 2, 3)).reshape(2, 3, 1) + np.log(npx.softmax(np.array(draw(7, 2, 3, 9))))
    best, places = npx.topk(scores.reshape(2, -1), k=3, ret_typ="both", axis=-1)
    beams = np.floor(places / 9)
    show("beams", [best, beams, places - beams * 9, npx.pick(scores.reshape(2, -1), places[:, 0])])
