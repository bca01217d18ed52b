"""Record the signatures of MXNet 1.9.1's operators, for `test_signatures.py` to compare with.

    python -m records.record_mxnet_signatures         (with the interpreter described in record_mxnet.py)

Names of inputs and attributes in order, and required or default, go to tests/records/data/mxnet_signatures.json.
"""

import ctypes
import json

from mxnet.base import _LIB, OpHandle, c_str, check_call, mx_uint, py_str

from records import DATA

NOT_OURS = ("_np", "_backward", "_sparse", "_sg_", "_contrib_quantize", "_contrib_dgl", "_FusedOp")


def names():
    """All registered operator names."""
    array, size = ctypes.POINTER(ctypes.c_char_p)(), mx_uint()
    check_call(_LIB.MXListAllOpNames(ctypes.byref(size), ctypes.byref(array)))
    return sorted(py_str(array[i]) for i in range(size.value))


def describe(name):
    """{'real': registered name, 'inputs': [...], 'variadic': bool, 'attributes': {name: type and default}}."""
    handle, count = OpHandle(), mx_uint()
    check_call(_LIB.NNGetOpHandle(c_str(name), ctypes.byref(handle)))
    real, doc, key_var, returns = (ctypes.c_char_p() for _ in range(4))
    arguments, kinds, docs = (ctypes.POINTER(ctypes.c_char_p)() for _ in range(3))
    check_call(_LIB.MXSymbolGetAtomicSymbolInfo(
        handle, *(ctypes.byref(x) for x in (real, doc, count, arguments, kinds, docs, key_var, returns))))
    pairs = [(py_str(arguments[i]), py_str(kinds[i])) for i in range(count.value)]
    return {"real": py_str(real.value), "variadic": any(kind.endswith("Symbol[]") for _, kind in pairs),
            "inputs": [n for n, kind in pairs if kind.startswith(("NDArray", "Symbol", "ndarray"))],
            "attributes": {n: kind for n, kind in pairs if not kind.startswith(("NDArray", "Symbol", "ndarray"))}}


def main():
    table = {name: describe(name) for name in names() if not name.startswith(NOT_OURS)}
    path = DATA / "mxnet_signatures.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(table, indent=0) + "\n")
    print(f"{path}: {len(table)} operators")


if __name__ == "__main__":
    main()
