"""`python -m minigluon_accel.gpu.puzzles.child RESULT SECONDS PUZZLE FILE`: grade a learner's file."""

import sys

from minigluon.tools.learn.child import watched, write

from .grading import grade
from .puzzle import load

__all__ = ["main"]


def main(result_path, seconds, name, path):
    """Writes the findings to RESULT as JSON; if time runs out, writes only the findings so far."""
    now = {"check": ""}
    with watched(result_path, seconds, [path], now):
        result = grade(load(name), path, now)
    write(result_path, result)


if __name__ == "__main__":
    main(*sys.argv[1:])
