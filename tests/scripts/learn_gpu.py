"""Do the checks of the CUDA puzzles know right from wrong? Solutions pass, wrong answers are refused, in words.

    python tests/scripts/learn_gpu.py                   all puzzles, one line for each answer
    python tests/scripts/learn_gpu.py p01_map           some
    python tests/scripts/learn_gpu.py --json p01_map    what tests/learn/test_puzzles.py reads
    python tests/scripts/learn_gpu.py --mutants         the solutions, changed in one place: in a table, and what passes

It needs minigluon-accel and g++. The wrong answers are in tests/learn_cases/gpu.
"""

import argparse
import json
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

os.environ["MINIGLUON_BACKEND"] = "numpy"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from learn_cases.gpu import EQUIVALENT, WRONG
from minigluon_accel.gpu import puzzles
from scripts.learn_mutants import C_PIECES, mutants_in_c

__all__ = ["answers", "as_wanted"]

SECONDS = 10            # for a mutant that does not end
PIECES = [*C_PIECES, (r" >= ", " > "), (r" > ", " >= "), (r" - ", " + "), (r"\+ 1\b", "+ 0"), (r"\+ 2\b", "+ 1"),
          (r"- 1\b", "- 0"), (r"\bTHREADS\b", "(THREADS - 1)"), (r"/ 2\b", "/ 4"), (r"\*= 2\b", "*= 4"),
          (r"&&", "||"), (r"\bn\b", "(n - 1)"), (r"\btx\b", "ty"), (r"\bty\b", "tx"), (r"\.x\b", ".y"),
          (r"\.y\b", ".x"), (r"\bi\b", "t"), (r"\bt\b", "i"), (r"-INFINITY", "0"), (r"fmaxf", "fminf"),
          (r"\brow\b", "column"), (r"\bcolumn\b", "row"), (r"\bheight\b", "width"), (r"\bwidth\b", "height"),
          (r"\* factor", ""), (r"\bbreak;", ";")]


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


def killed(puzzle, text):
    """How a changed solution is refused: 'compile', 'time', 'check', or None where it passes. In a fork of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / puzzle.work
            path.write_text(text, encoding="utf-8")
            failure = puzzles.grade(puzzle, path)["failure"]
        os.write(writing, (failure or {"check": "none"})["check"].encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as file:
        check = file.read()
    os.waitpid(child, 0)
    return {"": "time", "it compiles": "compile", "none": None}.get(check, "check")


def mutate(names):
    """Print how many mutants of each puzzle are refused, and those that are not. Returns how many pass.

    Those that do not compile are left out, and those that change nothing: EQUIVALENT.
    """
    print(f"{'puzzle':20}{'mutants':>8}{'refused':>8}", flush=True)
    passing = 0
    for puzzle in map(puzzles.load, names):
        results = [(says, killed(puzzle, text)) for says, text in mutants_in_c(puzzle, PIECES)]
        results = [(says, how) for says, how in results if how != "compile" and (how or says not in EQUIVALENT)]
        left = [says for says, how in results if how is None]
        passing += len(left)
        print(f"{puzzle.name:20}{len(results):8}{len(results) - len(left):8}")
        print("".join(f"      {says}\n" for says in left), end="", flush=True)
    return passing


def main():
    """Grade all or some puzzles. The status is 1 where something is not as wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="PUZZLE", choices=[*puzzles.NAMES, []])
    parser.add_argument("--json", action="store_true", help="print rows for a program")
    parser.add_argument("--mutants", action="store_true", help="change the solutions, and name changes that pass")
    arguments = parser.parse_args()
    puzzles.prepare()
    if arguments.mutants:
        return 1 if mutate(arguments.names or puzzles.NAMES) else 0
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
