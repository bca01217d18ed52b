"""A translator: an encoder and a decoder of GRUs, a loss with masks, greedy search, BLEU, with additive attention."""

import collections
import math

from ._text import Vocab
from ._tools import draw, fixed, twice

PAIRS = [("go on .", "va y ."), ("i run .", "je cours ."), ("he runs .", "il court ."), ("we sleep .", "on dort ."),
         ("i sleep .", "je dors ."), ("he is home .", "il est chez lui .")]


def bleu(pred_seq, label_seq, k):
    pred_tokens, label_tokens = pred_seq.split(" "), label_seq.split(" ")
    len_pred, len_label = len(pred_tokens), len(label_tokens)
    score = math.exp(min(0, 1 - len_label / len_pred))
    for n in range(1, min(k, len_pred) + 1):
        num_matches, label_subs = 0, collections.defaultdict(int)
        for i in range(len_label - n + 1):
            label_subs["".join(label_tokens[i: i + n])] += 1
        for i in range(len_pred - n + 1):
            if label_subs["".join(pred_tokens[i: i + n])] > 0:
                num_matches += 1
                label_subs["".join(pred_tokens[i: i + n])] -= 1
        score *= math.pow(num_matches / (len_pred - n + 1), math.pow(0.5, n))
    return score


def run(mx, show):
    np, npx, autograd, gluon, nn, rnn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn, mx.gluon.rnn
    reserved = ["<pad>", "<bos>", "<eos>"]
    src = [a.split() for a, _ in PAIRS]
    tgt = [b.split() for _, b in PAIRS]
    src_vocab, tgt_vocab = Vocab(src, reserved=reserved), Vocab(tgt, reserved=reserved)

    def build_array(lines, vocab, num_steps):
        lines = [vocab[line] + [vocab["<eos>"]] for line in lines]
        array = np.array([(line + [vocab["<pad>"]] * num_steps)[:num_steps] for line in lines])
        valid_len = (array != vocab["<pad>"]).astype(np.int32).sum(1)
        return array, valid_len

    arrays = (*build_array(src, src_vocab, 6), *build_array(tgt, tgt_vocab, 6))
    show("data", arrays)

    class Encoder(nn.Block):
        def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, **kwargs):
            super().__init__(**kwargs)
            self.embedding = nn.Embedding(vocab_size, embed_size)
            self.rnn = rnn.GRU(num_hiddens, num_layers)

        def forward(self, X, *args):
            X = self.embedding(X).swapaxes(0, 1)
            state = self.rnn.begin_state(batch_size=X.shape[1], ctx=X.ctx)
            output, state = self.rnn(X, state)
            return output, state

    class Decoder(nn.Block):
        def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, **kwargs):
            super().__init__(**kwargs)
            self.embedding = nn.Embedding(vocab_size, embed_size)
            self.rnn = rnn.GRU(num_hiddens, num_layers)
            self.dense = nn.Dense(vocab_size, flatten=False)

        def init_state(self, enc_outputs, enc_valid_len):
            return enc_outputs[1]

        def forward(self, X, state):
            X = self.embedding(X).swapaxes(0, 1)
            context = state[0][-1]
            context = np.broadcast_to(context, (X.shape[0], context.shape[0], context.shape[1]))
            output, state = self.rnn(np.concatenate((X, context), 2), state)
            return self.dense(output).swapaxes(0, 1), state

    def masked_softmax(X, valid_lens):
        if valid_lens is None:
            return npx.softmax(X)
        shape = X.shape
        valid_lens = valid_lens.repeat(shape[1]) if valid_lens.ndim == 1 else valid_lens.reshape(-1)
        X = npx.sequence_mask(X.reshape(-1, shape[-1]), valid_lens, True, value=-1e6, axis=1)
        return npx.softmax(X).reshape(shape)

    class AdditiveAttention(nn.Block):
        def __init__(self, num_hiddens, dropout, **kwargs):
            super().__init__(**kwargs)
            self.W_k = nn.Dense(num_hiddens, use_bias=False, flatten=False)
            self.W_q = nn.Dense(num_hiddens, use_bias=False, flatten=False)
            self.w_v = nn.Dense(1, use_bias=False, flatten=False)
            self.dropout = nn.Dropout(dropout)

        def forward(self, queries, keys, values, valid_lens):
            queries, keys = self.W_q(queries), self.W_k(keys)
            features = np.tanh(np.expand_dims(queries, axis=2) + np.expand_dims(keys, axis=1))
            scores = np.squeeze(self.w_v(features), axis=-1)
            self.attention_weights = masked_softmax(scores, valid_lens)
            return npx.batch_dot(self.dropout(self.attention_weights), values)

    class AttentionDecoder(Decoder):
        def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, **kwargs):
            super().__init__(vocab_size, embed_size, num_hiddens, num_layers, **kwargs)
            self.attention = AdditiveAttention(num_hiddens, 0)
            self.weights = []

        def init_state(self, enc_outputs, enc_valid_lens):
            outputs, hidden_state = enc_outputs
            return outputs.swapaxes(0, 1), hidden_state, enc_valid_lens

        def forward(self, X, state):
            enc_outputs, hidden_state, enc_valid_lens = state
            X = self.embedding(X).swapaxes(0, 1)
            outputs, self.weights = [], []
            for x in X:
                query = np.expand_dims(hidden_state[0][-1], axis=1)
                context = self.attention(query, enc_outputs, enc_outputs, enc_valid_lens)
                x = np.concatenate((context, np.expand_dims(x, axis=1)), axis=-1)
                out, hidden_state = self.rnn(x.swapaxes(0, 1), hidden_state)
                outputs.append(out)
                self.weights.append(self.attention.attention_weights)
            outputs = self.dense(np.concatenate(outputs, axis=0))
            return outputs.swapaxes(0, 1), [enc_outputs, hidden_state, enc_valid_lens]

    class Translator(nn.Block):
        def __init__(self, decoder, **kwargs):
            super().__init__(**kwargs)
            self.encoder = Encoder(len(src_vocab), 6, 8, 2)
            self.decoder = decoder(len(tgt_vocab), 6, 8, 2)

        def forward(self, enc_X, dec_X, *args):
            enc_outputs = self.encoder(enc_X, *args)
            return self.decoder(dec_X, self.decoder.init_state(enc_outputs, *args))

    class MaskedSoftmaxCELoss(gluon.loss.SoftmaxCELoss):
        def forward(self, pred, label, valid_len):
            weights = np.expand_dims(np.ones_like(label), axis=-1)
            weights = npx.sequence_mask(weights, valid_len, True, axis=1)
            return super().forward(pred, label, weights)

    loss = MaskedSoftmaxCELoss()
    show("masked loss", loss(np.ones((3, 4, 10)), np.ones((3, 4)), np.array([4, 2, 0])))
    keys, values = np.ones((2, 10, 2)), np.repeat(np.arange(40).reshape(1, 10, 4), 2, axis=0)
    attention = AdditiveAttention(8, 0.1)
    attention.initialize(fixed(mx))
    show("attention", [attention(np.array(draw(1, 2, 1, 20)), keys, values, np.array([2, 6])),
                       masked_softmax(np.array(draw(2, 2, 2, 4)), np.array([[1, 3], [2, 4]]))])

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        losses = []
        for _ in range(6):
            X, X_valid_len, Y, Y_valid_len = arrays
            bos = np.array([tgt_vocab["<bos>"]] * Y.shape[0]).reshape(-1, 1)
            dec_input = np.concatenate([bos, Y[:, :-1]], 1)
            with autograd.record():
                Y_hat, _ = net(X, dec_input, X_valid_len)
                l = loss(Y_hat, Y, Y_valid_len)
            l.backward()
            trainer.step(Y_valid_len.sum())
            losses.append(float(l.sum()))
        enc_X, enc_valid_len = build_array([["i", "run", "."]], src_vocab, 6)
        state = net.decoder.init_state(net.encoder(enc_X, enc_valid_len), enc_valid_len)
        dec_X, scores = np.expand_dims(np.array([tgt_vocab["<bos>"]]), axis=0), []
        for _ in range(4):
            Y, state = net.decoder(dec_X, state)
            dec_X = Y.argmax(axis=2)
            scores.append(Y.max(axis=2))
        weights = getattr(net.decoder, "weights", [])
        return [losses, Y[0, 0], np.concatenate(scores, axis=1), dec_X.squeeze(axis=0).astype("int32").item() >= 0,
                [w[0, 0] for w in weights]]

    for name, decoder in (("plain", Decoder), ("Bahdanau", AttentionDecoder)):
        def make():
            net = Translator(decoder)
            net.initialize(fixed(mx))
            return net

        twice(mx, show, name, make, use)
    show("bleu", [bleu("il est parti", "il est parti .", 2), bleu("il est chez lui .", "il est chez lui .", 2)])
