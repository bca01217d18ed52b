"""MXFusion 0.3.1: its own tests."""

import sys

from suites import run_suite

if __name__ == "__main__":
    sys.exit(run_suite(["testing"]))
