"""BERT: segments and masks, an encoder, two tasks - hidden words and the next sentence - trained together."""

import math

from ._tools import draw, fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    vocab_size, num_hiddens, max_len = 20, 8, 10

    def get_tokens_and_segments(tokens_a, tokens_b=None):
        tokens = ["<cls>"] + tokens_a + ["<sep>"]
        segments = [0] * (len(tokens_a) + 2)
        if tokens_b is not None:
            tokens += tokens_b + ["<sep>"]
            segments += [1] * (len(tokens_b) + 1)
        return tokens, segments

    class SelfAttention(nn.Block):
        def __init__(self, heads):
            super().__init__()
            self.heads = heads
            self.qkv, self.out = nn.Dense(3 * num_hiddens, flatten=False), nn.Dense(num_hiddens, flatten=False)

        def forward(self, X, valid_lens):
            batch, steps, _ = X.shape
            parts = np.split(self.qkv(X), 3, axis=-1)
            q, k, v = [p.reshape(batch, steps, self.heads, -1).transpose(0, 2, 1, 3).reshape(
                batch * self.heads, steps, -1) for p in parts]
            scores = npx.batch_dot(q, k, transpose_b=True) / math.sqrt(q.shape[-1])
            if valid_lens is not None:
                lens = valid_lens.repeat(self.heads * steps)
                scores = npx.sequence_mask(scores.reshape(-1, steps), lens, True, value=-1e6, axis=1).reshape(
                    scores.shape)
            mixed = npx.batch_dot(npx.softmax(scores), v)
            return self.out(mixed.reshape(batch, self.heads, steps, -1).transpose(0, 2, 1, 3).reshape(
                batch, steps, -1))

    class BERTEncoder(nn.Block):
        def __init__(self):
            super().__init__()
            self.token_embedding, self.segment_embedding = nn.Embedding(vocab_size, num_hiddens), nn.Embedding(
                2, num_hiddens)
            self.attention, self.norm = SelfAttention(2), nn.LayerNorm()
            self.ffn = nn.HybridSequential()
            self.ffn.add(nn.Dense(12, flatten=False), nn.GELU(), nn.Dense(num_hiddens, flatten=False))
            self.norm2 = nn.LayerNorm()
            self.pos_embedding = self.params.get("pos_embedding", shape=(1, 16, num_hiddens))

        def forward(self, tokens, segments, valid_lens):
            X = self.token_embedding(tokens) + self.segment_embedding(segments)
            X = X + self.pos_embedding.data(ctx=X.ctx)[:, :X.shape[1], :]
            X = self.norm(X + self.attention(X, valid_lens))
            return self.norm2(X + self.ffn(X))

    class MaskLM(nn.Block):
        def __init__(self):
            super().__init__()
            self.mlp = nn.Sequential()
            self.mlp.add(nn.Dense(12, flatten=False, activation="relu"), nn.LayerNorm(),
                         nn.Dense(vocab_size, flatten=False))

        def forward(self, X, pred_positions):
            num_pred_positions = pred_positions.shape[1]
            pred_positions = pred_positions.reshape(-1)
            batch_size = X.shape[0]
            batch_idx = np.repeat(np.arange(0, batch_size), num_pred_positions)
            masked_X = X[batch_idx, pred_positions]
            return self.mlp(masked_X.reshape((batch_size, num_pred_positions, -1)))

    class BERTModel(nn.Block):
        def __init__(self):
            super().__init__()
            self.encoder, self.mlm = BERTEncoder(), MaskLM()
            self.hidden = nn.Dense(num_hiddens, activation="tanh")
            self.nsp = nn.Dense(2)

        def forward(self, tokens, segments, valid_lens=None, pred_positions=None):
            encoded_X = self.encoder(tokens, segments, valid_lens)
            mlm_Y_hat = None if pred_positions is None else self.mlm(encoded_X, pred_positions)
            return encoded_X, mlm_Y_hat, self.nsp(self.hidden(encoded_X[:, 0, :]))

    show("segments", get_tokens_and_segments("the ship left".split(), "the sea was calm".split()))
    rows = abs(draw(1, 4, max_len) * 1000).astype("int32") % vocab_size
    tokens, segments = np.array(rows, dtype=np.int32), np.array([[0] * 5 + [1] * 5] * 4, dtype=np.int32)
    valid_lens = np.array([10, 8, 9, 10], dtype=np.float32)
    positions = np.array([[1, 5], [2, 6], [6, 0], [3, 1]], dtype=np.int32)
    weights = np.array([[1, 1], [1, 1], [1, 0], [1, 1]], dtype=np.float32)
    labels, nsp_labels = np.array([[3, 4], [7, 9], [2, 0], [11, 8]]), np.array([0, 1, 1, 0])
    loss = gluon.loss.SoftmaxCELoss()

    def make():
        net = BERTModel()
        net.initialize(fixed(mx))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
        losses = []
        for _ in range(5):
            with autograd.record():
                _, mlm_Y_hat, nsp_Y_hat = net(tokens, segments, valid_lens.reshape(-1), positions)
                mlm_l = loss(mlm_Y_hat.reshape((-1, vocab_size)), labels.reshape(-1), weights.reshape((-1, 1)))
                mlm_l = mlm_l.sum() / (weights.sum() + 1e-8)
                nsp_l = loss(nsp_Y_hat, nsp_labels).mean()
                l = mlm_l + nsp_l
            l.backward()
            trainer.step(1)
            losses.append([float(mlm_l), float(nsp_l), float(l)])
        encoded, mlm, nsp = net(tokens, segments, None)
        return [losses, encoded[:, 0, :], mlm, nsp]

    twice(mx, show, "bert", make, use)
