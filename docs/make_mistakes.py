"""Writes mistakes.md: typical mistakes, their messages and remedies, from tests/mistake_cases.

    python docs/make_mistakes.py

A test runs each row, compares its message word for word, and checks that the page is up to date.
"""

import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

CHAPTERS = {"shapes": "Shapes", "indexing": "Indexing and slicing", "gradients": "Gradients",
            "parameters": "Parameters, devices and blocks", "names": "Names and arguments",
            "training": "Training and hybridize", "files": "Files, data and dtypes",
            "habits": "Habits from PyTorch and NumPy"}

HEAD = """# Mistakes

Common mistakes, the message for each, and what to write instead. A test compares each of these {count} messages word
for word. `python docs/make_mistakes.py` generates this page from the rows of
[`tests/mistake_cases`](../tests/mistake_cases), and `python tests/scripts/mistakes.py` prints them with a grade: does
the message give the cause, the location and the remedy? {best} of {count} give all three.

The examples assume these imports:

```python
import minigluon as mx
import numpy as np
from minigluon import autograd, gluon, init, nd, sym
from minigluon.gluon import nn
```

An error in an operator has additional lines: its inputs and attributes and, in a net, the parameter and its block, or
the node of the graph. The last line is the remedy, if the shapes suggest one. Every error that minigluon raises is an
`mx.MXNetError`, and most also belong to Python's usual class: a `ShapeError` is a `ValueError`, an index out of range
is an `IndexError`, and a missing name is an `AttributeError`.
"""

TAIL = """
## Catching errors

Programs should catch the errors that they expect by class; the message is for people.

```python
try:
    nd.ones((2, 3)) + nd.ones((2,))
except mx.base.ShapeError as error:
    message = str(error)

assert message.endswith("remedy: rhs.reshape((2, 1)) goes with lhs")
assert isinstance(mx.base.ShapeError("no"), ValueError)
```
"""


def page():
    """Returns the page as Markdown."""
    from mistake_cases import MISTAKES
    rows = list(MISTAKES.values())
    parts = [HEAD.format(count=len(rows), best=sum(row.grade == 3 for row in rows))]
    for chapter, title in CHAPTERS.items():
        parts.append(f"\n## {title}\n")
        parts += [entry(row) for row in rows if row.chapter == chapter]
    return "".join(parts) + TAIL


def entry(row):
    """Returns the section of one mistake: its code, the message, the remedy."""
    said = "\n".join(textwrap.fill(line, 116, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
                     for line in f"{row.error}: {row.says}".splitlines())
    return (f"\n### {row.title}\n\n```python3\n{row.wrong}\n```\n\n```text\n{said}\n```\n\n"
            f"Instead:\n\n```python3\n{row.right}\n```\n")


def main():
    (HERE / "mistakes.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
