"""Record what tests/programs show in the real MXNet 1.9.1, in tests/records/data/mxnet_programs.json.

Those that use `mx.np` (`np.NAME`) go to mxnet_np_programs.json.gz. Run it like `record_mxnet.py`; `test_programs.py`
and `test_np_recorded.py` compare. `python -m records.record_mxnet_programs NAME ...` records these programs anew and
keeps the others.
"""

import gzip
import json
import os
import sys

# Bound for prediction alone, a residual sum after a convolution is fused by MKL-DNN, and wrong: the numbers are not
# those of the same graph bound for training.
os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
import mxnet as mx
from programs import NAMES, NP_NAMES, results

from records import DATA


def main():
    chosen = sys.argv[1:] or [*NAMES, *NP_NAMES]
    for names, file in ((NAMES, DATA / "mxnet_programs.json"), (NP_NAMES, DATA / "mxnet_np_programs.json.gz")):
        if set(names) & set(chosen):
            _record([name for name in names if name in chosen], names, file)


def _record(chosen, names, file):
    is_packed = file.suffix == ".gz"
    recorded = {}
    if chosen != names and file.exists():
        recorded = json.loads(gzip.decompress(file.read_bytes()) if is_packed else file.read_text())
    for name in chosen:
        recorded[name] = results(name, mx)
        print(name, flush=True)
    lines = [f"{json.dumps(name)}: {json.dumps(recorded[name])}" for name in sorted(set(recorded) & set(names))]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if is_packed:
        file.write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        file.write_text(text)
    print(f"{len(recorded)} programs in {file.name}")


if __name__ == "__main__":
    main()
