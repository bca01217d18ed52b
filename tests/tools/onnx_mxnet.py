"""The same graphs as the real MXNet 1.9.1 exports them: equal results of both files in onnxruntime.

    python tests/tools/onnx_mxnet.py write FOLDER           with an interpreter that has mxnet 1.9.1 and onnx 1.13
    python tests/tools/onnx_mxnet.py compare FOLDER         with one that has minigluon, onnx and onnxruntime

`write` traces networks of MXNet, and leaves for each a checkpoint, MXNet's ONNX file, the inputs, and what MXNet
computes. `compare` exports the checkpoint with minigluon and computes both files.
"""

import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
ZOO = ("resnet18_v1", "resnet18_v2", "mobilenet0.25", "mobilenetv2_0.25", "squeezenet1.1", "densenet121", "alexnet")


def networks(mx):
    """{name: (block, shapes of its inputs)}"""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    def stack(*layers):
        net = nn.HybridSequential()
        net.add(*layers)
        return net

    def function(body):
        return nn.HybridLambda(body)

    found = {name: (mx.gluon.model_zoo.vision.get_model(name), [(2, 3, 64, 64)]) for name in ZOO}
    found["alexnet"] = found["alexnet"][0], [(2, 3, 224, 224)]
    for name in ("densenet121", "squeezenet1.1"):
        found[name] = found[name][0], [(2, 3, 224, 224)]
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
    return {**rows, **found}


def write(folder):
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
    for name, (net, shapes) in networks(mx).items():
        stem = str(folder / name.replace(" ", "-"))
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


def compare(folder):
    """Both files in onnxruntime, and what MXNet has computed."""
    sys.path[:0] = [str(ROOT / "tests")]
    import onnxruntime
    from helpers.onnx_files import difference, run_file

    import minigluon as mx
    print("| network | ours to MXNet's numbers | MXNet's file to them | both files |\n|---|---|---|---|")
    for name, error in json.loads((folder / "told.json").read_text()).items():
        stem = str(folder / name.replace(" ", "-"))
        with np.load(stem + ".npz") as arrays:
            found = arrays["found"]
            inputs = [arrays[key] for key in arrays.files if key != "found"]
        path = mx.onnx.export_model(stem + "-symbol.json", stem + "-0000.params", [a.shape for a in inputs],
                                    np.float32, stem + "-ours.onnx", opset_version=13)
        ours = run_file(path, inputs)[0]
        cells = [f"{difference(ours, found):.0e}"]
        try:
            if error:
                raise RuntimeError(error)
            session = onnxruntime.InferenceSession(stem + "-mxnet.onnx")
            theirs = session.run(None, {i.name: a for i, a in zip(session.get_inputs(), inputs, strict=True)})[0]
            cells += [f"{difference(theirs, found):.0e}", f"{difference(ours, theirs):.0e}"]
        except Exception as problem:
            cells += [str(problem).splitlines()[0][:90].replace("|", "/"), ""]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))
