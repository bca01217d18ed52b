"""A plugin of pytest for long runs: a line in a file for each test as it ends, and nothing twice.

    PYTHONPATH=tests/scripts:$PYTHONPATH python -m pytest -p kept_results --keep results.txt tests/accel

A later run with the same file leaves out what has passed or was skipped. What failed, and what had begun when the run
was interrupted, is run again. `python tests/scripts/kept_results.py results.txt` counts.
"""

import sys
from collections import Counter
from pathlib import Path

DONE = ("passed", "skipped")


def read(path):
    """{test: its last result} of a file."""
    lines = Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []
    return {test: result for result, _, test in (line.split(" ", 2) for line in lines)}


def pytest_addoption(parser):
    parser.addoption("--keep", required=True, metavar="FILE", help="where results are kept")


def pytest_configure(config):
    config.pluginmanager.register(Keeper(config.getoption("--keep")))


class Keeper:
    """Lines of a file: a result, the seconds of setup, call and teardown, a test."""

    def __init__(self, path):
        self.path, self.seconds, self.worst = Path(path), 0.0, "passed"

    def pytest_collection_modifyitems(self, config, items):
        before = read(self.path)
        done = [item for item in items if before.get(item.nodeid) in DONE]
        items[:] = [item for item in items if before.get(item.nodeid) not in DONE]
        config.hook.pytest_deselected(items=done)

    def pytest_runtest_logstart(self):
        self.seconds, self.worst = 0.0, "passed"

    def pytest_runtest_logreport(self, report):
        self.seconds += report.duration
        if not report.passed:
            self.worst = report.outcome if report.outcome == "failed" or self.worst == "passed" else self.worst

    def pytest_runtest_logfinish(self, nodeid):
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{self.worst} {self.seconds:.1f} {nodeid}\n")


if __name__ == "__main__":
    results = read(sys.argv[1])
    print(", ".join(f"{count} {result}" for result, count in sorted(Counter(results.values()).items())) or "no results")
    print(*(test for test, result in results.items() if result == "failed"), sep="\n")
