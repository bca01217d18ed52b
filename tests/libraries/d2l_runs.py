"""d2l 1.0.3 and 0.17.6: the functions and classes of `d2l.mxnet` that need no download, on small data.

    python tests/libraries/d2l_runs.py --python /tmp/d2l/bin/python

The library, which comes with a book, uses `mx.np` throughout. Data are drawn, in the form in which the library reads
them. A case that needs names which the installed version lacks is left out. The last case counts the names that were
called, and lists the others.
"""

import functools
import hashlib
import inspect
import io
import itertools
import math
import os
import random
import sys
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as onp
from runner import main

LINES = "time traveller for so it will be convenient to speak of him was expounding a recondite matter to us "
CASES = {}


def case(*names):
    """Decorate a case: it takes d2l, mx and what `prepare` made, and is left out where d2l lacks one of the names."""
    def enter(function):
        CASES[function.__name__.replace("_", " ")] = names, function
        return function
    return enter


def falls(losses, by=0.9):
    """The first and the last loss as text. Raises where the last is not less than `by` of the first."""
    losses = [float(x) for x in losses]
    if not losses[-1] < by * losses[0]:
        raise AssertionError(f"the loss went from {losses[0]:.4f} to {losses[-1]:.4f}")
    return f"loss {losses[0]:.4f} to {losses[-1]:.4f}"


def draw(seed, *shape):
    return onp.random.RandomState(seed).randn(*shape).astype("float32")


def equal(found, expected, tolerance=1e-5):
    onp.testing.assert_allclose(onp.asarray(found), expected, tolerance, tolerance)


# -- data, where the library looks for it: ../data ---------------------------------------------------------------------


def write_data(d2l, mx, folder):
    """Texts and tables below `folder`, and their sums of SHA-1 in the library's table."""
    files = {"time_machine": ("timemachine.txt", (LINES * 20).encode()),
             "airfoil": ("airfoil_self_noise.dat", _airfoil()), "fra-eng": ("fra-eng.zip", _zip({
                 "fra-eng/fra.txt": "".join(f"go {w} .\tva {w} !\n" for w in LINES.split() * 4)})),
             "ptb": ("ptb.zip", _zip({f"ptb/ptb.{part}.txt": (LINES + "\n") * 40 for part in ("train", "test")})),
             "wikitext-2": ("wikitext-2-v1.zip", _zip({f"wikitext-2/wiki.{part}.tokens": (
                 f"{LINES} . the end of it . and so on it goes\n" * 8) for part in ("train", "test")})),
             "glove.6b.50d": ("glove.6B.50d.zip", _zip({"glove.6B.50d/vec.txt": _vectors()})),
             "ml-100k": ("ml-100k.zip", _zip({"ml-100k/u.data": _ratings()})), "banana-detection": (
                 "banana-detection.zip", _zip(_bananas(folder))), "aclImdb": ("aclImdb_v1.tar.gz", _tar(_reviews())),
             "SNLI": ("snli_1.0.zip", _zip({f"snli_1.0/snli_1.0_{part}.txt": _pairs() for part in ("train", "test")})),
             "voc2012": ("voc2012.tar", _tar(_pictures(), "w"))}
    for name, (file, content) in files.items():
        (folder / file).write_bytes(content)
        d2l.DATA_HUB[name] = (d2l.DATA_URL + file, hashlib.sha1(content).hexdigest())


def _zip(texts):
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "archive.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in texts.items():
                archive.writestr(name, text)
        return path.read_bytes()


def _tar(contents, mode="w:gz"):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:
        for name, content in contents.items():
            content = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def _reviews():
    texts = {}
    for part, (label, words) in itertools.product(["train", "test"], [("pos", "good great"), ("neg", "bad dull")]):
        for i in range(40):
            line = onp.random.RandomState(i).choice([*words.split(), "the", "film", "is"], 20)
            texts[f"aclImdb/{part}/{label}/{i}.txt"] = " ".join(line)
    return texts


def _pairs():
    labels = ["entailment", "contradiction", "neutral"]
    rows = [f"{labels[i % 3]}\t( the film )\t( {['a', 'no', 'the'][i % 3]} film )" for i in range(30)]
    return "\n".join(["gold_label\ta\tb", *rows]) + "\n"


def _pictures():
    import cv2
    files, root = {}, "VOCdevkit/VOC2012"
    for part in ("train", "val"):
        names = [f"{part}{i}" for i in range(3)]
        files[f"{root}/ImageSets/Segmentation/{part}.txt"] = "\n".join(names)
        for i, name in enumerate(names):
            picture = onp.random.RandomState(i).randint(0, 255, (40, 50, 3)).astype("uint8")
            mask = onp.zeros((40, 50, 3), "uint8")
            mask[10:20] = [0, 0, 128]               # OpenCV's order: blue, green, red
            files[f"{root}/JPEGImages/{name}.jpg"] = cv2.imencode(".jpg", picture)[1].tobytes()
            files[f"{root}/SegmentationClass/{name}.png"] = cv2.imencode(".png", mask)[1].tobytes()
    return files


def _airfoil():
    table = draw(0, 600, 6)
    table[:, 5] = table[:, :5] @ [1, -2, 3, 0.5, 2]
    return "\n".join("\t".join(f"{x:.5f}" for x in row) for row in table).encode()


def _vectors():
    words = sorted(set(LINES.split()))
    return "".join(f"{word} {' '.join(f'{x:.4f}' for x in draw(i, 50))}\n" for i, word in enumerate(words))


def _ratings():
    rng = onp.random.RandomState(0)
    pairs = [(u, i) for u in range(1, 41) for i in range(1, 31) if rng.rand() < 0.4 or u == i % 40 + 1]
    pairs += [(40, 30)]
    return "".join(f"{u}\t{i}\t{rng.randint(1, 6)}\t{rng.randint(1000)}\n" for u, i in pairs)


def _bananas(folder):
    import cv2
    texts = {}
    for part in ("bananas_train", "bananas_val"):
        rows = ["img_name,label,xmin,ymin,xmax,ymax"]
        for i in range(4):
            picture = onp.random.RandomState(i).randint(0, 255, (256, 256, 3)).astype("uint8")
            texts[f"banana-detection/{part}/images/{i}.png"] = cv2.imencode(".png", picture)[1].tobytes()
            rows.append(f"{i}.png,0,{20 + i},30,120,{130 + i}")
        texts[f"banana-detection/{part}/label.csv"] = "\n".join(rows) + "\n"
    return texts


def drawn_fashion(mx):
    """A data set in the place of Fashion-MNIST: noise, with a bright line whose row is the label."""
    class Drawn(mx.gluon.data.ArrayDataset):
        def __init__(self, root=None, train=True, transform=None):
            labels = onp.arange(512 if train else 128) % 10
            pixels = (abs(draw(int(train), len(labels), 28, 28, 1)) * 40).clip(0, 255)
            for i, label in enumerate(labels):
                pixels[i, 2 * label:2 * label + 4] = 250
            super().__init__(mx.np.array(pixels.astype("uint8")), labels.astype("int32"))
    return Drawn


def note_calls(d2l):
    """Replace each function of the library, and a method of each class, by one that notes calls; return the notes."""
    called = set()

    def noting(name, function):
        @functools.wraps(function)
        def note(*args, **kwargs):
            called.add(name)
            return function(*args, **kwargs)
        return note

    for name in names_of(d2l):
        value = vars(d2l)[name]
        if inspect.isfunction(value):
            setattr(d2l, name, noting(name, value))
        elif name != "HyperParameters":         # it looks at the frame that calls it
            methods = [method for method, code in vars(value).items() if inspect.isfunction(code)]
            method = "__init__" if "__init__" in methods else methods[0]
            setattr(value, method, noting(name, vars(value)[method]))
    return called


def names_of(d2l):
    """The public functions and classes that the library defines, without its short names for np's functions."""
    return {name for name, value in vars(d2l).items() if name[0] != "_" and (
        inspect.isclass(value) or inspect.isfunction(value) and value.__name__ == name) and (
            value.__module__ == d2l.__name__)}


# -- the cases ---------------------------------------------------------------------------------------------------------


@case("train_ch3", "linreg")
def linear_regression_from_scratch(d2l, mx):
    np, autograd = mx.np, mx.autograd
    features, labels = d2l.synthetic_data(np.array([2, -3.4]), 4.2, 200)
    w, b = np.random.normal(0, 0.01, (2, 1)), np.zeros(1)
    w.attach_grad()
    b.attach_grad()
    for X, y in itertools.chain(*[d2l.load_array((features, labels), 10)] * 3):
        with autograd.record():
            cost = d2l.squared_loss(d2l.linreg(X, w, b), y)
        cost.backward()
        d2l.sgd([w, b], 0.1, 10)
    equal([*w.asnumpy().ravel(), b.item()], [2, -3.4, 4.2], 0.05)


@case("linreg")
def linear_regression_from_scratch_without_a_loop(d2l, mx):
    np = mx.np
    features, labels = d2l.synthetic_data(np.array([2, -3.4]), 4.2, 50)
    cost = d2l.squared_loss(d2l.linreg(features, np.array([[2], [-3.4]]), 4.2), labels)
    return f"{float(cost.mean()):.6f}"


def fashion(d2l, mx, batch=32, resize=None):
    mx.gluon.data.vision.FashionMNIST = drawn_fashion(mx)
    return d2l.load_data_fashion_mnist(batch, resize)


@case("train_ch3")
def softmax_regression(d2l, mx):
    np, gluon = mx.np, mx.gluon
    train, test = fashion(d2l, mx)
    W, b = np.random.normal(0, 0.01, (784, 10)), np.zeros(10)
    W.attach_grad()
    b.attach_grad()
    net = lambda X: np.dot(X.reshape((-1, 784)), W) + b
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    before = d2l.evaluate_loss(net, test, loss)
    d2l.train_ch3(net, train, test, loss, 2, lambda size: d2l.sgd([W, b], 0.1, size))
    d2l.predict_ch3(net, test)
    return f"{falls([before, d2l.evaluate_loss(net, test, loss)])}, accuracy {d2l.evaluate_accuracy(net, test)}"


@case("train_ch3")
def perceptron(d2l, mx):
    gluon, nn = mx.gluon, mx.gluon.nn
    train, test = fashion(d2l, mx)
    net = nn.Sequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dropout(0.2), nn.Dense(10))
    net.initialize(mx.init.Normal(sigma=0.01))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    d2l.train_ch3(net, train, test, gluon.loss.SoftmaxCrossEntropyLoss(), 2, trainer)
    return f"accuracy {d2l.evaluate_accuracy(net, test)}"


def lenet(nn):
    net = nn.Sequential()
    net.add(nn.Conv2D(channels=6, kernel_size=5, padding=2, activation="relu"), nn.AvgPool2D(pool_size=2, strides=2),
            nn.Conv2D(channels=8, kernel_size=5, activation="relu"), nn.AvgPool2D(pool_size=2, strides=2),
            nn.Dense(32, activation="relu"), nn.Dense(10))
    return net


@case("train_ch6")
def train_ch6(d2l, mx):
    train, test = fashion(d2l, mx)
    d2l.train_ch6(lenet(mx.gluon.nn), train, test, 2, 0.2, d2l.try_gpu())


@case("train_ch13", "resnet18")
def train_ch13_with_resnet18(d2l, mx):
    gluon, np = mx.gluon, mx.np
    data = [(np.array(draw(i, 8, 3, 16, 16)), np.array(onp.arange(8) % 4)) for i in range(5)]
    net = d2l.resnet18(4)
    devices = [mx.npx.cpu(0), mx.npx.cpu(1)]
    net.initialize(mx.init.Normal(sigma=0.01), ctx=devices)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    before = d2l.train_batch_ch13(net, *data[0], loss, trainer, devices, d2l.split_batch)[0]
    d2l.train_ch13(net, data, data, loss, trainer, 1, devices)
    return f"loss of the first batch {before:.3f}, accuracy {d2l.evaluate_accuracy_gpus(net, data)}"


@case("corr2d", "Residual")
def small_functions(d2l, mx):
    np = mx.np
    equal(d2l.corr2d(np.arange(9).reshape(3, 3), np.arange(4).reshape(2, 2)).asnumpy(), [[19, 25], [37, 43]])
    net = d2l.Residual(6, use_1x1conv=True, strides=2)
    net.initialize()
    assert net(np.ones((4, 3, 6, 6))).shape == (4, 6, 3, 3)
    with d2l.Benchmark("product"):
        np.dot(np.ones((20, 20)), np.ones((20, 20))).wait_to_read()
    timer = d2l.Timer()
    timer.stop()
    assert timer.avg() == timer.sum() == timer.cumsum()[-1]
    assert d2l.accuracy(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1])) in (1, 0.5)
    counts = d2l.Accumulator(2)
    counts.add(1, np.array(2.0))
    assert counts[1] == 2
    assert (str(d2l.try_gpu()), [str(x) for x in d2l.try_all_gpus()]) in (("cpu(0)", ["cpu(0)"]), ("cpu(0)", []))
    equal(d2l.bleu("il est parti", "il est parti .", 2), math.exp(1 - 4 / 3))
    assert d2l.get_fashion_mnist_labels([0, 9]) == ["t-shirt", "ankle boot"]
    assert d2l.get_dataloader_workers() == 4


@case("ResNeXtBlock")
def grouped_residual(d2l, mx):
    block = d2l.ResNeXtBlock(32, 8, 1)
    block.initialize()
    assert block(mx.np.ones((4, 32, 6, 6))).shape == (4, 32, 6, 6)


@case("plot")
def what_it_draws(d2l, mx):
    np = mx.np
    x = np.arange(0, 3, 0.5)
    d2l.plot(x, [x ** 2, 2 * x], "x", "f(x)", legend=["f", "g"])
    d2l.use_svg_display()
    d2l.set_figsize()
    fig = d2l.plt.imshow(np.ones((4, 4, 3)).asnumpy())
    d2l.show_bboxes(fig.axes, np.array([[0, 0, 2, 2], [1, 1, 3, 3]]), ["dog", "cat"])
    fig.axes.add_patch(d2l.bbox_to_rect([0, 0, 2, 2], "blue"))
    d2l.show_images(np.ones((4, 6, 6)), 2, 2, titles=list("abcd"))
    d2l.show_heatmaps(np.eye(4).reshape((1, 1, 4, 4)), xlabel="keys", ylabel="queries")
    d2l.annotate("here", (0, 0), (1, 1))
    d2l.show_list_len_pair_hist(["a", "b"], "length", "count", [[1], [1, 2]], [[1], [1, 2, 3]])
    animator = d2l.Animator(xlabel="epoch", xlim=[1, 3], legend=["loss"])
    for i in range(3):
        animator.add(i, (np.array(0.5 * i),))
    d2l.show_trace_2d(lambda a, b: a ** 2 + 2 * b ** 2, d2l.train_2d(
        lambda a, b, s, t, f_grad: (0.8 * a, 0.6 * b, 0, 0), f_grad=lambda a, b: (2 * a, 4 * b)))
    d2l.plt.close("all")


@case("train_ch11")
def optimizers(d2l, mx):
    np = mx.np
    data, dim = d2l.get_data_ch11(10, 200)

    def sgd(params, states, hyperparams):
        for p in params:
            p[:] -= hyperparams["lr"] * p.grad

    d2l.train_ch11(sgd, None, {"lr": 0.05}, data, dim)
    for name, hyper in {"sgd": {"learning_rate": 0.05}, "adam": {"learning_rate": 0.01}, "adadelta": {"rho": 0.9},
                        "adagrad": {"learning_rate": 0.1}, "rmsprop": {"learning_rate": 0.01, "gamma1": 0.9}}.items():
        d2l.train_concise_ch11(name, hyper, data)
    assert dim == 5, np


@case("RNNModelScratch")
def recurrent_network_from_scratch(d2l, mx):
    np, npx = mx.np, mx.npx
    train, vocab = d2l.load_data_time_machine(8, 5)

    def get_params(size, hidden, device):
        params = [np.random.normal(scale=0.1, size=s, ctx=device) for s in (
            (size, hidden), (hidden, hidden), (hidden,), (hidden, size), (size,))]
        for param in params:
            param.attach_grad()
        return params

    def init_state(batch_size, num_hiddens, device):
        return (np.zeros(shape=(batch_size, num_hiddens), ctx=device),)

    def forward(inputs, state, params):
        W_xh, W_hh, b_h, W_hq, b_q = params
        H, = state
        outputs = []
        for X in inputs:
            H = np.tanh(np.dot(X, W_xh) + np.dot(H, W_hh) + b_h)
            outputs.append(np.dot(H, W_hq) + b_q)
        return np.concatenate(outputs, axis=0), (H,)

    for random_iter in (False, True):
        if random_iter:
            train, vocab = d2l.load_data_time_machine(8, 5, use_random_iter=True)
        net = d2l.RNNModelScratch(len(vocab), 16, d2l.try_gpu(), get_params, init_state, forward)
        before = perplexity(d2l, mx, net, train, random_iter)
        d2l.train_ch8(net, train, vocab, 1, 4, d2l.try_gpu(), use_random_iter=random_iter)
        after = perplexity(d2l, mx, net, train, random_iter)
        text = d2l.predict_ch8("time ", 8, net, vocab, d2l.try_gpu())
    npx.waitall()
    return f"{falls([before, after])}: {text!r}"


def perplexity(d2l, mx, net, data, random_iter):
    """The perplexity, by an epoch in which nothing is learned."""
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    return d2l.train_epoch_ch8(net, data, loss, lambda batch_size: None, d2l.try_gpu(), random_iter)[0]


@case("RNNModel")
def recurrent_layers(d2l, mx):
    train, vocab = d2l.load_data_time_machine(8, 5)
    texts = []
    for layer in (mx.gluon.rnn.RNN(16), mx.gluon.rnn.GRU(16), mx.gluon.rnn.LSTM(16, 2)):
        net = d2l.RNNModel(layer, len(vocab))
        net.initialize(mx.init.Normal(0.1), ctx=d2l.try_gpu())
        before = perplexity(d2l, mx, net, train, False)
        d2l.train_ch8(net, train, vocab, 2, 4, d2l.try_gpu())
        texts.append(falls([before, perplexity(d2l, mx, net, train, False)]))
    return "; ".join(texts)


@case("read_time_machine")
def texts(d2l, mx):
    tokens = d2l.tokenize(d2l.read_time_machine())
    vocab = d2l.Vocab(tokens, reserved_tokens=["<pad>"])
    assert vocab.to_tokens(vocab[["time", "nothing like this"]]) == ["time", "<unk>"]
    assert d2l.count_corpus(tokens)["the"] == vocab.token_freqs[0][1] or vocab.token_freqs
    corpus, _ = d2l.load_corpus_time_machine(200)
    for iterate in (d2l.seq_data_iter_random, d2l.seq_data_iter_sequential):
        X, Y = next(iterate(list(range(35)), 2, 5))
        assert (X.shape, (Y - X).sum()) == ((2, 5), 10), corpus


def translation(d2l):
    train, source, target = d2l.load_data_nmt(8, 6, 60)
    return train, source, target


@case("Seq2SeqEncoder", "train_seq2seq")
def translator(d2l, mx):
    np, gluon = mx.np, mx.gluon
    nn = gluon.nn
    train, source, target = translation(d2l)
    encoder = d2l.Seq2SeqEncoder(len(source), 8, 8, 2, 0.1)
    is_old = hasattr(d2l, "train_ch8")

    class Decoder(d2l.AttentionDecoder):
        def __init__(self):
            super().__init__()
            self.attention = d2l.AdditiveAttention(8, 0.1)
            self.embedding, self.rnn = nn.Embedding(len(target), 8), gluon.rnn.GRU(8, 2)
            self.dense = nn.Dense(len(target), flatten=False)

        def init_state(self, enc_outputs, enc_valid_lens, *args):
            outputs, hidden = enc_outputs
            return outputs.swapaxes(0, 1), hidden, enc_valid_lens

        def forward(self, X, state):
            enc_outputs, hidden, lens = state
            outputs, self.weights = [], []
            for x in self.embedding(X).swapaxes(0, 1):
                query = np.expand_dims((hidden[0] if isinstance(hidden, (list, tuple)) else hidden)[-1], axis=1)
                context = self.attention(query, enc_outputs, enc_outputs, lens)
                joined = np.concatenate((context, np.expand_dims(x, axis=1)), axis=-1)
                out, hidden = self.rnn(joined.swapaxes(0, 1), hidden)
                outputs.append(out)
                self.weights.append(self.attention.attention_weights)
            return self.dense(np.concatenate(outputs, axis=0)).swapaxes(0, 1), [enc_outputs, hidden, lens]

        @property
        def attention_weights(self):
            return self.weights

    net = d2l.EncoderDecoder(encoder, Decoder()) if is_old else _pair(d2l, encoder, Decoder())
    d2l.train_seq2seq(net, train, 0.01, 2, target, d2l.try_gpu())
    text, weights = d2l.predict_seq2seq(net, "go time .", source, target, 6, d2l.try_gpu(), True)
    loss = d2l.MaskedSoftmaxCELoss()
    found = loss(np.ones((3, 4, 10)), np.ones((3, 4)), np.array([4, 2, 0]))
    equal(found.asnumpy(), onp.log(10) * onp.array([1, 0.5, 0]))
    return f"{text!r}, {len(weights)} steps"


def _pair(d2l, encoder, decoder):
    net = d2l.nn.Sequential()
    net.encoder, net.decoder = encoder, decoder

    class Pair(d2l.nn.Block):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = encoder, decoder

        def forward(self, enc_X, dec_X, *args):
            return self.decoder(dec_X, self.decoder.init_state(self.encoder(enc_X, *args), *args))
    return Pair()


@case("AdditiveAttention")
def attention(d2l, mx):
    np = mx.np
    keys, values = np.ones((2, 10, 2)), np.repeat(np.arange(40).reshape(1, 10, 4), 2, axis=0)
    expected = [[[2, 3, 4, 5]], [[10, 11, 12, 13]]]
    for block, queries in ((d2l.AdditiveAttention(8, 0.1), np.array(draw(1, 2, 1, 20))),
                           (d2l.DotProductAttention(0.5), np.ones((2, 1, 2)))):
        block.initialize()
        equal(block(queries, keys, values, np.array([2, 6])).asnumpy(), expected)
    equal(d2l.masked_softmax(np.zeros((2, 2, 4)), np.array([2, 3])).asnumpy()[1, 0], [1 / 3, 1 / 3, 1 / 3, 0])
    heads = d2l.MultiHeadAttention(100, 5, 0.5)
    heads.initialize()
    X, Y = np.ones((2, 4, 100)), np.ones((2, 6, 100))
    assert heads(X, Y, Y, np.array([3, 2])).shape == (2, 4, 100)
    if hasattr(d2l, "transpose_qkv"):
        equal(d2l.transpose_output(d2l.transpose_qkv(X, 5), 5).asnumpy(), X.asnumpy())
    position = d2l.PositionalEncoding(8, 0)
    position.initialize()
    assert position(np.zeros((1, 6, 8))).shape == (1, 6, 8)
    ffn, norm = d2l.PositionWiseFFN(4, 8), d2l.AddNorm(0.5)
    ffn.initialize()
    norm.initialize()
    assert norm(ffn(np.ones((2, 3, 4))), np.ones((2, 3, 8))).shape == (2, 3, 8)
    encoder = d2l.TransformerEncoder(200, 24, 48, 8, 2, 0.5)
    encoder.initialize()
    assert encoder(np.ones((2, 100)), np.array([3, 2])).shape == (2, 100, 24)
    block = (getattr(d2l, "EncoderBlock", None) or d2l.TransformerEncoderBlock)(24, 48, 8, 0.5)
    block.initialize()
    assert block(np.ones((2, 100, 24)), np.array([3, 2])).shape == (2, 100, 24)


@case("multibox_prior")
def boxes(d2l, mx):
    np = mx.np
    anchors = d2l.multibox_prior(np.zeros((1, 3, 4, 5)), sizes=[0.75, 0.5], ratios=[1, 2])
    assert anchors.shape == (1, 60, 4)
    boxes = np.array([[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91],
                      [0.55, 0.2, 0.9, 0.88]])
    equal(d2l.box_center_to_corner(d2l.box_corner_to_center(boxes)).asnumpy(), boxes.asnumpy())
    truth = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
    near = np.array([[0, 0.1, 0.2, 0.3], [0.15, 0.2, 0.4, 0.4], [0.63, 0.05, 0.88, 0.98], [0.66, 0.45, 0.8, 0.8],
                     [0.57, 0.3, 0.92, 0.9]])
    equal(d2l.assign_anchor_to_bbox(truth[:, 1:], near, near.ctx).asnumpy(), [-1, 0, 1, -1, 1])
    offsets, masks, labels = d2l.multibox_target(np.expand_dims(near, 0), np.expand_dims(truth, 0))
    equal(labels.asnumpy(), [[0, 1, 2, 0, 2]])
    probabilities = np.array([[0] * 4, [0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.9]])
    output = d2l.multibox_detection(np.expand_dims(probabilities, 0), np.expand_dims(np.zeros(16), 0), np.expand_dims(
        boxes, 0))
    equal(sorted(output.asnumpy()[0, :, 0]), [-1, -1, 0, 1])
    equal(d2l.nms(boxes, np.array([0.9, 0.8, 0.7, 0.9]), 0.5).asnumpy()[:2].sum(), 3)
    back = d2l.offset_inverse(near, d2l.offset_boxes(near, near))
    equal(back.asnumpy(), near.asnumpy(), 1e-4)
    return f"overlap {float(d2l.box_iou(boxes, boxes)[0, 1]):.4f}, {int(masks.sum())} marks, {offsets.shape}"


@case("BananasDataset")
def detection_data(d2l, mx):
    train, _ = d2l.load_data_bananas(2)
    for X, Y in train:
        assert (X.shape, Y.shape, type(Y).__name__) == ((2, 3, 256, 256), (2, 1, 5), "ndarray")
    return f"{len(d2l.BananasDataset(True))} pictures"


@case("voc_label_indices")
def segmentation(d2l, mx):
    np = mx.np
    table = d2l.voc_colormap2label()
    colors = onp.zeros((6, 8, 3), "uint8")
    colors[2:4] = [128, 0, 0]
    labels = d2l.voc_label_indices(np.array(colors), table)
    equal(labels.asnumpy()[:, 0], [0, 0, 1, 1, 0, 0])
    feature, label = d2l.voc_rand_crop(np.array(colors), np.array(colors), 4, 5)
    assert (feature == label).all(), (feature.shape, label.shape)
    train, _ = d2l.load_data_voc(3, (32, 48))
    for X, Y in train:
        assert (X.shape, Y.shape, sorted(set(Y.asnumpy().ravel().tolist()))) == ((3, 3, 32, 48), (3, 32, 48), [0, 1])


@case("load_data_ptb")
def skip_grams(d2l, mx):
    batches, vocab = d2l.load_data_ptb(64, 5, 5)
    centers, contexts, masks, labels = next(iter(batches))
    assert centers.shape[1] == 1
    assert contexts.shape == masks.shape == labels.shape
    return f"{len(vocab)} words, {contexts.shape}"


@case("TokenEmbedding")
def word_vectors(d2l, mx):
    embedding = d2l.TokenEmbedding("glove.6b.50d")
    x = embedding[["time", "unheard"]]
    assert (x.shape, float(abs(x[1]).sum()), type(x).__name__) == ((2, 50), 0, "ndarray")
    return f"{len(embedding)} words"


@case("BERTModel", "load_data_wiki")
def bert(d2l, mx):
    np, gluon, autograd = mx.np, mx.gluon, mx.autograd
    train, vocab = d2l.load_data_wiki(16, 64)
    net = d2l.BERTModel(len(vocab), 16, 32, 2, 2, 0.1)
    devices = [d2l.try_gpu()]
    net.initialize(mx.init.Xavier(), ctx=devices)
    loss = gluon.loss.SoftmaxCELoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    losses = []
    for batch in itertools.chain(*[train] * 4):
        shards = [gluon.utils.split_and_load(part, devices, even_split=False) for part in batch]
        tokens, segments, lens, positions, weights, labels, nsp = shards
        with autograd.record():
            _, _, totals = d2l._get_batch_loss_bert(net, loss, len(vocab), tokens, segments, lens, positions, weights,
                                                    labels, nsp)
        for total in totals:
            total.backward()
        trainer.step(1)
        losses.append(float(totals[0].mean()))
    assert d2l.get_tokens_and_segments(["a"], ["b"]) == (["<cls>", "a", "<sep>", "b", "<sep>"], [0, 0, 0, 1, 1])
    words = np.ones((2, 5), dtype="int32")
    for block, inputs in ((d2l.BERTEncoder(20, 8, 8, 2, 2, 0.2), [words, np.zeros((2, 5)), None]),
                          (d2l.MaskLM(20, 8), [np.ones((2, 5, 8)), np.array([[1, 2], [3, 4]])]),
                          (d2l.NextSentencePred(), [np.ones((2, 8))])):
        block.initialize()
        assert block(*inputs).shape[0] == 2
    return falls(losses)


@case("predict_sentiment")
def sentiment(d2l, mx):
    np, gluon, autograd = mx.np, mx.gluon, mx.autograd
    nn, rnn = gluon.nn, gluon.rnn
    _, _, vocab = d2l.load_data_imdb(16, 20)
    texts, labels = zip(*[d2l.read_imdb("../data/aclImdb", is_train) for is_train in (True, False)])
    tokens = d2l.tokenize(texts[0], token="word")
    vocab = d2l.Vocab(tokens, min_freq=2)
    features = np.array([d2l.truncate_pad(vocab[line], 20, 0) for line in tokens])

    class BiRNN(nn.Block):
        def __init__(self):
            super().__init__()
            self.embedding, self.decoder = nn.Embedding(len(vocab), 8), nn.Dense(2)
            self.encoder = rnn.LSTM(8, bidirectional=True, input_size=8)

        def forward(self, inputs):
            outputs = self.encoder(self.embedding(inputs.T))
            return self.decoder(np.concatenate((outputs[0], outputs[-1]), axis=1))

    net, loss = BiRNN(), gluon.loss.SoftmaxCrossEntropyLoss()
    net.initialize(mx.init.Xavier(), ctx=d2l.try_gpu())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    data = d2l.load_array((features, np.array(labels[0])), 16)
    d2l.train_ch13(net, data, data, loss, trainer, 4, [d2l.try_gpu()])
    with autograd.pause():
        verdict = d2l.predict_sentiment(net, vocab, "the film is good great good")
    assert verdict == "positive", verdict


@case("predict_snli")
def inference(d2l, mx):
    np, gluon = mx.np, mx.gluon
    nn = gluon.nn
    rows = [["the film is good"] * 30, ["a film is there", "no film", "the film is long"] * 10, [0, 1, 2] * 10]
    for X, _ in d2l.load_data_snli(16, 6)[0]:
        assert X[0].shape[1] == 6
    data = d2l.SNLIDataset(rows, 6)

    class Net(nn.Block):
        def __init__(self):
            super().__init__()
            self.embedding, self.dense = nn.Embedding(len(data.vocab), 8), nn.Dense(3)

        def forward(self, X):
            return self.dense(np.concatenate([self.embedding(x).sum(axis=1) for x in X], axis=1))

    net, loss = Net(), gluon.loss.SoftmaxCrossEntropyLoss()
    net.initialize(mx.init.Xavier(), ctx=d2l.try_gpu())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    loader = gluon.data.DataLoader(data, 6, shuffle=True, num_workers=0)
    d2l.train_ch13(net, loader, loader, loss, trainer, 8, [d2l.try_gpu()], d2l.split_batch_multi_inputs)
    return d2l.predict_snli(net, data.vocab, ["the", "film"], ["no", "film"])


@case("train_recsys_rating")
def recommender(d2l, mx):
    np, gluon = mx.np, mx.gluon
    nn = gluon.nn
    num_users, num_items, train, test = d2l.split_and_load_ml100k("random", test_ratio=0.1, batch_size=64)

    class MF(nn.Block):
        def __init__(self):
            super().__init__()
            self.P, self.Q = nn.Embedding(num_users, 4), nn.Embedding(num_items, 4)

        def forward(self, user, item):
            return (self.P(user) * self.Q(item)).sum(axis=1)

    def evaluator(net, test_iter, devices):
        rmse = mx.metric.RMSE()
        for users, items, ratings in test_iter:
            rmse.update(labels=[ratings], preds=[net(users, items)])
        return float(rmse.get()[1])

    net = MF()
    net.initialize(mx.init.Normal(0.5), ctx=d2l.try_gpu())
    before = evaluator(net, test, None)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    d2l.train_recsys_rating(net, train, test, gluon.loss.L2Loss(), trainer, 5, [d2l.try_gpu()], evaluator)
    return falls([before, evaluator(net, test, None)]), np.__name__


@case("train_ranking")
def ranking(d2l, mx):
    np, gluon = mx.np, mx.gluon
    nn = gluon.nn
    df, num_users, num_items = d2l.read_data_ml100k()
    train_data, test_data = d2l.split_data_ml100k(df, num_users, num_items, "seq-aware")
    users, items, _, candidates = d2l.load_data_ml100k(train_data, num_users, num_items, feedback="implicit")
    _, _, _, test_iter = d2l.load_data_ml100k(test_data, num_users, num_items, feedback="implicit")
    others = onp.random.RandomState(0).randint(0, num_items, len(items))
    columns = [np.array(onp.asarray(column, "int32")) for column in (users, items, others)]
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(*columns), 64, shuffle=True, last_batch="rollover")

    class NeuMF(nn.Block):
        def __init__(self):
            super().__init__()
            self.P, self.Q, self.out = nn.Embedding(num_users, 4), nn.Embedding(num_items, 4), nn.Dense(1)

        def forward(self, user, item):
            return self.out(np.concatenate([self.P(user), self.Q(item)], axis=1))

    for loss in (d2l.BPRLoss(), d2l.HingeLossbRec()):
        net = NeuMF()
        net.initialize(mx.init.Normal(0.1), ctx=d2l.try_gpu())
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
        d2l.train_ranking(net, loader, test_iter, loss, trainer, None, num_users, num_items, 1, [d2l.try_gpu()],
                          d2l.evaluate_ranking, candidates)
    return str(d2l.hit_and_auc([3, 1, 2], {1}, 2))


@case("CTRDataset")
def clicks(d2l, mx):
    rows = ["\t".join([str(i % 2), *(str((i * j) % 5) for j in range(34))]) for i in range(60)]
    Path("ctr.csv").write_text("\n".join(rows) + "\n")
    data = d2l.CTRDataset("ctr.csv", min_threshold=2)
    X, y = data[3]
    assert (len(data), len(X), y) == (60, 34, [1])


@case("update_D")
def adversaries(d2l, mx):
    np, gluon = mx.np, mx.gluon
    nn = gluon.nn
    net_G, net_D = nn.Sequential(), nn.Sequential()
    net_G.add(nn.Dense(2))
    net_D.add(nn.Dense(5, activation="tanh"), nn.Dense(1))
    for net in (net_G, net_D):
        net.initialize(mx.init.Normal(0.1))
    loss = gluon.loss.SigmoidBCELoss()
    trainers = [gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05}) for net in (net_D, net_G)]
    X, Z = np.array(draw(1, 8, 2)) + 3, np.array(draw(2, 8, 2))
    losses = [(d2l.update_D(X, Z, net_D, net_G, loss, trainers[0]), d2l.update_G(Z, net_D, net_G, loss, trainers[1]))
              for _ in range(6)]
    return falls([losses[0][0], losses[3][0]], 1.1)


@case("read_csv_labels")
def files(d2l, mx):
    Path("labels.csv").write_text("id,label\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(8)))
    for part in ("train", "test"):
        Path(part).mkdir()
        for i in range(8):
            Path(part, f"{i}.png").write_text("x")
    labels = d2l.read_csv_labels("labels.csv")
    assert d2l.reorg_train_valid(".", labels, 0.25) == 1
    d2l.reorg_test(".")
    d2l.copyfile("labels.csv", "copied")
    assert Path("copied/labels.csv").exists()


# -- the classes of 1.0.3, which train by a Trainer of its own ---------------------------------------------------------


def fit(d2l, model, data, epochs=2, **options):
    """Train, and return the losses of the validation before and after."""
    trainer = d2l.Trainer(max_epochs=epochs, **options)
    trainer.fit(model, data)
    return trainer


@case("LinearRegressionScratch")
def module_linear_regression(d2l, mx):
    data = d2l.SyntheticRegressionData(w=mx.np.array([2, -3.4]), b=4.2, num_train=200, num_val=50)
    scratch = d2l.LinearRegressionScratch(2, lr=0.1)
    fit(d2l, scratch, data, 4)
    concise = d2l.LinearRegression(lr=0.1)
    fit(d2l, concise, data, 4)
    w, b = concise.get_w_b()
    equal([*w.asnumpy().ravel(), float(b)], [2, -3.4, 4.2], 0.5)
    return f"{scratch.w.asnumpy().ravel()}"


@case("SoftmaxRegression")
def module_classifiers(d2l, mx):
    mx.gluon.data.vision.FashionMNIST = drawn_fashion(mx)
    data = d2l.FashionMNIST(batch_size=32)
    data.num_workers = 0
    data.visualize(next(iter(data.val_dataloader())))
    model = d2l.SoftmaxRegression(10, lr=0.1)
    fit(d2l, model, data)
    X, y = next(iter(data.val_dataloader()))
    found = float(model.accuracy(model(X), y))
    lenet = d2l.LeNet(lr=0.1)
    lenet.layer_summary((1, 1, 28, 28))
    fit(d2l, lenet, data, 1)
    return f"accuracy {found}"


@case("RNNLMScratch")
def module_language_models(d2l, mx):
    class Machine(d2l.TimeMachine):
        def _download(self):
            return LINES * 20

    data = Machine(batch_size=32, num_steps=8, num_train=400, num_val=100)
    data.num_workers = 0
    texts = []
    for model in (d2l.RNNLMScratch(d2l.RNNScratch(len(data.vocab), 16), len(data.vocab), lr=1),
                  d2l.RNNLM(d2l.RNN(16), len(data.vocab), lr=1), d2l.RNNLM(d2l.GRU(16, 2), len(data.vocab), lr=1)):
        fit(d2l, model, data, 3, gradient_clip_val=1)
        texts.append(model.predict("time ", 8, data.vocab, d2l.try_gpu()))
    d2l.check_shape(mx.np.ones((2, 3)), (2, 3))
    d2l.check_len([1, 2], 2)
    return str(texts)


@case("Seq2Seq")
def module_translator(d2l, mx):
    np, gluon = mx.np, mx.gluon

    class Pairs(d2l.MTFraEng):
        def _download(self):
            return "".join(f"Go {w}.\tVa {w} !\n" for w in LINES.split() * 4)

    class Decoder(d2l.Decoder):
        def __init__(self, size):
            super().__init__()
            self.embedding, self.rnn = gluon.nn.Embedding(size, 8), gluon.rnn.GRU(8, 2)
            self.dense = gluon.nn.Dense(size, flatten=False)
            self.initialize(mx.init.Xavier())

        def init_state(self, enc_all_outputs, *args):
            return enc_all_outputs

        def forward(self, X, state):
            embs = self.embedding(d2l.transpose(X))
            enc_output, hidden = state
            context = np.tile(np.expand_dims(enc_output[-1], 0), (embs.shape[0], 1, 1))
            outputs, hidden = self.rnn(np.concatenate((embs, context), -1), hidden)
            return self.dense(outputs).swapaxes(0, 1), [enc_output, hidden]

    data = Pairs(batch_size=16, num_steps=6, num_train=64, num_val=16)
    data.num_workers = 0
    encoder = d2l.Seq2SeqEncoder(len(data.src_vocab), 8, 8, 2)
    model = d2l.Seq2Seq(encoder, Decoder(len(data.tgt_vocab)), tgt_pad=data.tgt_vocab["<pad>"], lr=0.01)
    fit(d2l, model, data, 2, gradient_clip_val=1)
    found, _ = model.predict_step(data.build(["go time ."], ["va time ."]), d2l.try_gpu(), data.num_steps)
    return str(data.tgt_vocab.to_tokens(found[0]))


@case("ProgressBoard")
def module_tools(d2l, mx):
    board = d2l.ProgressBoard("x")
    for x in range(10):
        board.draw(x, math.sin(x), "sin", every_n=2)

    class A(d2l.HyperParameters):
        def __init__(self, a, b):
            self.save_hyperparameters(ignore=["b"])

    @d2l.add_to_class(A)
    def double(self):
        return 2 * self.a

    assert A(3, 4).double() == 6
    assert (d2l.num_gpus(), str(d2l.cpu()), str(d2l.gpu(1))) == (0, "cpu(0)", "gpu(1)")
    data = d2l.DataModule()
    X, = next(iter(data.get_tensorloader([mx.np.ones((4, 2))], True) if hasattr(data, "batch_size") else [[0]]))
    return str(X)


def fix(mx):
    """Have weights follow from the parameters' names, draws from NumPy, and Dropout keep everything.

    So the losses are those of the other library with `--fixed`, up to rounding.
    """
    chance = onp.random.RandomState(5)

    def fill(self, desc, arr):
        name = str(desc)
        if name.endswith(("gamma", "running_var")):
            arr[:] = 1
        elif name.endswith(("beta", "bias", "running_mean")):
            arr[:] = 0
        else:
            arr[:] = 0.1 * onp.random.RandomState(zlib.crc32(name.encode())).randn(*arr.shape).astype("float32")

    def drawn(draw):
        def function(low=0.0, high=1.0, size=None, dtype=None, ctx=None, out=None):
            return mx.np.array(onp.asarray(draw(low, high, size)), dtype=dtype or "float32")
        return function

    mx.init.Initializer.__call__ = fill
    mx.np.random.normal, mx.np.random.uniform = drawn(chance.normal), drawn(chance.uniform)
    mx.gluon.nn.Dropout.forward = lambda self, x: x


def cases(args):
    import matplotlib as mpl
    mpl.use("agg")
    import mxnet as mx
    from d2l import mxnet as d2l
    mx.npx.set_np()
    if args.fixed:
        fix(mx)                         # without this seed, both libraries shuffle with NumPy's generator
    else:
        mx.random.seed(1)
    onp.random.seed(1)
    random.seed(1)
    folder = Path(tempfile.mkdtemp(prefix="d2l"))
    for name in ("data", "code"):
        (folder / name).mkdir()
    write_data(d2l, mx, folder / "data")
    os.chdir(folder / "code")
    names = names_of(d2l)
    called = note_calls(d2l)

    def the_names_that_were_called():
        return f"{len(called & names)} of {len(names)}; not called: {', '.join(sorted(names - called))}"

    chosen = {name: functools.partial(function, d2l, mx) for name, (needed, function) in CASES.items()
              if all(hasattr(d2l, part) for part in needed)}
    return {**chosen, "the names that were called": the_names_that_were_called}


if __name__ == "__main__":
    sys.exit(main(__file__, cases, lambda parser: parser.add_argument(
        "--fixed", action="store_true", help="the same weights and draws in both libraries, and no Dropout")))
