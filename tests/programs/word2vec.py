"""The pieces of word2vec: contexts, padding by a batchify function, Embedding, batch_dot, a masked loss."""

import collections

import numpy as np

from ._tools import fixed


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn
    text = "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs".split()
    counter = collections.Counter(text)
    idx_to_token = sorted(counter)
    token_to_idx = {token: i for i, token in enumerate(idx_to_token)}
    words = [token_to_idx[token] for token in text]
    random = np.random.RandomState(0)
    examples = []
    for i, center in enumerate(words):
        contexts = [words[j] for j in range(max(0, i - 2), min(len(words), i + 3)) if j != i]
        examples.append((center, contexts, random.randint(0, len(idx_to_token), 2 * len(contexts)).tolist()))

    def batchify(data):
        max_len = max(len(c) + len(n) for _, c, n in data)
        centers, contexts_negatives, masks, labels = [], [], [], []
        for center, context, negative in data:
            cur_len = len(context) + len(negative)
            centers += [center]
            contexts_negatives += [context + negative + [0] * (max_len - cur_len)]
            masks += [[1] * cur_len + [0] * (max_len - cur_len)]
            labels += [[1] * len(context) + [0] * (max_len - len(context))]
        return nd.array(centers).reshape((-1, 1)), nd.array(contexts_negatives), nd.array(masks), nd.array(labels)

    data = gluon.data.DataLoader(gluon.data.SimpleDataset(examples), 6, batchify_fn=batchify)
    for batch in data:
        show("batch", [part.shape for part in batch])
        break
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    pred = nd.array([[1.5, 0.3, -1, 2], [1.1, -0.6, 2.2, 0.4]])
    label, mask = nd.array([[1, 0, 0, 0], [1, 1, 0, 0]]), nd.array([[1, 1, 1, 1], [1, 1, 1, 0]])
    show("masked loss", loss(pred, label, mask) * mask.shape[1] / mask.sum(axis=1))
    net = nn.Sequential()
    net.add(nn.Embedding(input_dim=len(idx_to_token), output_dim=4), nn.Embedding(len(idx_to_token), 4))
    net.initialize(fixed(mx), force_reinit=True)
    show("embedding", [net[0](nd.array([[1, 2], [3, 0]])), str(net)])

    def skip_gram(center, contexts_and_negatives, embed_v, embed_u):
        v, u = embed_v(center), embed_u(contexts_and_negatives)
        return nd.batch_dot(v, u.swapaxes(1, 2))

    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    for epoch in range(3):
        total, count = 0.0, 0
        for center, context_negative, mask, label in data:
            with autograd.record():
                pred = skip_gram(center, context_negative, net[0], net[1])
                cost = loss(pred.reshape(label.shape), label, mask) * mask.shape[1] / mask.sum(axis=1)
            cost.backward()
            trainer.step(len(center))
            total += cost.sum().asscalar()
            count += cost.size
        show(f"epoch {epoch + 1}", total / count)
    W = net[0].weight.data()
    x = W[token_to_idx["fox"]]
    cos = nd.dot(W, x) / (nd.sum(W * W, axis=1) * nd.sum(x * x) + 1e-9).sqrt()
    topk = nd.topk(cos, k=4, ret_typ="indices").asnumpy().astype("int32")
    show("similar", [f"cosine sim={cos[int(i)].asscalar():.3f}: {idx_to_token[i]}" for i in topk[1:]])
    show("gradient", net[0].weight.grad())
