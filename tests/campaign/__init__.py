"""Trouble, drawn from seeds: hostile files, calls that do not fit, kills, faults. `python tests/campaign --help`.

A *front* is one kind of trouble, a module of this package with

    SECONDS = 1.0           # of the processor that one case may take; it may last ten times as long
    IN_CI = 20              # cases that CI runs, seeds 0, 1, ...
    def case(seed): ...     # a dict that JSON can hold, drawn from random.Random(seed) and nothing else
    def run(case): ...      # None when every promise held, else the finding, in one line
    def smaller(case): ...  # optional: yields cases with less in them, the smallest first
    def missing(): ...      # optional: why the front cannot run on this machine, or None
"""

import pathlib

HERE = pathlib.Path(__file__).parent
MACHINERY = {"__init__", "__main__", "child", "driver", "test_campaign"}

FRONTS = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in MACHINERY)
