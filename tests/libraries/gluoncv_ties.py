"""Why does a runtime return other boxes of YOLO3 than minigluon? Because scores are equal, or equal up to rounding.

    PYTHON tests/libraries/gluoncv_ties.py [NAME] [--size N]

With small weights, many of the network's scores are equal up to rounding, and suppression keeps one or another of two
boxes that overlap. The candidates and the order that a runtime's first TopK puts them into become outputs of the file.
minigluon's own box_nms then gets these candidates, as they are, and in the runtime's order. If it returns the runtime's
result bit for bit, then nothing else differs. Environment as for `gluoncv_onnx.py`.
"""

import argparse
import ast
import json
import os
import sys
import tempfile
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import onnx
from gluoncv_onnx import prepared
from gluoncv_zoo import difference, flat, load_library
from runtimes import RUNTIMES


def suppression(net, mx):
    """(the name of box_nms in the network, its keywords, the name of its candidates)."""
    outputs = net(mx.sym.var("data"))
    nodes = json.loads(mx.sym.Group(list(outputs)).tojson())["nodes"]
    node = next(node for node in nodes if node["op"] == "_contrib_box_nms")
    keywords = {key: ast.literal_eval(value) for key, value in node["attrs"].items()}
    return node["name"], keywords, nodes[node["inputs"][0][0]]["name"]


def with_more_outputs(path, name, candidates):
    """Make outputs of the candidates, of the keys, of their order, and of the result."""
    model = onnx.load(path)
    top = next(node for node in model.graph.node if node.op_type == "TopK" and node.name.startswith(name))
    for value, dtype in ((candidates, "FLOAT"), (top.output[0], "FLOAT"), (top.output[1], "INT64"), (name, "FLOAT")):
        model.graph.output.append(onnx.helper.make_tensor_value_info(value, getattr(onnx.TensorProto, dtype), None))
    onnx.save(model, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="yolo3_mobilenet1.0_coco")
    parser.add_argument("--size", type=int, default=160)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    mx, gluoncv = load_library()
    net, inputs = prepared(mx, gluoncv, asked.name, asked.size, scaled=False)
    wanted = flat(net(*inputs))
    name, keywords, candidates = suppression(net, mx)
    with tempfile.TemporaryDirectory() as folder:
        path = net.export_onnx(os.path.join(folder, "net.onnx"), *inputs, dynamic=False)
        with_more_outputs(path, name, candidates)
        for runtime, load in RUNTIMES.items():
            *outputs, rows, keys, order, result = load(path)([x.asnumpy() for x in inputs])
            value = difference(wanted, dict(zip(wanted, outputs, strict=True)))
            steps, ties = np.diff(keys[0]), np.diff(keys[0]) == 0
            near, swapped = steps >= -1e-6 * keys[0][:-1], ties & (np.diff(order[0]) < 0)
            print(f"{runtime}: differs from minigluon by {value:.2g} of the largest number. Of {keys.shape[1]} scores "
                  f"{near.sum()} are equal to the next one up to 1e-6, {ties.sum()} exactly, {swapped.sum()} of them "
                  "in the wrong order")
            first = order[0].astype(np.int64)
            for words, given in (("its candidates", rows), ("its candidates in its order", np.concatenate(
                    [rows[:, first], np.delete(rows, first, axis=1)], axis=1))):
                ours = mx.nd.contrib.box_nms(mx.nd.array(given), **keywords).asnumpy()
                print(f"  box_nms of {words}: {(ours != result).any(-1).sum()} rows differ from its result")
    return 0


if __name__ == "__main__":
    sys.exit(main())
