"""mxboard 0.1.0: its own tests. `mxboard/proto` needs the files `*_pb2.py`, which its wheel on PyPI has."""

import sys

from suites import run_suite

if __name__ == "__main__":
    sys.exit(run_suite(["tests/python/unittest"], path=("python",)))
