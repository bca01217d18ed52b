"""The typical mistakes of tests/mistake_cases, each with its message, its grade, and the frames of its traceback.

    python tests/scripts/mistakes.py              the table, with a line for each message
    python tests/scripts/mistakes.py --whole      the messages whole

The grade has a letter for each part that the message tells: c, the cause; p, the place; r, the remedy. Frames are those
that a person sees, and all of them; those of this program are not counted.
"""

import argparse
import os
import sys
import tempfile
import textwrap
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mistake_cases import MISTAKES, run

from minigluon.diagnostics import tracebacks


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--whole", action="store_true", help="the messages whole")
    whole = parser.parse_args().whole
    best, frames = 0, []
    print(f"{'':3} {'mistake':45} grade  seen  all  message")
    for number, row in enumerate(MISTAKES.values(), 1):
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            error, _ = run(row)
            os.chdir(before)
        seen, every = (max(0, len(list(found)) - 1) for found in (
            tracebacks.shown(error), traceback.extract_tb(error.__traceback__)))
        grade = "".join(letter if part else "-" for letter, part in zip("cpr", (row.cause, row.place, row.remedy)))
        best += grade == "cpr"
        frames.append(seen)
        text = f"{type(error).__name__}: {error}"
        line = textwrap.shorten(text, 100, placeholder=" ...")
        print(f"{number:3} {row.title[:45]:45} {grade:5} {seen:5} {every:4}  {'' if whole else line}")
        if whole:
            print(textwrap.indent(text, " " * 8))
    print(f"{best} of {len(MISTAKES)} of the best kind; at most {max(frames)} frames are seen")


if __name__ == "__main__":
    main()
