"""Everything that is exported, computed by runtimes that nobody here wrote: onnxruntime, and OpenVINO where it is.

    python tests/scripts/onnx_export.py [--parts rows,zoo] [--minutes M] [--seed S] [--write]

Each file is checked by onnx.checker, and computed for the arrays that it was made with and, where its batch is open,
for another batch. Networks are read again and exported a second and a third time: these files must be the same. Prints
a table, and what does not agree. With --minutes drawn parts are drawn again from other seeds until the time is over.
--write keeps the counts, of which `python docs/make_onnx.py` makes the table in docs/onnx.md.

Needs hypothesis, and scikit-learn for `programs`. On one core about a minute for each part, three for `zoo` and seven
for `vgg`.
"""

import argparse
import functools
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import onnx  # noqa: E402
from helpers.layer_draws import LAYERS, blocks  # noqa: E402
from helpers.onnx_files import flat  # noqa: E402
from helpers.onnx_networks import LAYERS_OF_OTHERS, draw, for_text, of_programs  # noqa: E402
from helpers.onnx_record import Record, allowed, distance  # noqa: E402
from helpers.operator_draws import OPERATORS  # noqa: E402
from helpers.random_attributes import DRAWS  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402
from minigluon.onnx.exporter import table  # noqa: E402
from minigluon.onnx.exporter.translation import data_inputs  # noqa: E402
from op_cases import CASES  # noqa: E402

import minigluon as mx  # noqa: E402
from minigluon import init, nd, sym  # noqa: E402
from minigluon.gluon.model_zoo import vision  # noqa: E402
from minigluon.ops import REGISTRY  # noqa: E402

OPSETS = (13, 15, 17, 18, 20, 21, 23)
NETS = []           # names of networks of the zoo; none: all
MEASURED = ROOT / "tests" / "records" / "data" / "onnx_export.json"


# -- rows of operators ------------------------------------------------------------------------------------------------

def rows(record, path, rng, dtype="float32", part="operator cases", opened=False):
    """All rows of tests/op_cases whose operators are translated. opened: with the first length of each input open."""
    for number, case in enumerate(CASES):
        name = REGISTRY[case.op].name
        if name not in table.TRANSLATIONS:
            continue
        opset = max(OPSETS[number % len(OPSETS)], table.TRANSLATIONS[name].since)
        arrays = case.inputs(dtype)
        if opened and not any(a.ndim and a.shape[0] > 1 for a in arrays):
            continue
        wanted = computed(lambda case=case, arrays=arrays: flat(
            getattr(nd, case.op)(*[nd.array(a, dtype=a.dtype) for a in arrays], **case.attrs)), dtype)
        if wanted is None:
            continue
        symbol = getattr(sym, case.op)(*[sym.var(f"x{i}", dtype=a.dtype) for i, a in enumerate(arrays)], **case.attrs,
                                       name="y")
        params = {"x1": nd.array(arrays[1], dtype=arrays[1].dtype)} if case.op == "RNN" else {}
        told = [arrays[int(node.name[1:])] for node in data_inputs(symbol.nodes(), params)[0]]
        lengths = {"dynamic": True, "dynamic_input_shapes": [
            (None, *a.shape[1:]) if a.ndim and a.shape[0] > 1 else a.shape for a in told]} if opened else {}
        try:
            mx.onnx.export_model(symbol, params, [a.shape for a in told], [a.dtype for a in told], path,
                                 opset_version=opset, **lengths)
        except mx.MXNetError as error:
            record.refuse(part, case.id, error)
            continue
        record.check(part, f"{case.id} (opset {opset})", path, [(told, wanted)], np.dtype(dtype))


def computed(function, dtype):
    """What the function returns, or None where minigluon itself does not compute that in another type than float32."""
    try:
        return function()
    except mx.MXNetError:
        if dtype == "float32":
            raise
        return None


def opened(record, path, rng):
    """The same rows with the first length of each input open."""
    rows(record, path, rng, part="operator cases, open first lengths", opened=True)


def half(record, path, rng):
    """Rows, layers and networks in float16."""
    of_type(record, path, rng, "float16")


def double(record, path, rng):
    """Rows, layers and networks in float64."""
    of_type(record, path, rng, "float64")


def of_type(record, path, rng, dtype):
    rows(record, path, rng, dtype, f"operator cases, {dtype}")
    layers(record, path, rng, dtype, f"layers, {dtype}", draws=3)
    part = f"networks, {dtype}"
    for name in ("alexnet", "densenet121", "mobilenet0.25", "mobilenetv2_0.25", "resnet18_v1", "resnet18_v2",
                 "squeezenet1.1"):
        network(record, part, name, path, vision.get_model(name), lambda batch: [draw(batch, 3, 224, 224)], (1, 2),
                dtype=dtype)
    for name, make, arguments, options in for_text():
        if "2 layers" in name:
            network(record, part, name, path, make(), arguments, dtype=dtype, **options)


# -- networks ---------------------------------------------------------------------------------------------------------

def network(record, part, name, path, net, make, batches=(2, 3), dtype="float32", initializer=None, **options):
    """A block for batches of two sizes. make(batch): its arguments."""
    mx.random.seed(0)
    net.initialize(init.Xavier() if initializer is None else initializer)
    both = [_cast(make(batch), dtype) for batch in batches]
    if dtype != "float32":
        net.cast(dtype)
    net.hybridize()
    wanted = computed(lambda: [flat(net(*args)) for args in both], dtype)
    if wanted is None:
        return
    try:
        net.export_onnx(path, *both[0], **options)
    except mx.MXNetError as error:
        record.refuse(part, name, error)
        return
    pairs = [(flat(list(args)), outputs) for args, outputs in zip(both, wanted, strict=True)]
    record.check(part, name, path, pairs if options.get("dynamic", True) else pairs[:1], np.dtype(dtype))
    if dtype == "float32":
        both_ways(record, part, name, path, both[0], wanted[0], options)


def _cast(arguments, dtype):
    if isinstance(arguments, list):
        return [_cast(part, dtype) for part in arguments]
    return arguments.astype(dtype)


def both_ways(record, part, name, path, arguments, wanted, options, most=5):
    """Read the file and export it, again and again: soon the file must stay the same, numbers included."""
    options = {key: value for key, value in options.items() if key != "dynamic_input_shapes"}
    names = [entry.name for entry in onnx.load(path).graph.input]
    given = [nd.array(a, dtype=a.dtype) for a in flat(list(arguments))]
    source, contents = path, [_contents(path)]
    try:
        for number in range(most):
            net = mx.onnx.import_to_gluon(source)
            inputs = [given[names.index(entry.name)] for entry in onnx.load(source).graph.input]
            if not number and distance(flat(net(*inputs)), wanted) > allowed(np.float32):
                raise ValueError("what is read computes something else")
            target = f"{path}.{number % 2}"
            net.export_onnx(target, *inputs, **_lengths(source, options))
            contents = [*contents[-1:], _contents(target)]
            if contents[0] == contents[1]:
                record.fixed[part] += 1
                return
            source = target
        record.note(part, "both ways", name, f"another file after {most} times")
    except (mx.MXNetError, ValueError) as error:
        record.note(part, "both ways", name, str(error).strip().splitlines()[-1])


def _lengths(path, options):
    """Options with the lengths that a file leaves open."""
    shapes = [tuple(dim.dim_param or dim.dim_value for dim in entry.type.tensor_type.shape.dim)
              for entry in onnx.load(path, load_external_data=False).graph.input]
    return {**options, "dynamic_input_shapes": shapes} if options.get("dynamic", True) else options


def _contents(path):
    """The nodes and tensors of a file, the bytes of these as a digest."""
    graph = onnx.load(path).graph
    return [node.SerializeToString(deterministic=True) for node in graph.node], {
        tensor.name: (tensor.data_type, list(tensor.dims), hashlib.sha256(onnx.numpy_helper.to_array(tensor)).digest())
        for tensor in graph.initializer}


def layers(record, path, rng, dtype="float32", part=None, draws=8):
    """Layers of gluon.nn as hypothesis draws them, with their own batch and twice as many; those of rnn and contrib."""
    for make in LAYERS.values():
        drawn_layers(record, path, make, int(rng.integers(2 ** 31)), dtype, part or "layers of `gluon.nn`, random",
                     draws)
    for name, layer, arguments, options in LAYERS_OF_OTHERS:
        network(record, part or "layers of `gluon.rnn` and `contrib`", name, path, layer(), arguments, dtype=dtype,
                **options)


def drawn(number, draws):
    """Decorator: call the function below with draws of a strategy, from that seed."""
    def run(strategy, function):
        settings(max_examples=draws, deadline=None, database=None, phases=[Phase.generate],
                 suppress_health_check=list(HealthCheck))(seed(number)(given(strategy)(function)))()
    return run


def drawn_layers(record, path, make, number, dtype, part, draws):
    """One kind of layer with drawn attributes."""
    def one(found):
        block, arrays = found
        arrays = [nd.array(a, dtype="float32") for a in arrays]
        sizes = iter((arrays, [nd.concat(a, a, dim=0) for a in arrays]))
        network(record, part, type(block).__name__, path, block, lambda _: next(sizes), dtype=dtype,
                dynamic=arrays[0].shape[0] > 0 and arrays[0].ndim > 1)
    drawn(number, draws)(blocks(make), one)


def operators(record, path, rng, count=100):
    """Convolution, pooling and RNN as hypothesis draws them; slices, `Reshape` codes, broadcasting, reductions."""
    def checked(part):
        return lambda found: operator(record, part, path, rng, *found)
    for kind, make in OPERATORS.items():
        drawn(int(rng.integers(2 ** 31)), count)(make(), checked(f"`{kind}`, random"))
    for kind, make in DRAWS.items():
        for _ in range(count):
            operator(record, f"{kind}, random", path, rng, *make(rng))


def operator(record, part, path, rng, symbol, arrays):
    """One operator; half of the first lengths are open. All but data and states are parameters of the file."""
    params = {name: nd.array(a) for name, a in arrays.items() if name in ("weight", "bias", "parameters")}
    wanted = flat(symbol.eval(**{name: nd.array(a) for name, a in arrays.items()}))
    told = [arrays[name] for name in symbol.list_inputs() if name in arrays and name not in params]
    opening = [(None, *a.shape[1:]) if a.ndim and a.shape[0] > 1 and rng.random() < 0.5 else a.shape for a in told]
    try:
        mx.onnx.export_model(symbol, params, [a.shape for a in told], np.float32, path, dynamic=True,
                             dynamic_input_shapes=opening, opset_version=int(rng.choice(OPSETS)))
    except mx.MXNetError as error:
        record.refuse(part, str(symbol.list_attr()), error)
        return
    record.check(part, str(symbol.list_attr()), path, [(told, wanted)])


def programs(record, path, rng):
    """The networks of docs/programs."""
    part = "networks of `docs/programs`"
    for name, make, arguments, options in of_programs():
        network(record, part, name, path, make(), arguments, **options)
    import module_mlp
    symbol = module_mlp.perceptron()
    shapes, _, _ = symbol.infer_shape(data=(2, 64))
    arrays = {n: draw(*s) for n, s in zip(symbol.list_arguments(), shapes, strict=True) if n[-5:] in ("eight", "_bias")}
    pairs = []
    for batch in (2, 3):
        x = draw(batch, 64)
        pairs.append(([x.asnumpy()], flat(symbol.eval(data=x, softmax_label=nd.zeros((batch,)), **arrays))))
    mx.onnx.export_model(symbol, arrays, [(2, 64)], np.float32, path, dynamic=True,
                         dynamic_input_shapes=[("batch", 64)])
    record.check(part, "module_mlp", path, pairs)


def zoo(record, path, rng, large=False):
    """All networks for images, at batches of 1 and 2. large: VGG, whose files are half a gigabyte.

    He's initializer: with Xavier's the last numbers of deep networks are so small that all would agree.
    """
    for name in sorted(vision._MODELS, reverse=large):
        if name.startswith("vgg") == large and (not NETS or name in NETS):
            size = 299 if "inception" in name else 331 if name == "nasnetalarge" else 224
            part = f"`model_zoo.vision`, {'VGG' if large else 'all but VGG'}"
            network(record, part, name, path, vision.get_model(name),
                    lambda batch, size=size: [draw(batch, 3, size, size)], batches=(1, 2),
                    initializer=init.MSRAPrelu(slope=0))
            record.keep()
            print(f"{name:24} {time.strftime('%H:%M:%S')}", flush=True)


def texts(record, path, rng):
    """All networks for text, with open batch and length."""
    for name, make, arguments, options in for_text():
        network(record, "`model_zoo.text`, variable batch size and length", name, path, make(), arguments, **options)
        print(f"{name:40} {time.strftime('%H:%M:%S')}", flush=True)


def seconds(record, path, rng):
    """How long it takes until ResNet-50 is a file, and how long to write the bytes of that file alone."""
    net = vision.resnet50_v1()
    net.initialize()
    x, whole, writing = nd.zeros((1, 3, 224, 224)), [], []
    for _ in range(4):
        begin = time.perf_counter()
        net.export_onnx(path, x)
        whole.append(time.perf_counter() - begin)
        content = Path(path).read_bytes()
        begin = time.perf_counter()
        Path(path + ".copy").write_bytes(content)
        writing.append(time.perf_counter() - begin)
    record.seconds = {"the first time": whole[0], "again": min(whole[1:]), "its bytes": min(writing)}


PARTS = {"seconds": seconds, "rows": rows, "opened": opened, "layers": layers, "operators": operators,
         "programs": programs, "text": texts, "half": half, "double": double, "zoo": zoo,
         "vgg": functools.partial(zoo, large=True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--nets", type=lambda text: text.split(","), default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path, nargs="?", const=MEASURED, metavar="FILE")
    asked = parser.parse_args()
    NETS.extend(asked.nets)
    table.load()
    record, number, until = Record(asked.write), asked.seed, time.time() + 60 * asked.minutes
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.onnx")
        for part in asked.parts.split(","):
            PARTS[part](record, path, np.random.default_rng(number))
        while time.time() < until:
            number += 1
            for part in {"layers", "operators"}.intersection(asked.parts.split(",")):
                PARTS[part](record, path, np.random.default_rng(number))
    for part, row in record.rows().items():
        print(f"{part}: {row}")
    print(record.seconds or "")
    for part, runtime, name, what in record.others:
        print(f"{part}: {runtime}: {name}: {what}")
    record.keep()


if __name__ == "__main__":
    main()
