"""Do the checks of the CUDA puzzles know right from wrong? Solutions pass, wrong answers are refused, in words.

    python tests/tools/learn_gpu.py                   all puzzles, one line for each answer
    python tests/tools/learn_gpu.py p01_map           some
    python tests/tools/learn_gpu.py --json p01_map    what tests/learn/test_puzzles.py reads

It needs minigluon-accel and g++. The wrong answers are in tests/learn_cases/gpu.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

os.environ["MINIGLUON_BACKEND"] = "numpy"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from learn_cases.gpu import WRONG
from minigluon_accel.gpu import puzzles

__all__ = ["answers", "as_wanted"]


def answers(puzzle):
    """(what it is, text of the file, words wanted or None for a right one) of a puzzle."""
    solution = puzzle.solution()
    yield "solution", solution, None
    yield "stub", puzzle.stub(), f"{puzzle.kernel} is not written yet"
    for number, (old, new, wanted) in enumerate(WRONG[puzzle.name], 1):
        yield f"wrong {number}", _changed(puzzle, solution, old, new), wanted


def _changed(puzzle, solution, old, new):
    """The solution with a text in the place of another, or of the whole hole."""
    if old is None:
        return re.sub(r'^ */\* YOUR PART.*?\*/\n *NOT_WRITTEN\("\w+"\);\n', lambda _match: new, puzzle.stub(),
                      flags=re.DOTALL | re.MULTILINE)
    if solution.count(old) < 1:
        raise SystemExit(f"{puzzle.name}: the solution has no {old!r}")
    return solution.replace(old, new)


def as_wanted(found, wanted):
    """Whether this is said, # standing for the number of a line."""
    if found is None or wanted is None:
        return found is wanted
    return re.fullmatch(re.escape(wanted).replace(r"\#", r"\d+"), found) is not None


def graded(names):
    """A row for each answer: puzzle, what it is, what is said, what is wanted, seconds."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for puzzle in map(puzzles.load, names):
            path = Path(folder) / puzzle.work
            for what, text, wanted in answers(puzzle):
                path.write_text(text, encoding="utf-8")
                start = time.perf_counter()
                failure = puzzles.grade(puzzle, path)["failure"]
                rows.append((puzzle.name, what, failure and failure["text"], wanted, time.perf_counter() - start))
                if __name__ == "__main__" and "--json" not in sys.argv:
                    _show(*rows[-1])
    return rows


def _show(name, what, found, wanted, seconds):
    verdict = "as wanted" if as_wanted(found, wanted) else "NOT AS WANTED"
    print(f"{name:18} {what:9} {seconds:5.2f} s  {verdict}" + (f"\n      {found}" if found else ""), flush=True)


def main():
    """Grade all or some puzzles. The status is 1 where something is not as wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="PUZZLE", choices=[*puzzles.NAMES, []])
    parser.add_argument("--json", action="store_true", help="print rows for a program")
    arguments = parser.parse_args()
    puzzles.prepare()
    rows = graded(arguments.names or puzzles.NAMES)
    if arguments.json:
        print(json.dumps(rows))
        return 0
    good = sum(as_wanted(found, wanted) for _name, _what, found, wanted, _seconds in rows)
    wrong = [row for row in rows if row[1].startswith("wrong")]
    print(f"{good} of {len(rows)} as wanted; {len(wrong)} wrong answers, refused: "
          f"{sum(row[2] is not None for row in wrong)}; longest {max(row[4] for row in rows):.2f} s")
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
