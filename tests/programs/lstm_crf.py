"""A bidirectional LSTM with a conditional random field: partition by a loop over tags, Viterbi for the best path."""

import numpy as np

from ._tools import fixed


def run(mx, show):
    nd, gluon, autograd, nn, rnn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn, mx.gluon.rnn
    start, stop = "<start>", "<stop>"
    tags = {"B": 0, "I": 1, "O": 2, start: 3, stop: 4}

    def log_sum_exp(vec):
        largest = nd.max(vec).asscalar()
        return nd.log(nd.sum(nd.exp(vec - largest))) + largest

    class Tagger(nn.Block):
        def __init__(self, words, width, size, **kwargs):
            super(Tagger, self).__init__(**kwargs)
            self.size = size
            with self.name_scope():
                self.embedding = nn.Embedding(words, width)
                self.lstm = rnn.LSTM(size // 2, num_layers=1, bidirectional=True)
                self.tag = nn.Dense(len(tags))
                # transitions[i, j] is the score of going to tag i from tag j
                self.transitions = self.params.get("crf_transition_weight", shape=(len(tags), len(tags)))

        def features(self, sentence):
            hidden = [nd.zeros((2, 1, self.size // 2)), nd.zeros((2, 1, self.size // 2))]
            out, _ = self.lstm(self.embedding(sentence).reshape((len(sentence), 1, -1)), hidden)
            return nd.split(self.tag(out.reshape((len(sentence), self.size))), num_outputs=len(sentence), axis=0,
                            squeeze_axis=True)

        def partition(self, features):
            transitions = self.transitions.data()
            alphas = [[-10000.0] * len(tags)]
            alphas[0][tags[start]] = 0.0
            alphas = nd.array(alphas)
            for feature in features:
                step = [log_sum_exp(alphas + feature[tag].reshape((1, -1)) + transitions[tag].reshape((1, -1)))
                        for tag in range(len(tags))]
                alphas = nd.concat(*step, dim=0).reshape((1, -1))
            return log_sum_exp(alphas + transitions[tags[stop]])

        def score(self, features, path):
            transitions, total = self.transitions.data(), nd.array([0])
            path = nd.concat(nd.array([tags[start]]), path, dim=0)
            for i, feature in enumerate(features):
                to, back = int(path[i + 1].asscalar()), int(path[i].asscalar())
                total = total + transitions[to, back] + feature[to]
            return total + transitions[tags[stop], int(path[len(path) - 1].asscalar())]

        def neg_log_likelihood(self, sentence, path):
            features = self.features(sentence)
            return self.partition(features) - self.score(features, path)

        def viterbi(self, features):
            scores, back = nd.full((1, len(tags)), -10000.), []
            scores[0, tags[start]] = 0
            transitions = self.transitions.data()
            for feature in features:
                came_from, best = [], []
                for tag in range(len(tags)):
                    choices = scores + transitions[tag]
                    came_from.append(int(nd.argmax(choices, axis=1).asscalar()))
                    best.append(choices[0, came_from[-1]])
                scores = (nd.concat(*best, dim=0) + feature).reshape((1, -1))
                back.append(came_from)
            scores = scores + transitions[tags[stop]]
            path = [int(nd.argmax(scores, axis=1).asscalar())]
            for came_from in reversed(back):
                path.append(came_from[path[-1]])
            assert path.pop() == tags[start]
            return scores[0, path[0]], path[::-1]

        def forward(self, sentence):
            return self.viterbi(self.features(sentence))

    training = [("the office of a big bank opened".split(), "B I I I I I O".split()),
                ("it is a school in town".split(), "O O B I O B".split())]
    words = {}
    for sentence, _ in training:
        for word in sentence:
            words.setdefault(word, len(words))
    model = Tagger(len(words), 5, 4)
    model.initialize(fixed(mx), ctx=mx.cpu())
    optimizer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 0.05, "wd": 1e-4})
    show("before", [float(x.asscalar()) if hasattr(x, "asscalar") else x
                    for x in model(nd.array([words[w] for w in training[0][0]]))])
    losses = []
    for _ in range(10):
        for sentence, path in training:
            with autograd.record():
                loss = model.neg_log_likelihood(nd.array([words[w] for w in sentence]),
                                                nd.array(np.array([tags[t] for t in path])))
            loss.backward()
            optimizer.step(1)
            losses.append(loss.asscalar())
    show("losses", losses)
    show("after", model(nd.array([words[w] for w in training[0][0]]))[1])
    show("transitions", model.transitions.data())
