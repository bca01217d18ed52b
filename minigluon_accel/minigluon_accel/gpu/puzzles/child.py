"""`python -m minigluon_accel.gpu.puzzles.child RESULT SECONDS PUZZLE FILE`: grade a learner's file."""

import sys

from minigluon.tools.learn.child import watched, write

from .grading import grade
from .puzzle import load

__all__ = ["main"]


def main(result_path, seconds, name, path):
    """What was found is written to RESULT as JSON; when the time is up, that."""
    now = {"check": ""}
    with watched(result_path, seconds, [path], now):
        result = grade(load(name), path, now)
    write(result_path, result)


if __name__ == "__main__":
    main(*sys.argv[1:])
