"""tensorly 0.8.1 and 0.6.0: their own tests with the backend MXNet, which uses `mx.np`."""

import sys

from suites import run_suite

if __name__ == "__main__":
    sys.exit(run_suite(["tensorly"], environment={"TENSORLY_BACKEND": "mxnet"}, options=["--timeout=120"]))
