"""The sentences of the repository: of docstrings, comments, pages, and comments in C and CUDA.

`texts` gives whole texts with their places, for the checks of wording; `sentences` divides them.
"""

import ast
import io
import re
import subprocess
import tokenize
from pathlib import Path
from typing import NamedTuple

__all__ = ["PACKAGES", "ROOT", "Text", "sentences", "texts", "texts_in"]

ROOT = Path(__file__).parents[2]
PACKAGES = ("minigluon/", "minigluon_accel/")
NATIVE = (".c", ".h", ".cpp", ".cu", ".cuh")
GENERATED = ("docs/names.md", "docs/operators-accelerated.md", "docs/modules.md", "docs/spine.md")


class Text(NamedTuple):
    """A docstring, a run of comment lines, or a paragraph of a page."""

    path: str
    line: int
    kind: str       # "docstring", "comment", "page" or "native"
    text: str


def texts(under=PACKAGES + ("docs/", "README.md")):
    """Every text of the files that git tracks in these folders; the Chinese and the generated pages left out."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", *under], cwd=ROOT, capture_output=True, text=True,
                            check=True)
    for path in listed.stdout.split("\0"):
        suffix = Path(path).suffix
        if "/zh/" in path or ".zh." in path or path in GENERATED or not (ROOT / path).is_file():
            continue
        if suffix == ".py":
            yield from texts_in(path, (ROOT / path).read_text(encoding="utf-8"))
        elif suffix in NATIVE:
            yield from _native(path, (ROOT / path).read_text(encoding="utf-8"))
        elif suffix == ".md":
            yield from _paragraphs(path, (ROOT / path).read_text(encoding="utf-8"))


def texts_in(path, source):
    """The docstrings and comments of a Python file with this path and source."""
    yield from _docstrings(path, source)
    yield from _comments(path, source)


def _docstrings(path, source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield Text(path, node.body[0].lineno, "docstring", text.partition(">>>")[0].strip())


def _comments(path, source):
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token for token in tokens if token.type == tokenize.COMMENT
                and not re.match(r"#\s*(noqa|type:|pyright:|!|-- )", token.string)]
    for run in _runs(comments):
        yield Text(path, run[0].start[0], "comment", " ".join(token.string.lstrip("# ") for token in run))


def _runs(comments):
    """Lists of comments that are read as one text: on consecutive lines, in one column.

    A comment after code begins a text of its own; only lines without code continue it.
    """
    run = []
    for token in comments:
        alone = not token.line[:token.start[1]].strip()
        if run and not (alone and token.start == (run[-1].start[0] + 1, run[-1].start[1])):
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _native(path, source):
    for match in re.finditer(r"/\*(.*?)\*/|((?://[^\n]*\n\s*)+)", source, re.DOTALL):
        blocks = re.split(r"\n[ *]*(?=\n)", match[1] or match[2])
        joined = [re.sub(r"\s*\n\s*(\*|//)?\s*|//|-- .*? -{5,}", " ", block).strip() for block in blocks]
        text = "\n\n".join(joined).strip()
        if re.search(r"[a-z]{2} [a-z]", text):
            yield Text(path, source.count("\n", 0, match.start()) + 1, "native", text)


def _paragraphs(path, source):
    fenced, start, lines = False, 0, []
    for number, line in enumerate([*source.splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        if fenced or fence or not line.strip() or line.startswith(("|", "#", "<", "- ", "* ", ">")):
            if lines:
                yield Text(path, start, "page", " ".join(lines))
                lines = []
            fenced ^= fence
            if fenced or fence or not line.strip():
                continue
            if line.startswith("|"):
                for cell in line.strip("| ").split(" | "):
                    if re.search(r"[a-z]{2} [a-z]+ [a-z]", cell):
                        yield Text(path, number, "page", cell.strip())
                continue
        start = start if lines else number
        lines.append(line.strip())


def sentences(text):
    """The sentences of a text that have at least four words. Indented blocks in docstrings are tables without any."""
    blocks = [block for block in re.split(r"\n\s*?\n", text.text)
              if not (text.kind == "docstring" and block.startswith("    "))]
    prose = [re.sub(r"\s+", " ", block) for block in blocks]
    parts = [part for block in prose for part in re.split(r"(?<=[.?!:])\s+(?=[A-Z`\"*])", block)]
    return [part for part in parts if len(part.split()) >= 4]
