"""d2lzh 1.0.0: all its functions that train, read, show and evaluate, on small data.

    python tests/libraries/d2lzh_runs.py --python /tmp/d2l/bin/python --data FOLDER

FOLDER has Fashion-MNIST in `fashion-mnist`. Other data sets are drawn, in the form in which the library reads them.
"""

import contextlib
import io
import itertools
import os
import random
import re
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from runner import NotHere, main


def printed(function, *args, **kwargs):
    """What a function prints, and what it returns."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        result = function(*args, **kwargs)
    return text.getvalue(), result


def last_number(text, word):
    return float(re.findall(word + r"[ :]+(-?[\d.]+)", text)[-1])


# -- data, where the library looks for it: ../data ---------------------------------------------------------------------

LINES = "time traveller for so it will be convenient to speak of him was expounding a recondite matter to us "


def write_data(folder):
    """Texts, a table, reviews and pictures with masks below `folder`."""
    from PIL import Image
    rng = np.random.RandomState(0)
    (folder / "timemachine.txt").write_text(LINES * 20)
    with zipfile.ZipFile(folder / "jaychou_lyrics.txt.zip", "w") as archive:
        archive.writestr("jaychou_lyrics.txt", LINES * 20)
    table = rng.randn(600, 6)
    table[:, 5] = table[:, :5] @ [1, -2, 3, 0.5, 2]
    np.savetxt(folder / "airfoil_self_noise.dat", table, delimiter="\t")
    for part, (label, words) in itertools.product(["train", "test"], [("pos", "good great"), ("neg", "bad dull")]):
        where = folder / "aclImdb" / part / label
        where.mkdir(parents=True)
        for i in range(40):
            (where / f"{i}.txt").write_text(" ".join(rng.choice([*words.split(), "the", "film", "is"], 30)))
    voc = folder / "VOCdevkit" / "VOC2012"
    for name in ("ImageSets/Segmentation", "JPEGImages", "SegmentationClass"):
        (voc / name).mkdir(parents=True)
    for part in ("train", "val"):
        names = [f"{part}{i}" for i in range(3)]
        (voc / "ImageSets" / "Segmentation" / f"{part}.txt").write_text("\n".join(names))
        for name in names:
            picture = rng.randint(0, 255, (40, 50, 3)).astype("uint8")
            Image.fromarray(picture).save(voc / "JPEGImages" / f"{name}.jpg")
            mask = np.zeros((40, 50, 3), "uint8")
            mask[10:20] = [128, 0, 0]
            Image.fromarray(mask).save(voc / "SegmentationClass" / f"{name}.png")


# -- the cases ---------------------------------------------------------------------------------------------------------


def regression(d2l, nd, autograd):
    """The first training loop of the book: a line from its own sgd."""
    features = nd.random.normal(scale=1, shape=(200, 2))
    labels = 2 * features[:, 0] - 3.4 * features[:, 1] + 4.2
    w, b = nd.random.normal(scale=0.01, shape=(2, 1)), nd.zeros((1,))
    w.attach_grad()
    b.attach_grad()
    for _ in range(3):
        for X, y in d2l.data_iter(10, features, labels):
            with autograd.record():
                cost = d2l.squared_loss(d2l.linreg(X, w, b), y)
            cost.backward()
            d2l.sgd([w, b], 0.1, 10)
    found = [*w.asnumpy().ravel(), b.asscalar()]
    np.testing.assert_allclose(found, [2, -3.4, 4.2], atol=0.05)
    return f"w, b = {np.round(found, 2)}"


def fashion(d2l, data, batches, batch_size=64, resize=None):
    if not (Path(data) / "fashion-mnist").is_dir():
        raise NotHere("--data names no folder with fashion-mnist in it")
    train, test = d2l.load_data_fashion_mnist(batch_size, resize, root=str(Path(data) / "fashion-mnist"))
    return list(itertools.islice(train, batches)), list(itertools.islice(test, 2))


def better_than(accuracy, wanted):
    if not accuracy > wanted:
        raise AssertionError(f"accuracy {accuracy}, wanted more than {wanted}")
    return f"test accuracy {accuracy}"


def softmax_scratch(d2l, nd, data):
    from mxnet import gluon
    train, test = fashion(d2l, data, 60)
    W, b = nd.random.normal(scale=0.01, shape=(784, 10)), nd.zeros(10)
    for param in (W, b):
        param.attach_grad()
    net = lambda X: nd.dot(X.reshape((-1, 784)), W) + b
    text, _ = printed(d2l.train_ch3, net, train, test, gluon.loss.SoftmaxCrossEntropyLoss(), 3, 64, [W, b], 0.1)
    return better_than(last_number(text, "test acc"), 0.6)


def softmax_gluon(d2l, data):
    from mxnet import gluon, init
    train, test = fashion(d2l, data, 60)
    net = gluon.nn.Sequential()
    net.add(gluon.nn.Dense(64, activation="relu"), gluon.nn.Dropout(0.2), gluon.nn.Dense(10))
    net.initialize(init.Normal(sigma=0.01))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    text, _ = printed(d2l.train_ch3, net, train, test, loss, 5, 64, None, None, trainer)
    return better_than(last_number(text, "test acc"), 0.5)


def lenet(d2l, data):
    from mxnet import gluon, init
    nn = gluon.nn
    train, test = fashion(d2l, data, 60)
    net = nn.Sequential()
    net.add(nn.Conv2D(channels=6, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
            nn.Conv2D(channels=16, kernel_size=5, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2),
            nn.Dense(120, activation="relu"), nn.Dense(10))
    net.initialize(force_reinit=True, ctx=d2l.try_gpu(), init=init.Xavier())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    text, _ = printed(d2l.train_ch5, net, train, test, 64, trainer, d2l.try_gpu(), 3)
    return better_than(last_number(text, "test acc"), 0.4)


def residual(d2l, data, hybridize=False):
    """`train` and `evaluate_accuracy` with the library's ResNet."""
    from mxnet import gluon, init
    train, test = fashion(d2l, data, 6, batch_size=32)
    ctx, net = d2l.try_all_gpus(), d2l.resnet18(10)
    net.initialize(init=init.Normal(sigma=0.01), ctx=ctx)
    if hybridize:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})
    text, _ = printed(d2l.train, train, test, net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer, ctx, 1)
    return f"loss {last_number(text, 'loss')}"


def surface(d2l):
    text, trace = printed(d2l.train_2d, lambda x1, x2, s1, s2: (x1 - 0.8 * x1, x2 - 0.4 * x2, 0, 0))
    d2l.show_trace_2d(lambda x1, x2: 0.1 * x1 ** 2 + 2 * x2 ** 2, trace)
    return text.strip()


def optimizer_scratch(d2l, nd):
    features, labels = d2l.get_data_ch7()
    states = [nd.zeros((features.shape[1], 1)), nd.zeros(1)]

    def momentum(params, states, hyperparams):
        for p, v in zip(params, states):
            v[:] = hyperparams["momentum"] * v + hyperparams["lr"] * p.grad
            p[:] -= v

    text, _ = printed(d2l.train_ch7, momentum, states, {"lr": 0.02, "momentum": 0.5}, features, labels)
    return text.strip()


def optimizer_gluon(d2l, name, more):
    features, labels = d2l.get_data_ch7()
    text, _ = printed(d2l.train_gluon_ch7, name, more, features, labels, 10)
    return text.strip()


def better_than_chance(text, vocab):
    perplexity = last_number(text, "perplexity")
    if not perplexity < 0.75 * vocab:
        raise AssertionError(f"perplexity {perplexity} of {vocab} characters")
    return f"perplexity {perplexity} of {vocab} characters"


def rnn_scratch(d2l, mx, nd, random_iter, data="time_machine"):
    """An RNN from its formulas, its state carried on from batch to batch as the library does it."""
    corpus, char_to_idx, idx_to_char, vocab = (
        d2l.load_data_time_machine() if data == "time_machine" else d2l.load_data_jay_lyrics())
    ctx, hiddens = d2l.try_gpu(), 16

    def get_params():
        shapes = [(vocab, hiddens), (hiddens, hiddens), (hiddens,), (hiddens, vocab), (vocab,)]
        params = [nd.random.normal(scale=0.1, shape=shape, ctx=ctx) for shape in shapes]
        for param in params:
            param.attach_grad()
        return params

    def init_state(batch_size, num_hiddens, ctx):
        return (nd.zeros(shape=(batch_size, num_hiddens), ctx=ctx),)

    def rnn(inputs, state, params):
        W_xh, W_hh, b_h, W_hq, b_q = params
        (H,) = state
        outputs = []
        for X in inputs:
            H = nd.tanh(nd.dot(X, W_xh) + nd.dot(H, W_hh) + b_h)
            outputs.append(nd.dot(H, W_hq) + b_q)
        return outputs, (H,)

    text, _ = printed(d2l.train_and_predict_rnn, rnn, get_params, init_state, hiddens, vocab, ctx, corpus, idx_to_char,
                      char_to_idx, random_iter, 20, 10, 100, 0.01, 8, 20, 10, ["time", "tr"])
    return better_than_chance(text, vocab)


def rnn_gluon(d2l, layer):
    from mxnet import gluon
    corpus, char_to_idx, idx_to_char, vocab = d2l.load_data_time_machine()
    model = d2l.RNNModel(getattr(gluon.rnn, layer)(16), vocab)
    text, _ = printed(d2l.train_and_predict_rnn_gluon, model, 16, vocab, d2l.try_gpu(), corpus, idx_to_char,
                      char_to_idx, 20, 10, 100, 0.01, 8, 20, 10, ["time", "tr"])
    return better_than_chance(text, vocab)


def sentiment(d2l, nd):
    """Reviews, a vocabulary, a recurrent network, and what it says of a sentence."""
    from mxnet import gluon, init
    train_data, test_data = d2l.read_imdb("train"), d2l.read_imdb("test")
    vocab = d2l.get_vocab_imdb(train_data)
    count = sum(d2l.count_tokens(d2l.get_tokenized_imdb(train_data)).values())
    sets = [gluon.data.ArrayDataset(*(x[:, :30] if x.ndim == 2 else x for x in d2l.preprocess_imdb(data, vocab)))
            for data in (train_data, test_data)]
    train, test = [gluon.data.DataLoader(data, 16, shuffle=True) for data in sets]

    class BiRNN(gluon.nn.Block):
        def __init__(self, vocab, embed_size, num_hiddens, num_layers, **kwargs):
            super().__init__(**kwargs)
            self.embedding = gluon.nn.Embedding(len(vocab), embed_size)
            self.encoder = gluon.rnn.LSTM(num_hiddens, num_layers=num_layers, bidirectional=True,
                                          input_size=embed_size)
            self.decoder = gluon.nn.Dense(2)

        def forward(self, inputs):
            outputs = self.encoder(self.embedding(inputs.T))
            return self.decoder(nd.concat(outputs[0], outputs[-1]))

    ctx = d2l.try_all_gpus()
    net = BiRNN(vocab, 8, 8, 1)
    net.initialize(init.Xavier(), ctx=ctx)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    text, _ = printed(d2l.train, train, test, net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer, ctx, 5)
    verdict = d2l.predict_sentiment(net, vocab, ["the", "film", "is", "good"])
    if verdict != "positive":
        raise AssertionError(verdict)
    return f"{count} tokens, {better_than(last_number(text, 'test acc'), 0.9)}"


def segmentation(d2l, nd):
    """Pictures and their masks, cut at the same place."""
    from mxnet import gluon
    table = nd.zeros(256 ** 3)
    for i, color in enumerate(d2l.VOC_COLORMAP):
        table[(color[0] * 256 + color[1]) * 256 + color[2]] = i
    sets = [printed(d2l.VOCSegDataset, is_train, (32, 48), "../data/VOCdevkit/VOC2012", table)[1]
            for is_train in (True, False)]
    [(X, Y)] = gluon.data.DataLoader(sets[0], 3, shuffle=True, last_batch="discard")
    if not set(np.unique(Y.asnumpy())) <= {0, 1}:
        raise AssertionError(np.unique(Y.asnumpy()))
    return f"{X.shape}, {Y.shape}"


def pictures(d2l, nd, data):
    """All that it draws with matplotlib."""
    train, _ = fashion(d2l, data, 1)
    d2l.show_fashion_mnist(train[0][0][:4], d2l.get_fashion_mnist_labels(train[0][1][:4].asnumpy()))
    d2l.show_images([nd.ones((4, 4, 3))] * 4, 2, 2)
    d2l.semilogy(range(1, 4), [3, 2, 1], "epoch", "loss", range(1, 4), [4, 3, 2], ["train", "test"])
    d2l.plt.figure()
    d2l.show_bboxes(d2l.plt.gca(), nd.array([[0, 0, 2, 2], [1, 1, 3, 3]]), ["dog", "cat"])


def small_functions(d2l, nd):
    got = d2l.corr2d(nd.arange(9).reshape((3, 3)), nd.arange(4).reshape((2, 2)))
    np.testing.assert_allclose(got.asnumpy(), [[19, 25], [37, 43]])
    net = d2l.Residual(6, use_1x1conv=True, strides=2)
    net.initialize()
    if net(nd.ones((4, 3, 6, 6))).shape != (4, 6, 3, 3):
        raise AssertionError("Residual")
    with contextlib.redirect_stdout(io.StringIO()), d2l.Benchmark("Workloads"):
        nd.dot(nd.ones((20, 20)), nd.ones((20, 20))).wait_to_read()
    d2l.mkdir_if_not_exist(["made", "here"])
    return None


def downloads():
    raise NotHere("download_imdb, download_voc_pascal and load_data_pikachu fetch archives of up to 2 GB")


def cases(args):
    import matplotlib as mpl
    mpl.use("agg")
    import d2lzh as d2l
    import mxnet as mx
    from mxnet import autograd, nd
    mx.random.seed(1)
    np.random.seed(1)
    random.seed(1)
    folder = Path(tempfile.mkdtemp(prefix="d2lzh"))
    data = str(Path(args.data).resolve())
    for name in ("data", "code"):
        (folder / name).mkdir()
    write_data(folder / "data")
    os.chdir(folder / "code")
    return {
        "data_iter, linreg, squared_loss, sgd": lambda: regression(d2l, nd, autograd),
        "train_ch3 with sgd": lambda: softmax_scratch(d2l, nd, data),
        "train_ch3 with a Trainer": lambda: softmax_gluon(d2l, data),
        "train_ch5": lambda: lenet(d2l, data),
        "train, resnet18": lambda: residual(d2l, data),
        "train, resnet18, hybridized": lambda: residual(d2l, data, hybridize=True),
        "train_2d, show_trace_2d": lambda: surface(d2l),
        "train_ch7": lambda: optimizer_scratch(d2l, nd),
        **{f"train_gluon_ch7 with {name}": lambda name=name, more=more: optimizer_gluon(d2l, name, more)
           for name, more in [("sgd", {"learning_rate": 0.02, "momentum": 0.9}),
                              ("adagrad", {"learning_rate": 0.1}), ("rmsprop", {"learning_rate": 0.01, "gamma1": 0.9}),
                              ("adadelta", {"rho": 0.9}), ("adam", {"learning_rate": 0.01})]},
        "train_and_predict_rnn, consecutive": lambda: rnn_scratch(d2l, mx, nd, False),
        "train_and_predict_rnn, random": lambda: rnn_scratch(d2l, mx, nd, True),
        "train_and_predict_rnn, lyrics": lambda: rnn_scratch(d2l, mx, nd, False, "lyrics"),
        **{f"train_and_predict_rnn_gluon, {layer}": lambda layer=layer: rnn_gluon(d2l, layer)
           for layer in ("RNN", "GRU", "LSTM")},
        "reviews: read_imdb, train, predict_sentiment": lambda: sentiment(d2l, nd),
        "VOCSegDataset": lambda: segmentation(d2l, nd),
        "what it draws": lambda: pictures(d2l, nd, data),
        "corr2d, Residual, Benchmark": lambda: small_functions(d2l, nd),
        "what it downloads": downloads,
    }


if __name__ == "__main__":
    sys.exit(main(__file__, cases, lambda parser: parser.add_argument("--data", default="data", metavar="FOLDER")))
