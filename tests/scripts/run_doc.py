"""Run the Python of a Markdown file, block by block in one namespace.

    python tests/scripts/run_doc.py docs/3-the-tape.md

A ```text block that follows a ```python block is what that block prints. Line breaks do not count in the comparison,
so that a long message can be wrapped on the page. Line numbers in tracebacks are those of the Markdown file. A block
that raises SystemExit("reason") ends the page early, where it needs what is not installed.

A second file has WRONG, {name of a page: [Python]}: wrong answers to the page's exercises, which their checks must
refuse. tests/docs gives it.
"""

import contextlib
import io
import os
import re
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Block", "blocks_of", "run"]

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text and the line where the text begins."""

    language: str
    text: str
    line: int


def blocks_of(path):
    """All fenced blocks of a Markdown file, in order."""
    text = Path(path).read_text(encoding="utf-8")
    return [Block(m[1], m[2], text.count("\n", 0, m.start(2)) + 1) for m in FENCE.finditer(text)]


def run(path, wrong_answers=()):
    """Execute a file's Python blocks. Raises what they raise, and AssertionError where they print something else.

    wrong_answers: Python that runs at the end, each with the page's names, and must fail in an assert with a message.
    """
    namespace = {"__name__": "__main__"}
    blocks = blocks_of(path)
    for block, following in zip(blocks, [*blocks[1:], None]):
        if block.language != "python":
            continue
        printed = io.StringIO()
        code = compile("\n" * (block.line - 1) + block.text, str(path), "exec")
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, namespace)
        except SystemExit as stop:
            print(f"{path}, line {block.line}: {stop}; the rest is skipped")
            return
        if following is not None and following.language == "text":
            # Errors name lines of the page, whose folder is another one on each machine.
            found, expected = printed.getvalue().replace(str(Path(path).parent) + os.sep, ""), following.text
            if found.split() != expected.split():
                raise AssertionError(f"{path}, line {block.line}: the block prints\n{found}\n"
                                     f"but the page says\n{expected}")
    for answer in wrong_answers:
        try:
            exec(answer, dict(namespace))
        except AssertionError as error:
            if str(error):
                continue
        raise AssertionError(f"{path}: a check lets a wrong answer pass, or does not say what is wrong:\n{answer}")


if __name__ == "__main__":
    page, *wrong = map(Path, sys.argv[1:])
    run(page, runpy.run_path(wrong[0])["WRONG"].get(page.stem, ()) if wrong else ())
