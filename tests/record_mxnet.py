"""Record what the real MXNet 1.9.1 answers to the cases of `op_cases`, for `test_ops_mxnet.py` to compare with.

    python3.11 -m venv /tmp/mx && /tmp/mx/bin/pip install "numpy==1.23.5" "mxnet==1.9.1"
    /tmp/mx/bin/python tests/record_mxnet.py

Forward results and the gradients under a fixed head gradient go to tests/data/mxnet_ops.npz.
"""

import pathlib
import sys

import mxnet as mx
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from op_cases import CASES  # noqa: E402
from op_heads import head_grad  # noqa: E402


def run(case):
    """(outputs, gradients) as NumPy arrays in the case's dtype; a gradient for each of `case.grad`."""
    inputs = [mx.nd.array(a, dtype=a.dtype) for a in case.inputs()]
    for i in case.grad:
        inputs[i].attach_grad()
    function = getattr(mx.nd, case.op, None) or getattr(mx.nd.op, case.op, None) or getattr(mx.nd._internal, case.op)
    with mx.autograd.record(train_mode=case.train):
        outputs = function(*inputs, **case.attrs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    if case.grad:
        heads = [mx.nd.array(head_grad(o.shape, i), dtype=o.dtype) for i, o in enumerate(outputs)]
        mx.autograd.backward(outputs, heads, train_mode=case.train)
    return [o.asnumpy() for o in outputs], [inputs[i].grad.asnumpy() for i in case.grad]


def main():
    recorded = {}
    for case in CASES:
        if case.oracle is not True:
            print(f"{case.id}: left out, {case.oracle}")
            continue
        try:
            outputs, grads = run(case)
        except mx.base.MXNetError as error:
            print(f"{case.id}: MXNet refuses: {str(error).strip().splitlines()[-1]}")
            continue
        recorded.update({f"{case.id}/out{i}": a for i, a in enumerate(outputs)})
        recorded.update({f"{case.id}/grad{i}": a for i, a in zip(case.grad, grads)})
    path = HERE / "data" / "mxnet_ops.npz"
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **recorded)
    print(f"{path}: {len({key.split('/')[0] for key in recorded})} cases, "
          f"{len({key.split('-')[0] for key in recorded})} operators")


if __name__ == "__main__":
    main()
