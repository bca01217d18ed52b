"""Networks to be written as ONNX files: layers of rnn and contrib, the networks of docs/programs, those for text.

Each is (name, a function that makes the block, a function from a batch to its arguments, options of export_onnx).
"""

import importlib
import sys

import numpy as np

from minigluon import gluon, nd
from minigluon.gluon import nn, rnn
from minigluon.gluon.model_zoo import text, vision

from . import ROOT

__all__ = ["LAYERS_OF_OTHERS", "draw", "for_text", "of_programs"]


def draw(*shape):
    """Uniform numbers."""
    return nd.array(np.random.default_rng(sum(shape)).uniform(-1, 1, shape), dtype="float32")


def tokens(count, *shape):
    """Whole numbers below `count`."""
    return nd.array(np.random.default_rng(sum(shape)).integers(0, count, shape))


class Unrolled(gluon.HybridBlock):
    """A cell over three steps."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def hybrid_forward(self, F, x):
        return self.cell.unroll(3, x, layout="NTC", merge_outputs=True)[0]


class Detecting(gluon.HybridBlock):
    """A detector with its boxes."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def hybrid_forward(self, F, x):
        anchors, scores, offsets = self.net(x)
        return F.contrib.MultiBoxDetection(F.transpose(F.softmax(scores), axes=(0, 2, 1)), offsets, anchors,
                                           nms_threshold=0.3)


def sequence(batch):
    return [draw(4, batch, 5)]


def items(batch):
    return [draw(batch, 3, 5)]


def concurrent():
    net = gluon.contrib.nn.HybridConcurrent(axis=1)
    net.add(nn.Dense(3), nn.Dense(2), gluon.contrib.nn.Identity())
    return net


_TNC = {"dynamic_input_shapes": [(None, "batch", 5)]}
LAYERS_OF_OTHERS = [
    *[(f"{cls.__name__}, {count} layers, {'both ways' if both else 'forward'}, TNC",
       lambda cls=cls, count=count, both=both: cls(6, count, bidirectional=both), sequence, _TNC)
      for cls in (rnn.LSTM, rnn.GRU, rnn.RNN) for count in (1, 2) for both in (False, True)],
    ("LSTM NTC", lambda: rnn.LSTM(6, layout="NTC"), items, {}),
    *[(cls.__name__, lambda cls=cls: Unrolled(cls(6)), items, {}) for cls in (rnn.LSTMCell, rnn.GRUCell, rnn.RNNCell)],
    ("ResidualCell", lambda: Unrolled(rnn.ResidualCell(rnn.GRUCell(5))), items, {}),
    ("BidirectionalCell", lambda: Unrolled(rnn.BidirectionalCell(rnn.GRUCell(5), rnn.GRUCell(5))), items, {}),
    ("LSTMPCell", lambda: Unrolled(gluon.contrib.rnn.LSTMPCell(6, 4)), items, {}),
    ("Conv2DLSTMCell", lambda: Unrolled(gluon.contrib.rnn.Conv2DLSTMCell((2, 4, 4), 3, 3, 3, i2h_pad=1)),
     lambda batch: [draw(batch, 3, 2, 4, 4)], {}),
    ("PixelShuffle1D", lambda: gluon.contrib.nn.PixelShuffle1D(2), lambda batch: [draw(batch, 4, 3)], {}),
    ("PixelShuffle2D", lambda: gluon.contrib.nn.PixelShuffle2D(2), lambda batch: [draw(batch, 8, 3, 2)], {}),
    ("PixelShuffle3D", lambda: gluon.contrib.nn.PixelShuffle3D(2), lambda batch: [draw(batch, 8, 3, 2, 2)], {}),
    ("SyncBatchNorm", lambda: gluon.contrib.nn.SyncBatchNorm(), lambda batch: [draw(batch, 3, 4, 4)], {}),
    ("Identity", lambda: gluon.contrib.nn.Identity(), lambda batch: [draw(batch, 3)], {}),
    ("HybridConcurrent", concurrent, lambda batch: [draw(batch, 3)], {}),
]


def of_programs():
    """The networks of docs/programs that are blocks."""
    sys.path.append(str(ROOT / "docs" / "programs"))
    names = ("character_lstm", "dcgan", "detector", "vae", "word2vec")
    characters, dcgan, detector, variational, words = (importlib.import_module(name) for name in names)
    vae, side = variational.VAE(64, 32), detector.SIDE
    image = lambda batch: [draw(batch, 3, side, side)]
    steps = [("time", "batch"), (1, "batch", 16), (1, "batch", 16)]
    return [
        ("character_lstm", lambda: characters.LanguageModel(30, 16),
         lambda batch: [tokens(30, 3 + batch, batch), [nd.zeros((1, batch, 16))] * 2], {"dynamic_input_shapes": steps}),
        ("dcgan, generator", dcgan.generator, lambda batch: [draw(batch, 16, 1, 1)], {}),
        ("dcgan, discriminator", dcgan.discriminator, lambda batch: [draw(batch, 1, 8, 8)], {}),
        ("detector", detector.Detector, image, {}),
        ("detector with its boxes", lambda: Detecting(detector.Detector()), image, {}),
        ("gpt", lambda: text.GPT2Model(units=32, vocab_size=50, max_length=16, num_layers=2, num_heads=4),
         lambda batch: [tokens(50, batch, 9)], {}),
        ("vae, encoder", lambda: vae.encoder, lambda batch: [draw(batch, 64)], {}),
        ("vae, decoder", lambda: vae.decoder, lambda batch: [draw(batch, 2)], {}),
        ("word2vec", lambda: words.SkipGram(40), lambda batch: [tokens(40, batch), tokens(40, batch, 4)], {}),
        ("resnet18", lambda: vision.ResNetV1(vision.BasicBlockV1, [1, 1, 1, 1], [16, 16, 32, 64, 128], classes=10),
         lambda batch: [draw(batch, 3, 32, 32)], {}),
    ]


def _layers(count):
    return {} if count is None else {"num_layers": count}


def _told(name, layers):
    return name if layers is None else f"{name}, {layers} layers"


def for_text():
    """All networks for text, at batches and lengths that both vary. The large ones have two layers."""
    both, cases = ("batch", "time"), []
    time = lambda batch: 3 + 2 * batch
    for name, layers in (("gpt2_117m", None), ("gpt2_345m", 2)):
        make = lambda name=name, layers=layers: text.get_model(name, vocab_size=500, **_layers(layers))
        cases.append((_told(name, layers), make, lambda batch: [tokens(500, batch, time(batch))],
                      {"dynamic_input_shapes": [both]}))
    pair = lambda batch: [tokens(500, batch, time(batch)), tokens(2, batch, time(batch))]
    lengths = lambda batch: [*pair(batch), nd.array([3] * batch)]
    masked = lambda batch: [*lengths(batch), tokens(4, batch, 2)]
    for name, layers, parts, inputs, more in (
            ("bert_12_768_12", None, {}, masked, [("batch",), ("batch", 2)]),
            ("bert_24_1024_16", 2, {"use_decoder": False, "use_classifier": False}, lengths, [("batch",)]),
            ("bert_12_768_12", 2, {"use_decoder": False}, pair, [])):
        make = lambda name=name, layers=layers, parts=parts: text.get_model(
            name, vocab_size=500, **_layers(layers), **parts)
        cases.append((f"{_told(name, layers)}, {2 + len(more)} inputs", make, inputs,
                      {"dynamic_input_shapes": [both, both, *more]}))
    return cases
