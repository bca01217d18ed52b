"""Record the values of the real MXNet 1.9.1's metrics in tests/records/data/mxnet_metrics.json.

Run it like `record_mxnet.py`; `test_metric.py` compares.
"""

import json

import mxnet as mx

from records import DATA
from records.metric_cases import CASES, run


def main():
    recorded = {case: run(mx, case) for case in CASES}
    (DATA / "mxnet_metrics.json").write_text(json.dumps(recorded, indent=1) + "\n")
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
