"""Word vectors in use: cosine similarity, neighbours, analogies, subwords, and a table of tokens."""

from ._tools import draw


def run(mx, show):
    np, npx, nn = mx.np, mx.npx, mx.gluon.nn
    names = ["<unk>", "sun", "moon", "star", "king", "queen", "man", "woman", "sea", "ship"]
    vectors = draw(1, len(names), 6)
    vectors[0] = 0
    vectors[5] = vectors[4] - vectors[6] + vectors[7] + 0.05 * vectors[5]

    class Tokens:
        def __init__(self):
            self.idx_to_vec = np.array(vectors)
            self.token_to_idx = {name: i for i, name in enumerate(names)}

        def __getitem__(self, tokens):
            return self.idx_to_vec[np.array([self.token_to_idx.get(token, 0) for token in tokens])]

        def __len__(self):
            return len(names)

    table = Tokens()
    show("lookup", [table[["sun", "elephant"]], len(table)])

    def knn(W, x, k):
        cos = np.dot(W, x.reshape(-1,)) / (np.sqrt(np.sum(W * W, axis=1) + 1e-9) * np.sqrt((x * x).sum()))
        topk = npx.topk(cos, k=k, ret_typ="indices")
        return topk, [cos[int(i)] for i in topk]

    topk, cos = knn(table.idx_to_vec, table[["ship"]], 3)
    show("neighbours", [[names[int(i)] for i in topk], [float(c) for c in cos]])
    vecs = table[["man", "king", "woman"]]
    topk, cos = knn(table.idx_to_vec, vecs[1] - vecs[0] + vecs[2], 2)
    show("analogy", [[names[int(i)] for i in topk], topk, cos])
    W = table.idx_to_vec
    norms = np.linalg.norm(W, axis=1, keepdims=True)
    unit = W / np.maximum(norms, 1e-6)
    similar = np.dot(unit, unit.T)
    show("all pairs", [similar.round(3), np.argsort(-similar, axis=1)[:, 1], similar[np.arange(3), np.arange(3)]])
    pieces = np.array([[1, 2, 0, 0], [3, 1, 2, 0], [2, 0, 0, 0]])
    embedding = nn.Embedding(5, 3)
    embedding.initialize(mx.init.One())
    embedding.weight.set_data(np.array(draw(2, 5, 3)))
    mask = np.expand_dims(pieces != 0, 2).astype("float32")
    total = (embedding(pieces) * mask).sum(axis=1)
    show("subwords", [total, total / mask.sum(axis=1)])
    show("where", [np.where(similar > 0.3, similar, 0).sum(axis=0), np.where(pieces == 0, -1, pieces),
                   np.unique(pieces), np.bincount(pieces.reshape(-1).astype("int32"), minlength=5)])
    lens = (pieces != 0).sum(axis=1)
    masked = npx.sequence_mask(np.ones((4, 3)), lens.astype("float32"), True)
    show("lengths", [lens, masked.T, npx.one_hot(pieces, 4).sum(axis=(0, 1))])
