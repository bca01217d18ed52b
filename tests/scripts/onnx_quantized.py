"""Quantized networks as ONNX files in onnxruntime and OpenVINO: how far the results are from ours.

    python tests/scripts/onnx_quantized.py FOLDER [--python PYTHON]

Writes the files and our results to FOLDER, then runs this script with PYTHON, which has onnx, onnxruntime and openvino,
and prints a table: the largest difference, in steps of a byte that covers the results (the largest magnitude / 127.5).

Two files are written for each network. In the second, weights have 7 bits: on a processor without VNNI, the products of
both engines saturate with 8. It is compared with onnxruntime without optimizations, which computes in float32. With
exact=1, onnxruntime multiplies unsigned bytes, which do not saturate.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

NETS = ["small", "resnet18_v1", "mobilenet0.25", "bert"]


def made(name):
    """Returns (a network with random parameters, its input)."""
    import minigluon as mx
    from minigluon import nd
    from minigluon.gluon import nn
    mx.random.seed(1)
    if name == "small":
        net = nn.HybridSequential()
        net.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(),
                nn.Conv2D(8, 3, activation="relu"), nn.Flatten(), nn.Dense(16, activation="relu"), nn.Dense(10))
        data = nd.random.normal(shape=(4, 3, 16, 16))
    elif name == "bert":
        net = mx.gluon.model_zoo.text.BERTEncoder(num_layers=2, units=64, hidden_size=128, num_heads=4, max_length=16)
        data = nd.random.normal(shape=(2, 16, 64))
    else:
        net, data = mx.gluon.model_zoo.vision.get_model(name), nd.random.normal(shape=(2, 3, 64, 64))
    net.initialize(mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2))
    net(data)
    return net, data


def write(folder):
    """Writes the files and our results."""
    from minigluon.contrib.quantization import quantize_net
    for name in NETS:
        net, data = made(name)
        small = quantize_net(net, calib_data=[data], calib_mode="naive", quantized_dtype="auto", logger=None)
        small.export_onnx(str(folder / f"{name}.onnx"), data)
        np.savez(folder / f"{name}.npz", data=data.asnumpy(), ours=small(data).asnumpy())


def run_engines(folder):
    """Prints the table. Runs in the engines' interpreter."""
    import onnx
    import onnxruntime
    onnxruntime.set_default_logger_severity(3)
    print("| network | onnxruntime, no optimizations | onnxruntime, exact=1 | onnxruntime | OpenVINO "
          "| 7 bits: onnxruntime | 7 bits: OpenVINO |\n|---|---|---|---|---|---|---|")
    for name in NETS:
        path, saved = folder / f"{name}.onnx", np.load(folder / f"{name}.npz")
        data, ours = saved["data"], saved["ours"]
        found = [onnxruntime_result(path, data, level=0), onnxruntime_result(path, data, exact=True),
                 onnxruntime_result(path, data), openvino_result(path, data)]
        cells = [steps(result, ours) for result in found]
        few = folder / f"{name}-7.onnx"
        onnx.save(with_seven_bits(onnx.load(path)), few)
        wanted = onnxruntime_result(few, data, level=0)
        cells += [steps(result, wanted) for result in (onnxruntime_result(few, data), openvino_result(few, data))]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def steps(found, wanted):
    """Returns the largest difference in steps, as text."""
    return f"{np.abs(found - wanted).max() / (np.abs(wanted).max() / 127.5):.2f}"


def with_seven_bits(model):
    """Returns the model with halved integers in weights and biases, and scales twice as large."""
    from onnx import numpy_helper
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in tensors:
            integers, scale = (numpy_helper.to_array(tensors[name]) for name in node.input[:2])
            tensors[node.input[0]].CopyFrom(numpy_helper.from_array(integers // 2, node.input[0]))
            node.input[1] = f"{node.name}/twice"
            model.graph.initializer.append(numpy_helper.from_array(2 * scale, node.input[1]))
    return model


def onnxruntime_result(path, data, level=99, exact=False):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel(level)
    if exact:
        options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: data})[0]


def openvino_result(path, data):
    import openvino
    return openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(data)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--engines", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.engines:
        return run_engines(args.folder)
    args.folder.mkdir(exist_ok=True)
    write(args.folder)
    return subprocess.run([args.python, "-W", "ignore", __file__, str(args.folder), "--engines"], check=True)


if __name__ == "__main__":
    main()
