"""A child-sum Tree-LSTM over two sentences' trees, and how alike they are: another graph in every step."""

import numpy as np

from ._tools import draw, fixed


class Tree:
    def __init__(self, idx):
        self.children, self.idx = [], idx


def tree(parents):
    """From each node's parent, -1 for the root."""
    nodes = [Tree(i) for i in range(len(parents))]
    for node, parent in zip(nodes, parents):
        if parent >= 0:
            nodes[parent].children.append(node)
    return nodes[parents.index(-1)]


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn

    class ChildSumCell(gluon.Block):
        """Gates from a node's word and the sum of its children; a gate of its own for each child's memory."""

        def __init__(self, size, width, **kwargs):
            super(ChildSumCell, self).__init__(**kwargs)
            self._size = size
            with self.name_scope():
                self.word_weight = self.params.get("word_weight", shape=(4 * size, width))
                self.word_bias = self.params.get("word_bias", shape=(4 * size,), init="zeros")
                self.sum_weight = self.params.get("sum_weight", shape=(3 * size, size))
                self.child_weight = self.params.get("child_weight", shape=(size, size), allow_deferred_init=True)

        def forward(self, words, node):
            below = [self(words, child) for child in node.children]
            word = words[node.idx].expand_dims(axis=0)
            i, f, u, o = nd.split(nd.FullyConnected(word, self.word_weight.data(), self.word_bias.data(),
                                                    num_hidden=4 * self._size), num_outputs=4)
            hidden = nd.add_n(*[h for h, _ in below]) if below else nd.zeros(shape=(1, self._size))
            i_sum, u_sum, o_sum = nd.SliceChannel(nd.FullyConnected(
                hidden, self.sum_weight.data(), no_bias=True, num_hidden=3 * self._size), num_outputs=3)
            memory = (i + i_sum).sigmoid() * (u + u_sum).tanh()
            if below:
                children = nd.stack(*[h[0] for h, _ in below])
                forget = nd.broadcast_add(f, nd.dot(children, self.child_weight.data(), transpose_b=True)).sigmoid()
                memory = memory + (forget * nd.concat(*[c for _, c in below], dim=0)).sum(axis=0, keepdims=True)
            return (o + o_sum).sigmoid() * nd.Activation(memory, act_type="tanh"), memory

    class Likeness(nn.Block):
        def __init__(self, words, width, size, **kwargs):
            super(Likeness, self).__init__(**kwargs)
            with self.name_scope():
                self.embed = nn.Embedding(words, width, prefix="embed_")
                self.cell = ChildSumCell(size, width)
                self.hidden = nn.Dense(5, in_units=2 * size, activation="sigmoid")
                self.out = nn.Dense(5, in_units=5)

        def forward(self, left, left_tree, right, right_tree):
            a, b = [self.cell(self.embed(words), root)[1] for words, root in ((left, left_tree), (right, right_tree))]
            return nd.log_softmax(self.out(self.hidden(nd.concat(a * b, nd.abs(a - b), dim=1))))

    def two_classes(score):
        """A score from 1 to 5 as a distribution over the two whole ones around it."""
        target, below = np.zeros((1, 5), dtype="float32"), int(np.floor(score))
        target[0, below - 1] = 1 - (score - below)
        if score > below:
            target[0, below] = score - below
        return mx.nd.array(target)

    shapes = [[1, 2, -1, 2, 3], [-1, 0, 0], [1, -1, 1, 2], [3, 3, 3, -1]]
    samples = [(tree(shapes[i % 4]), [(7 * i + j) % 13 for j in range(len(shapes[i % 4]))],
                tree(shapes[(i + 1) % 4]), [(5 * i + 3 * j) % 13 for j in range(len(shapes[(i + 1) % 4]))],
                1 + i * 0.4) for i in range(10)]
    net = Likeness(13, 6, 4)
    net.initialize(fixed(mx))
    net.embed.weight.set_data(nd.array(draw(8, 13, 6)))
    trainer = gluon.Trainer(net.collect_params(), "adagrad", {"learning_rate": 0.05, "wd": 1e-4})
    loss, losses = gluon.loss.KLDivLoss(), []
    for _ in range(2):
        batch = []
        for left_tree, left, right_tree, right, score in samples:
            with autograd.record():
                output = net(nd.array(left), left_tree, nd.array(right), right_tree)
                L = loss(output, two_classes(score))
            L.backward()
            losses.append(L.asscalar())
            batch.append(output)
            trainer.step(1)
    scores = nd.dot(nd.exp(nd.concat(*batch, dim=0)), nd.arange(1, 6))
    show("losses", losses)
    show("scores", scores)
    show("names", [(name, p.shape) for name, p in sorted(net.collect_params().items())])
