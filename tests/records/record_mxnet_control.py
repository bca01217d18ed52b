"""Record what MXNet 1.9.1 makes of `control_cases`: tests/records/data/mxnet_control.json.gz.

Run it like `record_mxnet.py`. For each case {"json", "arguments", "outputs", "shapes", "arrays", "graph"}; the last two
hold values and gradients, of the functions on arrays and of the graph in an executor. "graph" is null where MXNet
fails: at the gradient of what comes out of a node with several outputs, and at a branch inside a loop.
"""

import gzip
import json
import os

from records import DATA

os.environ["MXNET_MKLDNN_ENABLED"] = "0"
os.environ["MXNET_STORAGE_FALLBACK_LOG_VERBOSE"] = "0"

import mxnet as mx

from records.control_cases import CASES, arguments


def on_arrays(name):
    function, _ = CASES[name]
    arrays = [mx.nd.array(a) for _, a in arguments(name)]
    for x in arrays:
        x.attach_grad()
    with mx.autograd.record():
        outputs = function(mx.nd, *arrays)
        total = mx.nd.add_n(*[((i + 1) * y * y).sum() for i, y in enumerate(outputs)])
    total.backward()
    return [[y.asnumpy().tolist() for y in outputs], [x.grad.asnumpy().tolist() for x in arrays]]


def graph_of(name):
    function, _ = CASES[name]
    with mx.name.NameManager():
        mx.AttrScope._subgraph_names.clear()
        return mx.sym.Group(function(mx.sym, *[mx.sym.var(n) for n, _ in arguments(name)]))


def in_an_executor(name, graph):
    given = dict(arguments(name))
    used = graph.list_arguments()
    arrays = {n: mx.nd.array(given[n]) for n in used}
    gradients = {n: mx.nd.zeros(given[n].shape) for n in used}
    try:
        executor = graph.bind(mx.cpu(), arrays, gradients)
        outputs = executor.forward(is_train=True)
        executor.backward([2 * (i + 1) * y for i, y in enumerate(outputs)])
    except mx.base.MXNetError as error:
        print(f"{name}: MXNet refuses: {str(error).strip().splitlines()[-1][-90:]}")
        return None
    return [[y.asnumpy().tolist() for y in outputs], {n: g.asnumpy().tolist() for n, g in gradients.items()}]


def main():
    recorded = {}
    for name in CASES:
        graph = graph_of(name)
        shapes = graph.infer_shape(**{n: a.shape for n, a in arguments(name) if n in graph.list_arguments()})
        recorded[name] = {
            "json": graph.tojson(), "arguments": graph.list_arguments(), "outputs": graph.list_outputs(),
            "shapes": shapes[0] and [list(map(list, group)) for group in shapes],
            "arrays": on_arrays(name), "graph": in_an_executor(name, graph)}
    data = json.dumps(recorded, separators=(",", ":")).encode()
    (DATA / "mxnet_control.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    print(len(recorded), "cases")


if __name__ == "__main__":
    main()
