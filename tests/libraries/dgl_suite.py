"""DGL 1.0.4: its own tests of the backend MXNet."""

import sys

from suites import run_suite

if __name__ == "__main__":
    sys.exit(run_suite(["tests/mxnet"], path=("tests",), options=["--timeout=300"],
                       environment={"DGLBACKEND": "mxnet", "DGLTESTDEV": "cpu"}))
