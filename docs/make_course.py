"""Write the tables of course.md: the steps of the course with the learner's task in each, and the puzzles.

    python docs/make_course.py

A test generates the page again and compares the two, so that it cannot become outdated.
"""

import re
from pathlib import Path

from minigluon.tools.learn.step import steps

PAGE = Path(__file__).parent / "course.md"
TABLE = re.compile(r"\| step \|.*?(?=\n\n)", re.DOTALL)
PUZZLES = re.compile(r"\| puzzle \|.*?(?=\n\n)", re.DOTALL)
FOLDER = PAGE.parents[1] / "minigluon_accel" / "minigluon_accel" / "gpu" / "puzzles"


def main():
    PAGE.write_text(page(), encoding="utf-8")


def page():
    """Return the page with new tables."""
    rows = ["| step | what you write |", "|---|---|", *map(row, steps())]
    puzzles = ["| puzzle | what is new in it |", "|---|---|", *map(puzzle_row, sorted(FOLDER.glob("p[0-9]*.cu")))]
    text = TABLE.sub(lambda _: "\n".join(rows), PAGE.read_text(encoding="utf-8"))
    return PUZZLES.sub(lambda _: "\n".join(puzzles), text)


def row(step):
    """Return a step's row in the table, with a link to its page."""
    names = ", ".join(f"`{part.name}`" for part in step.holes)
    return f"| {step.number}. [{step.title}](../minigluon/tools/learn/steps/{step.name}/page.md) | {names} |"


def puzzle_row(path):
    """Return a puzzle's row in the table. Its file is read, not imported, so the plugin is not needed."""
    text = path.with_suffix(".py").read_text(encoding="utf-8")
    title, new = re.search(r'title="(.*)"', text)[1], re.match(r'"""(.*)"""', text)[1]
    return f"| {int(path.name[1:3])}. {title} | {new} |"


if __name__ == "__main__":
    main()
