"""sockeye 2.3.24: its own unit tests, and with `--integration` those that train, translate and score."""

import sys

from suites import run_suite

if __name__ == "__main__":
    whole = "--integration" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--integration"]
    sys.exit(run_suite(["test/integration" if whole else "test/unit"]))
