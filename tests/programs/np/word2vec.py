"""Skip-gram with negative sampling: pairs, noise words, masks, a loss of binary cross-entropy, neighbours."""

import random

from ._text import TEXT, Vocab
from ._tools import fixed, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    words = TEXT.split()
    vocab = Vocab(words)
    corpus = [vocab[words[i: i + 12]] for i in range(0, len(words), 12)]
    generator = random.Random(3)
    frequencies = [freq ** 0.75 for _, freq in vocab.token_freqs]

    def centers_and_contexts(window):
        centers, contexts = [], []
        for line in corpus:
            for i, center in enumerate(line):
                indices = [j for j in range(max(0, i - window), min(len(line), i + 1 + window)) if j != i]
                centers.append(center)
                contexts.append([line[j] for j in indices])
        return centers, contexts

    def negatives_of(context, k):
        found = []
        while len(found) < len(context) * k:
            neg = generator.choices(range(1, len(frequencies) + 1), frequencies)[0]
            if neg not in context:
                found.append(neg)
        return found

    def batchify(data):
        max_len = max(len(c) + len(n) for _, c, n in data)
        centers, contexts_negatives, masks, labels = [], [], [], []
        for center, context, negative in data:
            cur_len = len(context) + len(negative)
            centers += [center]
            contexts_negatives += [context + negative + [0] * (max_len - cur_len)]
            masks += [[1] * cur_len + [0] * (max_len - cur_len)]
            labels += [[1] * len(context) + [0] * (max_len - len(context))]
        return (np.array(centers).reshape((-1, 1)), np.array(contexts_negatives), np.array(masks), np.array(labels))

    show("small", batchify([(1, [2, 2], [3, 3, 3, 3]), (1, [2, 2, 2], [3, 3])]))
    centers, contexts = centers_and_contexts(2)
    data = [(a, b, negatives_of(b, 2)) for a, b in zip(centers, contexts)]
    loader = gluon.data.DataLoader(data, 32, batchify_fn=batchify)

    def skip_gram(center, contexts_and_negatives, embed_v, embed_u):
        v, u = embed_v(center), embed_u(contexts_and_negatives)
        return npx.batch_dot(v, u.swapaxes(1, 2))

    loss = gluon.loss.SigmoidBCELoss()
    pred = np.array([[0.5] * 4] * 2)
    show("loss", loss(pred, np.array([[1, 0, 1, 0]] * 2), np.array([[1, 1, 1, 1], [1, 1, 0, 0]])))

    def make():
        net = nn.Sequential()
        net.add(nn.Embedding(len(vocab), 6), nn.Embedding(len(vocab), 6))
        net.initialize(fixed(mx))
        return net

    def use(net):
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
        losses = []
        for batch in loader:
            center, context_negative, mask, label = [part.as_in_ctx(npx.cpu()) for part in batch]
            with autograd.record():
                pred = skip_gram(center, context_negative, net[0], net[1])
                l = loss(pred.reshape(label.shape), label, mask) * mask.shape[1] / mask.sum(axis=1)
            l.backward()
            trainer.step(32)
            losses.append(float(l.mean()))
        W = net[0].weight.data()
        x = W[vocab["ship"]]
        cos = np.dot(W, x) / np.sqrt(np.sum(W * W, axis=1) * np.sum(x * x) + 1e-9)
        topk = npx.topk(cos, k=3, ret_typ="indices").asnumpy().astype("int32")
        return [losses, cos[:5], topk[0] == vocab["ship"], str(net[0])]

    twice(mx, show, "training", make, use)
