"""Record what MXNet 1.9.1 computes for `quantized_cases`: tests/records/data/mxnet_quantized.npz.

Run it like `record_mxnet.py`, on a processor with AVX512-VNNI: on others, MXNet's sums of products may saturate.
`tests/ops/test_quantized_mxnet.py` compares.
"""

import os

from records import DATA

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"

import mxnet as mx
import numpy as np

from records.quantized_cases import CASES, IN_GRAPHS


def run(op, arrays, attrs):
    """Return the outputs of one call as NumPy arrays."""
    short = op.removeprefix("_contrib_")
    arrays = [mx.nd.array(a, dtype=a.dtype) for a in arrays]
    if op == IN_GRAPHS:
        names = [f"in{i}" for i in range(len(arrays))]
        graph = getattr(mx.sym.contrib, short)(*map(mx.sym.var, names), **attrs)
        outputs = graph.bind(mx.cpu(), dict(zip(names, arrays))).forward()
    else:
        outputs = getattr(mx.nd.contrib, short)(*arrays, **attrs)
    return [o.asnumpy() for o in (outputs if isinstance(outputs, list) else [outputs])]


def main():
    recorded = {}
    for name, (op, arrays, attrs) in CASES.items():
        recorded.update({f"{name}/{i}": y for i, y in enumerate(run(op, arrays, attrs))})
    np.savez_compressed(DATA / "mxnet_quantized.npz", **recorded)
    print(len(CASES), "cases")


if __name__ == "__main__":
    main()
