"""Code of language models: a masked Transformer with tied weights, a loop over a cell, weights dropped in training."""

import math
import os
import tempfile

import numpy as np

from ._tools import draw, fixed

UNITS, HEADS, WORDS = 8, 2, 12


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn

    class Layer(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.qkv = nn.Dense(3 * UNITS, flatten=False, prefix="qkv_")
                self.proj = nn.Dense(UNITS, flatten=False, prefix="proj_")
                self.gelu, self.first, self.second = nn.GELU(), nn.LayerNorm(), nn.LayerNorm()
                self.out = nn.Dense(UNITS, flatten=False, prefix="out_")

        def hybrid_forward(self, F, x, mask):
            def heads(y):
                return F.transpose(y.reshape((0, 0, HEADS, -1)), axes=(0, 2, 1, 3)).reshape((-1, 0, 0), reverse=True)
            q, k, v = [heads(y) for y in F.split(self.qkv(x), num_outputs=3, axis=2)]
            scores = F.batch_dot(F.contrib.div_sqrt_dim(q), k, transpose_b=True)
            mask = F.broadcast_axis(mask.expand_dims(1), axis=1, size=HEADS).reshape((-1, 0, 0), reverse=True)
            weights = F.softmax(F.where(mask, scores, -1e18 * F.ones_like(scores)), axis=-1) * mask
            y = F.batch_dot(weights, v).reshape((-1, HEADS, 0, 0), reverse=True)
            x = self.first(self.proj(F.transpose(y, axes=(0, 2, 1, 3)).reshape((0, 0, -1))) + x)
            return self.second(self.out(self.gelu(x)) + x)

    class Bert(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            angles = np.arange(10)[:, None] / 10000 ** (np.arange(UNITS) / UNITS)
            with self.name_scope():
                self.embed = nn.Embedding(WORDS, UNITS)
                self.positions = self.params.get_constant("positions", np.sin(angles))
                self.layer = Layer(prefix="layer_")
                self.decoder = nn.Dense(WORDS, flatten=False, params=self.embed.collect_params())

        def hybrid_forward(self, F, tokens, valid_length, masked, positions):
            x = self.embed(tokens) * math.sqrt(UNITS)
            steps = F.contrib.arange_like(x, axis=1)
            x = F.broadcast_add(x, F.Embedding(steps, positions, input_dim=10, output_dim=UNITS).expand_dims(0))
            mask = F.broadcast_lesser(steps.reshape((1, -1)), valid_length.reshape((-1, 1))).expand_dims(1)
            x = self.layer(x, F.broadcast_mul(mask, F.ones_like(steps).reshape((1, -1, 1))))
            x = F.SequenceMask(x, valid_length, use_sequence_length=True, axis=1)
            rows = F.broadcast_mul(F.ones_like(masked), F.contrib.arange_like(masked, axis=0).expand_dims(1))
            return self.decoder(F.gather_nd(x, F.stack(rows.reshape(-1), masked.reshape(-1), axis=0)))

    tokens, labels = nd.array([[1, 2, 3, 4, 5], [6, 7, 8, 0, 0]]), nd.array([2, 4, 6, 8])
    for hybridize in (False, True):
        net = Bert(prefix="bert_")
        net.initialize(fixed(mx))
        net.hybridize(hybridize)
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, "epsilon": 1e-6, "wd": 0.01})
        net.collect_params(".*beta|.*gamma|.*bias").setattr("wd_mult", 0)
        for step in range(2):
            with autograd.record():
                logits = net(tokens, nd.array([5, 3]), nd.array([[1, 3], [0, 2]]))
                loss = gluon.loss.SoftmaxCELoss()(logits, labels).mean()
            loss.backward()
            norm = gluon.utils.clip_global_norm([p.grad() for p in net.collect_params().values()
                                                 if p.grad_req != "null"], 1.0)
            trainer.step(1)
            show(f"bert {hybridize} {step}", [loss, float(norm), logits, net.embed.weight.grad()])
    with tempfile.TemporaryDirectory() as folder:
        net.save_parameters(os.path.join(folder, "bert"), deduplicate=True)
        show("file", list(nd.load(os.path.join(folder, "bert"))))

    cell = gluon.rnn.LSTMCell(3, input_size=2, prefix="cell_")
    cell.initialize(fixed(mx))
    x = nd.array(draw(1, 5, 2, 2))
    for layout in ("TNC", "NTC"):
        outputs, states = mx.gluon.contrib.rnn.rnn_cell.dynamic_unroll(
            cell, x if layout == "TNC" else x.swapaxes(0, 1), cell.begin_state(2), layout=layout,
            valid_length=nd.array([3, 5]))
        show(f"loop {layout}", [outputs, *states])

    class Dropped(gluon.Parameter):
        def data(self, ctx=None):
            value = self._check_and_get(self._data, ctx)
            return value * (nd.arange(value.size).reshape(value.shape) % 2) if autograd.is_training() else value

    for hybridize in (False, True):
        lstm = gluon.rnn.LSTM(3, input_size=2, prefix="lstm_")
        weight = Dropped("lstm_l0_h2h_weight", shape=(12, 3))
        lstm._reg_params["l0_h2h_weight"] = lstm.params._params["lstm_l0_h2h_weight"] = weight
        object.__setattr__(lstm, "l0_h2h_weight", weight)
        lstm.initialize(fixed(mx))
        lstm.hybridize(hybridize)
        with autograd.record():
            trained = lstm(x)
        trained.backward()
        show(f"dropped {hybridize}", [lstm(x), trained, weight.grad(), lstm.l0_i2h_weight.grad()])
