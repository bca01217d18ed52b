"""Write the table of course.md: the steps of the course, and what the learner writes in each.

    python docs/make_course.py

A test writes it again and compares, so that it cannot grow old.
"""

import re
from pathlib import Path

from minigluon.learn.step import steps

PAGE = Path(__file__).parent / "course.md"
TABLE = re.compile(r"\| step \|.*?(?=\n\n)", re.DOTALL)


def main():
    PAGE.write_text(page(), encoding="utf-8")


def page():
    """The page with a new table."""
    rows = ["| step | what you write |", "|---|---|", *map(row, steps())]
    return TABLE.sub(lambda _: "\n".join(rows), PAGE.read_text(encoding="utf-8"))


def row(step):
    """A step in the table, with a link to its page."""
    names = ", ".join(f"`{part.name}`" for part in step.holes)
    return f"| {step.number}. [{step.title}](../minigluon/learn/steps/{step.name}/page.md) | {names} |"


if __name__ == "__main__":
    main()
