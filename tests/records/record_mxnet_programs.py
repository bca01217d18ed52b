"""Record what tests/programs show in the real MXNet 1.9.1, in tests/records/data/mxnet_programs.json.

Run it like `record_mxnet.py`; `test_programs.py` compares. `python -m records.record_mxnet_programs NAME ...` records
these programs anew and keeps the others.
"""

import json
import os
import sys

# Bound for prediction alone, a residual sum after a convolution is fused by MKL-DNN, and wrong: the numbers are not
# those of the same graph bound for training.
os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
import mxnet as mx
from programs import NAMES, results

from records import DATA


def main():
    file = DATA / "mxnet_programs.json"
    recorded = json.loads(file.read_text()) if sys.argv[1:] and file.exists() else {}
    for name in sys.argv[1:] or NAMES:
        recorded[name] = results(name, mx)
    lines = [f"{json.dumps(name)}: {json.dumps(recorded[name])}" for name in sorted(recorded)]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(recorded)} programs")


if __name__ == "__main__":
    main()
