"""Record what the real MXNet 1.9.1 answers to the cases of `op_cases`, for `test_ops_mxnet.py` to compare with.

    python3.11 -m venv /tmp/mx && /tmp/mx/bin/pip install "numpy==1.23.5" "mxnet==1.9.1"
    /tmp/mx/bin/python -m records.record_mxnet

Forward results and the gradients under a fixed head gradient go to tests/records/data/mxnet_ops.npz.
"""

import contextlib
import ctypes
import os

from records import DATA

os.environ["MXNET_MKLDNN_ENABLED"] = "0"        # its fast paths do not take float64
os.environ["MXNET_STORAGE_FALLBACK_LOG_VERBOSE"] = "0"

import mxnet as mx
import numpy as np
from helpers.op_heads import head_grad
from mxnet._ctypes.ndarray import _imperative_invoke
from mxnet.base import _LIB, OpHandle, c_str, check_call
from op_cases import CASES


def find(name):
    """The function of an operator, from its namespace or straight from the registry."""
    for namespace in (mx.nd, mx.nd.op, mx.nd._internal):
        if hasattr(namespace, name):
            return getattr(namespace, name)
    handle = OpHandle()
    check_call(_LIB.NNGetOpHandle(c_str(name), ctypes.byref(handle)))
    return lambda *arrays, **attrs: _imperative_invoke(
        handle.value, arrays, list(attrs), [str(v) for v in attrs.values()], None, False, False)


def run(case):
    """(outputs, gradients) as NumPy arrays; a gradient for each of `case.grad`, none where MXNet has none."""
    inputs = [mx.nd.array(a, dtype=a.dtype) for a in case.inputs()]
    for i in case.grad:
        inputs[i].attach_grad()
    with mx.autograd.record(train_mode=case.train):
        outputs = find(case.op)(*inputs, **case.attrs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    values = [o.asnumpy() for o in outputs]
    if not case.grad:
        return values, []
    heads = [mx.nd.array(head_grad(o.shape, i), dtype=o.dtype) for i, o in enumerate(outputs)]
    try:
        mx.autograd.backward(outputs, heads, train_mode=case.train)
        return values, [inputs[i].grad.asnumpy() for i in case.grad]
    except mx.base.MXNetError as error:
        print(f"{case.id}: no gradient in MXNet: {last_line(error)}")
        settle()
        return values, []


def settle():
    """Let a failed operator's error come out here, and not in the next case."""
    with contextlib.suppress(mx.base.MXNetError):
        mx.nd.waitall()


def last_line(error):
    return str(error).strip().splitlines()[-1]


def main():
    recorded = {}
    for case in CASES:
        if case.oracle is not True:
            print(f"{case.id}: left out, {case.oracle}")
            continue
        try:
            outputs, grads = run(case)
        except mx.base.MXNetError as error:
            print(f"{case.id}: MXNet refuses: {last_line(error)}")
            settle()
            continue
        recorded.update({f"{case.id}/out{i}": a for i, a in enumerate(outputs)})
        recorded.update({f"{case.id}/grad{i}": a for i, a in zip(case.grad, grads)})
    path = DATA / "mxnet_ops.npz"
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **recorded)
    cases = {key.split("/")[0] for key in recorded}
    print(f"{path}: {len(cases)} cases, {len({c.op for c in CASES if c.id in cases})} operators")


if __name__ == "__main__":
    main()
