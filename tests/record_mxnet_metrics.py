"""Record the values of the real MXNet 1.9.1's metrics in tests/data/mxnet_metrics.json.

Run it like `record_mxnet.py`; `test_metric.py` compares.
"""

import json
import pathlib
import sys

import mxnet as mx

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

from metric_cases import CASES, run  # noqa: E402


def main():
    recorded = {case: run(mx, case) for case in CASES}
    (HERE / "data" / "mxnet_metrics.json").write_text(json.dumps(recorded, indent=1) + "\n")
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
