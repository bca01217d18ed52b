"""Everything that is exported, computed by runtimes that nobody here wrote: onnxruntime, and OpenVINO where it is.

    python tests/tools/onnx_export.py [--minutes M] [--parts rows,layers,drawn,programs,zoo] [--seed S]

Each file is checked by onnx.checker, and computed for the arrays that it was made with and, where its batch is open,
for another batch. Prints a table, and what does not agree. Needs tests/helpers on the path as in tests, hypothesis for
`layers`, and a minute for `rows`, ten for `zoo`.
"""

import argparse
import collections
import importlib
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "docs" / "programs")]

from helpers.onnx_files import difference, flat, run_file  # noqa: E402
from op_cases import CASES  # noqa: E402

import minigluon as mx  # noqa: E402
from minigluon import gluon, init, nd, sym  # noqa: E402
from minigluon.gluon import nn, rnn  # noqa: E402
from minigluon.gluon.model_zoo import text, vision  # noqa: E402
from minigluon.onnx.exporter import table  # noqa: E402
from minigluon.onnx.exporter.translation import data_inputs  # noqa: E402
from minigluon.ops import REGISTRY  # noqa: E402

try:
    import openvino
except ImportError:
    openvino = None

TOLERANCE = 1e-5
OPSETS = (13, 15, 17, 18, 20, 21, 23)


class Record:
    """What came out: how many agree for each runtime, the largest difference, and what does not."""

    def __init__(self):
        self.made, self.refused = collections.Counter(), collections.Counter()
        self.agree = collections.Counter()
        self.largest = collections.defaultdict(float)
        self.others = []

    def check(self, part, name, path, pairs):
        """pairs: [(arrays for the file's inputs, what minigluon computes)]."""
        self.made[part] += 1
        for runtime, run in RUNTIMES.items():
            try:
                distances = [distance(run(path, given), wanted) for given, wanted in pairs]
            except Exception as error:
                self.others.append((part, runtime, name, str(error).strip().splitlines()[0][:150]))
                continue
            if max(distances) <= TOLERANCE:
                self.agree[part, runtime] += 1
                self.largest[part, runtime] = max(self.largest[part, runtime], *distances)
            else:
                self.others.append((part, runtime, name, f"differs by {max(distances):.1e}"))

    def refuse(self, part, name, error):
        self.refused[part] += 1
        self.others.append((part, "export", name, str(error).splitlines()[-1].strip()[:150]))

    def table(self):
        lines = ["| what | files | " + " | ".join(f"{r} agrees, largest difference" for r in RUNTIMES) + " |",
                 "|---|---|" + "---|" * len(RUNTIMES)]
        for part, made in self.made.items():
            cells = [f"{self.agree[part, r]}, {self.largest[part, r]:.1e}" for r in RUNTIMES]
            lines.append(f"| {part} | {made} | {' | '.join(cells)} |")
        return "\n".join(lines)


def distance(found, wanted):
    if len(found) != len(wanted):
        return np.inf
    return max(difference(f, w) / (200 if w.dtype == np.float16 else 1) for f, w in zip(found, wanted, strict=True))


def by_openvino(path, arrays):
    core = openvino.Core()
    compiled = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    found = compiled(list(arrays))
    return [np.array(found[output]) for output in compiled.outputs]


RUNTIMES = {"onnxruntime": run_file, **({"OpenVINO": by_openvino} if openvino else {})}


# -- parts ----------------------------------------------------------------------------------------------------------

def rows(record, path, rng):
    """All rows of tests/op_cases whose operators are translated."""
    for number, case in enumerate(CASES):
        name = REGISTRY[case.op].name
        if name not in table.TRANSLATIONS:
            continue
        opset = max(OPSETS[number % len(OPSETS)], table.TRANSLATIONS[name].since)
        arrays = case.inputs("float32")
        wanted = flat(getattr(nd, case.op)(*[nd.array(a, dtype=a.dtype) for a in arrays], **case.attrs))
        symbol = getattr(sym, case.op)(*[sym.var(f"x{i}", dtype=a.dtype) for i, a in enumerate(arrays)], **case.attrs,
                                       name="y")
        params = {"x1": nd.array(arrays[1])} if case.op == "RNN" else {}
        given = [arrays[int(node.name[1:])] for node in data_inputs(symbol.nodes(), params)[0]]
        try:
            mx.onnx.export_model(symbol, params, [a.shape for a in given], [a.dtype for a in given], path,
                                 opset_version=opset)
        except mx.MXNetError as error:
            record.refuse("rows of operators", case.id, error)
            continue
        record.check("rows of operators", f"{case.id} (opset {opset})", path, [(given, wanted)])


def network(record, part, name, path, net, make, batches=(2, 3), **options):
    """A block for batches of two sizes. make(batch): its arguments."""
    net.initialize(init.Xavier())
    net.hybridize()
    first, second = (make(batch) for batch in batches)
    wanted = [flat(net(*args)) for args in (first, second)]
    try:
        net.export_onnx(path, *first, **options)
    except mx.MXNetError as error:
        record.refuse(part, name, error)
        return
    both = [(flat(list(args)), outputs) for args, outputs in zip((first, second), wanted, strict=True)]
    record.check(part, name, path, both if options.get("dynamic", True) else both[:1])


def layers(record, path, rng):
    """Layers of gluon.nn as hypothesis draws them, with their own batch and twice as many; those of rnn and contrib."""
    from helpers.layer_draws import LAYERS
    for name, make in LAYERS.items():
        drawn_layers(record, path, name, make, int(rng.integers(2 ** 31)))
    for name, layer, arguments in LAYERS_OF_OTHERS:
        network(record, "layers of rnn and contrib", name, path, layer(), arguments,
                **({"dynamic_input_shapes": [(None, "batch", 5)]} if name.endswith("TNC") else {}))


def drawn_layers(record, path, name, make, number, draws=8):
    """One kind of layer with drawn attributes."""
    from helpers.layer_draws import blocks
    from hypothesis import HealthCheck, Phase, given, seed, settings

    @seed(number)
    @settings(max_examples=draws, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(blocks(make))
    def run(drawn):
        block, arrays = drawn
        arrays = [nd.array(a, dtype="float32") for a in arrays]
        sizes = iter((arrays, [nd.concat(a, a, dim=0) for a in arrays]))
        network(record, "layers of gluon.nn, drawn", name, path, block, lambda _: next(sizes),
                dynamic=arrays[0].shape[0] > 0 and arrays[0].ndim > 1)
    run()


def draw(*shape):
    return nd.array(np.random.default_rng(sum(shape)).uniform(-1, 1, shape), dtype="float32")


class Unrolled(gluon.HybridBlock):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def hybrid_forward(self, F, x):
        return self.cell.unroll(3, x, layout="NTC", merge_outputs=True)[0]


def sequence(batch):
    return [draw(4, batch, 5)]


def items(batch):
    return [draw(batch, 3, 5)]


LAYERS_OF_OTHERS = [
    *[(f"{cls.__name__}, {count} layers, {'both ways' if both else 'forward'}, TNC",
       lambda cls=cls, count=count, both=both: cls(6, count, bidirectional=both), sequence)
      for cls in (rnn.LSTM, rnn.GRU, rnn.RNN) for count in (1, 2) for both in (False, True)],
    ("LSTM NTC", lambda: rnn.LSTM(6, layout="NTC"), items),
    *[(cls.__name__, lambda cls=cls: Unrolled(cls(6)), items) for cls in (rnn.LSTMCell, rnn.GRUCell, rnn.RNNCell)],
    ("ResidualCell", lambda: Unrolled(rnn.ResidualCell(rnn.GRUCell(5))), items),
    ("BidirectionalCell", lambda: Unrolled(rnn.BidirectionalCell(rnn.GRUCell(5), rnn.GRUCell(5))), items),
    ("LSTMPCell", lambda: Unrolled(gluon.contrib.rnn.LSTMPCell(6, 4)), items),
    ("Conv2DLSTMCell", lambda: Unrolled(gluon.contrib.rnn.Conv2DLSTMCell((2, 4, 4), 3, 3, 3, i2h_pad=1)),
     lambda batch: [draw(batch, 3, 2, 4, 4)]),
    ("PixelShuffle1D", lambda: gluon.contrib.nn.PixelShuffle1D(2), lambda batch: [draw(batch, 4, 3)]),
    ("PixelShuffle2D", lambda: gluon.contrib.nn.PixelShuffle2D(2), lambda batch: [draw(batch, 8, 3, 2)]),
    ("PixelShuffle3D", lambda: gluon.contrib.nn.PixelShuffle3D(2), lambda batch: [draw(batch, 8, 3, 2, 2)]),
    ("SyncBatchNorm", lambda: gluon.contrib.nn.SyncBatchNorm(), lambda batch: [draw(batch, 3, 4, 4)]),
    ("Identity", lambda: gluon.contrib.nn.Identity(), lambda batch: [draw(batch, 3)]),
    ("HybridConcurrent", lambda: concurrent(), lambda batch: [draw(batch, 3)]),
]


def concurrent():
    net = gluon.contrib.nn.HybridConcurrent(axis=1)
    net.add(nn.Dense(3), nn.Dense(2), gluon.contrib.nn.Identity())
    return net


def drawn(record, path, rng, count=150):
    """Attributes drawn for slices, codes of Reshape, and broadcasting."""
    from helpers.random_attributes import DRAWS
    for kind, make in DRAWS.items():
        for _ in range(count):
            symbol, arrays = make(rng)
            wanted = flat(symbol.eval(**{name: nd.array(a) for name, a in arrays.items()}))
            names = [name for name in symbol.list_inputs() if name in arrays]
            given = [arrays[name] for name in names]
            opening = [(None, *a.shape[1:]) if a.ndim and a.shape[0] > 1 and rng.random() < 0.5 else a.shape
                       for a in given]
            try:
                mx.onnx.export_model(symbol, {}, [a.shape for a in given], np.float32, path, dynamic=True,
                                     dynamic_input_shapes=opening, opset_version=int(rng.choice(OPSETS)))
            except mx.MXNetError as error:
                record.refuse(f"drawn: {kind}", symbol.name, error)
                continue
            record.check(f"drawn: {kind}", str(symbol.list_attr()), path, [(given, wanted)])


class Detecting(gluon.HybridBlock):
    """A detector with its boxes."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def hybrid_forward(self, F, x):
        anchors, scores, offsets = self.net(x)
        return F.contrib.MultiBoxDetection(F.transpose(F.softmax(scores), axes=(0, 2, 1)), offsets, anchors,
                                           nms_threshold=0.3)


def programs(record, path, rng):
    """The networks of docs/programs."""
    names = ("character_lstm", "dcgan", "detector", "gpt", "vae", "word2vec", "module_mlp", "resnet18")
    modules = {name: importlib.import_module(name) for name in names}
    part = "networks of docs/programs"
    model = modules["character_lstm"].LanguageModel(30, 16)
    network(record, part, "character_lstm", path, model,
            lambda batch: [nd.array(rng.integers(0, 30, (5, batch))), model.lstm.begin_state(batch)],
            dynamic_input_shapes=[("time", "batch"), (1, "batch", 16), (1, "batch", 16)])
    network(record, part, "dcgan, generator", path, modules["dcgan"].generator(), lambda b: [draw(b, 16, 1, 1)])
    network(record, part, "dcgan, discriminator", path, modules["dcgan"].discriminator(), lambda b: [draw(b, 1, 8, 8)])
    side = modules["detector"].SIDE
    network(record, part, "detector", path, modules["detector"].Detector(), lambda b: [draw(b, 3, side, side)])
    network(record, part, "detector with its boxes", path, Detecting(modules["detector"].Detector()),
            lambda b: [draw(b, 3, side, side)])
    network(record, part, "gpt", path, text.GPT2Model(units=32, vocab_size=50, max_length=16, num_layers=2,
                                                      num_heads=4), lambda b: [nd.array(rng.integers(0, 50, (b, 9)))])
    vae = modules["vae"].VAE(64, 32)
    network(record, part, "vae, encoder", path, vae.encoder, lambda b: [draw(b, 64)])
    network(record, part, "vae, decoder", path, vae.decoder, lambda b: [draw(b, 2)])
    network(record, part, "word2vec", path, modules["word2vec"].SkipGram(40),
            lambda b: [nd.array(rng.integers(0, 40, b)), nd.array(rng.integers(0, 40, (b, 4)))])
    network(record, part, "resnet18", path, vision.ResNetV1(vision.BasicBlockV1, [1, 1, 1, 1], [16, 16, 32, 64, 128],
                                                            classes=10), lambda b: [draw(b, 3, 32, 32)])
    symbol = modules["module_mlp"].perceptron()
    shapes, _, _ = symbol.infer_shape(data=(2, 64))
    arrays = {n: draw(*s) for n, s in zip(symbol.list_arguments(), shapes, strict=True) if n[-5:] in ("eight", "_bias")}
    pairs = []
    for batch in (2, 3):
        x = draw(batch, 64)
        pairs.append(([x.asnumpy()], flat(symbol.eval(data=x, softmax_label=nd.zeros((batch,)), **arrays))))
    mx.onnx.export_model(symbol, arrays, [(2, 64)], np.float32, path, dynamic=True,
                         dynamic_input_shapes=[("batch", 64)])
    record.check(part, "module_mlp", path, pairs)


def zoo(record, path, rng, until=np.inf):
    """All networks of the model zoo, at batches of 1 and 2."""
    for name in sorted(vision._MODELS):
        if time.time() > until:
            print(f"{name} and what follows: no time left")
            return
        size = 299 if "inception" in name else 331 if name == "nasnetalarge" else 224
        network(record, "model_zoo.vision", name, path, vision.get_model(name),
                lambda b, size=size: [draw(b, 3, size, size)], batches=(1, 2))
        print(f"{name:24} {time.strftime('%H:%M:%S')}", flush=True)
    tokens = lambda b: [nd.array(rng.integers(0, 100, (b, 8))), nd.array(rng.integers(0, 2, (b, 8)))]
    network(record, "model_zoo.text", "bert", path, text.get_model("bert_12_768_12", num_layers=2, vocab_size=100,
                                                                   units=32, hidden_size=64, num_heads=4), tokens)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=np.inf)
    parser.add_argument("--parts", default="rows,layers,drawn,programs,zoo")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    table.load()
    record, rng, until = Record(), np.random.default_rng(asked.seed), time.time() + 60 * asked.minutes
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.onnx")
        for part in asked.parts.split(","):
            if time.time() < until:
                globals()[part](record, path, rng, **({"until": until} if part == "zoo" else {}))
    print(record.table())
    for part, runtime, name, what in record.others:
        print(f"{part}: {runtime}: {name}: {what}")


if __name__ == "__main__":
    main()
