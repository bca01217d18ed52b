"""The same graphs as the real MXNet 1.9.1 exports them: equal results of both files in onnxruntime.

    python tests/scripts/onnx_mxnet.py write FOLDER [NAME ...]      with an interpreter that has mxnet 1.9.1, onnx 1.13
    python tests/scripts/onnx_mxnet.py compare FOLDER [--keep]      with one that has minigluon, onnx and onnxruntime

`write` traces networks of MXNet, and leaves for each a checkpoint, MXNet's ONNX file, the inputs, and what MXNet
computes; of all networks if none is named. `compare` exports the checkpoint with minigluon and computes both files.
All of them take eight gigabytes. --keep enters what comes out into the measurements behind the table of docs/onnx.md.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ROOT / "tests" / "records" / "data" / "onnx_mxnet.json"
TOLERANCE = 1e-5
SMALL = [f"resnet{depth}_v{version}" for depth in (18, 34, 50, 101, 152) for version in (1, 2)]
SMALL += [f"{kind}{width}" for kind in ("mobilenet", "mobilenetv2_") for width in ("1.0", "0.75", "0.5", "0.25")]
LARGE = ["alexnet", "squeezenet1.0", "squeezenet1.1", "densenet121", "densenet161", "densenet169", "densenet201"]
LARGE += [f"vgg{depth}{norm}" for depth in (11, 13, 16, 19) for norm in ("", "_bn")]


def networks(mx):
    """{name: (a function that makes the block, shapes of its inputs)}"""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    def stack(*layers):
        net = nn.HybridSequential()
        net.add(*layers)
        return net

    def function(body):
        return nn.HybridLambda(body)

    def model(name, side):
        return (lambda: mx.gluon.model_zoo.vision.get_model(name)), [(1, 3, side, side)]

    zoo = {name: model(name, side) for side, names in ((64, SMALL), (224, LARGE), (299, ["inceptionv3"]))
           for name in names}
    image, items = [(2, 3, 9, 8)], [(2, 6)]
    rows = {
        "convolutions": (stack(nn.Conv2D(4, 3, 2, 1), nn.Conv2D(4, 3, dilation=1, groups=2), nn.PReLU()), image),
        "transposed": (stack(nn.Conv2DTranspose(4, 3, 2, 1, 1), nn.ELU(0.5), nn.SELU(), nn.GELU(), nn.Swish()), image),
        "norms": (stack(nn.BatchNorm(scale=False), nn.InstanceNorm(), nn.LayerNorm()), image),
        "maximum of windows": (stack(nn.MaxPool2D(3, 2, 1), nn.MaxPool2D(2, 2, ceil_mode=True)), image),
        "mean of windows": (stack(nn.AvgPool2D(3, 2, 1), nn.AvgPool2D(2, 1, 1, count_include_pad=False)), image),
        "dense": (stack(nn.Dense(5, "relu"), nn.Dropout(0.5), nn.Dense(4, "tanh", flatten=False)), items),
        "embedding": (stack(nn.Embedding(10, 3), nn.Dense(2, flatten=False)), items),
        "softmax": (function(lambda F, x: F.softmax(x, axis=1) + F.log_softmax(x)), items),
        "reshape": (function(lambda F, x: F.transpose(F.reshape(x, shape=(0, -4, 2, -1)), axes=(0, 2, 1))), items),
        "slices": (function(lambda F, x: F.slice_axis(x, axis=1, begin=1, end=5)
                            * F.slice(x, begin=(0, 0), end=(2, 4))), items),
        "reductions": (function(lambda F, x: F.broadcast_add(F.mean(x, axis=1, keepdims=True),
                                                             F.max(x, axis=0, keepdims=True))), items),
        "elementwise": (function(lambda F, x: F.exp(x) - F.sqrt(F.abs(x)) * F.sigmoid(x) + F.clip(x, -0.5, 0.5)),
                        items),
        "order": (function(lambda F, x: F.broadcast_add(F.topk(x, k=2, ret_typ="value"),
                                                        F.argmax(x, axis=1, keepdims=True))), items),
        "joined": (function(lambda F, x: F.concat(*F.split(x, num_outputs=2, axis=1), x, dim=1)), items),
        "tiled": (function(lambda F, x: F.tile(F.expand_dims(x, axis=1), reps=(1, 2, 1))), items),
        "one hot": (function(lambda F, x: F.one_hot(F.floor(F.abs(x) * 3), depth=3)), items),
        "LSTM": (rnn.LSTM(4, 2), [(5, 2, 6), (2, 2, 4), (2, 2, 4)]),
        "GRU": (rnn.GRU(4), [(5, 2, 6), (1, 2, 4)]),
    }
    return {**{name: (lambda net=net: net, shapes) for name, (net, shapes) in rows.items()}, **zoo}


def write(folder, names):
    """What MXNet has to say."""
    import mxnet as mx
    import onnx
    helper, number = onnx.helper.make_model, 13
    onnx.defs.onnx_opset_version = lambda: number            # the newest that MXNet 1.9.1 knows
    onnx.helper.make_model = lambda graph, **how: helper(
        graph, opset_imports=[onnx.helper.make_operatorsetid("", number)], ir_version=7, **how)
    onnx.checker.check_graph = lambda graph: None             # it would check for the newest opset of the package
    import mxnet.onnx
    rng, told = np.random.RandomState(0), {}
    for name, (make, shapes) in networks(mx).items():
        if names and name not in names:
            continue
        net, stem = make(), str(folder / name.replace(" ", "-"))
        inputs = [rng.uniform(-1, 1, shape).astype("float32") for shape in shapes]
        if name == "embedding":
            inputs = [np.floor(np.abs(inputs[0]) * 10)]
        net.initialize(mx.init.Xavier())
        net.hybridize()
        data, *states = map(mx.nd.array, inputs)
        found = net(data, states)[0] if states else net(data)
        net.export(stem)
        np.savez(stem + ".npz", *inputs, found=found.asnumpy())
        try:
            mx.onnx.export_model(stem + "-symbol.json", stem + "-0000.params", shapes, np.float32, stem + "-mxnet.onnx")
            told[name] = None
        except Exception as error:
            told[name] = f"{type(error).__name__}: {error}"[:200]
        (folder / "told.json").write_text(json.dumps(told))


def compare(folder, keep):
    """Both files in onnxruntime, and what MXNet has computed."""
    sys.path[:0] = [str(ROOT / "tests")]
    measured = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    print("| network | ours to MXNet's numbers | MXNet's file to them | both files |\n|---|---|---|---|")
    for name, error in json.loads((folder / "told.json").read_text()).items():
        row = compared(str(folder / name.replace(" ", "-")), error)
        measured[name] = row
        print(f"| {name} | " + " | ".join(map(str, row)) + " |", flush=True)
    if keep:
        lines = [f" {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(measured.items())]
        MEASURED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def compared(stem, error):
    """[our file to MXNet's numbers, MXNet's file to them, both files], or in place of the last two why not."""
    import onnxruntime
    from helpers.onnx_files import run_file

    import minigluon as mx
    with np.load(stem + ".npz") as arrays:
        found = arrays["found"]
        inputs = [arrays[key] for key in arrays.files if key != "found"]
    path = mx.onnx.export_model(stem + "-symbol.json", stem + "-0000.params", [a.shape for a in inputs],
                                np.float32, stem + "-ours.onnx", opset_version=13)
    ours = run_file(path, inputs)[0]
    first = relative(ours, found)
    try:
        if error:
            raise RuntimeError(error)
        session = onnxruntime.InferenceSession(stem + "-mxnet.onnx")
        theirs = session.run(None, {i.name: a for i, a in zip(session.get_inputs(), inputs, strict=True)})[0]
        return [first, *(relative(theirs, other) for other in (found, ours))]
    except Exception as problem:        # of MXNet's exporter, or of onnxruntime
        return [first, str(problem).splitlines()[0][:90].replace("|", "/")]


def relative(found, wanted):
    """The largest difference, relative to the largest number: outputs of deep networks may be tiny."""
    return float(f"{np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-30):.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.what == "write":
        write(asked.folder, asked.names)
    else:
        compare(asked.folder, asked.keep)


if __name__ == "__main__":
    main()
