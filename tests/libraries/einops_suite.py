"""einops 0.6.1 and 0.4.1: their own tests with the backends NumPy, MXNet's arrays and, in 0.4.1, MXNet's symbols."""

import sys

from suites import run_suite

if __name__ == "__main__":
    sys.exit(run_suite(["tests"], environment={"EINOPS_TEST_BACKENDS": "numpy,mxnet.ndarray",
                                               "EINOPS_SKIP_CUPY": "1"}))
