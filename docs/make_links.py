"""Write the last line of each chapter, with links to the previous and the next chapter: `python docs/make_links.py`.

A test reports outdated lines.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent


def chapters():
    """Return the chapters' files in order."""
    return sorted(HERE.glob("[0-9]*-*.md"), key=lambda path: int(path.name.split("-")[0]))


def linked():
    """Return {file: its text with the correct line of links}."""
    files, found = chapters(), {}
    for before, file, after in zip([None, *files], files, [*files[1:], None]):
        around = [("Previous", before), ("Next", after)]
        neighbors = [f"{word}: [{title(other)}]({other.name})" for word, other in around if other is not None]
        text = re.split(r"\n---\n\n(?:Previous|Next): ", file.read_text(encoding="utf-8"))[0]
        found[file] = f"{text.rstrip()}\n\n---\n\n{' · '.join([*neighbors, '[All chapters](README.md)'])}\n"
    return found


def title(file):
    """Return the chapter's heading up to a colon or comma: number and name."""
    heading = file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return re.split("[:,]", heading)[0]


if __name__ == "__main__":
    for file, text in linked().items():
        file.write_text(text, encoding="utf-8")
