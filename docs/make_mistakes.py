"""Write mistakes.md: typical mistakes, the message of each, and the cure, from tests/mistake_cases.

    python docs/make_mistakes.py

A test runs each row, compares its message word for word, and writes the page again and compares.
"""

import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

CHAPTERS = {"shapes": "Shapes", "indexing": "Parts of arrays", "gradients": "Gradients",
            "parameters": "Parameters, devices and blocks", "names": "Names and arguments",
            "training": "Training and hybridize", "files": "Files, data and types",
            "habits": "Habits from PyTorch and NumPy"}

HEAD = """# Mistakes

What people do wrong, what minigluon says to it, and what to write instead. Each of these {count} messages is compared
word for word by a test. `python docs/make_mistakes.py` makes this page from the rows of
[`tests/mistake_cases`](../tests/mistake_cases), and `python tests/scripts/mistakes.py` prints them with a grade: does
the message tell the cause, the place and the remedy? {best} of {count} tell all three.

The blocks stand in a program that begins like this:

```python
import minigluon as mx
import numpy as np
from minigluon import autograd, gluon, init, nd, sym
from minigluon.gluon import nn
```

An error in an operator has further lines: its inputs and attributes; in a net the parameter and its block, or the node
of the graph. The last one is the remedy, where shapes are enough to know one. Every error of minigluon's own is an
`mx.MXNetError`, and most are Python's usual class, too: a `ShapeError` is a `ValueError`, an index out of range an
`IndexError`, a name that is missing an `AttributeError`.
"""

TAIL = """
## From errors to programs

A program catches what it expects, by class; the text is for people.

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
    """The Markdown."""
    from mistake_cases import MISTAKES
    rows = list(MISTAKES.values())
    parts = [HEAD.format(count=len(rows), best=sum(row.grade == 3 for row in rows))]
    for chapter, title in CHAPTERS.items():
        parts.append(f"\n## {title}\n")
        parts += [entry(row) for row in rows if row.chapter == chapter]
    return "".join(parts) + TAIL


def entry(row):
    """One mistake: its lines, the message, the cure."""
    said = "\n".join(textwrap.fill(line, 116, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
                     for line in f"{row.error}: {row.says}".splitlines())
    return (f"\n### {row.title}\n\n```python3\n{row.wrong}\n```\n\n```text\n{said}\n```\n\n"
            f"Instead:\n\n```python3\n{row.right}\n```\n")


def main():
    (HERE / "mistakes.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
