"""Record what the executors of the real MXNet 1.9.1 compute, in data/mxnet_executors.npz for test_executor.py.

Run it like `record_mxnet.py`. For each graph: outputs for prediction and for training, auxiliary states afterwards, and
gradients, written once and added a second time for the arguments whose number is odd.
"""

import os

from records import DATA

os.environ["MXNET_MKLDNN_ENABLED"] = "0"
os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"

import mxnet as mx
import numpy as np

from records import executor_cases as cases


def run(name):
    symbol, shapes = cases.build(mx, name)
    executor = symbol.simple_bind(mx.cpu(), grad_req=cases.requirements(name, symbol.list_arguments()), **shapes)
    for bound in (executor.arg_dict, executor.aux_dict):
        for variable, array in bound.items():
            array[:] = cases.value(name, variable, array.shape)
    found = {}
    for i, y in enumerate(executor.forward(is_train=False)):
        found[f"predicted{i}"] = y.asnumpy()
    heads = [mx.nd.array(cases.head(i, y.shape)) for i, y in enumerate(executor.outputs)]
    for _ in range(2):
        outputs = executor.forward(is_train=True)
        executor.backward(heads)
    found.update({f"out{i}": y.asnumpy() for i, y in enumerate(outputs)})
    found.update({f"grad {n}": g.asnumpy() for n, g in executor.grad_dict.items() if g is not None})
    found.update({f"aux {n}": x.asnumpy() for n, x in executor.aux_dict.items()})
    return found


def main():
    recorded = {}
    for name in cases.NAMES:
        try:
            recorded.update({f"{name}/{key}": array for key, array in run(name).items()})
        except (mx.base.MXNetError, RuntimeError, ValueError) as error:
            print(f"{name}: MXNet refuses: {str(error).strip().splitlines()[-1]}")
    path = DATA / "mxnet_executors.npz"
    np.savez_compressed(path, **recorded)
    print(f"{path}: {len({key.split('/')[0] for key in recorded})} graphs, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
