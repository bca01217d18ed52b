"""The landing pages in English and Chinese, with numbers that are taken from the repository when the site is built."""

import re
from pathlib import Path

import minigluon as mx

__all__ = ["landing_page", "numbers"]

HERE = Path(__file__).parent


def landing_page(root, name, chapters):
    """Return the Markdown of the landing page `name`, with the numbers filled in.

    root: the repository. chapters: the number of chapters in the book.
    """
    text = (HERE / name).read_text(encoding="utf-8")
    for word, value in numbers(root, chapters).items():
        text = text.replace(word, value)
    return text


def numbers(root, chapters):
    """Return {placeholder: text}, from the pages that state these numbers and are themselves tested."""
    files, lines = _found(r"(\d+) files, ([\d,]+) lines\.", root / "docs" / "spine.md")
    forward, training = _found(r"geometric means: forward ([\d.]+), train steps ([\d.]+);",
                               root / "benchmarks" / "bench-summary.svg")
    return {"SPINE_FILES": files, "SPINE_LINES": lines, "FORWARD_MEAN": forward, "TRAINING_MEAN": training,
            "OPERATORS": str(len(set(mx.ops.REGISTRY.values()))), "CHAPTERS": str(chapters)}


def _found(pattern, path):
    """Return the groups of a pattern in a file. Raises ValueError if it does not match."""
    match = re.search(pattern, path.read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"{path} does not contain {pattern!r}, from which the landing page takes its numbers")
    return match.groups()
